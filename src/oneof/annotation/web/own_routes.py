"""An annotator's own pages: what they answered, how fast, a goal; and all classes with their definitions."""

from statistics import median
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from oneof.annotation.asking.access import Person
from oneof.annotation.web import presenting, translating
from oneof.annotation.web.site import Annotator, Site, TheSite

router = APIRouter(tags=["pages"])
SHOWN_ANSWERS = 200
PAGES = {"": "own.questions", "me": "own.me", "classes": "own.classes"}


@router.get("/me")
def me(request: Request, site: TheSite, person: Annotator) -> Response:
    """This annotator's own answers, pace and goal. Nobody else's."""
    with site.database.read() as connection:
        past = presenting.history(connection, site.project, person.id, SHOWN_ANSWERS, site.base)["answers"]
        mine = presenting.progress(connection, person.id)["mine"]
    hour = [one for one in past if one["at"] > site.clock() - 3600]
    figures = {
        "answered": mine["answered"],
        "skipped": mine["skipped"],
        "last_hour": len(hour),
        "many": len(hour) == SHOWN_ANSWERS,
        "median_seconds": median(one["seconds"] for one in past) if past else None,
    }
    # What is stored in private mode was randomised in the browser: it is not what the person said.
    private = site.project.settings.epsilon is not None
    return _show(request, site, person, "me", past=past, figures=figures, private=private, owner=site.owner(person.id))


@router.get("/classes")
def classes(request: Request, site: TheSite, person: Annotator) -> Response:
    """Every class that is asked about, with its definition and example."""
    found = [(number, site.project.classes[number]) for number in site.project.active]
    shown = [
        {"name": one.name, "definition": one.definition, "example": one.example and f"{site.base}/examples/{number}"}
        for number, one in found
    ]
    return _show(request, site, person, "classes", classes=sorted(shown, key=lambda one: str(one["name"]).casefold()))


def _show(request: Request, site: Site, person: Person, page: str, **context: Any) -> Response:
    language = translating.language_of(request, site.project.settings.language)
    frame = translating.context(language, site.root) | {
        "root": site.base,
        "page": page,
        "pages": [(name, language.text(title), f"{site.base}/{name}") for name, title in PAGES.items()],
        "project": site.project.settings.name,
        "me": person,
        "notice": None,
    }
    response = site.templates.TemplateResponse(request, f"own/{page}.html", frame | context)
    response.headers["Cache-Control"] = "no-store"
    return response
