"""Which items judge."""

import hashlib

import numpy as np
import pytest

from oneof import Answers, OneOfClassifier, UniformQueries
from oneof.training.splits import halves, kept_aside, split, without_holdout

CLASSES = 4


def answers_about(items: np.ndarray, **columns) -> Answers:
    rng = np.random.default_rng(0)
    return Answers(UniformQueries(CLASSES, 2).draw(len(items), rng), rng.random(len(items)) < 0.5, items, **columns)


def test_all_answers_about_an_item_go_the_same_way():
    items = np.random.default_rng(0).integers(0, 50, 200)
    answers = answers_about(items)
    training, judging, unjudged = split(answers, 0.3, seed=1)
    assert not set(training.items) & set(judging.items)
    assert len(training) + len(judging) == 200
    assert len(np.unique(judging.items)) == round(0.3 * len(np.unique(items)))
    assert unjudged == ""
    assert split(answers, 0.3, seed=1).training == training
    assert split(answers, 0.3, seed=2).training != training


@pytest.mark.parametrize(
    ("share", "adaptive", "why"),
    [
        (0.0, False, "nothing was held out"),
        (0.1, False, "0.1 of 4 items is none"),
        (0.5, True, "1 of 4 questions were chosen by a model"),
    ],
)
def test_where_nothing_can_judge_everything_trains_and_the_reason_is_given(share, adaptive, why):
    answers = answers_about(np.arange(4), adaptive=(np.arange(4) == 0) & adaptive)
    training, judging, unjudged = split(answers, share, seed=0)
    assert training == answers
    assert len(judging) == 0
    assert why in unjudged


def test_items_that_were_put_aside_judge_whatever_the_share_and_the_design():
    answers = answers_about(np.array([0, 1, 1, 2, 3]), adaptive=[True, False, False, False, True])
    training, judging, unjudged = split(answers, 0.9, seed=0, held_out=[1, 2, 9])
    assert training.items.tolist() == [0, 3]
    assert judging.items.tolist() == [1, 1, 2]
    assert unjudged == ""
    assert split(answers, 0.9, 0, held_out=[9]).unjudged == "no answer is about a held-out item"


def test_adaptive_items_would_make_the_judges_easy():
    """A model chooses the hard half of the items: were the others to judge, it would look perfect."""
    hard = np.arange(400) % 2 == 0
    answers = answers_about(np.arange(400), adaptive=hard)
    assert len(split(answers, 0.25, seed=0).judging) == 0
    aside = np.random.default_rng(0).choice(400, 100, replace=False)
    assert 0.4 < hard[split(answers, 0.25, 0, held_out=aside).judging.items].mean() < 0.6


def test_halves_share_no_item():
    first, second = halves(answers_about(np.array([3, 3, 5, 8, 8, 9])))
    assert set(first.items) == {3, 8}
    assert set(second.items) == {5, 9}


def test_the_items_kept_aside_do_not_change_when_others_come_in():
    hashes = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(5000)]
    kept = kept_aside(hashes, 0.2)
    assert 0.15 < kept.mean() < 0.25
    assert (kept_aside(hashes[::-1], 0.2)[::-1] == kept).all()


def test_who_holds_out_already_says_so():
    assert without_holdout(OneOfClassifier(holdout=0.3)).holdout == 0.0


def test_what_was_given_trains_and_is_not_spent_on_judging() -> None:
    labels = Answers.from_labels([0, 1, 2, 0], classes=3)
    training, judging, why = split(labels, 0.5, seed=0)
    assert (len(training), len(judging)) == (4, 0)
    assert "cannot judge" in why
    uniform = Answers([[True, False, False]] * 4, [True] * 4, items=[4, 5, 6, 7])
    training, judging, _ = split(labels + uniform, 0.5, seed=0)
    assert set(judging.items) < {4, 5, 6, 7}
    assert len(judging) == 2
