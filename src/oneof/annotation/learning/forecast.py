"""When to stop: how much the next answers are expected to add to the accuracy, from the models trained so far.

A learning curve is fitted to the judged versions of the model (`oneof.planning.learning_curve`). The interval is wide
as long as there are few versions, or few answers that judge them.
"""

from typing import Any

from sqlalchemy import Connection, select

from oneof.annotation.store.schema import models
from oneof.evaluation.intervals import standard_error
from oneof.planning.learning_curve import fit_curve

MORE = 500
"""How many more answers are considered."""

POINTS = 3
"""Judged versions, trained on different numbers of answers, that a curve needs at least."""

LATEST = 20
"""Versions that a curve is fitted to, at most."""


def next_answers(connection: Connection, more: int = MORE) -> dict[str, Any] | None:
    """What `more` answers would add to the accuracy, with a 95 % interval; None with fewer than three judged versions.

    Only answers about items that are not kept aside train, so the curve is followed by their share of `more`.
    """
    rows = connection.execute(
        select(models).where(models.c.low.is_not(None)).order_by(models.c.id.desc()).limit(LATEST)
    ).all()
    # An interval without any width would count as certain, and no accuracy is.
    rows = [row for row in rows if row.answers > 0 and row.high > row.low]
    if len({row.answers for row in rows}) < POINTS:
        return None
    curve = fit_curve(
        [row.answers for row in rows],
        [row.accuracy for row in rows],
        [standard_error(row.low, row.high) for row in rows],
    )
    training = more * (1 - (rows[0].aside_share or 0.0))
    gain = curve.gain(max(row.answers for row in rows), training)
    return {"answers": more, "gain": gain.value, "low": gain.low, "high": gain.high, "versions": len(rows)}
