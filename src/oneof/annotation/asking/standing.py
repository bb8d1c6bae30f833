"""How somebody stands at the moment of a click: their row, locked, with all that a click asks first, in one statement.

A statement costs a trip to the database and back, and on a busy machine the trips are what people wait for. So the
session, the person, whether the project is paused, the progress, and whether there is anything rare to look after
(claims that ran out, a question kept for this person) come together.
"""

from typing import Any

from sqlalchemy import ColumnClause, Connection, Row, and_, bindparam, func, literal_column, select

from oneof.annotation.asking.people import digest
from oneof.annotation.store.schema import claims, facts, people, sessions, tasks

HELD: ColumnClause[str] = literal_column("'held'")
"""Written out, not bound: a planner uses a partial index only where it can see the value."""

# The statements of every click are built once, here and in the modules beside: building one costs more than running it.
PAUSED = select(facts.c.value).where(facts.c.name == "paused").scalar_subquery()
LOCK_PERSON = (
    select(people, (func.coalesce(PAUSED, "no") == "yes").label("all_paused"))
    .where(people.c.id == bindparam("me"))
    .with_for_update(of=people)
)
everybody = people.alias("everybody")
ALL_PROGRESS = (
    select(func.sum(everybody.c.counted_answered)).scalar_subquery().label("all_answered"),
    select(func.sum(everybody.c.counted_skipped)).scalar_subquery().label("all_skipped"),
    select(facts.c.value).where(facts.c.name == "needed").scalar_subquery().label("needed"),
)
"""The project's progress: sums over people, whose counters are kept with each answer."""

# The first, not whether there is any: that reads the first entry of an index whatever a planner believes of the rest.
FIRST_OVERDUE = (
    select(claims.c.expires_at)
    .where(claims.c.state == HELD, claims.c.expires_at < bindparam("now"))
    .order_by(claims.c.expires_at)
    .limit(literal_column("1"))
    .scalar_subquery()
)
KEPT_FOR_ME = and_(tasks.c.reserved_for == people.c.id, tasks.c.free > 0)
STANDING = (
    select(people, (func.coalesce(PAUSED, "no") == "yes").label("all_paused"), *ALL_PROGRESS)
    .add_columns(FIRST_OVERDUE.is_not(None).label("overdue"))
    .add_columns(select(tasks.c.id).where(KEPT_FOR_ME).exists().label("reserved"))
    .with_for_update(of=people)
)
BY_ID = STANDING.where(people.c.id == bindparam("me"))
MAY_ANSWER = and_(people.c.role == "annotator", people.c.revoked_at.is_(None))
BY_NAME = STANDING.where(people.c.name == bindparam("name"), MAY_ANSWER)
SESSION = select(sessions.c.person_id).where(
    sessions.c.hash == bindparam("hash"), sessions.c.expires_at > bindparam("now")
)
BY_SESSION = STANDING.where(people.c.id == SESSION.scalar_subquery(), MAY_ANSWER)


def lock_person(connection: Connection, person_id: int) -> Row[Any]:
    """The person's row, locked: two tabs of one annotator take turns."""
    return connection.execute(LOCK_PERSON, {"me": person_id}).one()


def of_person(connection: Connection, person_id: int, now: float) -> Row[Any]:
    """How this person stands; the row stays locked."""
    return connection.execute(BY_ID, {"me": person_id, "now": now}).one()


def of_session(connection: Connection, secret: str, now: float) -> Row[Any] | None:
    """How the annotator of this session stands, if it has not ended."""
    return connection.execute(BY_SESSION, {"hash": digest(secret), "now": now}).first()


def of_name(connection: Connection, name: str, now: float) -> Row[Any] | None:
    """How the annotator of this name stands, if they still have access."""
    return connection.execute(BY_NAME, {"name": name, "now": now}).first()


def progress(row: Any) -> dict[str, Any]:
    """Mine and the project's, of a row with both."""
    return {
        "mine": {"answered": row.answered, "skipped": row.skipped},
        "project": {"answered": int(row.all_answered), "needed": int(row.needed or 0), "skipped": int(row.all_skipped)},
    }
