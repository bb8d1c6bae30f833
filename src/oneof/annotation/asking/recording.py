"""What annotators do, as append-only events: answer, undo, redo, flag.

Nothing is ever changed or deleted: an undo is an event that points at an answer. Each event carries an id made by the
browser; the same id again returns the stored row, so a page may send an event until it gets a reply.

Each person has two stacks, undo and redo, kept as linked lists through `events.previous`. Entries that no longer apply
(the question was answered again, or the answer was withdrawn) are passed over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from oneof.annotation.asking.searching import take_place
from oneof.annotation.asking.standing import lock_person
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, events, people

# Built once, as every click needs them.
BY_CLIENT_ID = select(events).where(events.c.person_id == bindparam("me"), events.c.client_id == bindparam("id"))
BY_ID = select(events).where(events.c.id == bindparam("id"))
CLAIM = select(claims).where(claims.c.task_id == bindparam("task"), claims.c.person_id == bindparam("me"))
STORED = select(events.c.id).where(events.c.person_id == bindparam("me"), events.c.client_id == bindparam("id"))
LOCKED_CLAIM = CLAIM.with_for_update()
TO_ANSWER = CLAIM.add_columns(STORED.scalar_subquery().label("stored")).with_for_update(of=claims)
APPEND = insert(events).returning(events)
SET_CLAIM = update(claims).where(claims.c.task_id == bindparam("task"), claims.c.person_id == bindparam("me"))
SET_PERSON = update(people).where(people.c.id == bindparam("me"))


def append_about(
    connection: Connection,
    kind: str,
    person_id: int,
    now: float,
    subjects: Sequence[tuple[int, int | None]],
    comment: str | None = None,
) -> None:
    """Record events that no annotator's click made. subjects: for each, its task and the earlier event it is about."""
    common = {"kind": kind, "person_id": person_id, "at": now, "comment": comment, "late": False, "flip": 0.0}
    rows = [common | {"client_id": str(uuid4()), "task_id": task, "target": target} for task, target in subjects]
    connection.execute(insert(events), rows)


class UnknownTaskError(LookupError):
    """The person was never asked this question."""


class ConflictError(Exception):
    """The request does not fit what is stored: the question or the answer has changed in the meantime."""


@dataclass(frozen=True)
class Given:
    """An answer as the page sends it."""

    id: str
    task: int
    answer: str
    seconds: float
    reason: str | None = None
    guidelines: int | None = None
    guess: str | None = None


def record_answer(
    connection: Connection,
    project: Project,
    person_id: int,
    given: Given,
    now: float,
    *,
    standing: Row[Any] | None = None,
) -> tuple[Row[Any], bool]:
    """Store an answer; returns its event and whether it is new (False: a replay of a stored one).

    standing: the person's row, if the caller has locked it already.
    """
    person = lock_person(connection, person_id) if standing is None else standing
    held = connection.execute(TO_ANSWER, {"task": given.task, "me": person_id, "id": given.id}).first()
    if held is None or held.stored is not None:
        stored = _stored(connection, person_id, given.id, "answer")
        if stored is not None:
            return stored, False
    if held is None:
        raise UnknownTaskError("you were not asked this question")
    if held.state not in ("held", "returned"):
        raise ConflictError("this question has its answer already")
    late = held.state == "returned" or held.expires_at < now
    placed = held.placed or (held.state == "returned" and take_place(connection, given.task))
    # The browser flips a yes or a no, also where that is a guess after a skip; a bare skip is sent as it is.
    flip = 0.0 if given.answer == "skip" and given.guess is None else project.settings.flip
    values = {"answer": given.answer, "seconds": given.seconds, "comment": given.reason, "guess": given.guess}
    values |= {"guidelines": given.guidelines, "claimed_at": held.claimed_at, "late": late, "flip": flip}
    values |= {"shown": held.shown, "previous": person.undo_top}
    event = _append(connection, "answer", person_id, given.id, given.task, now, **values)
    _set_current(connection, event, placed=placed)
    _count(connection, person, event.answer, +1, placed=placed, undo_top=event.id, redo_top=person.redo_top)
    return event, True


def undo(
    connection: Connection, project: Project, person_id: int, client_id: str, now: float, answer_id: str | None = None
) -> Row[Any]:
    """Take back the last answer that stands (or the given one) and hold its question again; returns that answer."""
    person = lock_person(connection, person_id)
    stored = _stored(connection, person_id, client_id, "undo")
    if stored is not None:
        return _event(connection, stored.target)
    answer, undo_top = _chosen(connection, person, "undo", answer_id)
    held = _claim_of(connection, person_id, answer.task_id, lock=True)
    if held is None or held.state != "answered":
        raise ConflictError("this answer was just withdrawn")
    links = {"target": answer.id, "previous": person.redo_top}
    event = _append(connection, "undo", person_id, client_id, answer.task_id, now, **links)
    expires_at = now + project.settings.claim_seconds
    reopened = {"state": "held", "event_id": None, "answer": None, "expires_at": expires_at}
    connection.execute(SET_CLAIM, {"task": answer.task_id, "me": person_id} | reopened)
    _count(connection, person, answer.answer, -1, placed=held.placed, undo_top=undo_top, redo_top=event.id)
    return answer


