import numpy as np
import pytest

from oneof import Answers, UniformQueries, estimate_calibration, respond


def test_accuracy_within_bins() -> None:
    """A model that is right as often as it says up to 0.8, and too sure above."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(40):
        n = 2000
        sure = rng.choice([0.45, 0.75, 0.95], size=n)
        truth = {0.45: 0.45, 0.75: 0.75, 0.95: 0.8}
        labels, guess = rng.integers(5, size=n), np.zeros(n, dtype=int)
        right = rng.random(n) < np.array([truth[value] for value in sure])
        guess = np.where(right, labels, (labels + rng.integers(1, 5, size=n)) % 5)
        p = np.repeat(((1 - sure) / 4)[:, None], 5, axis=1)
        p[np.arange(n), guess] = sure
        subsets = UniformQueries(5, 2).draw(n, rng)
        found = estimate_calibration(p, Answers(subsets, respond(subsets, labels)), check=False)
        assert found["confidence"].round(2).tolist() == [0.45, 0.75, 0.95]
        held += int(((found["low"] <= [0.45, 0.75, 0.8]) & (found["high"] >= [0.45, 0.75, 0.8])).sum())
        assert found["n"].sum() == n
    assert held >= 0.93 * 120
    assert "3 intervals, each with 95%" in found.attrs["note"]


def test_mistakes_are_refused() -> None:
    answers = Answers([[True, False]], [True])
    for p, message in (
        ([[0.5, 0.4]], "row 0 of probabilities"),
        ([[0.5, 0.3, 0.2]], r"shape \(items, 2\)"),
    ):
        with pytest.raises(ValueError, match=message):
            estimate_calibration(p, answers)
    with pytest.raises(ValueError, match="bins must be at least 1"):
        estimate_calibration([[0.5, 0.5]], answers, bins=0)
