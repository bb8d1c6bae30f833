"""The current model, judged without labels on answers about items that it has not learned from.

An *item* that training has seen never judges, whichever question about it: only items that were kept aside, and items
that nobody had asked about when the model was trained. Uniform questions count, and questions of a judging round about
this model; one answer per item, and none that was given beside the model's guess. Skips may have agreed or not; guesses
after them narrow what they cost (see `guesses`). Flip rates come from gold items, else from questions that were
answered twice, each with its own uncertainty; where there is neither, the figure rests on `slip_rate`, and what it
would be at other rates is told beside it. The interval may be looked at after every answer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, func, select

from oneof import Answers, Estimate, estimate_accuracy
from oneof.annotation.asking import decoys
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning.guesses import FEWEST, largest_error, with_guesses
from oneof.annotation.learning.table import as_answers, is_right, standing, telling
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, events, items, models, predictions, tasks
from oneof.evaluation.judges import MOST_CHANGED, choose_judges
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


@dataclass(frozen=True)
class Bench:
    """What judges a model: its labels (items,) and confidences (items,), answers about them, and what to say of them.

    plain: the same answers with every skip as a skip, whatever was guessed.
    """

    labels: NDArray[np.int64]
    confidences: NDArray[np.float64]
    answers: Answers
    plain: Answers
    rates_from: str
    guessed: int
    notes: tuple[str, ...] = ()


def current_model(connection: Connection, project: Project) -> dict[str, Any] | None:
    """When the last model was trained, and its label-free accuracy as of now; None before the first `train`.

    accuracy, low, high: the estimate with an interval that may be looked at any time; None where there is none, and
    `warning` says why. once: the tighter interval, for one planned look. rates_from: where flip rates come from (gold,
    repeats, or settings). what_if: the accuracy at other error rates, where that is "settings". notes: what was left
    out. skipped: the share of skips among the answers that judge. guessed: after how many of them there is a guess;
    unguessed: the interval without the guesses. round: the judging rounds about this model, asked and answered.
    """
    model = connection.execute(decoys.CURRENT_MODEL).first()
    if model is None:
        return None
    held = decoys.standing(connection, model.id)
    shown: dict[str, Any] = {"trained_at": model.trained_at, "answers": model.answers}
    shown |= {"accuracy": None, "low": None, "high": None, "judged_on": 0, "kind": "anytime", "once": None}
    shown |= {"rates_from": "settings", "what_if": [], "notes": [], "skipped": None, "warning": ""}
    shown |= {"guessed": 0, "unguessed": None, "round": {"asked": held.asked, "answered": held.answered}}
    bench = gather(connection, project, model)
    if not len(bench.answers):
        return shown
    labels, answers = bench.labels, bench.answers
    shown["skipped"] = 0.0 if bench.plain.skipped is None else float(bench.plain.skipped.mean())
    shown |= {"rates_from": bench.rates_from, "guessed": bench.guessed}
    try:
        found, once = (estimate_accuracy(labels, answers, anytime=anytime) for anytime in (True, False))
    except ValueError as error:
        unusual = unusual_annotators(choose_judges(labels, answers))
        names = "".join(f" {name}: {told}." for name, told in unusual.items())
        return shown | {"warning": f"{error}.{names}"}
    shown |= {"accuracy": found.value, "low": found.low, "high": found.high, "judged_on": int(found.n)}
    shown |= {"notes": [*found.notes, *bench.notes], "once": {"low": once.low, "high": once.high}}
    if bench.guessed:
        wide = estimate_accuracy(labels, bench.plain, anytime=True, check=False)
        shown["unguessed"] = {"low": wide.low, "high": wide.high}
    if bench.rates_from == "settings":
        shown["what_if"] = [_what_if(labels, answers, rate) for rate in WHAT_IF]
    return shown


def gather(connection: Connection, project: Project, model: Any) -> Bench:
    """The answers that may judge this model, with the best flip rates there are, and guesses where they are safe."""
    rows, notes = _fresh(connection, project, model)
    found = {number: project.lineage.place(number) for number in {row.label for row in rows}}
    places = {number: place for number, place in found.items() if place is not None}
    known = [row for row in rows if row.label in places]
    if len(known) < len(rows):
        notes += (f"left out {len(rows) - len(known)} answers about items that are taken for a retired class",)
    rows = telling(project, known)
    if len(rows) < len(known):
        notes += (f"left out {len(known) - len(rows)} answers that say nothing of the classes of today",)
    ids, about = np.unique(np.array([row.item_id for row in rows], dtype=np.int64), return_inverse=True)
    labels, confidences = np.zeros(len(ids), dtype=np.int64), np.full(len(ids), np.nan)
    labels[about] = [places[row.label] for row in rows]
    confidences[about] = [np.nan if row.confidence is None else row.confidence for row in rows]
    # A skip is of the same kind as the answer that it stands for: nothing may be chosen by whether somebody skipped.
    flips = [project.settings.flip if row.answer == "skip" else row.flip for row in rows]
    plain = as_answers(project, rows, about, np.array(flips, dtype=np.float64))
    if not len(plain):
        return Bench(labels, confidences, plain, plain, "settings", 0, notes)
    rates_from, plain = _with_rates(connection, project, plain)
    guessed = np.array([row.guess is not None for row in rows], dtype=np.bool_)
    yes = np.array([row.guess == "yes" for row in rows], dtype=np.bool_)
    if not guessed.any():
        return Bench(labels, confidences, plain, plain, rates_from, 0, notes)
    error, measured = guess_error(connection, project)
    if not measured and error < 1:
        notes += (f"counts guesses on the word of the settings that at most {error:.0%} of them are wrong",)
    answers = with_guesses(labels, plain, guessed, yes, error)
    return Bench(labels, confidences, answers, plain, rates_from, int(guessed.sum()), notes)


def guess_error(connection: Connection, project: Project) -> tuple[float, bool]:
    """How many of the guesses may be wrong, and whether that is measured on known items or what the settings say."""
    made = connection.execute(
        _judging()
        .add_columns(items.c.gold)
        .where(tasks.c.kind == "gold", items.c.gold.is_not(None), events.c.guess.is_not(None))
        .limit(MOST)
    ).all()
    right = [project.lineage.right(row.gold, read_subset(row.subset), row.guess == "yes", row.edition) for row in made]
    told = [one for one in right if one is not None]
    settings = project.settings
    error = largest_error(told.count(False), len(told), settings.guess_error, settings.flip)
    return error, len(told) >= FEWEST


def _what_if(labels: Any, answers: Answers, rate: float) -> dict[str, float]:
    """The accuracy if people erred at this rate, on top of the flips of private mode."""
    flips = flipped_again(0.0 if answers.randomised is None else answers.randomised, rate)
    found: Estimate = estimate_accuracy(labels, answers, anytime=True, check=False, flip_yes=flips, flip_no=flips)
    return {"error": rate, "accuracy": found.value, "low": found.low, "high": found.high}


def _with_rates(connection: Connection, project: Project, answers: Answers) -> tuple[str, Answers]:
    """Where the best flip rates come from, and the answers with them."""
    kinds = _judging().add_columns(items.c.gold).where(claims.c.answer != "skip").limit(MOST)
    asked = connection.execute(kinds.where(tasks.c.kind == "gold", items.c.gold.is_not(None))).all()
    gold = [row for row in telling(project, asked) if is_right(project, row) is not None]
    if len(gold) >= FEWEST_GOLD:
        told = as_answers(project, gold, list(range(len(gold))))
        known = np.array([project.lineage.place(row.gold) for row in gold])
        rates = rates_from_gold(told, known)
        enough = dict(zip(rates.annotators, (rates.answers >= FEWEST_GOLD).tolist(), strict=True))
        if not all(enough.get(name, False) for name in annotator_names(answers)):
            rates = rates_from_gold(told.replace(annotators=None), known)  # one pair for everybody
        return "gold", rates.apply(answers)
    asked = connection.execute(kinds.where(tasks.c.kind.in_(("question", "repeat")), tasks.c.design == "uniform")).all()
    asked = [row for row in asked if row.edition == project.lineage.edition]
    told = as_answers(project, asked, [row.item_id for row in asked])
    try:
        rates = rates_from_repeated(told.replace(annotators=None))
    except ValueError:  # no question was asked twice
        return "settings", answers
    if rates.answers.sum() < FEWEST_REPEATED:
        return "settings", answers
    return "repeats", rates.apply(answers)


def _judging() -> Select[Any]:
    """The answers that stand, those of judging rounds first: the first about an item counts, and they tell most."""
    return standing().order_by(None).order_by(tasks.c.design != "prediction", claims.c.event_id)


def _fresh(connection: Connection, project: Project, model: Any) -> tuple[list[Any], tuple[str, ...]]:
    """The answers that may judge the model, and what was left out."""
    # Whoever sees the guess no longer judges it. Of older answers it was not noted: those from before the first model
    # had no guess to see.
    unseen: ColumnElement[bool] = events.c.shown.is_(False)
    if project.settings.show_predictions:
        first = select(func.min(models.c.last_event)).scalar_subquery()
        unseen = unseen | (events.c.shown.is_(None) & (events.c.id <= first))
    else:
        unseen = unseen | events.c.shown.is_(None)
    rows = list(
        connection.execute(
            _judging()
            .add_columns(predictions.c.label, predictions.c.confidence)
            .join(predictions, (predictions.c.item_id == tasks.c.item_id) & (predictions.c.model_id == model.id))
            .where(tasks.c.kind == "question", tasks.c.design.in_(("uniform", "prediction")), unseen)
            .where(predictions.c.held_out | tasks.c.item_id.not_in(decoys.learned_from(model.last_event)))
            .limit(MOST)
        )
    )
    # Rounds about an earlier model judge this one too, as long as the two hardly differ there; by items and models
    # alone, never by what was said.
    earlier = [row for row in rows if row.design == "prediction" and row.model_id != model.id]
    today = project.lineage.today
    changed = sum(today(row.predicted) != today(row.label) for row in earlier)
    if changed <= MOST_CHANGED * len(earlier):
        return rows, ()
    kept = [row for row in rows if row.design != "prediction" or row.model_id == model.id]
    return kept, (f"left out {len(earlier)} answers of judging rounds about earlier models, which guessed otherwise",)
