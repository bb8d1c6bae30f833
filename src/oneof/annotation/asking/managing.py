"""What a manager can do to people: pause, revoke, reassign, withdraw and restore. No answer is ever deleted.

Each action is noted in the journal with the manager's id (`by`); None stands for the command line.
"""

from typing import Any, Literal, get_args

from sqlalchemy import Connection, select, update

from oneof.annotation.asking import access
from oneof.annotation.asking.claims import give_back
from oneof.annotation.asking.recording import append_about
from oneof.annotation.asking.searching import take_place
from oneof.annotation.asking.standing import lock_person
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import facts, history
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, events, people, tasks

BATCH = 500
"""Answers that are withdrawn or restored in one transaction: others wait while it runs."""


def set_paused(database: Database, name: str | None, paused: bool, now: float, by: int | None = None) -> None:
    """Pause or resume one annotator, by name; None: the whole project."""

    def work(connection: Connection) -> None:
        if name is None:
            facts.put(connection, "paused", "yes" if paused else "no")
        else:
            person_id = access.find(connection, name)
            connection.execute(update(people).where(people.c.id == person_id).values(paused=paused))
        history.note(connection, "pause" if paused else "resume", now, by, **({} if name is None else {"name": name}))

    database.write(work)


def revoke(database: Database, name: str, now: float, by: int | None = None) -> None:
    """End a person's link and sessions, and free the questions that they hold."""

    def work(connection: Connection) -> None:
        person_id = access.find(connection, name)
        lock_person(connection, person_id)
        access.end_access(connection, person_id, now)
        give_back(connection, _held(connection, person_id))
        history.note(connection, "revoke", now, by, name=name)

    database.write(work)


def withdraw(database: Database, name: str, now: float, by: int | None = None) -> int:
    """Stop using a person's answers and open their places again; returns how many answers."""
    with database.read() as connection:
        person_id = access.find(connection, name)
    total = 0
    while count := database.write(_retire, person_id, now, "withdraw", None):
        total += count
    database.write(history.note, "withdraw", now, by, name=name, answers=total)
    return total


def restore_answers(database: Database, name: str, now: float, by: int | None = None) -> int:
    """Use a person's withdrawn answers again; returns how many.

    Where other people have answered the question since, their answers stay in use too.
    """
    with database.read() as connection:
        person_id = access.find(connection, name)
    total = 0
    while count := database.write(_bring_back, person_id, now):
        total += count
    database.write(history.note, "restore", now, by, name=name, answers=total)
    return total


def reassign(
    database: Database, name: str, now: float, by: int | None = None, *, to: str | None = None, skipped: bool = False
) -> int:
    """Give the questions that a person holds to the person `to`, or to whoever asks next; returns how many.

    skipped: also those that they skipped.
    """
    with database.read() as connection:
        person_id = access.find(connection, name)
        to_id = None if to is None else access.find(connection, to)
    if to_id == person_id:
        raise ProjectError(f"{name!r} holds these questions already")

    def work(connection: Connection) -> int:
        lock_person(connection, person_id)
        held = [row for row in _held(connection, person_id) if row.placed]
        give_back(connection, held)
        _reserve(connection, [row.task_id for row in held], to_id)
        return len(held)

    total = database.write(work)
    while skipped and (count := database.write(_retire, person_id, now, "reassign", to_id)):
        total += count
    database.write(history.note, "reassign", now, by, name=name, to=to, questions=total)
    return total


Action = Literal["pause", "resume", "revoke", "withdraw", "restore", "reassign"]


def act(
    database: Database, action: str, name: str, now: float, by: int | None = None, *, to: str | None = None
) -> int | None:
    """Do one of the actions above, by its name; returns how many answers or questions, if it counts them."""
    match action:
        case "withdraw":
            return withdraw(database, name, now, by)
        case "restore":
            return restore_answers(database, name, now, by)
        case "reassign":
            return reassign(database, name, now, by, to=to)
        case "revoke":
            revoke(database, name, now, by)
        case "pause" | "resume":
            set_paused(database, name, action == "pause", now, by)
        case _:
            raise ProjectError(f"action {action!r}: expected {', '.join(get_args(Action))}")
    return None


