"""What the pages of the dashboard share: who may see them, the top line, forms, and questions before an action."""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from oneof.annotation.asking.access import Person
from oneof.annotation.web.site import Manager as Manager
from oneof.annotation.web.site import Reviewer as Reviewer
from oneof.annotation.web.site import Site

PAGES = {
    "overview": "Overview",
    "items": "Items",
    "review": "Review",
    "people": "People",
    "model": "Model",
    "project": "Project",
}
REVIEWERS_PAGES = ("review",)
MOST_FIELDS = 5000
FORM_TYPE = "application/x-www-form-urlencoded"

NOTICES = {
    "paused": "Paused: nobody gets new questions. What is on a screen may still be answered.",
    "resumed": "People get questions again.",
}
"""What a page says after an action, by its name in the address: an address cannot make a page say anything else."""


def root(request: Request) -> str:
    """The path before every address of this project: empty, or without a slash at its end."""
    site: Site = request.app.state.site
    return site.base


def address(request: Request, page: str, **query: Any) -> str:
    """The address of a page of the dashboard."""
    path = "/admin" if page == "overview" else f"/admin/{page}"
    given = {name: value for name, value in query.items() if value not in (None, "")}
    return root(request) + path + ("?" + urlencode(given) if given else "")


def show(request: Request, site: Site, person: Person, page: str, *, template: str = "", **context: Any) -> Response:
    """A page of the dashboard, with the line of pages at its top."""
    shown = PAGES if person.role == "admin" else {name: PAGES[name] for name in REVIEWERS_PAGES}
    frame = {
        "root": root(request),
        "page": page,
        "pages": [(name, title, address(request, name)) for name, title in shown.items()],
        "project": site.project.settings.name,
        "me": person,
        "notice": NOTICES.get(request.query_params.get("done", "")),
        "now": site.clock(),
    }
    response = site.templates.TemplateResponse(request, template or f"dashboard/{page}.html", frame | context)
    response.headers["Cache-Control"] = "no-store"
    return response


def done(request: Request, page: str, notice: str, **query: Any) -> Response:
    """Back to a page, with a sentence about what was done."""
    assert notice in NOTICES, notice
    return RedirectResponse(address(request, page, done=notice, **query), status_code=303)


def confirm(
    request: Request,
    site: Site,
    person: Person,
    page: str,
    *,
    title: str,
    consequences: Sequence[str],
    button: str,
    fields: dict[str, str],
    back: str | None = None,
) -> Response:
    """Ask before acting: what will happen, and the same form once more with `confirmed`."""
    return show(
        request,
        site,
        person,
        page,
        template="dashboard/confirm.html",
        title=title,
        consequences=consequences,
        button=button,
        fields={**fields, "confirmed": "yes"},
        action=root(request) + request.scope["path"].removeprefix(root(request)),
        back=back or address(request, page),
    )


async def form(request: Request) -> dict[str, str]:
    """The fields of a plain form; a field that was not sent is not there."""
    kind = request.headers.get("content-type", FORM_TYPE).partition(";")[0].strip().lower()
    if kind != FORM_TYPE:
        raise HTTPException(415, f"expected a form of the type {FORM_TYPE}")
    body = (await request.body()).decode("utf-8", "replace")
    try:
        found = parse_qs(body, max_num_fields=MOST_FIELDS, keep_blank_values=True)
    except ValueError:
        raise HTTPException(422, "more fields than the form has") from None
    fields = {name: values[-1] for name, values in found.items()}
    # PostgreSQL takes no zero byte in a text, not even to look for it.
    if any("\0" in name + value for name, value in fields.items()):
        raise HTTPException(422, "a field may not hold a zero byte")
    return fields


Form = Annotated[dict[str, str], Depends(form)]


def sent(fields: dict[str, str], name: str) -> str:
    """A field that the form always sends, even if it is empty."""
    if name not in fields:
        raise HTTPException(422, f"{name}: is missing")
    return fields[name]


def needed(fields: dict[str, str], name: str) -> str:
    """A field that must not be empty."""
    if not fields.get(name, "").strip():
        raise HTTPException(422, f"{name}: nothing was given")
    return fields[name]
