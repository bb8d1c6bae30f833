from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from oneof.experiments.grid import needed
from oneof.experiments.methods import CORRECTED
from oneof.experiments.protocol import LEARNING_RATES, WEIGHT_DECAYS, Budget, Preset, RunSpec, preset
from oneof.experiments.selection import (
    chosen,
    chosen_budget,
    comparisons,
    shown,
    shown_budget,
    stages,
    trials,
    waiting,
)
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
    (spec, *_) = cell(TWO_STAGES)
    assert chosen(spec, TWO_STAGES, rows) == replace(spec, learning_rate=5e-2, weight_decay=1e-3)


def test_the_whole_grid_where_asked(make_row: Maker) -> None:
    grid = stages(cell(WHOLE), WHOLE, NO_ROWS)
    assert len(grid) == len(LEARNING_RATES) * len(WEIGHT_DECAYS)
    rows = done(make_row, grid, (1e-3, 1e-5))
    assert stages(cell(WHOLE), WHOLE, rows) == []
    found = [chosen(spec, WHOLE, rows) for spec in cell(WHOLE)]
    assert found == [replace(spec, learning_rate=1e-3, weight_decay=1e-5) for spec in cell(WHOLE)]


def test_other_batch_sizes_take_the_same_choice(make_row: Maker) -> None:
    swept = [replace(spec, batch_size=512) for spec in cell(WHOLE)]
    assert stages(swept, WHOLE, NO_ROWS) == stages(cell(WHOLE), WHOLE, NO_ROWS)


def test_a_preset_without_search_keeps_its_rates() -> None:
    smoke = preset("smoke")
    runs = needed("table3", smoke)
    assert stages(runs, smoke, NO_ROWS) == []
    assert chosen(runs[0], smoke, NO_ROWS) == runs[0]


def test_a_missing_search_is_named() -> None:
    with pytest.raises(ValueError, match="no search run of digits, GCE-ABS is finished"):
        chosen(cell(WHOLE)[0], WHOLE, NO_ROWS)


def test_one_choice_serves_every_p_yes() -> None:
    runs = [spec for spec in needed("table3", TWO_STAGES) if spec.method == "GCE-ABS"]
    searched = stages(runs, TWO_STAGES, NO_ROWS)
    assert {spec.p_yes for spec in runs} == {0.3, 0.5, 0.7}
    assert {spec.p_yes for spec in searched} == {0.5}
    assert len(searched) == len(LEARNING_RATES)


OWN, LONGER = Budget("mlp", 4), Budget("mlp", 9, average=0.9)
RECIPES = Preset("mine", "fast", (3, 4), {"digits": OWN}, candidates={"digits": (LONGER, replace(OWN, width=7))})


def rows_of_trials(make_row: Maker, figures: list[float]) -> pd.DataFrame:
    """Rows of the first candidates, with these log-likelihoods of held-out answers, and accuracies that lie."""
    found = zip(trials("digits", RECIPES), figures, strict=False)
    return pd.DataFrame(
        [
            make_row(run=trial.run, held_out_log_likelihood=figure, label_free_accuracy=-figure)
            for trial, figure in found
        ]
    )


def test_candidates_are_tried_once_for_all_methods_with_answers_held_out() -> None:
    runs = needed("leaderboard", RECIPES)
    missing = stages(runs, RECIPES, NO_ROWS)
    assert [(spec.epochs, spec.average, spec.width) for spec in missing] == [
        (4, 0.0, None),
        (9, 0.9, None),
        (4, 0.0, 7),
    ]
    assert {(s.method, s.p_yes, s.seed, s.holdout, s.preset) for s in missing} == {
        ("Likelihood", 0.5, 3, 0.1, "mine-search")
    }


def test_what_held_out_answers_prefer_serves_every_method_and_seed(make_row: Maker) -> None:
    rows = rows_of_trials(make_row, [-0.3, -0.2, -0.4])
    assert chosen_budget("digits", RECIPES, rows) is LONGER
    runs = needed("leaderboard", RECIPES)
    assert stages(runs, RECIPES, rows) == []
    assert {(s.epochs, s.average) for s in (chosen(spec, RECIPES, rows) for spec in runs)} == {(9, 0.9)}


