from collections.abc import Callable
from typing import Any

import pandas as pd

from oneof.experiments.leaderboard_page import leaderboard_page, recipe_table
from oneof.experiments.protocol import RunSpec
from oneof.experiments.store import Evidence

Maker = Callable[..., dict[str, Any]]


CONFIGURATION = RunSpec("x", "usps", 0.7, "PRODEN", 0, "cnn", "fast", 0.1, 1e-4, 128, 40, augment="warp").to_json()


def runs(make_row: Maker, name: str, methods: dict[str, float], **given: Any) -> pd.DataFrame:
    return pd.DataFrame(
        [
            make_row(
                preset=name,
                configuration=CONFIGURATION,
                method=method,
                seed=seed,
                test_accuracy=accuracy + seed,
                **given,
            )
            for method, accuracy in methods.items()
            for seed in range(2)
        ]
    )


def test_objective_and_recipe_are_taken_apart_where_the_network_is_the_same(make_row: Maker) -> None:
    fast = runs(make_row, "fast", {"Likelihood": 95.0, "GCE-ABS": 94.0}, dataset="USPS", backbone="cnn-12")
    theirs = runs(make_row, "cpu", {"Likelihood": 90.0, "PRODEN": 91.0}, dataset="USPS", backbone="cnn-12")
    other = runs(make_row, "cpu", {"Likelihood": 80.0}, dataset="KMNIST", backbone="mlp")
    fast = pd.concat([fast, runs(make_row, "fast", {"Likelihood": 85.0}, dataset="KMNIST", backbone="cnn-12")])
    table = recipe_table(fast, pd.concat([theirs, other]))
    lines = {(line[1].text, line[2].text): line for line in table.rows}
    assert {line[0].text for line in table.rows} == {"USPS"}
    likelihood, proden = (table.header.index(name) for name in ("Likelihood", "PRODEN"))
    paper, ours = lines["0.7", "paper"], lines["0.7", "fast"]
    assert (paper[likelihood].text, paper[likelihood].bold, paper[proden].bold) == ("90.50 ± 0.71", False, True)
    assert (ours[likelihood].text, ours[likelihood].bold, ours[proden].text) == ("95.50 ± 0.71", True, "not run")

    empty = pd.DataFrame(columns=["run", "class_name", "items", "accuracy"])
    page = leaderboard_page(Evidence(fast, empty, empty), theirs, theirs)
    assert "the likelihood has the best mean in 0 of 1 cells; not in USPS, 0.7." in page
    assert "USPS, fast: cnn-12, adadelta, 40 epochs, fixed rates, augmentation warp." in page
    assert "under the paper recipe in 0 of 1 lines, among 2 objectives, and under the fast recipe in 1 of 1" in page


def test_where_seeds_are_far_apart_the_page_names_the_class(make_row: Maker) -> None:
    rows = pd.DataFrame(
        [make_row(preset="fast", seed=seed, test_accuracy=accuracy) for seed, accuracy in enumerate((90.0, 85.0))]
    )
    by_class = {rows["run"][0]: (90.0, 90.0), rows["run"][1]: (89.0, 81.0)}
    per_class = pd.DataFrame(
        [
            {"run": run, "class_name": name, "items": 50, "accuracy": accuracy}
            for run, accuracies in by_class.items()
            for name, accuracy in zip(("o", "ki"), accuracies, strict=True)
        ]
    )
    page = leaderboard_page(Evidence(rows, rows, per_class), rows.iloc[:0], rows)
    assert "KMNIST, 0.7, GCE-ABS: 90.00 % with seed 0, 85.00 % with seed 1. One class, ki, makes 4.50 of" in page
    assert "## Objective or recipe?" not in page


def test_with_nothing_run_the_page_says_so(nothing: Evidence) -> None:
    page = leaderboard_page(nothing, nothing.rows, nothing.rows)
    assert page.count("not run") == 21
    assert "## How things were chosen" in page
    assert "on MNIST, FashionMNIST, KMNIST, USPS, EMNIST-Letters, SVHN, CIFAR-10 were set by hand" in page
