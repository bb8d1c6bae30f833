"""Train on a project's answers, and judge the model without labels.

Items are split by the hash of their content: no model ever learns from those that are kept aside, so that answers about
them can judge every model. The predictions are stored, and the dashboard judges them again as answers come in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, delete, func, insert, select, update

from oneof import Answers, Estimate
from oneof.annotation.asking import decoys
from oneof.annotation.asking.adaptive import choose_questions
from oneof.annotation.learning.content import Content, load_content
from oneof.annotation.learning.judging import current_model
from oneof.annotation.learning.table import as_answers, informative, standing_answers
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, events, items, models, predictions, tasks
from oneof.queries.tempering import may_choose
from oneof.training.splits import kept_aside

BATCH = 1000
FEWEST = 20
"""Answers that training needs at least."""


@dataclass(frozen=True)
class Trained:
    """A trained model: its folder, the number of answers it learned from, and its label-free accuracy.

    skipped: items that could not be read, and why. unjudged: why there is no accuracy; empty if there is one.
    """

    folder: Path
    answers: int
    estimate: Estimate
    skipped: tuple[str, ...] = ()
    unjudged: str = ""


def train_project(
    database: Database,
    project: Project,
    *,
    now: float,
    objective: str = "likelihood",
    epochs: int | None = None,
    held_out: float = decoys.ASIDE,
    seed: int = 0,
) -> Trained:
    """Train a classifier; store it in the project's `models` folder, and its predictions in the database.

    held_out: the share of items that is kept aside to judge. epochs: None for the default of `oneof.training.Config`.
    """
    from oneof import OneOfClassifier
    from oneof.classifier.choosing_encoders import choose_encoder
    from oneof.classifier.choosing_networks import fit_chosen
    from oneof.classifier.model import Model
    from oneof.training import Config

    if not 0 < held_out < 1:
        raise ProjectError(f"held out share {held_out}: expected a number between 0 and 1")
    with database.read() as connection:
        content = load_content(connection)
        last_event = int(connection.execute(select(func.coalesce(func.max(events.c.id), 0))).scalar_one())
        last_item = int(connection.execute(select(func.coalesce(func.max(items.c.id), 0))).scalar_one())
        answers = load_answers(connection, project, content)
    aside = kept_aside(content.content_hashes, held_out)
    learned = np.flatnonzero(~aside[answers.items])
    if len(learned) < FEWEST:
        raise ProjectError(f"{len(learned)} answers to learn from: ask for at least {FEWEST} first")
    try:
        chosen = choose_encoder(content.raw, answers[learned])
    except ValueError as error:
        raise ProjectError(str(error)) from None
    answers, content = chosen.items.align(answers), content.keep(chosen.items)
    aside = kept_aside(content.content_hashes, held_out)
    training = answers[np.flatnonzero(~aside[answers.items])]
    settings = Config.read(None, objective=objective, epochs=epochs, holdout=0.0, seed=seed)
    fitted = fit_chosen(chosen.items.x, training, settings, encoded=True)
    classifier = OneOfClassifier.from_fitted(fitted, project.active_names, chosen.items.x.shape[1:])
    model = Model(classifier, chosen.encoder, content.hashes(np.unique(training.items)))
    probabilities = classifier.predict_proba(chosen.items.x)
    known = {"last_event": last_event, "last_item": last_item, "aside_share": held_out, "answers": len(training)}
    known["edition"] = project.lineage.edition
    model_id = database.write(_new_model, now, known)
    folder = project.folder / "models" / f"{model_id:04d}"
    model.save(folder)
    store_predictions(database, model_id, content, probabilities, aside, project.active)
    database.write(Connection.execute, delete(predictions).where(predictions.c.model_id < model_id))
    database.write(decoys.renew, project, now)
    if project.settings.mechanism == "adaptive":
        evidence = answers.evidence(len(content.ids))
        if may_choose(probabilities[aside], evidence[aside]):
            choose_questions(database, project, content, probabilities, answers, aside, now)
    with database.read() as connection:
        judged = current_model(connection, project)
    if judged is None or judged["accuracy"] is None:
        why = (judged and judged["warning"]) or "none are left to judge it by"
        return Trained(folder, len(training), Estimate(float("nan"), 0.0, 1.0, 0), content.skipped, why)
    estimate = Estimate(judged["accuracy"], judged["low"], judged["high"], judged["judged_on"])
    database.write(_note_estimate, model_id, estimate)
    return Trained(folder, len(training), estimate, content.skipped)


def load_answers(connection: Connection, project: Project, content: Content) -> Answers:
    """The answers in use about rows of `content`, without those to known and repeated questions, which are checks."""
    rows = connection.execute(standing_answers().where(claims.c.answer != "skip", tasks.c.kind == "question")).all()
    readable = set(content.ids.tolist())
    rows = informative(project, [row for row in rows if row.item_id in readable])
    return as_answers(
        project, rows, np.searchsorted(content.ids, np.array([row.item_id for row in rows], dtype=np.int64))
    )


def _new_model(connection: Connection, now: float, known: dict[str, Any]) -> int:
    row = insert(models).values(trained_at=now, held_out=0, **known)
    return int(connection.execute(row.returning(models.c.id)).scalar_one())


def _note_estimate(connection: Connection, model_id: int, estimate: Estimate) -> None:
    connection.execute(
        update(models)
        .where(models.c.id == model_id)
        .values(accuracy=estimate.value, low=estimate.low, high=estimate.high, held_out=int(estimate.n))
    )


def store_predictions(
    database: Database, model_id: int, content: Content, probabilities: Any, aside: Any, numbers: Sequence[int]
) -> None:
    """Store the predicted label of each item, its probability, and whether the item was kept aside.

    probabilities: (n, k). aside: bool (n,). numbers: the class numbers of the k classes that the model knows.
    """
    labels, confidences = np.array(numbers)[probabilities.argmax(axis=1)], probabilities.max(axis=1)
    for start in range(0, len(content.ids), BATCH):
        part = slice(start, start + BATCH)
        rows = [
            {
                "model_id": model_id,
                "item_id": int(item),
                "label": int(label),
                "held_out": bool(kept),
                "confidence": float(confidence),
            }
            for item, label, kept, confidence in zip(
                content.ids[part], labels[part], aside[part], confidences[part], strict=True
            )
        ]
        database.write(Connection.execute, insert(predictions), rows)
