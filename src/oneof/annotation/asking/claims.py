"""Claims: who holds which question, so that nobody gets one twice and none is answered more often than wanted.

A question has as many places as answers are wanted. A claim takes one of its free places, in the same transaction that
finds it (`searching`). A claim that is neither answered nor given back expires, and then its place is free again.

Locks are taken in one order: person, then claims, then tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, literal_column, select, update

from oneof.annotation.asking.searching import Search
from oneof.annotation.asking.standing import HELD, lock_person, of_person
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.schema import claims, tasks

MOST_EXPIRED = 50
"""Expired claims that one request ends; the next request goes on, so that nobody waits for all of them."""

MOST_RESUMED = 50
"""Questions that a page gets back when it is opened again."""

EXPIRED = (
    select(claims.c.task_id, claims.c.person_id, claims.c.placed)
    .where(claims.c.state == HELD, claims.c.expires_at < bindparam("now"))
    .order_by(claims.c.expires_at)
    .limit(MOST_EXPIRED)
    .with_for_update(skip_locked=True)
)


@dataclass(frozen=True)
class Claimed:
    """The tasks handed out. reason: why there are none: done, held (others hold what is left) or paused."""

    tasks: list[int]
    reason: str | None = None


def claim(
    connection: Connection,
    project: Project,
    person_id: int,
    now: float,
    *,
    count: int = 1,
    resume: bool = False,
    exclude: Sequence[int] = (),
    standing: Row[Any] | None = None,
) -> Claimed:
    """Hand out `count` tasks. resume: first all that this person holds already, apart from those in `exclude`.

    standing: the person's row (see `standing`), if the caller has locked it already.
    """
    person = of_person(connection, person_id, now) if standing is None else standing
    got = _resumed(connection, project, person_id, now, exclude) if resume else []
    if person.overdue:
        expire(connection, now)
    if person.paused or person.all_paused:
        return Claimed(got, None if got else "paused")
    search = Search(connection, project, person, now)
    while len(got) < count and (task_id := search.next()) is not None:
        got.append(task_id)
    search.finish()
    return Claimed(got, None if got else search.reason(exclude))


def release(connection: Connection, person_id: int, task_ids: Sequence[int]) -> int:
    """Give back tasks that this person holds; returns how many of them were held."""
    lock_person(connection, person_id)
    held = connection.execute(
        select(claims.c.task_id, claims.c.person_id, claims.c.placed)
        .where(claims.c.person_id == person_id, claims.c.task_id.in_(task_ids), claims.c.state == "held")
        .with_for_update()
    ).all()
    give_back(connection, held)
    return len(held)


def expire(connection: Connection, now: float) -> None:
    """End some of the claims that have expired, and free their places."""
    give_back(connection, connection.execute(EXPIRED, {"now": now}).all())


def give_back(connection: Connection, held: Sequence[Any], state: str = "returned") -> None:
    """End claims (rows with task_id, person_id and placed) and free their places. state: what they become."""
    if not held:
        return
    connection.execute(
        update(claims)
        .where(claims.c.task_id == bindparam("task"), claims.c.person_id == bindparam("person"))
        .values(state=state, placed=False),
        [{"task": row.task_id, "person": row.person_id} for row in held],
    )
    freed = sorted(row.task_id for row in held if row.placed)
    if freed:
        connection.execute(
            update(tasks).where(tasks.c.id == bindparam("task")).values(free=tasks.c.free + 1),
            [{"task": task_id} for task_id in freed],
        )
        set_aside(connection, freed)


def set_aside(connection: Connection, task_ids: Sequence[int]) -> None:
    """Where the items of these tasks were removed: set their free places aside, so that nobody waits for them."""
    table = tasks.c
    removed = table.id.in_(task_ids) & table.removed & (table.free > 0)
    open_places = connection.execute(select(func.sum(table.free)).where(removed)).scalar()
    if open_places:
        moved = {"aside": table.aside + table.free, "quota": table.quota - table.free, "free": 0}
        connection.execute(update(tasks).where(removed).values(moved))
        facts.add(connection, "needed", -int(open_places))


def is_paused(connection: Connection) -> bool:
    """Whether the manager has paused the whole project."""
    return facts.get(connection, "paused", "") == "yes"


def _resumed(connection: Connection, project: Project, person_id: int, now: float, exclude: Sequence[int]) -> list[int]:
    """What this person holds, in the order in which they claimed it, held for the full time again."""
    held = (
        select(claims.c.task_id)
        .where(claims.c.person_id == person_id, claims.c.state == HELD, claims.c.expires_at >= now)
        .where(claims.c.task_id.not_in(exclude))
        # The sum keeps databases from going through all that this person ever claimed, in the order of an index.
        .order_by(claims.c.ordinal + literal_column("0"))
        .limit(MOST_RESUMED)
        .with_for_update()
    )
    found = list(connection.scalars(held))
    if found:
        connection.execute(
            update(claims)
            .where(claims.c.person_id == person_id, claims.c.task_id.in_(found))
            .values(expires_at=now + project.settings.claim_seconds)
        )
    return found