def redo(connection: Connection, person_id: int, client_id: str, now: float, answer_id: str | None = None) -> Row[Any]:
    """Let the answer that was undone last (or the given one) stand again; returns that answer."""
    person = lock_person(connection, person_id)
    stored = _stored(connection, person_id, client_id, "redo")
    if stored is not None:
        return _event(connection, stored.target)
    answer, redo_top = _chosen(connection, person, "redo", answer_id)
    held = _claim_of(connection, person_id, answer.task_id, lock=True)
    if held is None or held.state not in ("held", "returned"):
        raise ConflictError("this question was just withdrawn")
    links = {"target": answer.id, "previous": person.undo_top}
    event = _append(connection, "redo", person_id, client_id, answer.task_id, now, **links)
    placed = held.placed or (held.state == "returned" and take_place(connection, answer.task_id))
    _set_current(connection, answer, placed=placed)
    _count(connection, person, answer.answer, +1, placed=placed, undo_top=event.id, redo_top=redo_top)
    return answer


def flag(
    connection: Connection, person_id: int, client_id: str, task_id: int, comment: str, now: float
) -> tuple[Row[Any], bool]:
    """Store a remark about a question; returns its event and whether it is new."""
    lock_person(connection, person_id)
    stored = _stored(connection, person_id, client_id, "flag")
    if stored is not None:
        return stored, False
    if _claim_of(connection, person_id, task_id) is None:
        raise UnknownTaskError("you were not asked this question")
    return _append(connection, "flag", person_id, client_id, task_id, now, comment=comment), True


def top_of_undo(connection: Connection, person: Row[Any]) -> Row[Any] | None:
    """The top of the undo stack: the last event whose answer stands; None if there is none."""
    return _walk(connection, person.undo_top, _stands)


def top_of_redo(connection: Connection, person: Row[Any]) -> Row[Any] | None:
    """The top of the redo stack: the last undo whose answer can stand again; None if there is none."""
    return _walk(connection, person.redo_top, _undone)


def _chosen(
    connection: Connection, person: Row[Any], kind: Literal["undo", "redo"], answer_id: str | None
) -> tuple[Row[Any], int | None]:
    """The answer that an undo or a redo is about, and the top of its stack afterwards."""
    if answer_id is None:
        node = (top_of_undo if kind == "undo" else top_of_redo)(connection, person)
        if node is None:
            raise ConflictError(f"there is nothing to {kind}")
        return _answer_of(connection, node), node.previous
    answer = _stored(connection, person.id, answer_id, "answer")
    if answer is None:
        raise UnknownTaskError("you gave no such answer")
    if kind == "undo" and not _stands(connection, answer):
        raise ConflictError("this answer does not stand any more")
    if kind == "redo" and not _undone(connection, answer):
        raise ConflictError("this answer cannot be brought back: its question has another one")
    return answer, person.undo_top if kind == "undo" else person.redo_top


def _walk(connection: Connection, top: int | None, wanted: Callable[[Connection, Row[Any]], bool]) -> Row[Any] | None:
    """The first event of a stack whose answer is `wanted`."""
    while top is not None:
        node = _event(connection, top)
        if wanted(connection, _answer_of(connection, node)):
            return node
        top = node.previous
    return None


def _answer_of(connection: Connection, node: Row[Any]) -> Row[Any]:
    return node if node.kind == "answer" else _event(connection, node.target)


def _stands(connection: Connection, answer: Row[Any]) -> bool:
    held = _claim_of(connection, answer.person_id, answer.task_id)
    return held is not None and held.state == "answered" and held.event_id == answer.id


def _undone(connection: Connection, answer: Row[Any]) -> bool:
    held = _claim_of(connection, answer.person_id, answer.task_id)
    return held is not None and held.state in ("held", "returned")


def _stored(connection: Connection, person_id: int, client_id: str, kind: str) -> Row[Any] | None:
    row = connection.execute(BY_CLIENT_ID, {"me": person_id, "id": client_id}).first()
    if row is not None and row.kind != kind:
        raise ConflictError(f"this id belongs to another event ({row.kind})")
    return row


def _event(connection: Connection, event_id: int) -> Row[Any]:
    return connection.execute(BY_ID, {"id": event_id}).one()


def _claim_of(connection: Connection, person_id: int, task_id: int, *, lock: bool = False) -> Row[Any] | None:
    return connection.execute(LOCKED_CLAIM if lock else CLAIM, {"task": task_id, "me": person_id}).first()


def _append(
    connection: Connection, kind: str, person_id: int, client_id: str, task_id: int, now: float, **values: Any
) -> Row[Any]:
    common = {"kind": kind, "person_id": person_id, "client_id": client_id, "task_id": task_id, "at": now}
    return connection.execute(APPEND, common | values).one()


def _set_current(connection: Connection, answer: Row[Any], *, placed: bool) -> None:
    key = {"task": answer.task_id, "me": answer.person_id}
    values = {"state": "answered", "event_id": answer.id, "answer": answer.answer, "placed": placed}
    connection.execute(SET_CLAIM, key | values)


def _count(
    connection: Connection,
    person: Row[Any],
    answer: str,
    change: int,
    *,
    placed: bool,
    undo_top: int | None,
    redo_top: int | None,
) -> None:
    """Update the person's counters and stacks. Their row is locked, so no other click can change it in between."""
    skip = answer == "skip"
    values = {
        "answered": person.answered + (0 if skip else change),
        "skipped": person.skipped + (change if skip else 0),
        "counted_answered": person.counted_answered + (change if placed and not skip else 0),
        "counted_skipped": person.counted_skipped + (change if placed and skip else 0),
        "undo_top": undo_top,
        "redo_top": redo_top,
    }
    connection.execute(SET_PERSON, {"me": person.id} | values)