def _retire(connection: Connection, person_id: int, now: float, kind: str, to_id: int | None) -> int:
    """Withdraw a batch of answers, with an event for each; returns how many. kind "reassign": only skips."""
    lock_person(connection, person_id)
    standing = (
        select(claims.c.task_id, claims.c.person_id, claims.c.placed, claims.c.event_id, claims.c.answer)
        .where(claims.c.person_id == person_id, claims.c.state == "answered")
        .order_by(claims.c.event_id)
        .limit(BATCH)
        .with_for_update()
    )
    if kind == "reassign":
        standing = standing.where(claims.c.answer == "skip")
    rows = connection.execute(standing).all()
    if not rows:
        return 0
    append_about(connection, kind, person_id, now, [(row.task_id, row.event_id) for row in rows])
    give_back(connection, rows, state="withdrawn")
    if to_id is not None:
        _reserve(connection, [row.task_id for row in rows if row.placed], to_id)
    _recount(connection, person_id, [(row.answer, row.placed) for row in rows], -1)
    return len(rows)


def _bring_back(connection: Connection, person_id: int, now: float) -> int:
    """Restore a batch of withdrawn answers, with an event for each; returns how many."""
    lock_person(connection, person_id)
    withdrawn = select(events.c.target).where(events.c.person_id == person_id, events.c.kind == "withdraw")
    rows = connection.execute(
        select(claims.c.task_id, claims.c.event_id, claims.c.answer)
        .where(claims.c.person_id == person_id, claims.c.state == "withdrawn", claims.c.event_id.in_(withdrawn))
        .order_by(claims.c.event_id)
        .limit(BATCH)
        .with_for_update()
    ).all()
    if not rows:
        return 0
    append_about(connection, "restore", person_id, now, [(row.task_id, row.event_id) for row in rows])
    # By task id: whoever takes places of several tasks does so in this order, and nobody waits in a circle.
    placed = {row.task_id: take_place(connection, row.task_id) for row in sorted(rows, key=lambda row: row.task_id)}
    for row in rows:
        connection.execute(
            update(claims)
            .where(claims.c.task_id == row.task_id, claims.c.person_id == person_id)
            .values(state="answered", placed=placed[row.task_id])
        )
    _recount(connection, person_id, [(row.answer, placed[row.task_id]) for row in rows], +1)
    return len(rows)


def _recount(connection: Connection, person_id: int, answers: list[tuple[str, bool]], sign: int) -> None:
    """Add answers to the person's counters (sign +1) or subtract them (-1). answers: (answer, whether it is placed)."""
    skips = [placed for answer, placed in answers if answer == "skip"]
    given = [placed for answer, placed in answers if answer != "skip"]
    table = people.c
    connection.execute(
        update(people)
        .where(table.id == person_id)
        .values(
            answered=table.answered + sign * len(given),
            skipped=table.skipped + sign * len(skips),
            counted_answered=table.counted_answered + sign * sum(given),
            counted_skipped=table.counted_skipped + sign * sum(skips),
        )
    )


def _reserve(connection: Connection, task_ids: list[int], to_id: int | None) -> None:
    """Reserve these tasks for one person, except those that the person has had already."""
    if to_id is None or not task_ids:
        return
    had = select(claims.c.task_id).where(claims.c.person_id == to_id, claims.c.state != "returned")
    connection.execute(update(tasks).where(tasks.c.id.in_(task_ids), tasks.c.id.not_in(had)).values(reserved_for=to_id))


def _held(connection: Connection, person_id: int) -> list[Any]:
    return list(
        connection.execute(
            select(claims.c.task_id, claims.c.person_id, claims.c.placed)
            .where(claims.c.person_id == person_id, claims.c.state == "held")
            .with_for_update()
        )
    )
