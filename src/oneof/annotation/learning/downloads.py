"""What managers can download: a version of the model as one file, and its predictions as a table."""

import csv
from io import StringIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import Connection, func, select

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import items, models, predictions

BATCH = 2000
COLUMNS = ("item", "label", "confidence", "kept_aside")


def model_folder(project: Project, version: int) -> Path:
    """The folder of a version of the model; an error if there is none."""
    folder = project.folder / "models" / f"{version:04d}"
    if not folder.is_dir():
        raise ProjectError(f"there is no version {version} of the model")
    return folder


def zip_model(project: Project, version: int, out: Path) -> None:
    """Write a version of the model as one zip file."""
    folder = model_folder(project, version)
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, Path(f"model-{version:04d}") / path.relative_to(folder))


def current_version(connection: Connection) -> int | None:
    """The number of the last model; None before the first."""
    found = connection.execute(select(func.max(models.c.id))).scalar()
    return None if found is None else int(found)


def predictions_csv(connection: Connection, project: Project) -> str:
    """A csv table of every item with the current model's label and its probability."""
    rows = connection.execution_options(yield_per=BATCH).execute(
        select(items.c.name, predictions.c.label, predictions.c.confidence, predictions.c.held_out)
        .join(items, items.c.id == predictions.c.item_id)
        .where(predictions.c.model_id == current_version(connection))
        .order_by(items.c.id)
    )
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        confidence = "" if row.confidence is None else f"{row.confidence:.6f}"
        kept = "true" if row.held_out else "false"
        # For a class that was retired meanwhile, the name that the model was trained with.
        label = project.name_today(row.label) or project.classes[row.label].name
        writer.writerow([row.name, label, confidence, kept])
    return out.getvalue()
