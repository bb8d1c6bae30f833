"""The current model, judged without labels on answers about items that it has not learned from.

An *item* that training has seen never judges, whichever question about it: only items that were kept aside, and items
that nobody had asked about when the model was trained. Only uniform questions count, one answer an item, and none that
was given beside the model's guess. Skips may have agreed or not. Flip rates come from gold items, else from questions
that were answered twice, each with its own uncertainty; where there is neither, the figure rests on `slip_rate`, and
what it would be at other rates is told beside it. The interval may be looked at after every answer.
"""

from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, func, select

from oneof import Answers, Estimate, estimate_accuracy
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, events, items, models, people, predictions, tasks
from oneof.evaluation.judges import choose_judges
from oneof.evaluation.law import unusual_annotators
from oneof.noise import rates_from_gold, rates_from_repeated
from oneof.noise.rates import annotator_names
from oneof.queries.weights import flipped_again

MOST = 200_000
"""Answers that the figure uses at most; beyond, the interval is narrower than anybody needs."""

FEWEST_GOLD = 20
FEWEST_REPEATED = 50
"""Answers below which flip rates say too little to be used."""

WHAT_IF = (0.02, 0.05, 0.1)
"""Error rates at which the accuracy is told where nobody knows how often people err."""


def current_model(connection: Connection, project: Project) -> dict[str, Any] | None:
    """When the last model was trained, and its label-free accuracy as of now; None before the first `train`.

    accuracy, low, high: the estimate with an interval that may be looked at any time; None where there is none, and
    `warning` says why. once: the tighter interval, for one planned look. rates_from: where flip rates come from (gold,
    repeats, or settings). what_if: the accuracy at other error rates, where that is "settings". notes: what was left
    out. skipped: the share of skips among the answers that judge.
    """
    model = connection.execute(select(models).order_by(models.c.id.desc()).limit(1)).first()
    if model is None:
        return None
    shown: dict[str, Any] = {"trained_at": model.trained_at, "answers": model.answers}
    shown |= {"accuracy": None, "low": None, "high": None, "judged_on": 0, "kind": "anytime", "once": None}
    shown |= {"rates_from": "settings", "what_if": [], "notes": [], "skipped": None, "warning": ""}
    labels, answers = _fresh(connection, project, model)
    if not len(answers):
        return shown
    shown["skipped"] = 0.0 if answers.skipped is None else float(answers.skipped.mean())
    shown["rates_from"], answers = _with_rates(connection, project, answers)
    try:
        found, once = (estimate_accuracy(labels, answers, anytime=anytime) for anytime in (True, False))
    except ValueError as error:
        unusual = unusual_annotators(choose_judges(labels, answers))
        names = "".join(f" {name}: {told}." for name, told in unusual.items())
        return shown | {"warning": f"{error}.{names}"}
    shown |= {"accuracy": found.value, "low": found.low, "high": found.high, "judged_on": int(found.n)}
    shown |= {"notes": list(found.notes), "once": {"low": once.low, "high": once.high}}
    if shown["rates_from"] == "settings":
        shown["what_if"] = [_what_if(labels, answers, rate) for rate in WHAT_IF]
    return shown


def _what_if(labels: Any, answers: Answers, rate: float) -> dict[str, float]:
    """The accuracy if people erred at this rate, on top of the flips of private mode."""
    flips = flipped_again(0.0 if answers.randomised is None else answers.randomised, rate)
    found: Estimate = estimate_accuracy(labels, answers, anytime=True, check=False, flip_yes=flips, flip_no=flips)
    return {"error": rate, "accuracy": found.value, "low": found.low, "high": found.high}


def _with_rates(connection: Connection, project: Project, answers: Answers) -> tuple[str, Answers]:
    """Where the best flip rates come from, and the answers with them."""
    kinds = _standing().add_columns(items.c.gold).where(claims.c.answer != "skip").limit(MOST)
    gold = connection.execute(kinds.where(tasks.c.kind == "gold", items.c.gold.is_not(None))).all()
    if len(gold) >= FEWEST_GOLD:
        told = _table(project, gold, list(range(len(gold))))
        known = np.array([row.gold for row in gold])
        rates = rates_from_gold(told, known)
        enough = dict(zip(rates.annotators, (rates.answers >= FEWEST_GOLD).tolist(), strict=True))
        if not all(enough.get(name, False) for name in annotator_names(answers)):
            rates = rates_from_gold(told.replace(annotators=None), known)  # one pair for everybody
        return "gold", rates.apply(answers)
    asked = connection.execute(kinds.where(tasks.c.kind.in_(("question", "repeat")), tasks.c.adaptive.is_(False))).all()
    told = _table(project, asked, [row.item_id for row in asked])
    try:
        rates = rates_from_repeated(told.replace(annotators=None))
    except ValueError:  # no question was asked twice
        return "settings", answers
    if rates.answers.sum() < FEWEST_REPEATED:
        return "settings", answers
    return "repeats", rates.apply(answers)


def _standing() -> Select[Any]:
    """The answers that stand: item, subset, answer, flips on purpose, and who gave it."""
    return (
        select(tasks.c.item_id, tasks.c.subset, claims.c.answer, events.c.flip, people.c.name)
        .select_from(claims)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(events, events.c.id == claims.c.event_id)
        .join(items, items.c.id == tasks.c.item_id)
        .join(people, people.c.id == claims.c.person_id)
        .where(claims.c.state == "answered")
        .order_by(claims.c.event_id)
    )


def _fresh(connection: Connection, project: Project, model: Any) -> tuple[Any, Answers]:
    """Predictions (items,), and the answers that may judge them."""
    # By the events, not by how things stand: an answer that was learned from and then taken back comes again alike.
    asked = tasks.alias("asked")
    seen_in_training = (
        select(asked.c.item_id)
        .join(events, events.c.task_id == asked.c.id)
        .where(events.c.id <= model.last_event, events.c.kind == "answer", asked.c.kind == "question")
    )
    wanted = (
        _standing()
        .add_columns(predictions.c.label)
        .join(predictions, (predictions.c.item_id == tasks.c.item_id) & (predictions.c.model_id == model.id))
        .where(tasks.c.kind == "question", tasks.c.adaptive.is_(False))
        .where(predictions.c.held_out | tasks.c.item_id.not_in(seen_in_training))
        .limit(MOST)
    )
    if project.settings.show_predictions:  # whoever sees the guess no longer judges it: only answers from before
        first = select(func.min(models.c.last_event)).scalar_subquery()
        wanted = wanted.where(events.c.id <= first)
    rows = connection.execute(wanted).all()
    ids, about = np.unique(np.array([row.item_id for row in rows], dtype=np.int64), return_inverse=True)
    labels = np.zeros(len(ids), dtype=np.int64)
    labels[about] = [row.label for row in rows]
    return labels, _table(project, rows, about)


def _table(project: Project, rows: Any, about: Any) -> Answers:
    subsets = np.zeros((len(rows), len(project.classes)), dtype=np.bool_)
    for number, row in enumerate(rows):
        subsets[number, read_subset(row.subset)] = True
    flips = np.array([row.flip for row in rows], dtype=np.float64)
    rates = flipped_again(flips, project.settings.slip_rate)
    return Answers(
        subsets,
        np.array([row.answer == "yes" for row in rows], dtype=np.bool_),
        np.asarray(about, dtype=np.int64),
        class_names=[one.name for one in project.classes],
        annotators=np.array([row.name for row in rows], dtype=str),
        flip_yes=rates,
        flip_no=rates,
        randomised=flips,
        skipped=np.array([row.answer == "skip" for row in rows], dtype=np.bool_),
    )
