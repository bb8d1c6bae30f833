import numpy as np
import pytest

from oneof.queries.probabilities import check_probabilities, finite_logs


@pytest.mark.parametrize("row", [[0.9, 0.2], [1.1, -0.1], [np.nan, 1.0], [np.inf, 0.0], [0.0, 0.0]])
def test_the_first_row_that_is_no_distribution_is_named(row: list[float]) -> None:
    p = np.array([[0.5, 0.5], row, row])
    with pytest.raises(ValueError, match=r"^row 1 of probabilities is \[.*\], expected probabilities that sum to one"):
        check_probabilities(p)
    with pytest.raises(ValueError, match=r"^row 8 of probabilities"):
        check_probabilities(p, np.array([7, 8, 9]))


def test_rounding_is_no_mistake() -> None:
    check_probabilities(np.array([[0.333, 0.333, 0.333]], dtype=np.float32).astype(np.float64))


def test_logarithms_are_those_of_numpy_and_finite() -> None:
    p = np.array([[0.7, 0.3], [1.0, 0.0]], dtype=np.float32)
    found = finite_logs(p)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found[0], np.log(p[0].astype(float)))
    assert found[1, 0] == 0.0
    assert -30 < found[1, 1] < -20
