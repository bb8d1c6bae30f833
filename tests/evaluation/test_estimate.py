import pickle

import pytest

from oneof import Estimate


def test_an_estimate_is_a_tuple_of_four() -> None:
    found = Estimate(0.5, 0.4, 0.6, 10, kind="asymptotic", notes=("left out 2 answers",))
    value, low, high, n = found
    assert (value, low, high, n) == found == (0.5, 0.4, 0.6, 10)
    assert found._asdict() == {"value": 0.5, "low": 0.4, "high": 0.6, "n": 10}
    assert found.width == pytest.approx(0.2)
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.kind, again.notes) == (found, found.kind, found.notes)


def test_within_cuts_and_keeps_the_rest() -> None:
    found = Estimate(1.02, 0.9, 1.1, 10, "anytime", ("note",)).within(0, 1)
    assert found == (1.0, 0.9, 1.0, 10)
    assert (found.kind, found.notes) == ("anytime", ("note",))


def test_words() -> None:
    assert str(Estimate(0.5, 0.4, 0.6, 10)) == "0.5000 [0.4000, 0.6000] from 10 answers"
    assert str(Estimate(0.5, 0.4, 0.6, 10, "anytime")).endswith("(anytime)")
    assert repr(Estimate(0.5, 0.4, 0.6, 10)) == "Estimate(value=0.5, low=0.4, high=0.6, n=10)"
    shown = Estimate(0.5, 0.4, 0.6, 10, "at least", ("left out <b>",))._repr_html_()
    assert "50.0%" in shown
    assert "conservative" in shown
    assert "&lt;b&gt;" in shown


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of exact"):
        Estimate(0.5, 0.4, 0.6, 10, kind="sure")
