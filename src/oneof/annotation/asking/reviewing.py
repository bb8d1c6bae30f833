"""Review: cases where people disagree, left a remark or got a known item wrong, and how a reviewer settles them.

A reviewer's answer is stored like any other, under the reviewer's name. Answers that contradict it are *overruled*:
they stay as their annotators gave them and keep their places, but are not used. If the reviewer answers otherwise
later, they are reinstated. Every step is an event; nothing is lost.
"""

from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import Connection, func, insert, select, update

from oneof.annotation.asking import recording
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.asking.standing import lock_person
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.auditing import STANDING
from oneof.annotation.store.schema import claims, draws, events, items, people, tasks

Why = Literal["disagreement", "flag", "gold"]
RESOLVED_TASKS = select(events.c.task_id).where(events.c.kind == "resolve", events.c.target.is_(None))
RESOLVED_EVENTS = select(events.c.target).where(events.c.kind == "resolve", events.c.target.is_not(None))
"""Questions that a reviewer has settled as a whole, and single remarks or misses."""


@dataclass(frozen=True)
class Case:
    """A case to settle. answers: (annotator, answer, state of the claim). remark: what a flag says.

    target: the event of the flag, or of the wrong answer. known: the label of a known item.
    """

    why: Why
    task: int
    item: int
    key: str
    name: str
    kind: str
    text: str | None
    labels: list[str]
    answers: list[tuple[str, str, str]]
    remark: str | None = None
    target: int | None = None
    known: str | None = None


def queue(connection: Connection, project: Project, limit: int = 30) -> list[Case]:
    """The cases that wait for a reviewer: disagreements, then remarks, then known items that somebody got wrong."""
    found: list[Case] = []
    if project.settings.epsilon is None:
        # In private mode people seem to disagree because of the flips.
        found += [_case(connection, project, "disagreement", task) for task in _disagreements(connection, limit)]
    for flag in _open_flags(connection, limit):
        found.append(_case(connection, project, "flag", flag.task_id, remark=flag.comment, target=flag.id))
    if project.settings.epsilon is None:
        for miss in _gold_misses(connection, project, limit):
            found.append(_case(connection, project, "gold", miss.task_id, target=miss.event_id))
    return found[:limit]


def settle(
    connection: Connection, project: Project, reviewer: int, task: int, answer: str, note: str | None, now: float
) -> int:
    """Record the reviewer's answer to a question and overrule those that contradict it; returns how many."""
    if project.settings.epsilon is not None:
        raise ProjectError("in private mode nobody's answer is known, so none can be overruled")
    if answer not in ("yes", "no", "skip"):
        raise ProjectError(f"answer {answer!r}: expected yes, no or skip")
    # Only what somebody has answered: a reviewer checks, and does not choose what is asked.
    answered = select(claims.c.task_id).where(claims.c.task_id == task, claims.c.state.in_(STANDING))
    if connection.execute(answered).first() is None:
        raise ProjectError(f"question {task} has no answer to review")
    person = lock_person(connection, reviewer)
    mine = connection.execute(select(claims).where(claims.c.task_id == task, claims.c.person_id == reviewer)).first()
    expires = now + project.settings.claim_seconds
    if mine is None:
        held = {"state": "held", "ordinal": person.claimed, "claimed_at": now, "expires_at": expires, "placed": False}
        connection.execute(insert(claims).values(task_id=task, person_id=reviewer, **held))
        connection.execute(update(people).where(people.c.id == reviewer).values(claimed=person.claimed + 1))
    elif mine.state == "answered":
        before = connection.execute(select(events.c.client_id).where(events.c.id == mine.event_id)).scalar_one()
        recording.undo(connection, project, reviewer, str(uuid4()), now, before)
    given = recording.Given(str(uuid4()), task, answer, 0.0, note)
    recording.record_answer(connection, project, reviewer, given, now)
    overruled = _overrule(connection, reviewer, task, answer, now)
    resolve(connection, reviewer, task, None, note, now)
    return overruled


def resolve(connection: Connection, reviewer: int, task: int, target: int | None, note: str | None, now: float) -> None:
    """Take a case out of the queue: a question as a whole, or the remark or wrong answer of the event `target`."""
    recording.append_about(connection, "resolve", reviewer, now, [(task, target)], note)


