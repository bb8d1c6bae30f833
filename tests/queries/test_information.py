import numpy as np
import pytest
from numpy.typing import NDArray

from oneof.queries import information as module
from oneof.queries.information import best_subsets, information


def all_subsets(k: int) -> NDArray[np.bool_]:
    return (np.arange(1, 2**k - 1)[:, None] >> np.arange(k) & 1).astype(np.bool_)


def entropy(q: NDArray[np.float64]) -> float:
    q = q[q > 0]
    return float(-(q * np.log2(q)).sum())


@pytest.mark.parametrize(("flip_yes", "flip_no"), [(0.0, 0.0), (0.2, 0.2), (0.3, 0.05)])
def test_information_is_the_expected_drop_in_entropy(flip_yes: float, flip_no: float) -> None:
    q = np.array([0.45, 0.25, 0.2, 0.1])
    for subset in all_subsets(4):
        p_yes_given = np.where(subset, 1 - flip_yes, flip_no)
        left = 0.0
        for likelihood in (p_yes_given, 1 - p_yes_given):
            joint = q * likelihood
            left += joint.sum() * entropy(joint / joint.sum())
        assert information(q[subset].sum(), flip_yes, flip_no) == pytest.approx(entropy(q) - left, abs=1e-12)


def test_the_best_mass_tells_most() -> None:
    for flips in ((0.0, 0.0), (0.1, 0.1), (0.3, 0.05), (0.0, 0.4)):
        most = information(np.linspace(0, 1, 3000), *flips).max()
        assert information(module._best_mass(*flips), *flips) == pytest.approx(most, abs=1e-6)


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
        subsets, worth = best_subsets(q, 0, label_cost=cost)
        sizes = np.arange(1, 10)
        wanted = information(sizes / 10) / (1 + cost * sizes)
        np.testing.assert_allclose(worth, wanted.max(), err_msg=f"bits divided by cost, at {cost} for each label")
        assert (subsets.sum(axis=1) == sizes[wanted.argmax()]).all()
    assert best_subsets(q, 0, largest=2)[0].sum(axis=1).max() == 2


def test_equal_beliefs_give_different_questions() -> None:
    subsets, _ = best_subsets(np.full((200, 6), 1 / 6), 0)
    assert len(np.unique(subsets, axis=0)) > 15, "the same labels together would never be separated"


def test_chunks_and_partial_sorting_do_not_change_what_questions_are_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the size of the parts nor sorting the likeliest labels first changes what a question is worth."""
    rng = np.random.default_rng(0)
    q = rng.dirichlet(np.full(100, 0.3), size=60)
    q[:3] = 1 / 100  # flat: many labels are needed
    expected = {limit: best_subsets(q, 1, largest=limit)[1] for limit in (5, None)}
    for first in (8, 200):
        monkeypatch.setattr(module, "FIRST", first)
        monkeypatch.setattr(module, "CHUNK", 1700)
        for limit, wanted in expected.items():
            subsets, worth = best_subsets(q, 1, largest=limit)
            np.testing.assert_allclose(worth, wanted, atol=0.01)
            np.testing.assert_allclose(worth, information((q * subsets).sum(axis=1).clip(0, 1)), atol=1e-12)
            assert subsets.sum(axis=1).max() <= (limit or 99)


def test_chunks_are_as_large_as_allowed_and_have_at_least_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 8)
    assert list(module.chunks(5, 4)) == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert list(module.chunks(3, 9)) == [slice(0, 1), slice(1, 2), slice(2, 3)]