def test_corrected_risks_are_compared_under_the_chosen_candidate_and_nothing_waits_for_it(make_row: Maker) -> None:
    runs = needed("leaderboard", RECIPES)
    assert comparisons(runs, RECIPES, rows_of_trials(make_row, [-0.3, -0.2])) == [], "nothing is chosen yet"
    rows = rows_of_trials(make_row, [-0.3, -0.2, -0.4])
    compared = comparisons(runs, RECIPES, rows)
    assert [spec.method for spec in compared] == list(CORRECTED)
    assert {(s.epochs, s.average, s.p_yes, s.seed, s.holdout, s.preset) for s in compared} == {
        (9, 0.9, 0.5, 3, 0.1, "mine-search")
    }
    assert stages(runs, RECIPES, rows) == []
    assert comparisons([spec for spec in runs if spec.method == "Likelihood"], RECIPES, rows) == []
    smoke = preset("smoke")
    assert comparisons(needed("leaderboard", smoke), smoke, NO_ROWS) == [], "no candidates, no comparison"


def finished(make_row: Maker, rows: pd.DataFrame, specs: list[RunSpec]) -> pd.DataFrame:
    """These rows, and one for each of the specifications."""
    return pd.concat([rows, pd.DataFrame([make_row(run=spec.run) for spec in specs])], ignore_index=True)


def test_the_chosen_budget_is_shown_once_it_leaves_no_hole_and_never_mixed(make_row: Maker) -> None:
    searched = rows_of_trials(make_row, [-0.3, -0.2, -0.4])
    before = needed("leaderboard", RECIPES)
    after = [chosen(spec, RECIPES, searched) for spec in before]
    cells = len({(spec.p_yes, spec.method) for spec in after})
    assert shown_budget("digits", before, RECIPES, searched) is LONGER, "there is nothing else to show"

    rows = finished(make_row, searched, before)
    for count in (0, 1, cells - 1):
        partly = finished(make_row, rows, after[:count])
        assert shown_budget("digits", before, RECIPES, partly) is OWN
        assert shown(before, RECIPES, partly) == {spec.run for spec in before}
        assert waiting(before, RECIPES, partly) == {"digits": f"{count} of {len(after)} runs"}
    one_seed = [spec for spec in after if spec.seed == RECIPES.seeds[0]]
    assert len(one_seed) == cells
    whole = finished(make_row, rows, one_seed)
    assert shown_budget("digits", before, RECIPES, whole) is LONGER
    assert shown(before, RECIPES, whole) == {spec.run for spec in one_seed}
    assert waiting(before, RECIPES, whole) == {}


def test_a_choice_of_the_own_budget_or_none_replaces_nothing(make_row: Maker) -> None:
    runs = needed("leaderboard", RECIPES)
    rows = finished(make_row, rows_of_trials(make_row, [-0.1, -0.2, -0.4]), runs)
    assert shown_budget("digits", runs, RECIPES, rows) is OWN
    assert (shown(runs, RECIPES, rows), waiting(runs, RECIPES, rows)) == ({spec.run for spec in runs}, {})
    plain = needed("leaderboard", preset("smoke"))
    assert (shown(plain, preset("smoke"), NO_ROWS), waiting(plain, preset("smoke"), NO_ROWS)) == (set(), {})


def test_until_every_candidate_was_tried_the_budget_stays(make_row: Maker) -> None:
    rows = rows_of_trials(make_row, [-0.3, -0.2])
    assert chosen_budget("digits", RECIPES, rows) is OWN
    assert len(stages(needed("leaderboard", RECIPES), RECIPES, rows)) == 1


def test_runs_with_a_budget_that_is_no_candidate_any_more_do_not_count(make_row: Maker) -> None:
    runs = needed("leaderboard", RECIPES)
    old = [replace(spec, epochs=77) for spec in runs]
    assert shown(runs, RECIPES, finished(make_row, NO_ROWS, [*old, runs[0]])) == {runs[0].run}


def test_candidates_of_the_leaderboard_differ() -> None:
    fast = preset("fast")
    assert set(fast.candidates) == set(fast.budgets) == set(preset("paper").budgets)
    for name in fast.budgets:
        assert len(trials(name, fast)) == len(fast.candidates[name]) + 1
