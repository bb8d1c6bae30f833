"""Judging rounds: how many questions an interval of a wanted width takes, and how to begin one."""

from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection

from oneof.annotation.asking import decoys
from oneof.annotation.learning.judging import current_model
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store import history
from oneof.annotation.store.database import Database
from oneof.evaluation.agreement import decoy_rates
from oneof.evaluation.intervals import confidence_sequence
from oneof.planning.width import TooManyAnswersError, answers_for_width
from oneof.queries.weights import flipped_again

EXPECTED = 0.9
"""The accuracy that a round is planned for before there is an estimate."""

WIDTHS = (0.2, 0.1, 0.05)
"""Widths of the interval that the page suggests."""


@dataclass(frozen=True)
class Suggested:
    """The questions that a width takes. width: of the interval for one planned look. anytime: for looks at any time."""

    width: float
    questions: int
    anytime: float


def suggest(project: Project, accuracy: float | None, width: float) -> Suggested | None:
    """How many questions an interval of this width takes at this accuracy; None if nobody could answer so many.

    >>> from pathlib import Path
    >>> from oneof.annotation.project.classes import Class
    >>> from oneof.annotation.project.folder import Settings, create_project
    >>> from tempfile import mkdtemp
    >>> settings = Settings(name="pets", size=3, slip_rate=0)
    >>> project = create_project(Path(mkdtemp()), settings, [Class(str(number)) for number in range(10)])
    >>> suggest(project, accuracy=0.9, width=0.05).questions
    777
    """
    planned = min(max(EXPECTED if accuracy is None else accuracy, 0.5), 0.99)
    flip = flipped_again(project.settings.flip, project.settings.slip_rate)
    right, wrong = (float(rate) for rate in decoy_rates(len(project.active), project.settings.size, flip, flip))
    try:
        questions = answers_for_width(planned, width, right, wrong)
    except TooManyAnswersError:
        return None
    agree = planned * right + (1 - planned) * wrong
    low, high = confidence_sequence(round(agree * questions), questions, 0.95)
    ends = np.clip((np.array([low, high]) - wrong) / (right - wrong), 0, 1)
    return Suggested(width, questions, float(ends[1] - ends[0]))


@dataclass(frozen=True)
class Begun:
    """A judging round that has begun: the model that it is about, and its number of questions."""

    model: int
    questions: int


def begin_round(
    database: Database,
    project: Project,
    questions: int | None,
    now: float,
    person_id: int | None = None,
    *,
    width: float | None = None,
) -> Begun:
    """Begin a judging round of so many questions, or of as many as an interval of this width takes."""
    if (questions is None) == (width is None):
        raise ProjectError("a judging round: expected a number of questions, or the width of the interval")
    if questions is None:
        assert width is not None
        with database.read() as connection:
            model = current_model(connection, project)
        planned = suggest(project, None if model is None else model["accuracy"], width)
        if planned is None:
            raise ProjectError(f"width {width:g}: nobody could answer so many questions")
        questions = planned.questions
    count = questions

    def work(connection: Connection) -> int:
        model_id = decoys.ask_round(connection, project, count, now)
        history.note(connection, "judge", now, person_id, model=model_id, questions=count)
        return model_id

    return Begun(database.write(work), count)
