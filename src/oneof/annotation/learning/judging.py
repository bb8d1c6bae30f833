"""The current model, judged without labels on answers about items that it has not learned from.

Only items that were kept aside, and items that nobody had answered when the model was trained, can judge it. Answers to
uniform questions count, and answers to judging rounds about this model: one for each item, and none that was given
while the model's prediction was shown. A skip may have agreed with the prediction or not; a guess after it narrows what
the skip costs (see `guesses`). Flip rates are measured on gold items, else on questions that were answered twice. If
there is neither, they are the setting `slip_rate`, and the accuracy at other rates is given too. The interval holds
however often one looks at it, also after every answer.
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
from oneof.annotation.learning.table import as_answers, informative, is_right, standing_answers
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, events, items, models, predictions, tasks
from oneof.evaluation.judges import MOST_CHANGED, choose_judges
from oneof.evaluation.law import REMEDY, unusual_annotators
from oneof.noise import rates_from_gold, rates_from_repeated
from oneof.noise.rates import annotator_names
from oneof.queries.weights import flipped_again

MOST = 200_000
"""Answers that are used at most: more would make the interval narrower than anybody needs."""

FEWEST_GOLD = 20
FEWEST_REPEATED = 50
"""Answers about known items, and answers to repeated questions, that flip rates need at least."""

WHAT_IF = (0.02, 0.05, 0.1)
"""Error rates at which the accuracy is given too, if nobody knows how often people err."""


@dataclass(frozen=True)
class Bench:
    """What judges a model: its labels (items,), its confidences (items,), and the answers about these items.

    plain: the same answers, with every skip as a skip even if somebody guessed. rates_from: where the flip rates come
    from (gold, repeats or settings). guessed: the number of guesses. notes: what was left out or assumed.
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

    accuracy, low, high: the estimate, with an interval that holds at every look; None if there is no estimate, and
    `warning` says why. once: the narrower interval, for one planned look. rates_from: where the flip rates come from
    (gold, repeats or settings). what_if: if that is "settings", the accuracy at other error rates. notes: what was left
    out. skipped: the share of skips among the answers that judge. guessed: how many of the skips have a guess.
    unguessed: the interval without the guesses. round: how many judging questions were asked and answered.
    """
    model = connection.execute(decoys.CURRENT_MODEL).first()
    if model is None:
        return None
    progress = decoys.round_progress(connection, model.id)
    shown: dict[str, Any] = {"trained_at": model.trained_at, "answers": model.answers}
    shown |= {"accuracy": None, "low": None, "high": None, "judged_on": 0, "kind": "anytime", "once": None}
    shown |= {"rates_from": "settings", "what_if": [], "notes": [], "skipped": None, "warning": ""}
    shown |= {"guessed": 0, "unguessed": None, "round": {"asked": progress.asked, "answered": progress.answered}}
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
        names = "".join(f" {name}: {problem}." for name, problem in unusual.items())
        # What a program could do instead is nothing that a manager can do.
        told = str(error).removesuffix(REMEDY).strip().removesuffix(".")
        return shown | {"warning": f"{told}.{names}"}
    shown |= {"accuracy": found.value, "low": found.low, "high": found.high, "judged_on": int(found.n)}
    shown |= {"notes": [*found.notes, *bench.notes], "once": {"low": once.low, "high": once.high}}
    if bench.guessed:
        wide = estimate_accuracy(labels, bench.plain, anytime=True, check=False)
        shown["unguessed"] = {"low": wide.low, "high": wide.high}
    if bench.rates_from == "settings":
        shown["what_if"] = [_what_if(labels, answers, rate) for rate in WHAT_IF]
    return shown


def gather(connection: Connection, project: Project, model: Any) -> Bench:
    """The answers that may judge this model, with the best flip rates there are, and guesses as far as they count."""
    rows, notes = _fresh(connection, project, model)
    found = {number: project.lineage.place(number) for number in {row.label for row in rows}}
    places = {number: place for number, place in found.items() if place is not None}
    known = [row for row in rows if row.label in places]
    if len(known) < len(rows):
        notes += (f"left out {len(rows) - len(known)} answers about items that are taken for a retired class",)
    rows = informative(project, known)
    if len(rows) < len(known):
        notes += (f"left out {len(known) - len(rows)} answers that say nothing of the classes of today",)
    ids, item_rows = np.unique(np.array([row.item_id for row in rows], dtype=np.int64), return_inverse=True)
    labels, confidences = np.zeros(len(ids), dtype=np.int64), np.full(len(ids), np.nan)
    labels[item_rows] = [places[row.label] for row in rows]
    confidences[item_rows] = [np.nan if row.confidence is None else row.confidence for row in rows]
    # A skip gets the flip rate of an answer: which answers judge must not depend on who skipped.
    flips = [project.settings.flip if row.answer == "skip" else row.flip for row in rows]
    plain = as_answers(project, rows, item_rows, np.array(flips, dtype=np.float64))
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
    """The largest share of guesses that may be wrong, and whether it was measured on known items (else: a setting)."""
    made = connection.execute(
        _judging()
        .add_columns(items.c.gold)
        .where(tasks.c.kind == "gold", items.c.gold.is_not(None), events.c.guess.is_not(None))
        .limit(MOST)
    ).all()
    right = [project.lineage.right(row.gold, read_subset(row.subset), row.guess == "yes", row.edition) for row in made]
    wrong, known = right.count(False), len(right) - right.count(None)
    settings = project.settings
    return largest_error(wrong, known, settings.guess_error, settings.flip), known >= FEWEST


def _what_if(labels: Any, answers: Answers, rate: float) -> dict[str, float]:
    """The accuracy if people erred at this rate, on top of the flips of private mode."""
    flips = flipped_again(0.0 if answers.randomised is None else answers.randomised, rate)
    found: Estimate = estimate_accuracy(labels, answers, anytime=True, check=False, flip_yes=flips, flip_no=flips)
    return {"error": rate, "accuracy": found.value, "low": found.low, "high": found.high}


def _with_rates(connection: Connection, project: Project, answers: Answers) -> tuple[str, Answers]:
    """Where the best flip rates come from (gold, repeats or settings), and the answers with these rates."""
    given = _judging().add_columns(items.c.gold).where(claims.c.answer != "skip").limit(MOST)
    rows = connection.execute(given.where(tasks.c.kind == "gold", items.c.gold.is_not(None))).all()
    gold = [row for row in informative(project, rows) if is_right(project, row) is not None]
    if len(gold) >= FEWEST_GOLD:
        checks = as_answers(project, gold, list(range(len(gold))))
        known = np.array([project.lineage.place(row.gold) for row in gold])
        rates = rates_from_gold(checks, known)
        enough = dict(zip(rates.annotators, (rates.answers >= FEWEST_GOLD).tolist(), strict=True))
        if not all(enough.get(name, False) for name in annotator_names(answers)):
            rates = rates_from_gold(checks.replace(annotators=None), known)  # the same rates for everybody
        return "gold", rates.apply(answers)
    rows = connection.execute(given.where(tasks.c.kind.in_(("question", "repeat")), tasks.c.design == "uniform")).all()
    rows = [row for row in rows if row.edition == project.lineage.edition]
    repeated = as_answers(project, rows, [row.item_id for row in rows])
    try:
        rates = rates_from_repeated(repeated.replace(annotators=None))
    except ValueError:  # no question was asked twice
        return "settings", answers
    if rates.answers.sum() < FEWEST_REPEATED:
        return "settings", answers
    return "repeats", rates.apply(answers)


def _judging() -> Select[Any]:
    """The answers in use, those of judging rounds first: only the first about an item judges, and these tell most."""
    return standing_answers().order_by(None).order_by(tasks.c.design != "prediction", claims.c.event_id)


def _fresh(connection: Connection, project: Project, model: Any) -> tuple[list[Any], tuple[str, ...]]:
    """The rows of the answers that may judge the model, and notes about what was left out."""
    # Who has seen the prediction does not judge it. For old answers that was not stored; those from before the first
    # model cannot have seen one.
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
    # Rounds about an earlier model judge this one too, as long as the two predict nearly the same there. Whether they
    # do is decided by the predictions alone, never by the answers.
    earlier = [row for row in rows if row.design == "prediction" and row.model_id != model.id]
    today = project.lineage.today
    changed = sum(today(row.predicted) != today(row.label) for row in earlier)
    if changed <= MOST_CHANGED * len(earlier):
        return rows, ()
    kept = [row for row in rows if row.design != "prediction" or row.model_id == model.id]
    return kept, (f"left out {len(earlier)} answers of judging rounds about earlier models, which guessed otherwise",)
