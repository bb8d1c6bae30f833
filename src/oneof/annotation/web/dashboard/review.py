"""Review: disagreements, remarks and known items answered wrongly, for reviewers and managers."""

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from oneof.annotation.asking import reviewing
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.web.dashboard import frame
from oneof.annotation.web.dashboard.frame import Form, Reviewer
from oneof.annotation.web.dashboard.overview import figures
from oneof.annotation.web.site import TheSite

router = APIRouter(tags=["dashboard"])
LONGEST_NOTE = 2000

frame.NOTICES |= {
    "settled": "Your answer is recorded as yours. What contradicts it is kept, but not used.",
    "accepted": "Settled as it is.",
}


@router.get("/admin/review")
def review(request: Request, site: TheSite, person: Reviewer) -> Response:
    """The cases that wait for a reviewer."""
    with site.database.read() as connection:
        cases = reviewing.queue(connection, site.project)
    private = site.project.settings.epsilon is not None
    return frame.show(request, site, person, "review", cases=cases, private=private)


@router.post("/admin/review")
def settle(request: Request, site: TheSite, person: Reviewer, fields: Form) -> Response:
    """Answer a question as a reviewer, or settle a case as it is."""
    task, answer = _number(frame.needed(fields, "task")), frame.needed(fields, "answer")
    target = _number(fields["target"]) if fields.get("target") else None
    note = fields.get("note", "").strip()[:LONGEST_NOTE] or None
    try:
        site.database.write(reviewing.decide, site.project, person.id, task, answer, target, note, site.clock())
    except ProjectError as error:
        raise HTTPException(422, str(error)) from None
    figures.forget()
    return frame.done(request, "review", "accepted" if answer == "accept" else "settled")


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise HTTPException(422, f"{text[:20]!r} is not a number")
    return int(text)
