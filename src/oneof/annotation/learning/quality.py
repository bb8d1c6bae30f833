"""The figures that managers see: progress, agreement, and the quality of each annotator.

All are read in one transaction, which nobody has to wait for. Figures of an annotator are about their last thousand
answers.
"""

from collections.abc import Iterable
from math import sqrt
from statistics import median
from typing import Any

from sqlalchemy import Connection, case, func, select

from oneof.annotation.asking.claims import is_paused
from oneof.annotation.asking.reviewing import RESOLVED_EVENTS
from oneof.annotation.asking.standing import HELD
from oneof.annotation.learning.forecast import next_answers
from oneof.annotation.learning.judging import current_model
from oneof.annotation.learning.table import is_right
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.auditing import STANDING
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, draws, events, items, people, tasks

RECENT = 1000
SHOWN_FLAGS = 50
UNLIKELY = 4.0
"""A yes-rate counts as unusual if it is more standard errors than this away from the expected one."""


def krippendorff_alpha(counts: Iterable[tuple[int, int, int]]) -> float | None:
    """Krippendorff's alpha for yes/no answers: 1 - observed / expected disagreement.

    counts: (yes, no, how many questions had so many of each). Questions with one answer do not count. None if alpha is
    undefined: no question was answered twice, or all answers are the same.

    >>> krippendorff_alpha([(2, 0, 3), (0, 2, 3)])
    1.0
    """
    yes = no = 0
    observed = 0.0
    for y, n, questions in counts:
        if y + n < 2:
            continue
        yes += y * questions
        no += n * questions
        observed += questions * 2.0 * y * n / (y + n - 1)
    total = yes + no
    if not yes or not no:
        return None
    expected = 2.0 * yes * no / (total - 1)
    return 1.0 - observed / expected


def expected_yes_rate(project: Project) -> float:
    """The expected share of yes among answers to uniform questions: m/k, after the flips of private mode."""
    settings = project.settings
    rate = settings.size / len(project.active)
    return rate * (1 - settings.flip) + (1 - rate) * settings.flip


def dashboard(database: Database, project: Project, now: float) -> dict[str, Any]:
    """Everything that the dashboard and `oneof annotate status` show, ready for JSON."""
    with database.read() as connection:
        everybody = connection.execute(select(people).order_by(people.c.name)).all()
        annotators = [
            _annotator(connection, project, person, now) for person in everybody if person.role == "annotator"
        ]
        yes, no = _yes_and_no(connection, project)
        answered = sum(person.counted_answered for person in everybody)
        return {
            "project": project.settings.name,
            "paused": is_paused(connection),
            "needed": int(facts.get(connection, "needed", "0")),
            "answered": answered,
            "skipped": sum(person.counted_skipped for person in everybody),
            "held": connection.execute(
                select(func.count()).select_from(claims).where(claims.c.state == HELD, claims.c.expires_at >= now)
            ).scalar_one(),
            "overlap": project.settings.overlap,
            "epsilon": project.settings.epsilon,
            "too_fast_seconds": project.settings.too_fast_seconds,
            "agreement_alpha": krippendorff_alpha(_agreement_counts(connection)),
            "yes_rate": _share(yes, yes + no),
            "uniform_answers": yes + no,
            "expected_yes_rate": expected_yes_rate(project),
            "answers_last_hour": sum(person["last_hour"] for person in annotators),
            "annotators": annotators,
            "flags": _flags(connection),
            "model": current_model(connection, project),
            "next_answers": next_answers(connection),
        }


