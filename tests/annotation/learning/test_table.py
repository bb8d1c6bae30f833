"""Stored answers as a table over the classes of today."""

from types import SimpleNamespace

import pytest

from oneof.annotation.learning.table import as_answers, informative
from oneof.annotation.project import changing_classes
from oneof.annotation.project.changing_classes import Change


def row(subset, answer, edition=0, design="uniform", predicted=None):
    made = {"subset": subset, "answer": answer, "edition": edition, "design": design, "predicted": predicted}
    return SimpleNamespace(**made, flip=0.0, name="ann")


@pytest.mark.parametrize("backend", ["sqlite"])
def test_rows_are_read_through_the_changes(world, backend):
    project = changing_classes.apply(world.database, world.project, Change("retire", "c2"), 0.0)
    rows = [
        row("0,2", "yes"),
        row("2", "no"),
        row("3,4", "no", edition=1),
        row("1,2", "skip", design="prediction", predicted=1),
        row("1,2", "yes", design="prediction", predicted=2),
    ]
    kept = informative(project, rows)
    assert [one.subset for one in kept] == ["0,2", "3,4", "1,2", "1,2"]
    answers = as_answers(project, kept, range(4))
    assert answers.subsets.astype(int).tolist() == [[1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]]
    assert answers.design.tolist() == ["uniform", "uniform", "prediction", "given"]
    assert answers.predicted.tolist() == [-1, -1, 1, -1]
    assert answers.skipped.tolist() == [False, False, True, False]
    assert answers.flip_yes == pytest.approx(project.settings.slip_rate)
