"""How fast answers are given: over time, per hour, and when the last one can be expected."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Integer, cast, func, select

from oneof.annotation.store.schema import claims, events

BUCKETS = 60
HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True)
class Pace:
    """points: (time, answers so far), from the first answer to now. hourly: answers per hour, in the last `window` s.

    ends_at: when all wanted answers will be given, if people go on at this pace; None if nobody answers.
    """

    points: list[tuple[float, int]]
    hourly: float
    window: float
    ends_at: float | None


def pace(connection: Connection, needed: int, filled: int, now: float) -> Pace:
    """The pace of answers and skips. needed: how many are wanted. filled: how many of those there are."""
    standing = claims.c.state.in_(("answered", "overruled")) & (claims.c.event_id == events.c.id) & claims.c.placed
    joined = claims.join(events, claims.c.event_id == events.c.id)
    first = connection.execute(select(func.min(events.c.at)).select_from(joined).where(standing)).scalar()
    if first is None:
        return Pace([], 0.0, HOUR, None)
    width = max(1.0, (now - first) / BUCKETS)
    bucket: Any = cast(func.floor((events.c.at - first) / width), Integer).label("bucket")
    rows = connection.execute(
        select(bucket, func.count()).select_from(joined).where(standing).group_by(bucket).order_by(bucket)
    )
    points, total = [(float(first), 0)], 0
    for number, count in rows:
        total += int(count)
        points.append((min(now, first + (number + 1) * width), total))
    if points[-1][0] < now:
        points.append((now, total))
    hourly, window = _hourly(connection, now)
    left = max(0, needed - filled)
    ends_at = None if not hourly else now + left / hourly * HOUR
    return Pace(points, hourly, window, ends_at)


def _hourly(connection: Connection, now: float) -> tuple[float, float]:
    """Answers per hour, and the seconds that it was measured over: the last hour, or the last day if it had none."""
    for window in (HOUR, DAY):
        found = connection.execute(
            select(func.count(), func.min(events.c.at)).where(events.c.kind == "answer", events.c.at > now - window)
        ).one()
        if found[0]:
            # A project that began ten minutes ago is measured over these ten minutes.
            spent = min(window, max(60.0, now - float(found[1])))
            return int(found[0]) * HOUR / spent, window
    return 0.0, DAY
