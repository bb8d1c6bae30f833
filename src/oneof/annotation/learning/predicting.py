"""Predictions by the last model of a project: a table for all items, and stored ones for items that are newer.

The page can show a prediction, and an answer can judge the model, only if the item has a stored prediction. So items
that are imported after a training are predicted by the current model, without waiting for the next one.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sqlalchemy import Connection, func, select, update

from oneof.annotation.asking.decoys import ASIDE, CURRENT_MODEL
from oneof.annotation.learning.content import load_content
from oneof.annotation.learning.downloads import model_folder
from oneof.annotation.learning.training import store_predictions
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import items, models, predictions
from oneof.files.atomic import replacing
from oneof.files.suffixes import suffix_to_write
from oneof.training.splits import kept_aside

SURE = 0.9
"""A person should check items whose predicted class has a probability below this."""


@dataclass(frozen=True)
class Predicted:
    """How many items were predicted, the share of them that a person should check, and what could not be read."""

    items: int
    to_check: float
    skipped: tuple[str, ...]


def predict_project(database: Database, project: Project, out: Path) -> Predicted:
    """Write a .csv or .parquet file with id, prediction, check (yes or no), and p_CLASS, the probability of each."""
    from oneof.classifier.model import load

    suffix = suffix_to_write(out, (".csv", ".parquet"))
    folders = sorted(path for path in (project.folder / "models").glob("[0-9]*") if path.is_dir())
    if not folders:
        raise ProjectError(f"{project.folder}: there is no model yet; make one with `oneof annotate train`")
    model = load(folders[-1])
    with database.read() as connection:
        content = load_content(connection)
    taken = model.take(content.raw)
    content = content.keep(taken)
    probabilities = model.classifier.predict_proba(taken.x)
    unsure = probabilities.max(axis=1) < SURE
    frame = pd.DataFrame(
        {
            "id": content.names,
            "prediction": model.classes_[probabilities.argmax(axis=1)],
            "check": np.where(unsure, "yes", "no"),
        }
    )
    frame = frame.join(pd.DataFrame(probabilities.round(6), columns=[f"p_{name}" for name in model.classes_.tolist()]))
    with replacing(out) as part:
        frame.to_csv(part, index=False) if suffix == ".csv" else frame.to_parquet(part, index=False)
    return Predicted(len(frame), float(unsure.mean()), content.skipped)


def unpredicted(connection: Connection) -> int:
    """How many items are newer than the last that the current model has tried to predict; 0 without a model."""
    model = connection.execute(CURRENT_MODEL).first()
    if model is None:
        return 0
    newer = select(func.count()).select_from(items).where(items.c.id > model.last_item, items.c.removed_at.is_(None))
    return int(connection.execute(newer).scalar_one())


def predict_new(database: Database, project: Project) -> int:
    """Store the current model's predictions of the items that are newer; returns how many could be read."""
    from oneof.classifier.model import load

    with database.read() as connection:
        if not unpredicted(connection):
            return 0
        row = connection.execute(CURRENT_MODEL).one()
        last = int(connection.execute(select(func.max(items.c.id))).scalar_one())
        known = select(predictions.c.item_id).where(predictions.c.model_id == row.id)
        content = load_content(connection, items.c.id > row.last_item, items.c.id <= last, items.c.id.not_in(known))
    model = load(model_folder(project, row.id))
    known_classes = project.lineage.active(row.edition)
    taken = model.take(content.raw)
    content = content.keep(taken)
    aside = kept_aside(content.content_hashes, ASIDE if row.aside_share is None else row.aside_share)
    store_predictions(database, row.id, content, model.classifier.predict_proba(taken.x), aside, known_classes)
    database.write(Connection.execute, update(models).where(models.c.id == row.id).values(last_item=last))
    return len(content.ids)
