from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from oneof.experiments.choices_section import choices, risks_table
from oneof.experiments.grid import needed
from oneof.experiments.leaderboard_page import leaderboard_page
from oneof.experiments.methods import CORRECTED
from oneof.experiments.protocol import preset
from oneof.experiments.selection import risk_trials, trials
from oneof.experiments.store import Evidence

Maker = Callable[..., dict[str, Any]]


def test_what_held_out_answers_chose_is_shown_beside_what_they_did_not(nothing: Evidence, make_row: Maker) -> None:
    candidates = list(trials("usps", preset("fast")))
    figures = [0.21, 0.3, 0.2, 0.4, 0.5, 0.6]
    rows = pd.DataFrame(
        [
            make_row(run=trial.run, held_out_log_likelihood=-figure, label_free_accuracy=99 + figure)
            for trial, figure in zip(candidates, figures, strict=True)
        ]
    )
    page = leaderboard_page(nothing, nothing.rows, rows)
    assert "epochs on USPS were chosen among the candidates below by the answers" in page
    assert "epochs on MNIST, FashionMNIST, KMNIST, EMNIST-Letters, SVHN, CIFAR-10 were set by hand" in page
    assert "| USPS | mlp | 40 | shift-cutout | no | none | **-0.2000** | 99.20 [86.00, 89.00] |" in page
    assert "| -0.2100 | 99.21" in page


def test_a_choice_whose_runs_are_missing_does_not_claim_the_table(nothing: Evidence, make_row: Maker) -> None:
    fast = preset("fast")
    rows = pd.DataFrame(
        [
            make_row(run=trial.run, held_out_log_likelihood=-1.0 / (1 + number))
            for number, trial in enumerate(trials("kmnist", fast))
        ]
        + [make_row(run=spec.run) for spec in needed("leaderboard", fast) if spec.dataset == "kmnist"]
    )
    page = leaderboard_page(nothing, nothing.rows, rows)
    assert "by the answers about a tenth" not in page
    assert "epochs on MNIST, FashionMNIST, KMNIST, USPS, EMNIST-Letters, SVHN, CIFAR-10 were set by hand" in page
    assert "On KMNIST held-out answers have since chosen another recipe (below)" in page
    assert (
        "KMNIST ‡: the recipe that was set by hand. Held-out answers chose another one, which has 0 of 21 runs" in page
    )
    assert "**Candidates of the recipe" in page


def searched(make_row: Maker, accuracies: dict[str, list[float]]) -> pd.DataFrame:
    """Rows of the whole search on these data sets: equally good candidates, and risks with these accuracies."""
    fast = preset("fast")
    rows = pd.DataFrame(
        [make_row(run=trial.run, held_out_log_likelihood=-1.0) for name in accuracies for trial in trials(name, fast)]
    )
    risks = [
        make_row(run=spec.run, label_free_accuracy=accuracy)
        for name, found in accuracies.items()
        for spec, accuracy in zip(risk_trials(name, fast, rows), found, strict=True)
    ]
    return pd.concat([rows, pd.DataFrame(risks)], ignore_index=True)


def test_corrected_risks_are_compared_by_their_mean_over_data_sets(make_row: Maker) -> None:
    rows = searched(make_row, {"mnist": [90, 80, 70, 60, 50, 40], "usps": [90, 97, 70, 60, 50, 40]})
    table = risks_table(rows)
    assert table.header == ("data set", *CORRECTED)
    assert [line[0].text for line in table.rows] == ["MNIST", "USPS", "mean"]
    assert [cell.text for cell in table.rows[2][1:]] == ["90.00", "88.50", "70.00", "60.00", "50.00", "40.00"]
    assert [[cell.bold for cell in line[1:3]] for line in table.rows] == [[True, False], [False, True], [True, False]]
    text = choices(rows)[0]
    assert "Over 2 of 7 data sets held-out answers prefer it too (below): 90.00 % on average" in text
    assert "was picked among six corrected risks by test accuracy on USPS" in text


def test_all_data_sets_are_told_as_all(make_row: Maker) -> None:
    text = choices(searched(make_row, {name: [90, 80, 70, 60, 50, 40] for name in preset("fast").budgets}))[0]
    assert "Over all 7 data sets held-out answers prefer it too" in text


def test_another_preference_of_held_out_answers_is_told(make_row: Maker) -> None:
    text = choices(searched(make_row, {"usps": [90, 97, 70, 60, 50, 40]}))[0]
    assert "prefer GCE-ABS (agreement) on average (below): 97.00 %, and 90.00 % for GCE-ABS." in text


@pytest.mark.parametrize("missing", [0, 5])
def test_a_data_set_without_all_six_risks_is_left_out(make_row: Maker, missing: int) -> None:
    rows = searched(make_row, {"usps": [90, 97, 70, 60, 50, 40]})
    spec = risk_trials("usps", preset("fast"), rows)[missing]
    assert risks_table(rows[rows["run"] != spec.run]).rows == ()
    assert "held-out answers prefer" not in choices(rows[rows["run"] != spec.run])[0]


def test_the_risks_are_those_of_two_corrections_and_three_weights() -> None:
    (first, *_) = trials("usps", preset("fast"))
    assert first.method == "Likelihood"
    compared = risk_trials("usps", preset("fast"), pd.DataFrame(columns=["run"]))
    assert [spec.method for spec in compared] == list(CORRECTED)
    assert {replace(spec, method="Likelihood") for spec in compared} == {first}
