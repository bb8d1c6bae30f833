"""The dashboard. It works without a script: plain forms, and a page that loads itself again."""

import threading
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from oneof.annotation.asking import managing, people
from oneof.annotation.asking.people import Person
from oneof.annotation.learning import quality
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.web.page_routes import set_cookie, sign_in
from oneof.annotation.web.site import Site, TheSite, signed_in

router = APIRouter(tags=["managing"])
FRESH_SECONDS = 5.0
ACTIONS = ("pause", "resume", "revoke", "withdraw", "reassign", "invite")


class _Figures:
    """The figures as of a few seconds ago: ten open dashboards cost as much as one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: tuple[float, Site, dict[str, Any]] | None = None

    def get(self, site: Site) -> dict[str, Any]:
        with self._lock:
            now = site.clock()
            if self._found is None or self._found[1] is not site or not 0 <= now - self._found[0] < FRESH_SECONDS:
                self._found = (now, site, quality.dashboard(site.database, site.project, now))
            return self._found[2]

    def forget(self) -> None:
        with self._lock:
            self._found = None


_figures = _Figures()


@router.get("/admin")
def dashboard(request: Request, site: TheSite, token: str | None = None) -> Response:
    """The manager's page: by an admin's session, or with `?token=`."""
    secret = None
    if token is not None:
        person, secret = sign_in(site, token)
        if person is None:
            raise HTTPException(403, "The link is wrong or was taken back.")
    else:
        person = signed_in(request, site)
    _need_admin(person)
    context = {"figures": _figures.get(site), "invited": None}
    response = site.templates.TemplateResponse(request, "admin.html", context)
    if secret is not None:
        set_cookie(request, response, site, secret)
    response.headers["Cache-Control"] = "no-store"
    return response


@router.post("/admin")
async def act(request: Request, site: TheSite) -> Response:
    """Pause, resume, revoke, withdraw, reassign or invite."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = {name: values[-1] for name, values in parse_qs(body, max_num_fields=10).items()}
    except ValueError:
        raise HTTPException(422, "more fields than the form has") from None
    # PostgreSQL takes no zero byte in a text, not even to look for it.
    if any("\0" in value for value in fields.values()):
        raise HTTPException(422, "a field may not hold a zero byte")
    return await run_in_threadpool(_act, request, site, fields)


def _act(request: Request, site: Site, fields: dict[str, str]) -> Response:
    _need_admin(signed_in(request, site))
    action, name = fields.get("action", ""), fields.get("name") or None
    if action not in ACTIONS:
        raise HTTPException(422, f"expected an action: {', '.join(ACTIONS)}")
    if name is None and action not in ("pause", "resume"):
        raise HTTPException(422, f"{action}: whom?")
    invited = None
    try:
        if name is None or action in ("pause", "resume"):
            managing.set_paused(site.database, name, action == "pause")
        elif action == "revoke":
            managing.revoke(site.database, name, site.clock())
        elif action == "withdraw":
            managing.withdraw(site.database, name, site.clock())
        elif action == "reassign":
            managing.reassign(site.database, name, site.clock(), to=fields.get("to") or None)
        else:
            who = name
            token = site.database.write(
                lambda connection: people.invite(connection, who, "annotator", site.clock(), new_only=True)
            )
            invited = {"name": name, "link": f"{str(request.base_url).rstrip('/')}/join/{token}"}
    except ProjectError as error:
        raise HTTPException(422, str(error)) from None
    _figures.forget()
    if invited is not None:
        # The link is shown once, here; it is stored nowhere.
        context = {"figures": _figures.get(site), "invited": invited}
        response = site.templates.TemplateResponse(request, "admin.html", context)
        response.headers["Cache-Control"] = "no-store"
        return response
    return RedirectResponse("/admin", status_code=303)


def _need_admin(person: Person) -> None:
    if person.role != "admin":
        raise HTTPException(403, "This page is for the manager of the project.")
