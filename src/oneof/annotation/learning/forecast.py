"""When to stop: what the next answers are expected to bring, from the accuracies of the versions of the model so far.

A learning curve goes through the judged versions (`oneof.planning.learning_curve`); it stands for the project's own
way of asking. The interval is wide as long as there are few versions, or few answers to judge them by.
"""

from typing import Any

from sqlalchemy import Connection, select

from oneof.annotation.store.schema import models
from oneof.planning.learning_curve import fit_curve

MORE = 500
"""Answers to look ahead."""
POINTS = 3
"""Judged versions with different numbers of answers that a curve needs."""
LATEST = 20
WIDTH = 2 * 1.96
"""Standard errors in a 95 % interval."""


def next_answers(connection: Connection, more: int = MORE) -> dict[str, Any] | None:
    """What `more` answers would add to the accuracy, with a 95 % interval; None before there are three versions.

    Answers about items kept aside judge and do not train, so that the curve moves on by the others alone.
    """
    rows = connection.execute(
        select(models).where(models.c.low.is_not(None)).order_by(models.c.id.desc()).limit(LATEST)
    ).all()
    # A version without any width would count as certain, which no version is.
    rows = [row for row in rows if row.answers > 0 and row.high > row.low]
    if len({row.answers for row in rows}) < POINTS:
        return None
    curve = fit_curve(
        [row.answers for row in rows],
        [row.accuracy for row in rows],
        [(row.high - row.low) / WIDTH for row in rows],
    )
    training = more * (1 - (rows[0].aside_share or 0.0))
    gain = curve.gain(max(row.answers for row in rows), training)
    return {"answers": more, "gain": gain.value, "low": gain.low, "high": gain.high, "versions": len(rows)}
