"""The table of answers: what it refuses, what it keeps, and what it says of the classes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oneof import Answers, UniformQueries, respond


def example(n: int = 12, k: int = 5, seed: int = 0, per_item: int = 1) -> Answers:
    rng = np.random.default_rng(seed)
    items = np.repeat(np.arange(n // per_item), per_item)
    subsets = UniformQueries(k, 2).draw(len(items), rng)
    return Answers(
        subsets,
        respond(subsets, rng.integers(k, size=len(items))),
        items,
        class_names=[f"class {j}" for j in range(k)],
        annotators=[f"a{i % 3}" for i in range(len(items))],
        flip_yes=rng.uniform(0, 0.3, len(items)),
        flip_no=0.1,
        adaptive=rng.random(len(items)) < 0.5,
    )


@st.composite
def tables(draw: st.DrawFn) -> Answers:
    """Any answers at all."""
    n, k = draw(st.integers(0, 8)), draw(st.integers(2, 6))
    rows = draw(st.lists(st.integers(1, 2**k - 2), min_size=n, max_size=n))
    subsets = np.array([[row >> j & 1 for j in range(k)] for row in rows], dtype=np.bool_).reshape(n, k)
    responses = draw(arrays(np.bool_, n))
    return Answers(subsets, responses, draw(arrays(np.int64, n, elements=st.integers(0, 5))))


def test_it_cannot_be_changed() -> None:
    subsets, responses, items = np.eye(3, dtype=bool), np.array([True, False, True]), np.arange(3)
    rates, names = np.full(3, 0.1), np.array(["a", "b", "c"])
    answers = Answers(subsets, responses, items, flip_yes=rates, annotators=names, adaptive=responses)
    for name in ("subsets", "responses", "items", "flip_yes", "annotators", "adaptive"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(answers, name)[0] = getattr(answers, name)[1]
        with pytest.raises(AttributeError):
            setattr(answers, name, None)
    subsets[:], responses[:], items[:], rates[:], names[:] = True, False, 7, 0.9, "z"
    again = Answers(np.eye(3, dtype=bool), [True, False, True], np.arange(3), flip_yes=0.1, annotators=["a", "b", "c"],
                    adaptive=[True, False, True])  # fmt: skip
    assert answers == again


@given(tables())
def test_signed_round_trip(answers: Answers) -> None:
    signed = answers.replace(items=np.arange(len(answers))).signed
    assert Answers.from_signed(signed, answers.items) == answers
    assert signed.dtype == np.int8


@given(tables(), st.data())
def test_slices_masks_and_index_arrays(answers: Answers, data: st.DataObject) -> None:
    n = len(answers)
    mask = data.draw(arrays(np.bool_, n))
    index = data.draw(st.lists(st.integers(-n, n - 1), max_size=5)) if n else []
    part = data.draw(st.slices(n))
    for rows in (mask, mask.tolist() if n else mask, index, np.array(index, dtype=np.int64), part):
        found = answers[rows]
        chosen = rows if isinstance(rows, slice) else np.asarray(rows, dtype=None if len(rows) else np.int64)
        assert np.array_equal(found.subsets, answers.subsets[chosen])
        assert np.array_equal(found.responses, answers.responses[chosen])
        assert np.array_equal(found.items, answers.items[chosen])


def test_every_column_goes_along() -> None:
    answers = example()
    for part in (answers[3:7], answers[[3, 4, 5, 6]], answers[(np.arange(12) > 2) & (np.arange(12) < 7)]):
        assert part == answers[3:7]
        assert part.class_names == answers.class_names
        assert part.annotators is not None
        assert part.annotators.tolist() == ["a0", "a1", "a2", "a0"]
    assert len(answers[5]) == 1
    with pytest.raises(IndexError):
        answers[12]
    with pytest.raises(IndexError):
        answers[np.ones(3, dtype=bool)]


@given(tables(), st.integers(0, 8))
def test_concatenation_undoes_a_cut(answers: Answers, cut: int) -> None:
    assert answers[:cut] + answers[cut:] == answers


def test_concatenation_fills_what_a_part_lacks() -> None:
    plain = Answers([[True, False]], [True], [3])
    full = Answers([[False, True]], [False], [4], annotators=["ann"], flip_yes=0.2, adaptive=[True])
    both = Answers.concat([plain, full])
    wanted = Answers([[True, False], [False, True]], [True, False], [3, 4], annotators=["", "ann"], flip_yes=[0.0, 0.2],
                     adaptive=[False, True])  # fmt: skip
    assert both == wanted
    named = [Answers([[True, False]] * 2, [True, True], [1, 0], item_names=names) for names in (("a", "b"), ("b", "c"))]
    joined = named[0] + named[1]
    assert [joined.item_names[i] for i in joined.items] == ["b", "a", "c", "b"]
    with pytest.raises(ValueError, match="nothing to concatenate"):
        Answers.concat([])
    with pytest.raises(ValueError, match="align them first"):
        _ = named[0] + plain
    with pytest.raises(ValueError, match=r"3 classes \(not named\) cannot join answers over 2 classes \(cat, dog\)"):
        _ = Answers([[True, False]], [True], class_names=["cat", "dog"]) + Answers([[True, False, False]], [True])


def test_align_looks_items_up_by_name() -> None:
    answers = Answers([[True, False]] * 3, [True] * 3, [1, 0, 1], item_names=["a.png", "b.png"])
    assert answers.align(["c.png", "b.png", "a.png"]).items.tolist() == [1, 2, 1]
    assert answers.align(["c.png", "b.png", "a.png"]).item_names is None
    numbered = Answers([[True, False]] * 2, [True] * 2, [7, 1_700_000_000_000])
    assert numbered.align([1_700_000_000_000, 3, 7]).items.tolist() == [2, 0]
    assert len(Answers(np.zeros((0, 2), bool), []).align(["x"])) == 0
    with pytest.raises(ValueError, match=r"answer 0: item b\.png is not among the 1 items"):
        answers.align(["a.png"])
    with pytest.raises(ValueError, match=r"item 'a\.png' appears twice"):
        answers.align(["a.png", "a.png", "b.png"])


@given(tables())
def test_consistent_sets(answers: Answers) -> None:
    for subset, responses, consistent in zip(answers.subsets, answers.yes, answers.consistent, strict=True):
        assert np.array_equal(consistent, subset if responses else ~subset)


def test_evidence_is_the_sum_of_log_probabilities() -> None:
    answers = example(12, per_item=3)
    wanted = np.zeros((6, 5))
    for i in range(12):
        for j in range(5):
            p_yes = 1 - answers.flip_yes[i] if answers.subsets[i, j] else answers.flip_no[i]
            wanted[answers.items[i], j] += np.log(p_yes if answers.responses[i] else 1 - p_yes)
    assert answers.evidence(6) == pytest.approx(wanted)
    assert answers.evidence().shape == (4, 5)
    noise_free = answers[::3].evidence(flip_yes=0.0, flip_no=0.0)
    assert np.array_equal(np.isneginf(noise_free), ~answers[::3].consistent)


def test_evidence_refuses_contradictions() -> None:
    answers = Answers([[True, False]] * 2, [True, False], [1, 1], item_names=["x", "y"])
    with pytest.raises(ValueError, match="answers about item y contradict each other"):
        answers.evidence()
    assert np.isfinite(answers.evidence(flip_yes=0.1, flip_no=0.1)).all()
    with pytest.raises(ValueError, match="there are answers about item 1, but only 1 items"):
        answers.evidence(1)


def test_equality_looks_at_everything() -> None:
    answers = example()
    assert answers == example()
    assert answers != example(seed=1)
    bare = Answers(answers.subsets, answers.responses, answers.items)
    assert bare != answers
    assert answers != bare
    assert bare != "answers"
    with pytest.raises(TypeError):
        hash(bare)
    assert repr(bare).startswith("Answers(12 answers, ")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"subsets": [[True, True]]}, r"row 0: subset has 2 labels, expected 1\.\.1"),
    ({"subsets": [[0, 0]]}, "row 0: subset has 0 labels"),
    ({"subsets": [[0.5, 1]]}, r"subsets must be true or false"),
    ({"subsets": [["a", "b"]]}, "subsets must be true or false"),
    ({"subsets": [True, False]}, r"subsets must have 2 dimensions, not shape \(2,\)"),
    ({"subsets": [[True]]}, "at least 2 classes"),
    ({"responses": [True, False]}, r"responses must have shape \(1,\), one entry for each answer, not \(2,\)"),
    ({"responses": [2]}, "responses must be true or false"),
    ({"responses": ["maybe"]}, "row 0: response 'maybe', expected yes, no or skip"),
    ({"items": [-1]}, "row 0: item -1 is negative"),
    ({"items": [0.0]}, "items must be whole numbers"),
    ({"items": [0, 1]}, r"items must be whole numbers of shape \(1,\)"),
    ({"class_names": ["a"]}, "there are 2 classes but 1 class names"),
    ({"class_names": ["a", "a"]}, "the class name 'a' appears twice"),
    ({"class_names": ["a", ""]}, "class name number 1 is empty"),
    ({"item_names": ["x", "x"]}, "the item name 'x' appears twice"),
    ({"item_names": ["0", "1"]}, "row numbers: pass them as items"),
    ({"items": [1], "item_names": ["x"]}, "item 1 has no name: there are 1 item names"),
    ({"annotators": ["a", "b"]}, r"annotators must have shape \(1,\)"),
    ({"flip_yes": 1.0}, r"row 0: flip_yes is 1\.0, expected a rate in \[0, 1\)"),
    ({"flip_no": -0.1}, r"flip_no is -0\.1"),
    ({"flip_no": np.nan}, "flip_no is nan"),
    ({"flip_yes": 0.5, "flip_no": 0.5}, r"row 0: flip_yes \+ flip_no is 1, expected less than 1"),
    ({"adaptive": [3]}, "adaptive must be true or false"),
    ({"adaptive": [True], "design": "given"}, "pass design or adaptive, not both"),
    ({"design": "guess"}, "row 0: design 'guess', expected one of uniform, prediction, adaptive, given"),
    ({"design": [4]}, "design must be one of uniform"),
    ({"design": ["given", "given"]}, r"design must have shape \(1,\)"),
    ({"design": "prediction"}, 'row 0: a question of design "prediction" needs its class in predicted'),
    ({"design": "prediction", "predicted": [1]}, "row 0: the question does not contain 1, which it was made from"),
    ({"predicted": [2]}, r"row 0: predicted is 2, expected a class in 0\.\.1, or -1 for none"),
    ({"predicted": [0.5]}, "predicted must be class numbers"),
    ({"skipped": [True, False]}, r"skipped must have shape \(1,\)"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"subsets": [[True, False]], "responses": [True]} | changes
    with pytest.raises(ValueError, match=message):
        Answers(**given)


@given(
    arrays(st.sampled_from([np.dtype(np.int64), np.dtype(np.float64)]), st.tuples(st.integers(0, 3), st.integers(0, 3)),
           elements=st.integers(-2, 2)),
)  # fmt: skip
def test_signed_arrays_are_taken_whole_or_refused(signed: Any) -> None:
    fine = (
        signed.shape[1] >= 2
        and np.isin(signed, (-1, 0, 1)).all()
        and all(len(set(row[row != 0])) == 1 and (row == 0).any() for row in signed)
    )
    if fine:
        assert np.array_equal(Answers.from_signed(signed).signed, signed)
    else:
        with pytest.raises(ValueError, match=r"\w"):
            Answers.from_signed(signed)


def test_packed_subsets_are_an_eighth_of_the_size_and_unpack_to_the_same():
    subsets = UniformQueries(100, 50).draw(30, 0)
    answers = Answers(subsets, subsets[:, 0])
    assert answers.packed.shape == (30, 13)
    np.testing.assert_array_equal(answers.subsets, subsets)
    assert Answers.from_packed(answers.packed, 100, answers.responses) == answers
    np.testing.assert_array_equal(answers.sizes, 50)
    np.testing.assert_array_equal(answers.contains(np.arange(30)), subsets[np.arange(30), np.arange(30)])
    for array in (answers.subsets, answers.packed, answers[3:5].packed, answers[[1]].packed):
        assert not array.flags.writeable


@pytest.mark.parametrize(
    ("packed", "classes", "message"),
    [
        (np.zeros((2, 1), dtype=np.int64), 3, "packed must be uint8"),
        (np.zeros((2, 2), dtype=np.uint8), 3, r"packed must be uint8 \(n, 1\) for 3 classes"),
        (np.array([[128], [144]], dtype=np.uint8), 3, "row 1: packed has bits beyond the 3 classes"),
        (np.array([[128], [0]], dtype=np.uint8), 3, "row 1: subset has 0 labels"),
    ],
)
def test_packed_subsets_are_checked(packed, classes, message):
    with pytest.raises(ValueError, match=message):
        Answers.from_packed(packed, classes, [True, True])


def test_row_numbers_need_no_looking_up():
    answers = Answers([[True, False]] * 2, [True, False], items=[4, 1])
    assert answers.align(range(5)) is answers
    with pytest.raises(ValueError, match="answer 0: item 4 is not among the 4 items"):
        answers.align(range(4))
    assert answers.align(range(4, 0, -1)).items.tolist() == [0, 3]
    named = answers.replace(item_names=["0", "1", "2", "3", "x"])
    with pytest.raises(ValueError, match="answer 0: item x is not among the 5 items"):
        named.align(range(5))


def test_contradictions_are_found_as_the_evidence_finds_them():
    rng = np.random.default_rng(0)
    for seed in range(40):
        subsets = UniformQueries(4, 2).draw(12, seed)
        answers = Answers(subsets, rng.random(12) < 0.5, rng.integers(0, 6, 12))
        outcomes = []
        for check in (answers.evidence, answers.refuse_contradictions):
            try:
                outcomes.append(check() is not None and "fine")
            except ValueError as error:
                outcomes.append(str(error))
        assert outcomes[0] == (outcomes[1] or "fine")


def test_only_rows_index():
    with pytest.raises(ValueError, match="indexed by row numbers"):
        Answers([[True, False]] * 2, [True, False])[np.zeros((2, 2), dtype=int)]


def test_designs_and_predictions_are_kept_with_their_answers() -> None:
    answers = Answers([[1, 1, 0], [0, 1, 1], [1, 0, 0]], [1, 0, 1], design=["prediction", "adaptive", "uniform"],
                      predicted=[1, -1, -1])  # fmt: skip
    assert answers.design.tolist() == ["prediction", "adaptive", "uniform"]
    assert answers.adaptive.tolist() == [False, True, False]
    assert answers.has_design("uniform", "prediction").tolist() == [True, False, True]
    assert answers[[2, 0]].predicted.tolist() == [-1, 1]
    assert answers[2:].predicted is None
    assert Answers([[1, 0, 0]], [1], design="prediction", predicted=[0]).predicted.tolist() == [0]
    plain = Answers([[1, 1, 0]], [1])
    assert plain.design.tolist() == ["uniform"]
    assert (plain + answers).design.tolist() == ["uniform", "prediction", "adaptive", "uniform"]
    assert plain.replace(design="given").design.tolist() == ["given"]
    assert answers.replace(items=[3, 2, 1]).design.tolist() == answers.design.tolist()


def test_a_skip_says_nothing() -> None:
    answers = Answers([[1, 1, 0]] * 3, ["yes", "Skip", "no"], items=[0, 0, 1])
    assert answers.skipped.tolist() == [False, True, False]
    assert answers == Answers([[1, 1, 0]] * 3, [True, True, False], items=[0, 0, 1], skipped=[False, True, False])
    assert repr(answers) == "Answers(3 answers, 1 yes, 1 skipped, 3 classes)"
    assert answers.consistent[1].all()
    assert len(answers.answered) == 2
    assert answers.answered.answered == answers.answered
    assert np.array_equal(answers.evidence(), answers.answered.evidence())
    contradictory = Answers([[1, 0]] * 2, [True, False], items=[0, 0], skipped=[False, True])
    contradictory.refuse_contradictions()
    with pytest.warns(UserWarning, match="does not hold skipped"):
        assert answers.signed[1].tolist() == [0, 0, 0]


def test_a_signed_array_warns_of_what_it_does_not_hold() -> None:
    answers = Answers([[True, False]], [True], class_names=["cat", "dog"], flip_yes=0.1, design="given")
    with pytest.warns(UserWarning, match="does not hold flip_yes, class_names, design"):
        assert answers.signed.tolist() == [[1, 0]]
    with pytest.warns(UserWarning, match="does not hold annotators, randomised"):
        assert len(Answers([[True, False]], [True], annotators=["a"], randomised=0.1).signed) == 1


@pytest.mark.parametrize("items", [[1, 0], [3, 3]])
def test_a_signed_array_warns_if_its_rows_are_not_the_items(items: list[int]) -> None:
    answers = Answers([[True, False]] * 2, [True, False], items)
    with pytest.warns(UserWarning, match="does not hold items"):
        assert len(answers.signed) == 2
    assert len(answers.replace(items=[2, 5]).signed) == 2  # rows 2 and 5 of a table, in order


def test_rates_of_zero_are_no_noise() -> None:
    answers = Answers([[True, False]] * 2, [True, False], items=[0, 0], flip_yes=0.0, flip_no=[0.0, 0.0])
    assert not answers.noisy
    assert answers == Answers([[True, False]] * 2, [True, False], items=[0, 0])
    with pytest.raises(ValueError, match="contradict each other"):
        answers.refuse_contradictions()
    # A no that may be wrong does not rule out what a certain yes says.
    half = answers.replace(flip_yes=[0.0, 0.1])
    assert half.noisy
    half.refuse_contradictions()
    assert half.evidence()[0, 0] == pytest.approx(np.log(0.1))