def _annotator(connection: Connection, project: Project, person: Any, now: float) -> dict[str, Any]:
    """The figures of one annotator."""
    rows = connection.execute(
        select(claims.c.answer, events.c.seconds, tasks.c.kind, tasks.c.subset, tasks.c.design, items.c.gold)
        .add_columns(tasks.c.repeat_of, draws.c.edition)
        .select_from(claims)
        .join(events, events.c.id == claims.c.event_id)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(items, items.c.id == tasks.c.item_id)
        .join(draws, draws.c.id == tasks.c.draw_id)
        .where(claims.c.person_id == person.id, claims.c.state.in_(STANDING))
        .order_by(claims.c.event_id.desc())
        .limit(RECENT)
    ).all()
    drawn = [row for row in rows if row.kind == "question" and row.answer != "skip" and row.design == "uniform"]
    drawn = [row for row in drawn if row.edition == project.lineage.edition]
    gold = [is_right(project, row) for row in rows if row.kind == "gold" and row.answer != "skip"]
    seconds = [row.seconds for row in rows]
    yes = sum(row.answer == "yes" for row in drawn)
    rate = expected_yes_rate(project)
    error = sqrt(rate * (1 - rate) / len(drawn)) if drawn else 0.0
    same, repeated = _repeats(connection, person.id)
    return {
        "name": person.name,
        "answered": person.answered,
        "skipped": person.skipped,
        "paused": person.paused,
        "revoked": person.revoked_at is not None,
        "yes_rate": _share(yes, len(drawn)),
        "uniform_answers": len(drawn),
        "yes": yes,
        "unusual_yes_rate": bool(drawn) and abs(yes / len(drawn) - rate) > UNLIKELY * error,
        "median_seconds": median(seconds) if seconds else None,
        "too_fast": _share(sum(value < project.settings.too_fast_seconds for value in seconds), len(seconds)),
        "gold_right": gold.count(True),
        "gold_asked": gold.count(True) + gold.count(False),
        "repeats_same": same,
        "repeats_asked": repeated,
        "last_hour": connection.execute(
            select(func.count())
            .select_from(events)
            .where(events.c.person_id == person.id, events.c.kind == "answer", events.c.at > now - 3600)
        ).scalar_one(),
    }


def _repeats(connection: Connection, person_id: int) -> tuple[int, int]:
    """How many repeated questions this person answered as before, and how many they answered again at all."""
    again, before = claims.alias("again"), claims.alias("before")
    row = connection.execute(
        select(func.count(), func.sum(case((again.c.answer == before.c.answer, 1), else_=0)))
        .select_from(again)
        .join(tasks, tasks.c.id == again.c.task_id)
        .join(before, (before.c.task_id == tasks.c.repeat_of) & (before.c.person_id == again.c.person_id))
        .where(again.c.person_id == person_id, tasks.c.kind == "repeat")
        .where(again.c.state == "answered", before.c.state == "answered")
        .where(again.c.answer != "skip", before.c.answer != "skip")
    ).one()
    return int(row[1] or 0), int(row[0])


def _agreement_counts(connection: Connection) -> list[tuple[int, int, int]]:
    """(yes, no, how many questions have so many of each), for questions with at least two answers."""
    yes = func.sum(case((claims.c.answer == "yes", 1), else_=0)).label("yes")
    no = func.sum(case((claims.c.answer == "no", 1), else_=0)).label("no")
    each = (
        select(yes, no)
        .join(people, people.c.id == claims.c.person_id)
        .where(claims.c.state.in_(STANDING), claims.c.answer != "skip", people.c.role == "annotator")
        .group_by(claims.c.task_id)
        .having(func.count() > 1)
        .subquery()
    )
    rows = connection.execute(select(each.c.yes, each.c.no, func.count()).group_by(each.c.yes, each.c.no))
    return [(int(y), int(n), int(count)) for y, n, count in rows]


def _yes_and_no(connection: Connection, project: Project) -> tuple[int, int]:
    """How many yes and no there are to uniform questions about the current classes, whose expected rate is known."""
    rows = connection.execute(
        select(claims.c.answer, func.count())
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(draws, draws.c.id == tasks.c.draw_id)
        .where(claims.c.state == "answered", tasks.c.kind == "question", tasks.c.design == "uniform")
        .where(draws.c.edition == project.lineage.edition)
        .group_by(claims.c.answer)
    )
    found = {answer: int(count) for answer, count in rows}
    return found.get("yes", 0), found.get("no", 0)


def _flags(connection: Connection) -> list[dict[str, Any]]:
    """The latest remarks that no reviewer has settled."""
    rows = connection.execute(
        select(people.c.name, items.c.name.label("item"), events.c.comment, events.c.at)
        .select_from(events)
        .join(people, people.c.id == events.c.person_id)
        .join(tasks, tasks.c.id == events.c.task_id)
        .join(items, items.c.id == tasks.c.item_id)
        .where(events.c.kind == "flag", events.c.id.not_in(RESOLVED_EVENTS))
        .order_by(events.c.id.desc())
        .limit(SHOWN_FLAGS)
    )
    return [{"annotator": row.name, "item": row.item, "comment": row.comment, "at": row.at} for row in rows]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
