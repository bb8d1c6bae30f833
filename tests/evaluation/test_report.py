"""The page about a judgement."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oneof import Answers, estimate_accuracy
from oneof.evaluation.report import html_report


@pytest.fixture
def judged(simulate: Callable[..., Any]) -> tuple[Any, Answers]:
    _, predictions, answers = next(simulate(1, 4, 2, 0.9, 600, decoys=False))
    return 0.1 * np.full((600, 4), 0.25) + 0.9 * np.eye(4)[predictions], answers


def test_the_page_stands_by_itself_and_says_it_all(judged: tuple[Any, Answers]) -> None:
    p, answers = judged
    some = answers.replace(
        class_names=("<wolf>", "cat & dog", "c", "d"),
        skipped=np.arange(600) % 20 == 0,
        annotators=np.array(["ann", "bob"])[np.arange(600) % 2],
    )
    found = estimate_accuracy(p.argmax(axis=1), some, trained_on=[0, 1])
    page = html_report(found, p, some, trained_on=[0, 1], true_accuracy=0.9, unread=["x.png: <broken>"])
    expected = [
        f"{100 * found.value:.1f} %",
        f"{100 * found.low:.1f} % to {100 * found.high:.1f} %",
        "598 answers about 598 items, 4 classes",
        "2 annotators",
        "left out 2 answers about items that the model was trained on",
        "True accuracy, by labels: <b>90.0 %</b>",
        "answers are taken as right",
        "&lt;wolf&gt;",
        "cat &amp; dog",
        "x.png: &lt;broken&gt;",
        "4 intervals per column",
        "16 cells from 598 answers",
    ]
    assert [part for part in expected if part not in page] == []
    assert page.count("<svg") == 3
    assert not any(part in page for part in ("<wolf>", "<script", "src=", "@import"))


def test_estimated_rates_are_told(judged: tuple[Any, Answers]) -> None:
    p, answers = judged
    for known, words in ((None, "known rates"), (np.full(600, 80.0), "estimated, and the interval includes it")):
        some = answers.replace(flip_yes=np.full(600, 0.02), flip_no=np.full(600, 0.01), known_yes=known)
        page = html_report(estimate_accuracy(p.argmax(axis=1), some), p, some)
        assert f"2.0 % of the yes and 1.0 % of the no, {words}" in page
    assert "Nothing." in page


def test_questions_made_from_predictions_have_no_recall(simulate: Callable[..., Any]) -> None:
    _, predictions, answers = next(simulate(1, 4, 2, 0.9, 400, decoys=True))
    page = html_report(estimate_accuracy(predictions, answers), np.eye(4)[predictions], answers)
    assert "400 answers to questions that show the prediction among random others" in page
    assert "This needs uniform questions" in page
    assert "Shares and recalls need uniform questions" in page
    assert page.count("<svg") == 2
