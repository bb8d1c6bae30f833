"""Items: a list with filters; one item with its answers; ask again, set a known label, take out."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection
from starlette.exceptions import HTTPException

from oneof.annotation.asking import known, removing
from oneof.annotation.asking.access import Person
from oneof.annotation.learning import catalogue
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.web.dashboard import frame
from oneof.annotation.web.dashboard.frame import Form, Manager
from oneof.annotation.web.dashboard.overview import figures
from oneof.annotation.web.messages import Number
from oneof.annotation.web.site import Site, TheSite

router = APIRouter(tags=["dashboard"])
SHOWN = 60

frame.NOTICES |= {
    "asked-again": "A new question about this item is drawn and waits for an answer.",
    "gold-set": "The label is kept as known. The item is hidden among the others, to see how often people are right.",
    "item-removed": "Taken out: it is asked no more, and training, predictions and exports leave it out.",
    "item-restored": "Back again, with its questions and answers.",
    "gold-cleared": "The label is not taken as known any more.",
}


@router.get("/admin/items")
def browse(
    request: Request, site: TheSite, person: Manager, show: str = "all", after: int = 0, search: str = ""
) -> Response:
    """Items that match a filter, some at a time."""
    if show not in catalogue.FILTERS or not 0 <= after < 2**62 or "\0" in search or len(search) > 200:
        raise HTTPException(404, "There is no such list of items.")
    with site.database.read() as connection:
        found = catalogue.listed(connection, site.project, show, after, SHOWN, search)
    more = None
    if found.following is not None:
        more = frame.address(request, "items", show=show, search=search, after=found.following)
    return frame.show(
        request, site, person, "items",
        found=found.items, show=show, search=search, filters=catalogue.FILTERS, more=more, after=after,
    )  # fmt: skip


@router.get("/admin/items/{number}")
def one(request: Request, site: TheSite, person: Manager, number: Number) -> Response:
    """Everything that is known about one item."""
    with site.database.read() as connection:
        found = catalogue.one_item(connection, site.project, number)
    if found is None:
        raise HTTPException(404, "There is no such item.")
    names = site.project.active_names
    believed = None
    if found["evidence"] is not None:
        believed = sorted(zip(names, found["evidence"], strict=True), key=lambda pair: -pair[1])[:12]
    return frame.show(
        request, site, person, "items", template="dashboard/item.html", item=found, names=names, believed=believed
    )


@router.post("/admin/items/{number}")
def act(request: Request, site: TheSite, person: Manager, number: Number, fields: Form) -> Response:
    """Ask again, set or clear the known label, take out or bring back."""
    if fields.get("action") in ("remove", "restore"):
        return _take_out(request, site, person, number, fields)
    action = frame.needed(fields, "action")
    now = site.clock()

    def work(connection: Connection) -> str:
        if action == "ask":
            known.ask_again(connection, site.project, number, now, person.id)
            return "asked-again"
        if action == "gold":
            label = fields.get("label") or None
            known.set_known(connection, site.project, number, label, now, person.id)
            return "gold-set" if label else "gold-cleared"
        raise ProjectError("expected an action: ask or gold")

    try:
        notice = site.database.write(work)
    except ProjectError as error:
        raise HTTPException(422, str(error)) from None
    figures.forget()
    return RedirectResponse(f"{frame.address(request, 'items')}/{number}?done={notice}", status_code=303)


def _take_out(request: Request, site: Site, person: Person, number: int, fields: dict[str, str]) -> Response:
    with site.database.read() as connection:
        found = catalogue.one_item(connection, site.project, number)
    if found is None:
        raise HTTPException(404, "There is no such item.")
    page = f"{frame.address(request, 'items')}/{number}"
    if fields["action"] == "restore":
        removing.restore(site.database, [found["name"]], site.clock(), person.id)
    elif fields.get("confirmed") != "yes":
        answers = sum(len(question["answers"]) for question in found["questions"])
        consequences = [
            f"{found['name']} is asked no more; whoever has it on screen may still answer.",
            f"Its {answers} answers stay in the log, but training, predictions and exports leave them out.",
            "“Bring back” undoes it. Both are recorded in the history of the project.",
        ]
        return frame.confirm(
            request, site, person, "items", title="Take this item out?", consequences=consequences,
            button="Take it out", fields={"action": "remove", "reason": fields.get("reason", "")[:500]}, back=page,
        )  # fmt: skip
    else:
        removing.remove(site.database, [found["name"]], fields.get("reason", ""), site.clock(), person.id)
    figures.forget()
    notice = "item-removed" if fields["action"] == "remove" else "item-restored"
    return RedirectResponse(f"{page}?done={notice}", status_code=303)
