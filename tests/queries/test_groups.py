import numpy as np
import pytest

from oneof import Answers, respond
from oneof.queries.adaptive import belief, choose
from oneof.queries.groups import Groups
from oneof.queries.information import best_subsets, information

ANIMALS = Groups.from_parents(["animal/bird"] * 3 + ["animal/fish"] * 2 + ["tool"] * 3)


def test_paths_are_groups_within_groups() -> None:
    assert ANIMALS.names == ("animal", "animal/bird", "animal/fish", "tool")
    assert ANIMALS.members.sum(axis=1).tolist() == [5, 3, 2, 3]
    assert len(ANIMALS) == 4


def test_parents_of_one_class_or_of_all_are_no_groups() -> None:
    assert Groups.from_parents(["thing/pet", "thing", "thing"]).names == ()
    assert Groups.from_parents(["pet", "", " pet "]).names == ("pet",)


def test_a_question_is_shown_with_the_largest_groups_that_it_holds_whole() -> None:
    assert ANIMALS.shown([True] * 5 + [False, False, True]) == (["animal"], [7])
    assert ANIMALS.shown([True] * 3 + [True, False] + [True] * 3) == (["animal/bird", "tool"], [3])
    assert ANIMALS.labels_shown([[True] * 4 + [False] * 4, [True] + [False] * 7]).tolist() == [2, 1]


def test_questions_of_groups_keep_to_the_limit_and_tell_more() -> None:
    k = 100
    groups = Groups.from_parents([str(j // 20) for j in range(k)])
    q = np.full((200, k), 1 / k)
    subsets, bits = best_subsets(q, 0, largest=5, groups=groups)
    _, without = best_subsets(q, 0, largest=5)
    assert groups.labels_shown(subsets).max() <= 5
    np.testing.assert_allclose(bits, information((q * subsets).sum(axis=1)))
    assert (bits >= without - 1e-12).all(), "groups never make a question worse"
    assert bits.mean() > 2.5 * without.mean()
    assert len(np.unique(subsets, axis=0)) > 20, "the same groups together would never be separated"


def test_where_labels_of_one_group_are_confused_its_labels_are_asked_about() -> None:
    q = np.zeros((1, 8))
    q[0, :2] = 0.5
    subsets, bits = best_subsets(q, 0, largest=3, groups=ANIMALS)
    assert bits[0] == pytest.approx(1.0)
    assert subsets[0, 0] != subsets[0, 1]


def test_evidence_for_the_members_of_a_group_is_exact() -> None:
    """Settling each of 40 items by questions of at most three labels, without any model."""
    k, n = 27, 40
    groups = Groups.from_parents([f"{j // 9}/{j // 3}" for j in range(k)])
    labels = np.random.default_rng(0).integers(k, size=n)
    flat = np.full((n, k), 1 / k)
    answers = Answers(np.zeros((0, k), dtype=np.bool_), np.zeros(0, dtype=np.bool_))
    for _ in range(8):
        questions = choose(flat, answers.evidence(n), n, rng=len(answers), largest=3, groups=groups)
        assert groups.labels_shown(questions.subsets).max() <= 3
        responses = respond(questions.subsets, labels[questions.items])
        answers = answers + Answers(questions.subsets, responses, questions.items, design="adaptive")
    q = belief(flat, answers.evidence(n))
    assert (q[np.arange(n), labels] > 0).all()
    assert (q.argmax(axis=1) == labels).mean() > 0.9


def test_groups_from_confusions_join_what_is_confused() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(6, size=600)
    pair = labels ^ 1  # 0 and 1, 2 and 3, 4 and 5 are taken for each other
    p = np.full((600, 6), 0.02)
    p[np.arange(600), labels] += 0.5
    p[np.arange(600), pair] += 0.38
    groups = Groups.from_confusions(p, 3, ["a", "b", "c", "d", "e", "f/g"])
    assert set(groups.names) == {"a, b", "c, d", "e, f or g"}
    assert set(Groups.from_confusions(p, 3).names) == {"0, 1", "2, 3", "4, 5"}


def test_bad_groups_are_named() -> None:
    with pytest.raises(ValueError, match="group 'pet' has 1 of 3 classes"):
        Groups(("pet",), np.array([[True, False, False]]))
    with pytest.raises(ValueError, match="'pet' comes twice"):
        Groups(("pet", "pet"), np.array([[True, True, False]] * 2))
    with pytest.raises(ValueError, match=r"members must have shape \(1, classes\), not \(2, 3\)"):
        Groups(("pet",), np.ones((2, 3), dtype=np.bool_))
    with pytest.raises(ValueError, match=r"shape \(8,\), not \(2,\)"):
        ANIMALS.shown([True, False])
    with pytest.raises(ValueError, match="4 groups need"):
        Groups.from_confusions(np.ones((2, 3)) / 3, 4)
    with pytest.raises(ValueError, match="there are 3 classes but 2 class names"):
        Groups.from_confusions(np.ones((2, 3)) / 3, 2, ["cat", "dog"])


def test_every_two_groups_are_separated_by_some_question() -> None:
    """A hundred equal items: with all groups offered each time, the same ones would always go together."""
    groups = Groups.from_parents([str(j // 5) for j in range(20)])
    q = np.repeat([0.07, 0.06, 0.04, 0.03], 5)[None].repeat(100, axis=0)
    subsets, _ = best_subsets(q, 0, largest=2, groups=groups)
    whole = subsets.reshape(100, 4, 5).all(axis=2)
    separated = whole[:, :, None] != whole[:, None, :]
    assert separated.any(axis=0)[np.triu_indices(4, 1)].all()
    assert len(np.unique(whole, axis=0)) >= 5
