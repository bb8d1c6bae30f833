"""Items and answers as tensors."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from oneof import Answers, UniformQueries
from oneof.training import Answered, Features

ROWS = torch.tensor([3, 0, 2])


@pytest.mark.parametrize(
    ("shape", "item"),
    [
        ((5, 7), (7,)),
        ((5, 8, 9), (1, 8, 9)),
        ((5, 3, 8, 9), (3, 8, 9)),
        ((5, 8, 9, 3), (3, 8, 9)),
        ((5, 8, 9, 1), (1, 8, 9)),
    ],
)
@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.float64, np.int16, ">f4"])
def test_arrays_of_every_layout(shape, item, kind):
    x = np.random.default_rng(0).integers(0, 200, shape).astype(kind)
    features = Features(x)
    assert (len(features), features.shape, features.image) == (5, item, len(shape) > 2)
    batch = features[ROWS]
    assert batch.dtype == (torch.uint8 if kind is np.uint8 else torch.float32)
    expected = x[ROWS.numpy()]
    expected = np.moveaxis(expected, 3, 1) if shape[-1] in (1, 3) else expected.reshape(3, *item)
    np.testing.assert_array_equal(batch.numpy(), expected.astype(np.float32))


def test_arrays_are_wrapped_not_copied():
    x = np.zeros((4, 1, 8, 8), dtype=np.uint8)
    features = Features(x)
    x[2] = 7
    assert features[torch.tensor([2])].unique().tolist() == [7]


def test_tensors_views_and_read_only_arrays():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    read_only = x.copy()
    read_only.flags.writeable = False
    gradient = torch.from_numpy(x.copy()).requires_grad_()
    for given in (torch.from_numpy(x), gradient, read_only, x[::-1][::-1]):
        np.testing.assert_array_equal(Features(given)[ROWS].numpy(), x[ROWS.numpy()])
    np.testing.assert_array_equal(Features(x[:, ::-1])[ROWS].numpy(), x[ROWS.numpy(), ::-1])


@pytest.mark.parametrize("kind", ["uint8", "float16", "float32", "float64", "int16"])
def test_a_memory_map_stays_on_disk(kind, tmp_path):
    x = np.arange(30).reshape(10, 3).astype(kind)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for given, expected in ((mapped, x), (mapped[4:], x[4:]), (mapped[::2], x[::2])):
        features = Features(given)
        assert features._tensor.data_ptr() == given.ctypes.data, "wrapped, not copied"
        batch = features[ROWS]
        assert batch.dtype == (torch.uint8 if kind == "uint8" else torch.float32)
        np.testing.assert_array_equal(batch.numpy(), expected[ROWS.numpy()].astype(np.float32))
        batch.zero_()
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), x)


@pytest.mark.parametrize("layout", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array])
def test_sparse_rows_become_dense_a_batch_at_a_time(layout):
    dense = np.random.default_rng(0).random((5, 6)) * (np.random.default_rng(1).random((5, 6)) < 0.3)
    features = Features(layout(dense))
    assert features.sparse
    assert features.shape == (6,)
    np.testing.assert_allclose(features[ROWS].numpy(), dense[ROWS.numpy()], rtol=1e-6)


@pytest.mark.parametrize("shape", [(5,), (5, 2, 3, 4, 5), ()])
def test_other_dimensions_are_refused(shape):
    with pytest.raises(ValueError, match="items must be"):
        Features(np.zeros(shape))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_check_finite_names_item_and_feature(bad):
    x = np.zeros((5000, 3), dtype=np.float32)
    x[4321, 2] = bad
    with pytest.raises(ValueError, match="NaN or infinity in item 4321, feature 2"):
        Features(x).check_finite()
    with pytest.raises(ValueError, match="NaN or infinity in item 4321, feature 2"):
        Features(sp.csr_matrix(x)).check_finite()
    image = np.zeros((3, 2, 8, 8), dtype=np.float32)
    image[1, 0, 5, 6] = bad
    with pytest.raises(ValueError, match="item 1, feature 0, 5, 6"):
        Features(image).check_finite()
    Features(np.full((2, 2), 255, dtype=np.uint8)).check_finite()
    half = np.ones((3, 2), dtype=np.float16)
    half[2, 1] = bad
    with pytest.raises(ValueError, match="item 2, feature 1"):
        Features(half).check_finite()


def by_item(answers: Answers, rows: torch.Tensor) -> list[list[tuple[int, ...]]]:
    """The answers about each row, as plain values."""
    signed = answers.replace(items=np.arange(len(answers))).signed
    return [sorted(map(tuple, signed[answers.items == row].tolist())) for row in rows.tolist()]


def drawn(answered: Answered, rows: torch.Tensor) -> list[list[tuple[int, ...]]]:
    batch = answered.batch(rows)
    where = torch.arange(len(rows)) if batch.rows is None else batch.rows
    signed = (batch.responses.int() * 2 - 1)[:, None] * batch.subsets.int()
    return [sorted(map(tuple, signed[where == place].tolist())) for place in range(len(rows))]


def test_a_batch_holds_all_answers_about_its_items_and_no_others():
    rng = np.random.default_rng(0)
    items = rng.integers(0, 40, size=100)
    answers = Answers(UniformQueries(5, 2).draw(100, rng), rng.random(100) < 0.5, items)
    answered = Answered(answers)
    np.testing.assert_array_equal(answered.items, np.unique(items))
    rows = torch.from_numpy(rng.permutation(answered.items)[:20])
    assert drawn(answered, rows) == by_item(answers, rows)
    assert answered.batch(rows).items.tolist() == rows.tolist()


def test_one_answer_an_item_needs_no_rows():
    rng = np.random.default_rng(0)
    answers = Answers(UniformQueries(5, 2).draw(6, rng), rng.random(6) < 0.5, items=[9, 0, 4, 2, 7, 5])
    rows = torch.tensor([7, 9, 2])
    assert Answered(answers).batch(rows).rows is None
    assert drawn(Answered(answers), rows) == by_item(answers, rows)


def test_flip_rates_travel_with_their_answers():
    answers = Answers([[True, False]] * 4, [True] * 4, items=[2, 0, 0, 1], flip_yes=[0.1, 0.2, 0.3, 0.4])
    batch = Answered(answers).batch(torch.tensor([2, 0]))
    torch.testing.assert_close(batch.flip_yes, torch.tensor([0.1, 0.2, 0.3]))
    assert batch.flip_no is None


def test_answers_are_kept_with_one_bit_a_label():
    answers = Answers(UniformQueries(100, 50).draw(1000, 0), np.arange(1000) % 2 == 0)
    answered = Answered(answers)
    assert answered._packed.nbytes == 1000 * 13
    assert np.shares_memory(answered._packed, answers.packed), "in the order of the items already: not copied"


def test_other_answers_have_another_fingerprint():
    subsets = np.array([[True, False, False], [False, True, True]])
    fingerprints = {
        Answered(answers).fingerprint()
        for answers in (
            Answers(subsets, [True, False]),
            Answers(subsets, [True, True]),
            Answers(~subsets, [True, False]),
            Answers(subsets, [True, False], items=[0, 2]),
            Answers(subsets, [True, False], flip_yes=0.1),
        )
    }
    assert len(fingerprints) == 5
    assert Answered(Answers(subsets, [True, False])).fingerprint() in fingerprints
