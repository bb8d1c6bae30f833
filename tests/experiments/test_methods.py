import pytest

from oneof import objectives
from oneof.experiments.methods import CORRECTIONS, MAIN, method, names
from oneof.experiments.paper_numbers import paper_table


def test_every_method_of_the_paper_is_here() -> None:
    published = {name for number in (2, 3, 5, 6) for name in paper_table(number)["method"]}
    assert published == set(MAIN) | set(CORRECTIONS)
    assert published <= set(names())


@pytest.mark.parametrize("name", names())
def test_every_method_is_an_objective(name: str) -> None:
    found = method(name)
    objectives.create(found.objective, **found.options)


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(ValueError, match="unknown method 'SVM'; known: URE-MAE"):
        method("SVM")
