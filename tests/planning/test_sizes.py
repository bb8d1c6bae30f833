import numpy as np
import pandas as pd
import pytest

from oneof import plan
from oneof.noise.privacy import cost, flip_rate
from oneof.planning import variance_factors
from oneof.planning.sizes import sizes
from oneof.theory import deviation_bound


def test_one_row_a_size_and_the_known_figures() -> None:
    table = plan(classes=10, accuracy=0.9, width=0.05)
    assert isinstance(table, pd.DataFrame)
    assert table["size"].tolist() == list(range(1, 10))
    by_size = table.set_index("size")
    assert by_size.loc[[3, 5, 7], "variance_paper"].round(1).tolist() == [11.9, 16.4, 27.1]
    np.testing.assert_allclose(by_size["variance_minimum_norm"], by_size["variance_minimum_norm"].iloc[0])
    assert by_size.loc[5, "bits"] == pytest.approx(1.0)
    assert by_size.loc[3, "bound"] == pytest.approx(deviation_bound(3, 3000, 7000))
    assert by_size["answers"].idxmin() == 5
    assert "privacy_cost" not in table


@pytest.mark.parametrize("size", [1, 3, 5, 8])
def test_variance_factors_are_those_of_the_objectives(size: int) -> None:
    from oneof.objectives import unbiased

    k, p = 10, size / 10
    for name, weights in {
        "paper": unbiased.paper_weights(k, size, p),
        "minimum_norm": unbiased.minimum_norm_weights(k, size),
        "agreement": unbiased.agreement_weights(k, size),
    }.items():
        a, b, c, d = (float(weight) for weight in weights)
        second = p * (size * a**2 + (k - size) * b**2) + (1 - p) * (size * c**2 + (k - size) * d**2)
        assert variance_factors(k, size)[name] == pytest.approx(second)


def test_noise_costs_and_privacy_is_noise() -> None:
    clean, noisy = plan(6, 0.9, 0.1), plan(6, 0.9, 0.1, flip_yes=flip_rate(2.0), flip_no=flip_rate(2.0))
    private = plan(6, 0.9, 0.1, epsilon=2.0)
    assert (noisy["answers"] > clean["answers"]).all()
    assert (noisy["bits"] < clean["bits"]).all()
    assert (noisy["variance_minimum_norm"] > clean["variance_minimum_norm"]).all()
    pd.testing.assert_frame_equal(private.drop(columns="privacy_cost"), noisy)
    assert (private["privacy_cost"] >= cost(2.0)).all()
    np.testing.assert_allclose(private["privacy_cost"], noisy["answers"] / clean["answers"])


def test_two_classes_have_one_size() -> None:
    assert len(plan(2, 0.9, 0.1)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"classes": 1}, "classes"),
        ({"accuracy": 1.2}, r"accuracy must be in \[0, 1\], not 1.2"),
        ({"width": 0.0}, "width must be between 0 and 1"),
        ({"confidence": 1.0}, "confidence must be between"),
        ({"flip_yes": 0.6, "flip_no": 0.5}, "less than 1, not 0.6 and 0.5"),
        ({"epsilon": -1.0}, "epsilon must be positive"),
        ({"training_answers": 3}, "training_answers must be at least"),
        ({"loss": "hinge"}, "hinge"),
        ({"label_cost": -1.0}, "label_cost must not be negative"),
        ({"largest": 10}, r"largest must be in 1\.\.9 for 10 classes, not 10"),
        ({"width": 1e-6}, "more than"),
    ],
)
def test_mistakes_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan(**({"classes": 10, "accuracy": 0.9, "width": 0.05} | arguments))


def test_decoys_cost_hardly_more_at_many_classes() -> None:
    """Figures of a simulation elsewhere: 782 answers at 10 classes, 605 at 100 and 593 at 1,000, three labels each."""
    found = {k: plan(k, 0.9, 0.05, largest=3).set_index("size").loc[3] for k in (10, 100, 1000)}
    assert [row["decoys"] for row in found.values()] == pytest.approx([782, 605, 593], rel=0.01)
    assert found[1000]["answers"] > 100_000
    assert found[10]["cost"] == 1.75


def test_ten_thousand_classes_have_a_short_plan() -> None:
    table = plan(10_000, 0.9, 0.05)
    assert table["size"].tolist() == sizes(10_000)
    assert len(table) < 40
    assert table["size"].iloc[-1] == 5000
    assert sizes(66)[-1] == 33
    assert sizes(65) == list(range(1, 65))


def test_what_nobody_could_collect_is_left_empty() -> None:
    table = plan(10_000, 0.9, 0.01, flip_yes=0.1, flip_no=0.1, largest=2)
    assert table["answers"].isna().all()
    assert table["decoys"].notna().all()
