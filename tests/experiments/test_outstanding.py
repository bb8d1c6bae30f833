import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from oneof.experiments.grid import needed
from oneof.experiments.outstanding import missing, outstanding, seconds
from oneof.experiments.protocol import preset
from oneof.experiments.selection import trials
from oneof.experiments.store import COLUMNS, Evidence

Maker = Callable[..., dict[str, Any]]
CPU, SMOKE = preset("cpu"), preset("smoke")


def row_of(make_row: Maker, spec: Any, **given: Any) -> dict[str, Any]:
    network = spec.backbone if spec.width is None else f"{spec.backbone}-{spec.width}"
    named = {"run": spec.run, "backbone": network, "epochs": spec.epochs, "configuration": spec.to_json()}
    return make_row(**named | given)


def test_what_is_finished_is_not_missing(make_row: Maker, nothing: Evidence) -> None:
    specs = needed("table3", SMOKE)
    assert missing("table3", SMOKE, nothing.rows) == ([], specs)
    rows = pd.DataFrame([row_of(make_row, spec, dataset="digits") for spec in specs[:7]])
    assert missing("table3", SMOKE, rows) == ([], specs[7:])


def test_runs_that_wait_for_their_rates_are_missing(nothing: Evidence) -> None:
    mlp = preset("cpu-mlp")
    search, runs = missing("table5", mlp, nothing.rows)
    assert len(search) == 4 * len(mlp.learning_rates)
    assert len(runs) == len(needed("table5", mlp))


def test_time_is_judged_by_the_nearest_runs(make_row: Maker) -> None:
    spec = next(spec for spec in needed("table3", CPU) if spec.dataset == "mnist")
    elsewhere = row_of(make_row, replace(spec, dataset="usps"), dataset="USPS", seconds=10.0, train_items=5000)
    assert seconds(spec, pd.DataFrame([elsewhere])) == pytest.approx(120.0)
    here = row_of(make_row, spec, dataset="MNIST", epochs=10, seconds=80.0)
    assert seconds(spec, pd.DataFrame([elsewhere, here])) == pytest.approx(160.0)
    # Another network: four times the cost of an item, a twelfth of the items.
    other = replace(spec, backbone="cnn", dataset="usps", width=16)
    pace = seconds(spec, pd.DataFrame([row_of(make_row, other, dataset="USPS", seconds=40.0, train_items=5000)]))
    assert pace == pytest.approx(40.0 * 12 / 4)
    assert math.isnan(seconds(spec, pd.DataFrame(columns=list(COLUMNS))))


def test_a_line_a_data_set_and_the_hours(make_row: Maker, nothing: Evidence) -> None:
    specs = needed("table3", SMOKE)
    done = pd.DataFrame([row_of(make_row, specs[0], dataset="digits", seconds=3600.0)])
    table = outstanding("table3", SMOKE, done, workers=2)
    assert [cell.text for cell in table.rows[0]] == ["digits", "mlp", "6", "1", "17", "0", "8.5"]
    assert table.notes[0].startswith("8.5 hours in all, with 2 runs side by side")
    assert outstanding("table3", SMOKE, nothing.rows, workers=1).rows[0][-1].text == "–"


def test_the_network_and_the_epochs_are_those_that_were_chosen(make_row: Maker) -> None:
    fast = preset("fast")
    tried = list(trials("cifar10", fast))
    done = [
        row_of(make_row, trial, dataset="CIFAR-10", seconds=60.0, held_out_log_likelihood=-1.0 / (1 + number))
        for number, trial in enumerate(tried)
    ]
    line = next(
        line
        for line in outstanding("leaderboard", fast, pd.DataFrame(done), workers=1).rows
        if line[0].text == "CIFAR-10"
    )
    assert tried[-1].epochs != tried[0].epochs
    assert [cell.text for cell in line[1:3]] == [tried[-1].network, str(tried[-1].epochs)]
