"""Predictions for all items of a project by its last model, with probabilities, as a table."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from oneof.annotation.learning.content import load_content
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.files.atomic import replacing

SURE = 0.9
"""Probability of the predicted class below which a person should look."""


@dataclass(frozen=True)
class Predicted:
    """How many items, the share of them that a person should check, and what could not be read."""

    items: int
    to_check: float
    skipped: tuple[str, ...]


def predict_project(database: Database, project: Project, out: Path) -> Predicted:
    """Write id, prediction, check (should a person look?) and the probability of each class to .csv or .parquet."""
    from oneof.classifier.model import load

    if out.suffix.lower() not in (".csv", ".parquet"):
        raise ProjectError(f"{out}: expected a name that ends in .csv or .parquet")
    folders = sorted(path for path in (project.folder / "models").glob("[0-9]*") if path.is_dir())
    if not folders:
        raise ProjectError(f"{project.folder}: there is no model yet; make one with `oneof annotate train`")
    model = load(folders[-1])
    with database.read() as connection:
        content = load_content(connection)
    taken = model.take(content.raw)
    content = content.keep(taken)
    chances = model.classifier.predict_proba(taken.x)
    unsure = chances.max(axis=1) < SURE
    frame = pd.DataFrame(
        {
            "id": content.names,
            "prediction": model.classes_[chances.argmax(axis=1)],
            "check": np.where(unsure, "yes", "no"),
        }
    )
    frame = frame.join(pd.DataFrame(chances.round(6), columns=[f"p_{name}" for name in model.classes_.tolist()]))
    with replacing(out) as part:
        frame.to_csv(part, index=False) if out.suffix.lower() == ".csv" else frame.to_parquet(part, index=False)
    return Predicted(len(frame), float(unsure.mean()), content.skipped)