def decide(
    connection: Connection,
    project: Project,
    reviewer: int,
    task: int,
    answer: str,
    target: int | None,
    note: str | None,
    now: float,
) -> int:
    """Settle a case by an answer, or as it is ("accept"); returns how many answers are overruled."""
    overruled = 0 if answer == "accept" else settle(connection, project, reviewer, task, answer, note, now)
    if answer == "accept" or target is not None:
        resolve(connection, reviewer, task, target, note, now)
    return overruled


def _overrule(connection: Connection, reviewer: int, task: int, answer: str, now: float) -> int:
    """Overrule the answers of others that contradict this one, reinstate those that do not; returns how many do."""
    rows = connection.execute(
        select(claims.c.person_id, claims.c.event_id, claims.c.answer, claims.c.state)
        .where(claims.c.task_id == task, claims.c.person_id != reviewer, claims.c.state.in_(STANDING))
        .with_for_update()
    ).all()
    count = 0
    for row in rows:
        # "Can't tell" contradicts nothing, and nothing contradicts it.
        wrong = "skip" not in (answer, row.answer) and row.answer != answer
        wanted = "overruled" if wrong else "answered"
        count += wrong
        if row.state == wanted:
            continue
        kind = "overrule" if wrong else "reinstate"
        recording.append_about(connection, kind, row.person_id, now, [(task, row.event_id)])
        connection.execute(
            update(claims).where(claims.c.task_id == task, claims.c.person_id == row.person_id).values(state=wanted)
        )
    return count


def _disagreements(connection: Connection, limit: int) -> list[int]:
    return list(
        connection.scalars(
            select(claims.c.task_id)
            .join(tasks, tasks.c.id == claims.c.task_id)
            .where(claims.c.state == "answered", claims.c.answer != "skip", tasks.c.kind == "question")
            .where(claims.c.task_id.not_in(RESOLVED_TASKS))
            .group_by(claims.c.task_id)
            .having(func.min(claims.c.answer) != func.max(claims.c.answer))
            .order_by(claims.c.task_id)
            .limit(limit)
        )
    )


def _open_flags(connection: Connection, limit: int) -> list[Any]:
    return list(
        connection.execute(
            select(events.c.id, events.c.task_id, events.c.comment)
            .where(events.c.kind == "flag", events.c.id.not_in(RESOLVED_EVENTS))
            .order_by(events.c.id)
            .limit(limit)
        )
    )


def _gold_misses(connection: Connection, project: Project, limit: int) -> list[Any]:
    rows = connection.execute(
        select(claims.c.task_id, claims.c.event_id, claims.c.answer, tasks.c.subset, items.c.gold, draws.c.edition)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(items, items.c.id == tasks.c.item_id)
        .join(draws, draws.c.id == tasks.c.draw_id)
        .where(claims.c.state == "answered", claims.c.answer != "skip")
        .where(tasks.c.kind == "gold", items.c.gold.is_not(None))
        .where(claims.c.event_id.not_in(RESOLVED_EVENTS))
        .order_by(claims.c.event_id)
    )
    right = project.lineage.right
    wrong = [row for row in rows if right(row.gold, read_subset(row.subset), row.answer == "yes", row.edition) is False]
    return wrong[:limit]


def _case(
    connection: Connection,
    project: Project,
    why: Why,
    task: int,
    *,
    remark: str | None = None,
    target: int | None = None,
) -> Case:
    row = connection.execute(
        select(items, tasks.c.subset).join(tasks, tasks.c.item_id == items.c.id).where(tasks.c.id == task)
    ).one()
    given = connection.execute(
        select(people.c.name, claims.c.answer, claims.c.state)
        .join(people, people.c.id == claims.c.person_id)
        .where(claims.c.task_id == task, claims.c.state.in_(STANDING))
        .order_by(claims.c.event_id)
    )
    known = None if why != "gold" or row.gold is None else project.classes[row.gold].name
    labels = [project.classes[index].name for index in read_subset(row.subset)]
    answers = [(answer.name, answer.answer, answer.state) for answer in given]
    return Case(why, task, row.id, row.key, row.name, row.kind, row.text, labels, answers, remark, target, known)
