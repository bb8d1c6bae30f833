"""Programs: keys for the HTTP API, webhooks, and a list of what the API can do."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from oneof.annotation.asking import tokens
from oneof.annotation.asking.access import Person
from oneof.annotation.learning import hooks
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.web.dashboard import frame
from oneof.annotation.web.dashboard.frame import Form, Manager
from oneof.annotation.web.site import Site, TheSite

router = APIRouter(tags=["dashboard"])

frame.NOTICES |= {"key-revoked": "The key has ended.", "hook-removed": "Nothing is sent to this address any more."}


@router.get("/admin/project/programs")
def programs(request: Request, site: TheSite, person: Manager) -> Response:
    """Keys, webhooks, and every route of the API."""
    return _show(request, site, person)


@router.post("/admin/project/programs")
def act(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Make or revoke a key; add or remove a webhook."""
    action, now = frame.needed(fields, "action"), site.clock()
    shown: dict[str, Any] = {}

    def work(connection: Connection) -> str | None:
        """The notice for the page; None if a secret was made, which is shown at once and never again."""
        if action == "key":
            name = fields.get("name", "")
            shown.update(secret=tokens.make(connection, person.id, name, now, person.id), what="key", name=name)
            return None
        if action == "hook":
            url, kinds = fields.get("url", "").strip(), [kind for kind in hooks.KINDS if f"kind-{kind}" in fields]
            shown.update(secret=hooks.add(connection, url, kinds, now, person.id), what="signing secret", name=url)
            return None
        number = fields.get("number", "")
        if action not in ("revoke", "remove") or not number.isdecimal() or len(number) > 18:
            raise ProjectError("expected an action: key, revoke, hook or remove")
        (tokens.revoke if action == "revoke" else hooks.remove)(connection, int(number), now, person.id)
        return "key-revoked" if action == "revoke" else "hook-removed"

    try:
        notice = site.database.write(work)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    if notice is None:
        return _show(request, site, person, made=shown)
    return frame.done(request, "project/programs", notice)


def _show(request: Request, site: Site, person: Person, **context: Any) -> Response:
    with site.database.read() as connection:
        keys, addresses = tokens.valid(connection), hooks.listed(connection)
    shown = {"keys": keys, "hooks": addresses, "kinds": hooks.KINDS, "made": None, "refused": None} | context
    routes = described(request.app.openapi())
    address = site.address(request)
    response = frame.show(
        request, site, person, "project", template="dashboard/programs.html", routes=routes, address=address, **shown
    )
    response.status_code = 422 if shown["refused"] else 200
    return response


def described(openapi: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(method, path, what it does) of the API for programs, from its own description."""
    return [
        (method.upper(), path, str(entry.get("description", "")))
        for path, methods in openapi["paths"].items()
        if path.startswith("/api/v1/")
        for method, entry in methods.items()
    ]
