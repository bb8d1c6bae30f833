"""Model: train now or automatically, judge it, versions with their accuracy, and downloads."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import func, select
from starlette.exceptions import HTTPException

from oneof.annotation.asking import decoys
from oneof.annotation.asking.access import Person
from oneof.annotation.learning import downloads, jobs
from oneof.annotation.learning.report import model_report
from oneof.annotation.learning.sizing import WIDTHS, begin_round, suggest
from oneof.annotation.learning.training import FEWEST
from oneof.annotation.project.changing import change_settings
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, models
from oneof.annotation.web import transfer
from oneof.annotation.web.dashboard import charts, frame
from oneof.annotation.web.dashboard.frame import Form, Manager
from oneof.annotation.web.dashboard.overview import Figures, figures
from oneof.annotation.web.dashboard.stale import StaleFormError, carried, refuse_stale
from oneof.annotation.web.messages import Number
from oneof.annotation.web.site import Site, TheSite

router = APIRouter(tags=["dashboard"])
REPORT_SECONDS = 30.0
SCHEDULE = {"train_every_answers": "After so many new answers", "train_every_minutes": "After so many minutes"}
"""The settings of the form that lets a project train by itself, and their titles."""
LARGEST_MAP = 15
"""Up to so many classes the heat map is drawn; with more, only what is mixed up most is listed."""


def _report(database: Database, project: Project, _now: float) -> dict[str, Any]:
    with database.read() as connection:
        return model_report(connection, project) or {}


reports = Figures(_report, REPORT_SECONDS)

frame.NOTICES |= {
    "training": "Training has begun. It goes on if you leave this page.",
    "schedule": "Saved.",
    "judging": "The judging round has begun: its questions stand among the next ones, and nobody can tell them apart.",
}


@router.get("/admin/model")
def model(request: Request, site: TheSite, person: Manager) -> Response:
    """The versions, and the progress of a training."""
    return _show(request, site, person)


@router.post("/admin/model/train")
def train(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Begin training in the background."""
    try:
        jobs.start(site.database, site.project, "train", {}, site.clock(), person.id)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    return frame.done(request, "model", "training")


@router.post("/admin/model/judge")
def judge(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Ask for a judging round of so many questions."""
    wanted = frame.needed(fields, "questions").strip()
    try:
        if not wanted.isdecimal() or len(wanted) > 9:
            raise ProjectError(f"questions: {wanted[:20]!r} is not a whole number")
        begin_round(site.database, site.project, int(wanted), site.clock(), person.id)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    figures.forget()
    return frame.done(request, "model", "judging")


@router.post("/admin/model/schedule")
def schedule(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Train by itself after so many answers or minutes; empty for never."""
    changes = {name: frame.sent(fields, name).strip() or None for name in SCHEDULE}
    try:
        site.project = change_settings(
            site.database, site.project, changes, site.clock(), person.id,
            check=lambda today: refuse_stale("schedule", fields, _schedule(today)),
        )  # fmt: skip
    except StaleFormError as error:
        return _show(request, site, person, stale=error)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    return frame.done(request, "model", "schedule")


def _schedule(project: Project) -> dict[str, str]:
    """What the form of the schedule shows; empty for never."""
    return {name: str(getattr(project.settings, name) or "") for name in SCHEDULE}


@router.get("/admin/model/{version}.zip")
def download(site: TheSite, person: Manager, version: Number) -> Response:
    """A version of the model, as one file."""
    try:
        return transfer.send_model(site, version)
    except ProjectError as error:
        raise HTTPException(404, str(error)) from None


@router.get("/admin/model/predictions.csv")
def predictions(site: TheSite, person: Manager) -> Response:
    """The current model's prediction for every item."""
    with site.database.read() as connection:
        if downloads.current_version(connection) is None:
            raise HTTPException(404, "There is no model yet.")
    return transfer.send_predictions(site)


def _show(
    request: Request, site: Site, person: Person, refused: str | None = None, stale: StaleFormError | None = None
) -> Response:
    with site.database.read() as connection:
        job = jobs.latest(connection, "train", site.clock())
        rows = connection.execute(select(models).order_by(models.c.id.desc())).all()
        # Counted anew, and no further than it matters: the figures may be some seconds old.
        some = select(claims.c.task_id).where(claims.c.state == "answered").limit(FEWEST).subquery()
        too_few = connection.execute(select(func.count()).select_from(some)).scalar_one() < FEWEST
        left = decoys.available(connection, site.project) if rows else 0
    if job is not None and job.state == "done" and (job.finished_at or 0) > site.clock() - 30:
        figures.forget()
        reports.forget()
    found = figures.get(site)
    accuracy = found["model"]["accuracy"] if found["model"] else None
    plans = [one for width in WIDTHS if (one := suggest(site.project, accuracy, width)) is not None] if rows else []
    response = frame.show(
        request, site, person, "model", left=left, plans=plans, report=_drawn(reports.get(site)) if rows else None,
        job=job, versions=[_version(site, row) for row in rows], figures=found, fewest=FEWEST, too_few=too_few,
        schedule=stale.typed if stale else _schedule(site.project), seen=carried(_schedule(site.project)),
        refused=refused, stale=stale, titles=SCHEDULE,
    )  # fmt: skip
    response.status_code = 409 if stale else 422 if refused else 200
    return response


def _drawn(report: dict[str, Any]) -> dict[str, Any]:
    """The report with its charts."""
    shown = dict(report)
    if report["classes"] is not None:
        shown["classes"] = [one | {"bars": {name: _bar(one, name) for name in RATES}} for one in report["classes"]]
    table = report["confusion"]
    if table is not None and len(table["classes"]) <= LARGEST_MAP:
        rows = zip(table["classes"], table["value"], table["error"], strict=True)
        shown["map"] = [
            (
                name,
                [(value, error, charts.heat(value, sum(values))) for value, error in zip(values, errors, strict=True)],
            )
            for name, values, errors in rows
        ]
    if report["calibration"]:
        points = [(one["confidence"], one["accuracy"], one["low"], one["high"]) for one in report["calibration"]]
        spoken = "accuracy by confidence: " + ", ".join(
            f"{sure:.0%} sure, {right:.0%} right" for sure, right, *_ in points
        )
        shown["plot"] = charts.calibration(points, spoken)
    return shown


RATES = ("precision", "recall")


def _bar(one: dict[str, Any], name: str) -> Any:
    if one[name] is None:
        return None
    low, high = one[f"{name}_low"], one[f"{name}_high"]
    return charts.range_bar(low, one[name], high, None, f"{name} {one[name]:.1%}, interval {low:.1%} to {high:.1%}")


def _version(site: Site, row: Any) -> dict[str, Any]:
    try:
        folder = downloads.model_folder(site.project, row.id)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except ProjectError:
        size = None
    bar = None
    if row.accuracy is not None:
        spoken = f"accuracy {row.accuracy:.1%}, interval {row.low:.1%} to {row.high:.1%}"
        bar = charts.range_bar(row.low, row.accuracy, row.high, None, spoken)
    return {**row._mapping, "size": size, "bar": bar}
