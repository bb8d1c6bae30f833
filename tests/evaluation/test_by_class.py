"""Class by class, without labels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oneof import Answers, UniformQueries, class_report, estimate_confusion, respond
from oneof.evaluation.by_class import _ratio

TRUTH = np.array([[0.35, 0.05, 0.0, 0.0], [0.05, 0.2, 0.0, 0.05], [0.0, 0.0, 0.2, 0.0], [0.0, 0.0, 0.05, 0.05]])
"""P(truth = row, prediction = column)."""


def draw(n: int, seed: int, *, per_item: int = 1, **flips: Any) -> tuple[Any, Answers]:
    rng = np.random.default_rng(seed)
    labels, predictions = np.divmod(rng.choice(16, size=n, p=TRUTH.ravel()), 4)
    items = np.repeat(np.arange(n), per_item)
    subsets = UniformQueries(4, 2).draw(len(items), rng)
    responses = respond(subsets, labels[items], rng=rng, **flips)
    return predictions, Answers(subsets, responses, items, **flips)


@pytest.mark.parametrize("options", [{}, {"per_item": 3}, {"flip_yes": 0.1, "flip_no": 0.05}])
def test_the_confusion_matrix_is_unbiased_and_knows_its_error(options: dict[str, Any]) -> None:
    found = [estimate_confusion(*draw(600, seed, **options), check=False) for seed in range(80)]
    values = np.array([one.value for one in found])
    errors = values.std(axis=0)
    np.testing.assert_allclose(values.sum(axis=(1, 2)), 1, atol=0.2)
    assert (np.abs(values.mean(axis=0) - TRUTH) < 4 * errors / np.sqrt(80) + 1e-9).all()
    np.testing.assert_allclose(np.mean([one.error for one in found], axis=0), errors, rtol=0.35, atol=1e-3)


def test_without_flips_the_entries_sum_to_one() -> None:
    found = estimate_confusion(*draw(600, 0))
    assert found.value.sum() == pytest.approx(1)
    assert "16 cells from 600 answers" in found.note
    assert found.frame().loc["1", "3"] == found.value[1, 3]
    assert "<table" in found._repr_html_()


def test_precision_share_and_recall_cover() -> None:
    wanted = {
        "share": TRUTH.sum(axis=1),
        "predicted": TRUTH.sum(axis=0),
        "precision": np.diag(TRUTH) / TRUTH.sum(axis=0),
        "recall": np.diag(TRUTH) / TRUTH.sum(axis=1),
    }
    held = {name: np.zeros(4) for name in wanted}
    for seed in range(100):
        report = class_report(*draw(800, seed), check=False)
        for name, truth in wanted.items():
            held[name] += (report[f"{name}_low"] <= truth + 1e-9) & (truth - 1e-9 <= report[f"{name}_high"])
    for name, count in held.items():
        assert count.mean() >= 93, name
    assert (held["precision"] >= 90).all()


def test_rates_that_were_estimated_widen_every_figure() -> None:
    """Rates from 40 gold answers; taken as known, they make recalls and cells surer than they are."""
    recall: dict[bool, list[Any]] = {True: [], False: []}
    cells: dict[bool, list[Any]] = {True: [], False: []}
    for seed in range(40):
        predictions, answers = draw(6000, seed, flip_yes=0.08, flip_no=0.08)
        rng = np.random.default_rng([seed, 1])
        flips = rng.binomial(20, 0.08, size=2)
        rates = dict(zip(("flip_yes", "flip_no"), (flips + 0.5) / 21, strict=True))
        for known in (True, False):
            counts = {} if known else {"known_yes": 20.0, "known_no": 20.0}
            noisy = Answers(answers.subsets, answers.responses, **rates, **counts)
            report = class_report(predictions, noisy, check=False)
            truth = np.diag(TRUTH) / TRUTH.sum(axis=1)
            recall[known].append((report["recall_low"] <= truth + 1e-9) & (truth - 1e-9 <= report["recall_high"]))
            found = estimate_confusion(predictions, noisy, check=False)
            cells[known].append(np.abs(found.value - TRUTH) <= 1.96 * found.error + 1e-9)
    assert np.mean(recall[False]) >= 0.93 > np.mean(recall[True])
    assert np.mean(cells[False]) >= 0.93 > np.mean(cells[True])


def test_either_rate_alone_widens_the_figures_if_it_was_estimated() -> None:
    predictions, answers = draw(4000, 0, flip_yes=0.08, flip_no=0.08)
    width = {}
    for known in ((), ("known_yes",), ("known_no",), ("known_yes", "known_no")):
        report = class_report(predictions, answers.replace(**dict.fromkeys(known, 20.0)), check=False)
        width[known] = float((report["share_high"] - report["share_low"]).sum())
    assert width[()] < min(width["known_yes",], width["known_no",])
    assert max(width["known_yes",], width["known_no",]) < width["known_yes", "known_no"]


def test_the_report_says_how_many_intervals_there_are() -> None:
    predictions, answers = draw(800, 0)
    each, all_at_once = class_report(predictions, answers), class_report(predictions, answers, simultaneous=True)
    assert "4 intervals per column, each with 95%" in each.attrs["note"]
    assert "hold at once" in all_at_once.attrs["note"]
    assert (all_at_once["recall_high"] - all_at_once["recall_low"] >= each["recall_high"] - each["recall_low"]).all()
    assert each.columns.tolist()[:4] == ["class", "share", "share_low", "share_high"]


def test_skips_widen_every_figure() -> None:
    predictions, answers = draw(2000, 1)
    some = answers.replace(skipped=np.arange(2000) % 10 == 0)
    known, found = class_report(predictions, answers), class_report(predictions, some)
    for name in ("share", "precision", "recall"):
        wider = (found[f"{name}_high"] - found[f"{name}_low"]) > (known[f"{name}_high"] - known[f"{name}_low"])
        assert wider.sum() >= 3, name
    assert (estimate_confusion(predictions, some).error > estimate_confusion(predictions, answers).error).all()


def test_at_the_ends_of_a_ratio_the_difference_is_a_quantile_of_its_error() -> None:
    """Fieller: r is in the interval if sum(above - r below) is within z standard errors of zero."""
    rng = np.random.default_rng(0)
    above, below = rng.normal(0.6, 0.3, size=(50, 2)), rng.normal(1.0, 0.2, size=(50, 2))
    value, *ends = _ratio(above, below, 1.96)
    np.testing.assert_allclose(value, above.sum(axis=0) / below.sum(axis=0))
    for end in ends:
        left = above - end * below
        np.testing.assert_allclose(left.sum(axis=0) ** 2, 1.96**2 * 50 * left.var(axis=0))


def test_skips_alone_leave_everything_open() -> None:
    predictions, subsets = np.arange(30) % 3, UniformQueries(3, 1).draw(30, 0)
    answers = Answers(subsets, np.zeros(30, dtype=bool), skipped=np.ones(30, dtype=bool))
    report = class_report(predictions, answers, check=False)
    for figure in ("share", "recall", "precision"):
        np.testing.assert_allclose(report[f"{figure}_low"], 0.0, atol=1e-9, err_msg=figure)
        np.testing.assert_allclose(report[f"{figure}_high"], 1.0, atol=1e-9, err_msg=figure)


def test_decoys_tell_the_precision_only(simulate: Callable[..., Any]) -> None:
    _, predictions, answers = next(simulate(1, 5, 2, 0.8, 1000, decoys=True))
    report = class_report(predictions, answers)
    assert report["share"].isna().all()
    assert ((report["precision_low"] < 0.85) & (report["precision_high"] > 0.75)).sum() >= 4
    never = class_report(np.minimum(predictions, 3), answers[answers.predicted < 4], check=False)
    assert np.isnan(never["precision"].iloc[4])
