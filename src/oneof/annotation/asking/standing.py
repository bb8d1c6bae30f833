"""A person's standing: all that a click needs to know about them first, in one statement that also locks their row.

A statement costs a trip to the database and back, and on a busy machine the trips are what people wait for. So one
statement reads the session, the person's row, whether the project is paused, the progress, and whether something rare
is to be done first: claims have expired, or a manager has reserved a question for this person.
"""

from typing import Any

from sqlalchemy import ColumnClause, Connection, Row, and_, bindparam, func, literal_column, select

from oneof.annotation.asking.access import digest
from oneof.annotation.store.schema import claims, facts, people, sessions, tasks

HELD: ColumnClause[str] = literal_column("'held'")
"""Written out, not bound: a planner uses a partial index only where it can see the value."""

# Statements of a click are built once, here and in the modules beside: to build one costs more than to run it.
PAUSED = select(facts.c.value).where(facts.c.name == "paused").scalar_subquery()
ALL_PAUSED = (func.coalesce(PAUSED, "no") == "yes").label("all_paused")
LOCK_PERSON = select(people, ALL_PAUSED).where(people.c.id == bindparam("me")).with_for_update(of=people)
everybody = people.alias("everybody")
ALL_PROGRESS = (
    select(func.sum(everybody.c.counted_answered)).scalar_subquery().label("all_answered"),
    select(func.sum(everybody.c.counted_skipped)).scalar_subquery().label("all_skipped"),
    select(facts.c.value).where(facts.c.name == "needed").scalar_subquery().label("needed"),
)
"""The project's progress: sums over people, whose counters are kept with each answer."""

# The earliest one, not EXISTS: so every planner reads one entry of the index, whatever it believes about the table.
FIRST_OVERDUE = (
    select(claims.c.expires_at)
    .where(claims.c.state == HELD, claims.c.expires_at < bindparam("now"))
    .order_by(claims.c.expires_at)
    .limit(literal_column("1"))
    .scalar_subquery()
)
RESERVED = and_(tasks.c.reserved_for == people.c.id, tasks.c.free > 0)
STANDING = (
    select(people, ALL_PAUSED, *ALL_PROGRESS)
    .add_columns(FIRST_OVERDUE.is_not(None).label("overdue"))
    .add_columns(select(tasks.c.id).where(RESERVED).exists().label("reserved"))
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
    """The person's row, locked, so that two tabs of one annotator take turns."""
    return connection.execute(LOCK_PERSON, {"me": person_id}).one()


def of_person(connection: Connection, person_id: int, now: float) -> Row[Any]:
    """The standing of the person with this id."""
    return connection.execute(BY_ID, {"me": person_id, "now": now}).one()


def of_session(connection: Connection, secret: str, now: float) -> Row[Any] | None:
    """The standing of the annotator whose session this is; None if it has ended."""
    return connection.execute(BY_SESSION, {"hash": digest(secret), "now": now}).first()


def of_name(connection: Connection, name: str, now: float) -> Row[Any] | None:
    """The standing of the annotator of this name; None if they have no access."""
    return connection.execute(BY_NAME, {"name": name, "now": now}).first()


def progress(row: Any) -> dict[str, Any]:
    """The person's own progress and the project's, from a row with `ALL_PROGRESS`, as the page is told."""
    return {
        "mine": {"answered": row.answered, "skipped": row.skipped},
        "project": {"answered": int(row.all_answered), "needed": int(row.needed or 0), "skipped": int(row.all_skipped)},
    }
