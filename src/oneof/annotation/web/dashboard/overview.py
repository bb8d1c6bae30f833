"""Overview: what to look at first, the progress of the project, and the accuracy of the model."""

import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select
from starlette.exceptions import HTTPException

from oneof.annotation.asking import managing
from oneof.annotation.learning import quality
from oneof.annotation.learning.concerns import concerns
from oneof.annotation.learning.pace import pace
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import models
from oneof.annotation.web.dashboard import charts, frame, wording
from oneof.annotation.web.dashboard.frame import Form
from oneof.annotation.web.page_routes import set_cookie, sign_in
from oneof.annotation.web.site import Manager, Site, TheSite, the_reviewer

router = APIRouter(tags=["dashboard"])
FRESH_SECONDS = 5.0
SHOWN_MODELS = 12


class Figures:
    """Figures that are kept for some seconds, so that ten open dashboards cost as much as one."""

    def __init__(self, make: Callable[[Database, Project, float], dict[str, Any]], fresh: float) -> None:
        self._make, self._fresh = make, fresh
        self._lock = threading.Lock()
        self._found: dict[str, tuple[float, dict[str, Any]]] = {}

    def get(self, site: Site) -> dict[str, Any]:
        """The figures of this project, made anew if they are too old."""
        with self._lock:
            now = site.clock()
            made, found = self._found.get(site.project_id, (-self._fresh, {}))
            if not 0 <= now - made < self._fresh:
                found = self._make(site.database, site.project, now)
                self._found[site.project_id] = (now, found)
            return found

    def forget(self) -> None:
        """Make the figures anew at the next request, because something was changed."""
        with self._lock:
            self._found.clear()


def overview_figures(database: Database, project: Project, now: float) -> dict[str, Any]:
    """The figures of `status`, with the pace, the versions of the model, and what to look at first; ready for JSON."""
    found = quality.dashboard(database, project, now)
    with database.read() as connection:
        progress = pace(connection, found["needed"], found["answered"] + found["skipped"], now)
        versions = connection.execute(select(models).order_by(models.c.id.desc()).limit(SHOWN_MODELS)).all()
    judged = [
        {
            "version": row.id,
            "trained_at": row.trained_at,
            "answers": row.answers,
            "accuracy": row.accuracy,
            "low": row.low,
            "high": row.high,
            "judged_on": row.held_out,
        }
        for row in reversed(versions)
    ]
    found |= {"pace": asdict(progress), "versions": judged}
    return found | {"concerns": [asdict(one) for one in concerns(found)]}


figures = Figures(overview_figures, FRESH_SECONDS)


@router.get("/admin")
def overview(request: Request, site: TheSite, token: str | None = None) -> Response:
    """The first page of the dashboard: by a manager's session, or with `?token=`."""
    if token is not None:
        person, secret = sign_in(site, token)
        if person is None:
            raise HTTPException(403, "The link is wrong or was taken back.")
        if person.role != "admin":
            raise HTTPException(403, "This page is for the managers of the project.")
        response: Response = RedirectResponse(frame.address(request, "overview"), status_code=303)
        set_cookie(request, response, site, person.role, secret)
        return response
    person = the_reviewer(request, site)
    if person.role == "reviewer":
        return RedirectResponse(frame.address(request, "review"), status_code=303)
    found = figures.get(site)
    return frame.show(request, site, person, "overview", figures=found, charts=_charts(found))


@router.post("/admin/pause")
def pause(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Pause the project, or resume it."""
    paused = frame.needed(fields, "paused") == "yes"
    managing.set_paused(site.database, None, paused, site.clock(), person.id)
    figures.forget()
    return frame.done(request, "overview", "paused" if paused else "resumed")


def _charts(found: dict[str, Any]) -> dict[str, Any]:
    points = [(float(at), float(total)) for at, total in found["pace"]["points"]]
    goal = float(found["needed"]) or None
    top = charts.ceiling(points, goal)
    spoken = f"{wording.count(found['answered'] + found['skipped'])} of {wording.count(found['needed'])} answers so far"
    judged = [one for one in found["versions"] if one["accuracy"] is not None]
    last = judged[-1] if judged else None
    latest = "no judged model" if last is None else f"version {last['version']}: {wording.percent(last['accuracy'])}"
    return {
        "growth": charts.growth(points, goal, spoken) if points else None,
        "growth_axis": charts.axis(top, 2),
        "versions": charts.intervals(
            [(one["trained_at"], one["accuracy"], one["low"], one["high"]) for one in judged],
            f"accuracy by version of the model; {latest}",
        ),
        "judged": judged,
    }
