import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from oneof import Answers, respond
from oneof.queries import information as information_module
from oneof.queries.adaptive import belief, choose
from oneof.queries.information import information


def test_belief_is_bayes() -> None:
    p = np.array([[0.5, 0.3, 0.2]])
    answers = Answers([[True, True, False], [True, False, False]], [True, False], items=[0, 0])
    np.testing.assert_allclose(belief(p, answers.evidence(flip_yes=0.1, flip_no=0.2)), _bayes(p[0])[None])


def _bayes(p: NDArray[np.float64]) -> NDArray[np.float64]:
    joint = p * np.array([0.9 * 0.1, 0.9 * 0.8, 0.2 * 0.8])
    return np.asarray(joint / joint.sum())


def test_probabilities_that_nearly_sum_to_one_are_normalised() -> None:
    assert belief(np.array([[0.4995, 0.5]])).sum() == pytest.approx(1)


def test_belief_survives_a_model_that_rules_out_the_truth() -> None:
    assert belief([[1.0, 0.0, 0.0]], [[-np.inf, 0.0, 0.0]]).tolist() == [[0.0, 0.5, 0.5]]


def test_the_most_telling_items_come_first_each_once() -> None:
    p = np.array([[0.97, 0.01, 0.01, 0.01], [0.25] * 4, [0.6, 0.4, 0, 0], [0.5, 0.5, 0, 0], [0.9, 0.1, 0, 0]])
    questions = choose(p, None, 3, rng=0)
    assert set(questions.items.tolist()) == {1, 2, 3}
    assert (questions.information > 0.9).all()
    assert questions.adaptive.all()
    assert len(questions) == 3


def test_evidence_is_taken_into_account() -> None:
    p = np.full((2, 4), 0.25)
    evidence = Answers([[True, True, False, False], [True, False, False, False]], [True, True], items=[0, 0]).evidence(
        2
    )
    assert choose(p, evidence, 1, rng=0).items.tolist() == [1], "item 0 is settled"


def test_a_share_stays_uniform_and_is_marked() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(10), size=2000)
    judging = np.arange(0, 2000, 4)
    questions = choose(p, None, 1000, rng, uniform_share=0.3, uniform_size=4, judging=judging)
    drawn = ~questions.adaptive
    assert abs(drawn.sum() - 300) <= 1
    assert np.isin(questions.items[drawn], judging).all()
    assert not np.isin(questions.items[~drawn], judging).any()
    assert (questions.subsets[drawn].sum(axis=1) == 4).all()
    assert len(np.unique(questions.items)) == 1000
    # Uniform means: whatever the model believes, each label is asked about equally often.
    shares = questions.subsets[drawn].mean(axis=0)
    assert np.abs(shares - 0.4).max() < 4 * np.sqrt(0.24 / 300)


def test_uniform_questions_show_half_of_the_classes_and_tell_what_they_are_worth() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(7), size=30)
    questions = choose(p, None, 30, rng=0, uniform_share=1.0, flip_yes=0.1, flip_no=0.2)
    assert not questions.adaptive.any()
    assert (questions.subsets.sum(axis=1) == 3).all()
    masses = (p[questions.items] * questions.subsets).sum(axis=1)
    np.testing.assert_allclose(questions.information, information(masses, 0.1, 0.2))


def test_judging_items_are_not_asked_twice_while_others_wait() -> None:
    judging = np.arange(10)
    p = np.full((20, 4), 0.25)
    before = Answers([[True, False, False, False]] * 6, [False] * 6, items=np.arange(6)).evidence(20)
    questions = choose(p, before, 4, rng=0, uniform_share=1.0, judging=judging)
    assert sorted(questions.items.tolist()) == [6, 7, 8, 9]


def test_adaptive_questions_find_every_class() -> None:
    """Without any model, halving the belief settles 16 classes in exactly 4 answers per item."""
    k, n = 16, 64
    labels = np.arange(n) % k
    flat = np.full((n, k), 1 / k)
    answers = None
    for _ in range(4):
        questions = choose(flat, None if answers is None else answers.evidence(n), n, rng=1)
        new = Answers(questions.subsets, respond(questions.subsets, labels[questions.items]), questions.items)
        answers = new if answers is None else answers + new
    assert answers is not None
    np.testing.assert_array_equal(belief(flat, answers.evidence(n)).argmax(axis=1), labels)
    np.testing.assert_allclose(belief(flat, answers.evidence(n)).max(axis=1), 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"probabilities": [[0.5, 0.2]]}, "row 0 of probabilities"),
        ({"probabilities": [[0.5, 0.5], [0.5, 0.502]]}, "row 1 of probabilities"),
        ({"probabilities": [[0.5, 0.5], [1.1, -0.1]]}, "row 1 of probabilities"),
        ({"probabilities": [[0.5, 0.5], [np.nan, 0.5]]}, "row 1 of probabilities"),
        ({"probabilities": [0.5, 0.5]}, r"shape \(items, classes\)"),
        ({"evidence": [[0.0, 0.0]]}, r"evidence must have shape \(2, 3\)"),
        ({"evidence": [[0.0] * 3, [-np.inf] * 3]}, "every class of item 1"),
        ({"count": 3}, "3 adaptive questions in one batch, but only 2 items"),
        ({"uniform_share": 1.5}, "uniform_share"),
        ({"judging": [5]}, r"judging items must be in 0\.\.1"),
        ({"judging": [], "uniform_share": 0.5}, "judging is empty"),
        ({"flip_yes": 0.6, "flip_no": 0.6}, "less than 1"),
        ({"label_cost": -1.0}, "label_cost"),
        ({"largest": 3}, r"largest must be in 1\.\.2"),
    ],
)
def test_mistakes_are_refused(arguments: dict[str, object], message: str) -> None:
    good = {"probabilities": [[0.2, 0.3, 0.5]] * 2, "evidence": None, "count": 1, "rng": 0}
    with pytest.raises(ValueError, match=message):
        choose(**(good | arguments))


def test_choosing_needs_little_memory_beside_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(information_module, "CHUNK", 1 << 16)
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(500), size=4000).astype(np.float32)
    tracemalloc.start()
    try:
        questions = choose(p, None, 50, 0, largest=6)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(questions) == 50
    assert peak < p.nbytes, f"{peak / p.size:.1f} bytes for each probability"


def test_an_error_names_the_item_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(information_module, "CHUNK", 4)
    p = np.full((5, 2), 0.5)
    p[4] = [0.5, 0.9]
    with pytest.raises(ValueError, match="row 4 of probabilities"):
        choose(p, None, 2, 0)


def test_items_that_were_begun_come_first_until_they_are_settled() -> None:
    p = np.full((6, 4), 0.25)
    begun = Answers([[True, True, False, False]], [True], items=[2])
    settled = begun + Answers([[True, False, False, False]], [True], items=[2])
    assert choose(p, begun.evidence(6), 1, rng=0, finish=True).items.tolist() == [2]
    assert 2 not in choose(p, settled.evidence(6), 5, rng=0, finish=True).items
    assert choose(p, settled.evidence(6), 6, rng=0, finish=True).items[-1] == 2, (
        "settled ones when nothing else is left"
    )


def test_new_items_are_drawn_in_proportion_to_what_an_answer_tells() -> None:
    p = np.repeat([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]], 500, axis=0)
    telling = choose(p, None, 300, rng=0, finish=True).items < 500
    assert 0.55 < telling.mean() < 0.8, "1 bit against 0.47: two in three, not all"
