"""Objectives by name."""

import pytest

from oneof import objectives
from oneof.objectives.registry import options, register


def test_the_names_of_the_contract() -> None:
    wanted = {"ure", "nn", "abs", "likelihood", "mcl-exp", "mcl-mae", "mcl-log", "pll-avg", "proden"}
    assert set(objectives.names()) >= wanted
    for name in wanted:
        assert isinstance(objectives.create(name), objectives.Objective)


def test_options() -> None:
    assert options("abs") == ["loss", "weights", "queries", "kappa"]
    assert options("likelihood") == []


def test_mistakes_name_what_is_there() -> None:
    with pytest.raises(ValueError, match=r"unknown objective 'mle', expected one of .*likelihood"):
        objectives.create("mle")
    with pytest.raises(ValueError, match="objective 'nn' has no option 'kappa'; it takes loss, weights, queries"):
        objectives.create("nn", kappa=1.0)
    with pytest.raises(ValueError, match="objective 'proden' has no option 'loss'; it takes none"):
        objectives.create("proden", loss="mae")


def test_a_name_is_used_once() -> None:
    with pytest.raises(ValueError, match="there is an objective 'ure' already"):
        register("ure")(objectives.Objective)
