"""What the server does without being asked: train after so many answers or minutes, and predict new items."""

from sqlalchemy import Connection, func, select

from oneof.annotation.learning import jobs
from oneof.annotation.learning.predicting import unpredicted
from oneof.annotation.learning.training import FEWEST
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import events, models, people


def is_due(connection: Connection, project: Project, now: float) -> bool:
    """Whether it is time to train again: never without new answers, and not within ten minutes of a failure."""
    answers, minutes = project.settings.train_every_answers, project.settings.train_every_minutes
    if answers is None and minutes is None:
        return False
    total = connection.execute(select(func.coalesce(func.sum(people.c.counted_answered), 0))).scalar_one()
    if total < 2 * FEWEST:
        return False
    last = connection.execute(select(models.c.trained_at, models.c.last_event).order_by(models.c.id.desc())).first()
    since = 0 if last is None else last.last_event
    fresh = connection.execute(
        select(func.count()).select_from(events).where(events.c.kind == "answer", events.c.id > since)
    ).scalar_one()
    job = jobs.latest(connection, "train", now)
    begun = job.created_at if job is not None else (0.0 if last is None else last.trained_at)
    if not fresh or (job is not None and (job.working or (job.state == "failed" and now - begun < 600))):
        return False
    return (answers is not None and fresh >= answers) or (minutes is not None and now - begun >= 60 * minutes)


def train_if_due(database: Database, project: Project, now: float) -> int | None:
    """Begin training if it is time; returns the id of the job. Of several server processes only one begins."""
    with database.read() as connection:
        if not is_due(connection, project, now):
            return None
    try:
        return jobs.start(database, project, "train", {}, now)
    except ProjectError:
        return None


def predict_if_due(database: Database, project: Project, now: float) -> int | None:
    """Begin to predict items that are newer than the model, unless a job is at work; returns the id of the job."""
    with database.read() as connection:
        if not unpredicted(connection):
            return None
        for kind in jobs.KINDS:
            job = jobs.latest(connection, kind, now)
            if job is not None and (
                job.working or (kind == "predict" and job.state == "failed" and now - job.created_at < 600)
            ):
                return None
    try:
        return jobs.start(database, project, "predict", {}, now)
    except ProjectError:
        return None
