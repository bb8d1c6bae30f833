"""Derive the present state of a project from its events alone, and compare it with what is stored beside them."""

from collections import Counter

from sqlalchemy import Connection, case, func, select

from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, events, people, tasks

BATCH = 5000
STANDING = ("answered", "overruled")
"""States of a claim whose answer stands. An overruled one keeps its place, though a reviewer's is used instead."""

StandingAnswers = dict[tuple[int, int], tuple[int, str]]
"""The answers that stand, by (person, task), as (event, answer)."""


def replay(connection: Connection) -> StandingAnswers:
    """The answers that stand, from the events in their order."""
    standing: StandingAnswers = {}
    given: dict[int, str] = {}
    rows = connection.execution_options(yield_per=BATCH).execute(
        select(events.c.id, events.c.person_id, events.c.task_id, events.c.kind, events.c.answer, events.c.target)
        .where(events.c.kind.not_in(("flag", "resolve", "overrule", "reinstate")))
        .order_by(events.c.id)
    )
    for row in rows:
        key = (row.person_id, row.task_id)
        if row.kind == "answer":
            given[row.id] = row.answer
            standing[key] = (row.id, row.answer)
        elif row.kind in ("redo", "restore"):
            standing[key] = (row.target, given[row.target])
        else:
            standing.pop(key, None)
    return standing


def audit(database: Database) -> list[str]:
    """Everything that does not agree with the events, a sentence each; empty if all is well."""
    with database.read() as connection:
        standing = replay(connection)
        return [
            *_wrong_answers(connection, standing),
            *_wrong_counters(connection, standing),
            *_wrong_places(connection),
        ]


def _wrong_answers(connection: Connection, standing: StandingAnswers) -> list[str]:
    kept = {
        (row.person_id, row.task_id): (row.event_id, row.answer)
        for row in connection.execution_options(yield_per=BATCH).execute(
            select(claims.c.person_id, claims.c.task_id, claims.c.event_id, claims.c.answer).where(
                claims.c.state.in_(STANDING)
            )
        )
    }
    return [
        f"person {key[0]}, task {key[1]}: the events say {standing.get(key)}, kept is {kept.get(key)}"
        for key in sorted(kept.keys() | standing.keys())
        if kept.get(key) != standing.get(key)
    ]


def _wrong_counters(connection: Connection, standing: StandingAnswers) -> list[str]:
    totals = Counter((person, answer == "skip") for (person, _), (_, answer) in standing.items())
    skipped = case((claims.c.answer == "skip", 1), else_=0)
    counted = {
        row.person_id: (row.total - row.skips, row.skips)
        for row in connection.execute(
            select(claims.c.person_id, func.count().label("total"), func.sum(skipped).label("skips"))
            .where(claims.c.state.in_(STANDING), claims.c.placed)
            .group_by(claims.c.person_id)
        )
    }
    problems = []
    for person in connection.execute(select(people)):
        kept = (person.answered, person.skipped, person.counted_answered, person.counted_skipped)
        derived = (totals[person.id, False], totals[person.id, True], *counted.get(person.id, (0, 0)))
        if kept != derived:
            problems.append(f"{person.name}: counters {kept}, derived {derived}")
    return problems


def _wrong_places(connection: Connection) -> list[str]:
    """Tasks whose free places do not match the claims on them, or with more claims than places."""
    taken = (
        select(claims.c.task_id, func.count().label("count"))
        .where(claims.c.placed, claims.c.state.in_(("held", *STANDING)))
        .group_by(claims.c.task_id)
        .subquery()
    )
    count = func.coalesce(taken.c.count, 0)
    rows = connection.execute(
        select(tasks.c.id, tasks.c.quota, tasks.c.free, count.label("taken"))
        .outerjoin(taken, taken.c.task_id == tasks.c.id)
        .where((tasks.c.free != tasks.c.quota - count) | (tasks.c.free < 0))
        .limit(100)
    )
    return [f"task {row.id}: {row.quota} places, {row.free} free, {row.taken} taken" for row in rows]
