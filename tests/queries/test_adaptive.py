import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from oneof import Answers, respond
from oneof.queries import adaptive
from oneof.queries.adaptive import belief, best_subsets, choose, information


def all_subsets(k: int) -> NDArray[np.bool_]:
    return (np.arange(1, 2**k - 1)[:, None] >> np.arange(k) & 1).astype(np.bool_)


def entropy(q: NDArray[np.float64]) -> float:
    q = q[q > 0]
    return float(-(q * np.log2(q)).sum())


def test_belief_is_bayes() -> None:
    p = np.array([[0.5, 0.3, 0.2]])
    answers = Answers([[True, True, False], [True, False, False]], [True, False], items=[0, 0])
    np.testing.assert_allclose(belief(p, answers.evidence(flip_yes=0.1, flip_no=0.2)), _bayes(p[0])[None])


def _bayes(p: NDArray[np.float64]) -> NDArray[np.float64]:
    joint = p * np.array([0.9 * 0.1, 0.9 * 0.8, 0.2 * 0.8])
    return np.asarray(joint / joint.sum())


def test_belief_survives_a_model_that_rules_out_the_truth() -> None:
    assert belief([[1.0, 0.0, 0.0]], [[-np.inf, 0.0, 0.0]]).tolist() == [[0.0, 0.5, 0.5]]


@pytest.mark.parametrize(("flip_yes", "flip_no"), [(0.0, 0.0), (0.2, 0.2), (0.3, 0.05)])
def test_information_is_the_expected_drop_in_entropy(flip_yes: float, flip_no: float) -> None:
    q = np.array([0.45, 0.25, 0.2, 0.1])
    for subset in all_subsets(4):
        p_yes_given = np.where(subset, 1 - flip_yes, flip_no)
        left = 0.0
        for said in (p_yes_given, 1 - p_yes_given):
            joint = q * said
            left += joint.sum() * entropy(joint / joint.sum())
        assert information(q[subset].sum(), flip_yes, flip_no) == pytest.approx(entropy(q) - left, abs=1e-12)


def test_the_mass_aimed_at_tells_most() -> None:
    for flips in ((0.0, 0.0), (0.1, 0.1), (0.3, 0.05), (0.0, 0.4)):
        most = information(np.linspace(0, 1, 3000), *flips).max()
        assert information(adaptive._best_mass(*flips), *flips) == pytest.approx(most, abs=1e-6)


@pytest.mark.parametrize(("flip_yes", "flip_no"), [(0.0, 0.0), (0.3, 0.05)])
@pytest.mark.parametrize("concentration", [0.1, 1.0, 10.0])
def test_best_subsets_are_near_the_optimum_of_all_subsets(
    concentration: float, flip_yes: float, flip_no: float
) -> None:
    q = np.random.default_rng(0).dirichlet(np.full(8, concentration), size=300)
    subsets, worth = best_subsets(q, 0, flip_yes=flip_yes, flip_no=flip_no)
    optimum = information((q @ all_subsets(8).T).clip(0, 1), flip_yes, flip_no).max(axis=1)
    np.testing.assert_allclose(worth, information((q * subsets).sum(axis=1).clip(0, 1), flip_yes, flip_no))
    assert (worth <= optimum + 1e-12).all()
    assert (optimum - worth).mean() < 0.02
    assert (optimum - worth).max() < 0.15


def test_subsets_are_always_askable() -> None:
    certain = np.eye(5)[[0, 3]]
    subsets, worth = best_subsets(certain, 0)
    assert ((subsets.sum(axis=1) >= 1) & (subsets.sum(axis=1) <= 4)).all()
    np.testing.assert_allclose(worth, 0.0, atol=1e-12)


def test_a_mass_as_good_as_the_best_takes_no_more_labels() -> None:
    subsets, _ = best_subsets([[0.4996, 0.4996, 0.0004, 0.0004]], 0)
    assert subsets.sum() == 1


def test_labels_that_cost_make_shorter_questions() -> None:
    q = np.full((50, 10), 0.1)
    free, _ = best_subsets(q, 0)
    dear, _ = best_subsets(q, 0, label_cost=1.0)
    assert (free.sum(axis=1) == 5).all()
    assert dear.sum(axis=1).mean() < 3
    for cost in (0.0, 0.05, 0.3):
        asked, worth = best_subsets(q, 0, label_cost=cost)
        sizes = np.arange(1, 10)
        wanted = information(sizes / 10) / (1 + cost * sizes)
        np.testing.assert_allclose(worth, wanted.max(), err_msg=f"bits over cost, at {cost} a label")
        assert (asked.sum(axis=1) == sizes[wanted.argmax()]).all()
    assert best_subsets(q, 0, largest=2)[0].sum(axis=1).max() == 2


def test_equal_beliefs_give_different_questions() -> None:
    subsets, _ = best_subsets(np.full((200, 6), 1 / 6), 0)
    assert len(np.unique(subsets, axis=0)) > 15, "the same labels together would never be separated"


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


def test_asking_on_finds_every_class() -> None:
    """Without any model, halving the belief settles 16 classes in exactly 4 answers per item."""
    k, n = 16, 64
    labels = np.arange(n) % k
    flat = np.full((n, k), 1 / k)
    answers = None
    for _ in range(4):
        questions = choose(flat, None if answers is None else answers.evidence(n), n, rng=1)
        asked = Answers(questions.subsets, respond(questions.subsets, labels[questions.items]), questions.items)
        answers = asked if answers is None else answers + asked
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


def test_many_classes_are_worked_through_in_parts_with_the_same_worth(monkeypatch):
    """Neither the size of the parts nor sorting the likeliest labels first changes what a question is worth."""
    rng = np.random.default_rng(0)
    q = rng.dirichlet(np.full(100, 0.3), size=60)
    q[:3] = 1 / 100  # flat: many labels are needed
    wholes = {limit: adaptive.best_subsets(q, 1, largest=limit)[1] for limit in (5, None)}
    for first in (8, 200):
        monkeypatch.setattr(adaptive, "FIRST", first)
        monkeypatch.setattr(adaptive, "CHUNK", 1700)
        for limit, whole in wholes.items():
            subsets, worth = adaptive.best_subsets(q, 1, largest=limit)
            np.testing.assert_allclose(worth, whole, atol=0.01)
            np.testing.assert_allclose(worth, adaptive.information((q * subsets).sum(axis=1).clip(0, 1)), atol=1e-12)
            assert subsets.sum(axis=1).max() <= (limit or 99)


def test_parts_are_as_large_as_the_room_for_them_and_one_row_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "CHUNK", 8)
    assert list(adaptive._chunks(5, 4)) == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert list(adaptive._chunks(3, 9)) == [slice(0, 1), slice(1, 2), slice(2, 3)]
    assert belief(np.array([[0.4995, 0.5]])).sum() == pytest.approx(1), "a sum that is nearly one is made one"


def test_choosing_needs_little_memory_beside_what_it_is_given(monkeypatch):
    monkeypatch.setattr(adaptive, "CHUNK", 1 << 16)
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(500), size=4000).astype(np.float32)
    tracemalloc.start()
    try:
        questions = adaptive.choose(p, None, 50, 0, largest=6)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(questions) == 50
    assert peak < p.nbytes, f"{peak / p.size:.1f} bytes for each probability"


def test_an_error_names_the_item_among_all(monkeypatch):
    monkeypatch.setattr(adaptive, "CHUNK", 4)
    p = np.full((5, 2), 0.5)
    p[4] = [0.5, 0.9]
    with pytest.raises(ValueError, match="row 4 of probabilities"):
        adaptive.choose(p, None, 2, 0)


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
