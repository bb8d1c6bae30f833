from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from oneof.experiments.grid import needed
from oneof.experiments.protocol import LEARNING_RATES, WEIGHT_DECAYS, Budget, Preset, RunSpec, preset
from oneof.experiments.selection import chosen_rates, stages
from oneof.experiments.store import COLUMNS

Maker = Callable[..., dict[str, Any]]
TWO_STAGES = Preset("mine", "paper", (3, 4), {"digits": Budget("mlp", 10, search_epochs=2)})
WHOLE = replace(TWO_STAGES, full_search=True)
NO_ROWS = pd.DataFrame(columns=list(COLUMNS))


def cell(given: Preset) -> list[RunSpec]:
    return [spec for spec in needed("table3", given) if (spec.p_yes, spec.method) == (0.7, "GCE-ABS")]


def done(make_row: Maker, specs: list[RunSpec], best: tuple[float, float]) -> pd.DataFrame:
    """Rows in which the estimate falls with the distance from the best rates, and the test accuracy lies."""
    lines = []
    for spec in specs:
        miss = (spec.learning_rate != best[0]) + (spec.weight_decay != best[1])
        lines.append(make_row(run=spec.run, label_free_accuracy=90.0 - 10 * miss, test_accuracy=50.0 + 10 * miss))
    return pd.DataFrame(lines, columns=list(COLUMNS))


def test_the_learning_rate_comes_first(make_row: Maker) -> None:
    first = stages(cell(TWO_STAGES), TWO_STAGES, NO_ROWS)
    assert [spec.learning_rate for spec in first] == list(LEARNING_RATES)
    assert {spec.weight_decay for spec in first} == {1e-4}
    for spec in first:
        assert (spec.seed, spec.epochs, spec.holdout, spec.preset) == (3, 2, 0.1, "mine-search")


def test_then_the_weight_decay_and_then_nothing(make_row: Maker) -> None:
    rows = done(make_row, stages(cell(TWO_STAGES), TWO_STAGES, NO_ROWS), (5e-2, 1e-3))
    second = stages(cell(TWO_STAGES), TWO_STAGES, rows)
    assert {(spec.learning_rate, spec.weight_decay) for spec in second} == {(5e-2, 1e-5), (5e-2, 1e-3)}
    rows = pd.concat([rows, done(make_row, second, (5e-2, 1e-3))])
    assert stages(cell(TWO_STAGES), TWO_STAGES, rows) == []
    assert chosen_rates(cell(TWO_STAGES)[0], TWO_STAGES, rows) == (5e-2, 1e-3)


def test_the_whole_grid_where_asked(make_row: Maker) -> None:
    grid = stages(cell(WHOLE), WHOLE, NO_ROWS)
    assert len(grid) == len(LEARNING_RATES) * len(WEIGHT_DECAYS)
    rows = done(make_row, grid, (1e-3, 1e-5))
    assert stages(cell(WHOLE), WHOLE, rows) == []
    assert {chosen_rates(spec, WHOLE, rows) for spec in cell(WHOLE)} == {(1e-3, 1e-5)}


def test_other_batch_sizes_take_the_same_choice(make_row: Maker) -> None:
    swept = [replace(spec, batch_size=512) for spec in cell(WHOLE)]
    assert stages(swept, WHOLE, NO_ROWS) == stages(cell(WHOLE), WHOLE, NO_ROWS)


def test_a_preset_without_search_keeps_its_rates() -> None:
    smoke = preset("smoke")
    runs = needed("table3", smoke)
    assert stages(runs, smoke, NO_ROWS) == []
    assert chosen_rates(runs[0], smoke, NO_ROWS) == (0.2, 1e-4)


def test_a_missing_search_is_named() -> None:
    with pytest.raises(ValueError, match="no search run of digits, GCE-ABS is finished"):
        chosen_rates(cell(WHOLE)[0], WHOLE, NO_ROWS)


def test_one_choice_serves_every_p_yes() -> None:
    runs = [spec for spec in needed("table3", TWO_STAGES) if spec.method == "GCE-ABS"]
    searched = stages(runs, TWO_STAGES, NO_ROWS)
    assert {spec.p_yes for spec in runs} == {0.3, 0.5, 0.7}
    assert {spec.p_yes for spec in searched} == {0.5}
    assert len(searched) == len(LEARNING_RATES)
