"""The search for a person's next question, at a cost that does not grow with the project.

Each annotator has a pointer (`people.cursor`) that goes round the tasks by position. The search reads on from there,
a few tasks at a time, along an index of the tasks with free places.

Whether this person has had a task is looked up for one task at a time, by a subquery. A join would leave it to the
database how to do that, and PostgreSQL then sometimes reads all the claims of the project.
"""

from collections.abc import Sequence
from itertools import chain, repeat
from random import Random
from typing import Any

from sqlalchemy import (
    ColumnClause,
    Connection,
    Row,
    Select,
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

from oneof.annotation.asking.standing import HELD
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, people, tasks

SIZES = (8, 64, 512)
"""Tasks that are read at a time: few at first, as the next question is mostly near."""

MOST_READ = 4000
"""Tasks that are read for one claim; a longer search goes on at the next claim."""

LAST_POSITION = 2**63 - 1
RETURNED: ColumnClause[str] = literal_column("'returned'")

# Of a task: the state of this person's claim on it. It is open to them if there was none, or it was given back.
# PostgreSQL finds it among the claims on the task: with "=" it would go through all claims of a person who is new.
MY_STATE = (
    select(claims.c.state)
    .where(claims.c.task_id == tasks.c.id, claims.c.person_id.is_not_distinct_from(bindparam("me")))
    .correlate(tasks)
    .scalar_subquery()
)
IS_OPEN = func.coalesce(MY_STATE, RETURNED) == RETURNED

# Zero is written out, not bound: a planner uses a partial index only where it can see the value.
IS_FREE = and_(tasks.c.free > literal_column("0"), tasks.c.reserved_for.is_(None))
AHEAD = and_(tasks.c.position > bindparam("lower"), tasks.c.position <= bindparam("upper"))
IN_ORDER = (tasks.c.position, tasks.c.id)


def _free(size: int) -> Select[Any]:
    """The next tasks with free places, and whether they are open to this person."""
    columns = tasks.c.id, tasks.c.position, IS_OPEN.label("open")
    return select(*columns).where(IS_FREE, AHEAD).order_by(*IN_ORDER).limit(literal_column(str(size)))


def _take_next(size: int) -> UpdateBase:
    """Take a place of the first of these tasks that is open to this person and that nobody else is just taking."""
    few = select(tasks.c.position).where(IS_FREE, AHEAD).order_by(*IN_ORDER).limit(literal_column(str(size))).subquery()
    last = select(func.max(few.c.position)).scalar_subquery()
    first = (
        select(tasks.c.id)
        .where(IS_FREE, tasks.c.position > bindparam("lower"), tasks.c.position <= last, IS_OPEN)
        .order_by(*IN_ORDER)
        .limit(literal_column("1"))
        .with_for_update(skip_locked=True)
        .correlate(None)
        .scalar_subquery()
    )
    taken = update(tasks).where(tasks.c.id == first).values(free=tasks.c.free - 1)
    return taken.returning(tasks.c.id, tasks.c.position)


# Built once, as every click needs them.
TAKE_NEXT = {size: _take_next(size) for size in SIZES}
FREE = {size: _free(size) for size in SIZES}
FIRST_OPEN = select(tasks.c.id).where(IS_OPEN).order_by(tasks.c.id).limit(literal_column("1"))
GOLD = FIRST_OPEN.where(tasks.c.kind == literal_column("'gold'"), ~tasks.c.removed)
RESERVED = FIRST_OPEN.where(tasks.c.reserved_for == bindparam("me"), tasks.c.free > 0)
TAKE_PLACE = update(tasks).where(tasks.c.id == bindparam("task"), tasks.c.free > 0).values(free=tasks.c.free - 1)
SET_POINTERS = update(people).where(people.c.id == bindparam("me"))
HOLD = text(
    "INSERT INTO claims (task_id, person_id, state, ordinal, claimed_at, expires_at, placed) "
    "VALUES (:task, :me, 'held', :ordinal, :claimed_at, :expires_at, :placed) "
    "ON CONFLICT (task_id, person_id) DO UPDATE SET state = 'held', ordinal = excluded.ordinal, "
    "claimed_at = excluded.claimed_at, expires_at = excluded.expires_at, placed = excluded.placed"
)
"""Written by hand: both databases understand it, while SQLAlchemy's own form differs between them."""


def take_place(connection: Connection, task_id: int) -> bool:
    """Take a free place of a task; returns whether there was one."""
    return connection.execute(TAKE_PLACE, {"task": task_id}).rowcount == 1


class Search:
    """One person's search for their next tasks, within one transaction. person: their row, locked (`standing`)."""

    def __init__(self, connection: Connection, project: Project, person: Row[Any], now: float) -> None:
        self.connection = connection
        self.settings = project.settings
        self.person_id: int = person.id
        self.now = now
        self.cursor: int = person.cursor
        self.claimed: int = person.claimed
        self.repeat_cursor: int = person.repeat_cursor
        self.reserved: bool = person.reserved
        self.read = 0
        self.unfinished = False

    def next(self) -> int | None:
        """Claim the next task: one reserved for this person, now and then gold or a repeat, else a new question."""
        # The coin follows from the seed, so that the same claims can be made again; annotators cannot foresee it.
        coin = Random(f"{self.settings.seed}/{self.person_id}/{self.claimed}").random()
        task_id = self._reserved()
        if task_id is None and coin < self.settings.gold_share:
            task_id = self._gold()
        if task_id is None and coin > 1 - self.settings.repeat_share:
            task_id = self._repeat()
        return self._question() if task_id is None else task_id

    def finish(self) -> None:
        """Store how far the search has come."""
        values = {"cursor": self.cursor, "claimed": self.claimed, "repeat_cursor": self.repeat_cursor}
        self.connection.execute(SET_POINTERS, {"me": self.person_id, **values})

    def reason(self, exclude: Sequence[int]) -> str:
        """Why there is nothing: held, if somebody holds a question that may still come back to this person, else done.

        exclude: tasks that the page itself has.
        """
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
        """The next question with a free place that this person has not had: from the pointer on, then once round."""
        start = self.cursor
        for lower, upper in ((start, LAST_POSITION), (-1, start)):
            self.cursor = lower
            for size in chain(SIZES, repeat(SIZES[-1])):
                if self.read >= MOST_READ:
                    self.unfinished = True
                    return None
                within = {"lower": self.cursor, "upper": upper, "me": self.person_id}
                taken = self.connection.execute(TAKE_NEXT[size], within).first()
                if taken is not None:
                    self.cursor = taken.position
                    return self._hold(taken.id, placed=True)
                rows = self.connection.execute(FREE[size], within).all()
                self.read += len(rows)
                # Another server process is just taking their last places, and may yet fail to.
                self.unfinished |= any(row.open for row in rows)
                if len(rows) < size:
                    break
                self.cursor = rows[-1].position
        return None

    def _reserved(self) -> int | None:
        """A question that a manager gave to this person."""
        if not self.reserved:
            return None
        task_id = self.connection.execute(RESERVED, {"me": self.person_id}).scalar()
        if task_id is None or not take_place(self.connection, task_id):
            return None
        self.connection.execute(update(tasks).where(tasks.c.id == task_id).values(reserved_for=None))
        return self._hold(task_id, placed=True)

    def _gold(self) -> int | None:
        """The first question about a known item that this person has not had."""
        task_id = self.connection.execute(GOLD, {"me": self.person_id}).scalar()
        return None if task_id is None else self._hold(task_id, placed=False)

    def _repeat(self) -> int | None:
        """Ask this person again what they answered some time ago, as a task of its own."""
        until = self.claimed - self.settings.repeat_gap
        earlier = self.connection.execute(
            select(tasks, claims.c.ordinal)
            .join(claims, claims.c.task_id == tasks.c.id)
            .where(claims.c.person_id == self.person_id, claims.c.ordinal > self.repeat_cursor)
            .where(claims.c.ordinal <= until)
            .where(claims.c.state == "answered", claims.c.answer != "skip", tasks.c.kind == "question")
            .where(~tasks.c.removed)
            .order_by(claims.c.ordinal)
            .limit(1)
        ).first()
        if earlier is None:
            # Claims with nothing to repeat among them are read once, not at every claim.
            self.repeat_cursor = max(self.repeat_cursor, until)
            return None
        self.repeat_cursor = earlier.ordinal
        same = ("item_id", "subset", "draw_id", "draw_row", "design", "predicted", "model_id", "position")
        values = {name: getattr(earlier, name) for name in same}
        row = insert(tasks).values(**values, kind="repeat", quota=0, free=0, repeat_of=earlier.id)
        return self._hold(self.connection.execute(row.returning(tasks.c.id)).scalar_one(), placed=False)

    def _hold(self, task_id: int, *, placed: bool) -> int:
        """Note that this person holds the task. placed: whether one of its places was taken for it."""
        self.claimed += 1
        values = {
            "ordinal": self.claimed,
            "claimed_at": self.now,
            "expires_at": self.now + self.settings.claim_seconds,
            "placed": placed,
        }
        self.connection.execute(HOLD, {"task": task_id, "me": self.person_id, **values})
        return task_id
