from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from oneof import datasets, models
from oneof.experiments.paper_numbers import paper_table
from oneof.experiments.protocol import LEARNING_RATES, PRESETS, WEIGHT_DECAYS, RunSpec, preset
from oneof.training import Config

SPEC = RunSpec("smoke", "digits", 0.3, "GCE-ABS", 0, "mlp", "paper", 0.1, 1e-4, 128, 5)


def test_the_papers_grids() -> None:
    assert sorted(LEARNING_RATES) == [1e-5, 1e-4, 1e-3, 1e-2, 5e-2, 1e-1, 2e-1]
    assert sorted(WEIGHT_DECAYS) == [1e-5, 1e-4, 1e-3]


def test_the_paper_preset_is_the_papers_table_one() -> None:
    given = preset("paper")
    assert len(given.seeds) == 5
    names = {"CNN": "cnn", "ResNet-34": "resnet34"}
    for entry in paper_table(1).to_dict("records"):
        registered = datasets.info(entry["dataset"])
        budget = given.budgets[registered.name]
        assert (budget.backbone, budget.epochs) == (names[entry["backbone"]], 100)
        assert registered.paper_sizes == (entry["train"], entry["test"])
        assert registered.shape[0] * registered.shape[1] * registered.shape[2] == entry["features"]
        assert len(registered.class_names) == entry["classes"]


def test_the_cpu_preset_has_every_data_set_of_the_paper_and_its_schedule_steps_within_each_budget() -> None:
    given = preset("cpu")
    assert set(given.budgets) == set(preset("paper").budgets)
    for budget in given.budgets.values():
        assert (budget.step_size or Config().step_size) * 3 < budget.epochs


@pytest.mark.parametrize("name", PRESETS)
def test_presets_name_what_exists(name: str) -> None:
    given = preset(name)
    assert given.name == name
    assert set(given.budgets) <= set(datasets.names())
    assert {budget.backbone for budget in given.budgets.values()} <= set(models.names())


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(ValueError, match="unknown preset 'gpu'; known: paper, cpu, cpu-mlp, cpu-dropout, fast, smoke"):
        preset("gpu")


def test_a_run_is_its_content() -> None:
    assert RunSpec.from_json(SPEC.to_json()) == SPEC
    assert replace(SPEC, seed=1).run != SPEC.run
    assert len(SPEC.run) == 12


@pytest.mark.parametrize(("name", "value"), [("step_size", 6), ("views", "mirror"), ("precision", "bf16")])
def test_settings_that_came_later_leave_runs_without_them_their_identity(name: str, value: Any) -> None:
    assert name not in SPEC.to_json()
    given = replace(SPEC, **{name: value})
    assert RunSpec.from_json(given.to_json()) == given
    assert given.run != SPEC.run


def test_every_committed_row_has_the_identity_of_its_configuration() -> None:
    rows = pd.read_csv(Path(__file__).parents[2] / "results" / "rows.csv", usecols=["run", "configuration"])
    assert rows["configuration"].map(lambda text: RunSpec.from_json(text).run).tolist() == rows["run"].tolist()


@pytest.mark.parametrize("text", ["{}", "nonsense", '{"colour": 1}', SPEC.to_json().replace("seed", "sead")])
def test_another_text_is_no_configuration(text: str) -> None:
    with pytest.raises(ValueError, match="not the configuration of a run"):
        RunSpec.from_json(text)
