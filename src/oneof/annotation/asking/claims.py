"""Claims: handing out questions, so that nobody gets one twice and no question is answered more often than wanted.

A claim takes one of the task's free places in the same transaction that finds it. It runs out after a while, and then
the place is free again. Each annotator has a pointer that goes round the questions by position; the search reads on
from there along an index of the tasks with free places, in pieces, so its cost does not grow with the project.

Locks are taken in one order: person, then claims, then tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from random import Random
from typing import Any

from sqlalchemy import (
    Connection,
    Join,
    Row,
    Select,
    Subquery,
    UpdateBase,
    and_,
    bindparam,
    func,
    insert,
    literal_column,
    select,
    text,
    update,
)

from oneof.annotation.asking.standing import HELD, lock_person, of_person
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.schema import claims, people, tasks

PIECES, MOST_SCANNED = (8, 64, 512), 4000
"""Tasks read at a time, and at most in one claim; a longer search goes on at the next claim."""

EXPIRED_AT_ONCE = 50
MOST_RESUMED = 50

OVERDUE = (
    select(claims.c.task_id, claims.c.person_id, claims.c.placed)
    .where(claims.c.state == HELD, claims.c.expires_at < bindparam("now"))
    .order_by(claims.c.expires_at)
    .limit(EXPIRED_AT_ONCE)
    .with_for_update(skip_locked=True)
)
MINE = and_(claims.c.task_id == tasks.c.id, claims.c.person_id == bindparam("me"))
NOT_HAD = claims.c.state.is_(None) | (claims.c.state == "returned")
RESERVED = (
    select(tasks.c.id)
    .outerjoin(claims, MINE)
    .where(tasks.c.reserved_for == bindparam("me"), tasks.c.free > 0, NOT_HAD)
    .order_by(tasks.c.id)
    .limit(1)
)
GOLD = (
    select(tasks.c.id)
    .outerjoin(claims, MINE)
    .where(tasks.c.kind == literal_column("'gold'"), NOT_HAD, ~tasks.c.removed)
    .order_by(tasks.c.id)
    .limit(1)
)


def _free(size: int) -> Subquery:
    """The next tasks with free places. The size is written out: a planner must know that it is small."""
    return (
        select(tasks.c.id, tasks.c.position)
        .where(tasks.c.free > literal_column("0"), tasks.c.reserved_for.is_(None))
        .where(tasks.c.position > bindparam("lower"), tasks.c.position <= bindparam("upper"))
        .order_by(tasks.c.position, tasks.c.id)
        .limit(literal_column(str(size)))
        .subquery()
    )


def _with_mine(free: Subquery) -> Join:
    return free.outerjoin(claims, and_(claims.c.task_id == free.c.id, claims.c.person_id == bindparam("me")))


def _piece(size: int) -> Select[Any]:
    """The next tasks with free places, and how this person stands to them."""
    free = _free(size)
    return (
        select(free.c.id, free.c.position, claims.c.state)
        .select_from(_with_mine(free))
        .order_by(free.c.position, free.c.id)
    )


def _take_next(size: int) -> UpdateBase:
    """Take a place of the first of the next tasks that this person has not had and nobody else is just taking."""
    free = _free(size)
    not_had = select(free.c.id).select_from(_with_mine(free)).where(NOT_HAD)
    first = (
        select(tasks.c.id)
        .where(tasks.c.id.in_(not_had), tasks.c.free > 0)
        .order_by(tasks.c.position, tasks.c.id)
        .limit(literal_column("1"))
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    taken = update(tasks).where(tasks.c.id == first).values(free=tasks.c.free - 1)
    return taken.returning(tasks.c.id, tasks.c.position)


PIECE = {size: _piece(size) for size in PIECES}
TAKE_NEXT = {size: _take_next(size) for size in PIECES}
TAKE_PLACE = update(tasks).where(tasks.c.id == bindparam("task"), tasks.c.free > 0).values(free=tasks.c.free - 1)
HOLD = text(
    "INSERT INTO claims (task_id, person_id, state, ordinal, claimed_at, expires_at, placed) "
    "VALUES (:task, :me, 'held', :ordinal, :claimed_at, :expires_at, :placed) "
    "ON CONFLICT (task_id, person_id) DO UPDATE SET state = 'held', ordinal = excluded.ordinal, "
    "claimed_at = excluded.claimed_at, expires_at = excluded.expires_at, placed = excluded.placed"
)
"""Written by hand: both databases read it, and what builds such a statement is made for one of them."""

SET_POINTERS = update(people).where(people.c.id == bindparam("me"))
LAST_POSITION = 2**63 - 1


@dataclass(frozen=True)
class Claimed:
    """Tasks handed out; when there are none, why: done, held (others hold the rest) or paused."""

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
    """Hand out `count` tasks. resume: first everything that this person holds already, apart from `exclude`.

    standing: how the person stands, where that is known (and locked) already.
    """
    person = of_person(connection, person_id, now) if standing is None else standing
    got = _resumed(connection, project, person_id, now, exclude) if resume else []
    if person.overdue:
        expire(connection, now)
    if person.paused or person.all_paused:
        return Claimed(got, None if got else "paused")
    search = _Search(connection, project, person, now)
    while len(got) < count and (task_id := search.next()) is not None:
        got.append(task_id)
    search.finish()
    return Claimed(got, None if got else search.reason(exclude))


def release(connection: Connection, person_id: int, task_ids: Sequence[int]) -> int:
    """Give back held tasks; returns how many were held."""
    lock_person(connection, person_id)
    held = connection.execute(
        select(claims.c.task_id, claims.c.person_id, claims.c.placed)
        .where(claims.c.person_id == person_id, claims.c.task_id.in_(task_ids), claims.c.state == "held")
        .with_for_update()
    ).all()
    give_back(connection, held)
    return len(held)


def expire(connection: Connection, now: float) -> None:
    """Free the places of claims that ran out; some at a time, so that no claim pays for all of them."""
    overdue = connection.execute(OVERDUE, {"now": now}).all()
    give_back(connection, overdue)


def give_back(connection: Connection, held: Sequence[Any], state: str = "returned") -> None:
    """End claims (rows of task_id, person_id, placed) and free their places."""
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
    """Of these, take the free places of removed items out of what the project needs."""
    table = tasks.c
    removed = table.id.in_(task_ids) & table.removed & (table.free > 0)
    open_places = connection.execute(select(func.sum(table.free)).where(removed)).scalar()
    if open_places:
        moved = {"aside": table.aside + table.free, "quota": table.quota - table.free, "free": 0}
        connection.execute(update(tasks).where(removed).values(moved))
        facts.add(connection, "needed", -int(open_places))


def take_place(connection: Connection, task_id: int) -> bool:
    """Take a free place of a task, if there is one."""
    taken = connection.execute(TAKE_PLACE, {"task": task_id})
    return taken.rowcount == 1


def is_paused(connection: Connection) -> bool:
    """Whether the manager has paused the whole project."""
    return facts.get(connection, "paused", "") == "yes"


def _resumed(connection: Connection, project: Project, person_id: int, now: float, exclude: Sequence[int]) -> list[int]:
    held = (
        select(claims.c.task_id)
        .where(claims.c.person_id == person_id, claims.c.state == "held", claims.c.expires_at >= now)
        .where(claims.c.task_id.not_in(exclude))
        .order_by(claims.c.ordinal)
        .limit(MOST_RESUMED)
        .with_for_update()
    )
    found = list(connection.scalars(held))
    connection.execute(
        update(claims)
        .where(claims.c.person_id == person_id, claims.c.task_id.in_(found))
        .values(expires_at=now + project.settings.claim_seconds)
    )
    return found


class _Search:
    """One person's search for the next tasks, within one transaction."""

    def __init__(self, connection: Connection, project: Project, person: Row[Any], now: float) -> None:
        self.connection = connection
        self.settings = project.settings
        self.person_id: int = person.id
        self.now = now
        self.cursor: int = person.cursor
        self.claimed: int = person.claimed
        self.repeat_cursor: int = person.repeat_cursor
        self.reserved: bool = person.reserved
        self.scanned = 0
        self.unfinished = False

    def next(self) -> int | None:
        # The coin follows from the seed, so that what was asked can be told again; annotators cannot foresee it.
        coin = Random(f"{self.settings.seed}/{self.person_id}/{self.claimed}").random()
        task_id = self._reserved()
        if task_id is None and coin < self.settings.gold_share:
            task_id = self._gold()
        if task_id is None and coin > 1 - self.settings.repeat_share:
            task_id = self._repeat()
        return self._question() if task_id is None else task_id

    def finish(self) -> None:
        values = {"cursor": self.cursor, "claimed": self.claimed, "repeat_cursor": self.repeat_cursor}
        self.connection.execute(SET_POINTERS, {"me": self.person_id, **values})

    def reason(self, exclude: Sequence[int]) -> str:
        """Why there is nothing: whether somebody holds a question that may still come back to this person."""
        if self.unfinished:
            return "held"
        mine = claims.alias("mine")
        waiting = self.connection.execute(
            select(claims.c.task_id)
            .outerjoin(mine, and_(mine.c.task_id == claims.c.task_id, mine.c.person_id == self.person_id))
            .where(claims.c.state == HELD, claims.c.task_id.not_in(exclude))
            .where(claims.c.placed | (claims.c.person_id == self.person_id))
            .where(mine.c.state.is_(None) | mine.c.state.in_(("returned", "held")))
            .limit(1)
        ).first()
        return "done" if waiting is None else "held"

    def _question(self) -> int | None:
        """The next task along the index whose places are not all taken and that this person has not had."""
        start = self.cursor
        for lower, upper in ((start, LAST_POSITION), (-1, start)):
            self.cursor = lower
            for size in chain(PIECES, repeat(PIECES[-1])):
                if self.scanned >= MOST_SCANNED:
                    self.unfinished = True
                    return None
                within = {"lower": self.cursor, "upper": upper, "me": self.person_id}
                taken = self.connection.execute(TAKE_NEXT[size], within).first()
                if taken is not None:
                    self.cursor = taken.position
                    self._take(taken.id, placed=True)
                    return int(taken.id)
                rows = self.connection.execute(PIECE[size], within).all()
                self.scanned += len(rows)
                # Another server process holds them at this moment; they may yet come free.
                self.unfinished |= any(row.state in (None, "returned") for row in rows)
                if len(rows) < size:
                    break
                self.cursor = rows[-1].position
        return None

    def _reserved(self) -> int | None:
        if not self.reserved:
            return None
        row = self.connection.execute(RESERVED, {"me": self.person_id}).first()
        if row is None or not take_place(self.connection, row.id):
            return None
        self.connection.execute(update(tasks).where(tasks.c.id == row.id).values(reserved_for=None))
        self._take(row.id, placed=True)
        return int(row.id)

    def _gold(self) -> int | None:
        row = self.connection.execute(GOLD, {"me": self.person_id}).first()
        if row is None:
            return None
        self._take(row.id, placed=False)
        return int(row.id)

    def _repeat(self) -> int | None:
        """Ask this person again what they answered some time ago, as a task of its own."""
        earlier = self.connection.execute(
            select(tasks, claims.c.ordinal)
            .join(claims, claims.c.task_id == tasks.c.id)
            .where(claims.c.person_id == self.person_id, claims.c.ordinal > self.repeat_cursor)
            .where(claims.c.ordinal <= self.claimed - self.settings.repeat_gap)
            .where(claims.c.state == "answered", claims.c.answer != "skip", tasks.c.kind == "question")
            .where(~tasks.c.removed)
            .order_by(claims.c.ordinal)
            .limit(1)
        ).first()
        if earlier is None:
            return None
        self.repeat_cursor = earlier.ordinal
        same = ("item_id", "subset", "draw_id", "draw_row", "design", "predicted", "model_id", "position")
        values = {name: getattr(earlier, name) for name in same}
        row = insert(tasks).values(**values, kind="repeat", quota=0, free=0, repeat_of=earlier.id)
        task_id = int(self.connection.execute(row.returning(tasks.c.id)).scalar_one())
        self._take(task_id, placed=False)
        return task_id

    def _take(self, task_id: int, *, placed: bool) -> None:
        self.claimed += 1
        values = {
            "ordinal": self.claimed,
            "claimed_at": self.now,
            "expires_at": self.now + self.settings.claim_seconds,
            "placed": placed,
        }
        self.connection.execute(HOLD, {"task": task_id, "me": self.person_id, **values})
