"""The routes that the page talks to, in JSON."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError
from sqlalchemy import Connection, Row, select
from starlette.concurrency import run_in_threadpool

from oneof.annotation.asking import claims, recording, standing
from oneof.annotation.web import messages, presenting
from oneof.annotation.web.site import Annotator, TheSite, as_annotator

router = APIRouter()


@router.get("/healthz", tags=["health"])
def health(site: TheSite) -> dict[str, Any]:
    """Whether the server and its database answer."""
    with site.database.read() as connection:
        connection.execute(select(1)).one()
    site.database.check_file()
    return {"status": "ok", "project": site.project.settings.name}


@router.post("/api/claim", tags=["annotating"], responses={204: {"description": "nothing is left"}})
def claim(request: Request, site: TheSite, wanted: messages.Claim | None = None) -> Response:
    """Hold a question (or up to `count`) and return it; 204 with X-Oneof-Reason when there is none."""
    wanted = wanted or messages.Claim()
    now = site.clock()
    count = wanted.count or 1

    def work(connection: Connection, me: Row[Any]) -> tuple[claims.Claimed, list[dict[str, Any]], dict[str, Any]]:
        project = site.project
        claimed = claims.claim(
            connection,
            project,
            me.id,
            now,
            count=count,
            resume=wanted.resume,
            exclude=wanted.exclude,
            standing=me,
        )
        shown = [presenting.question(connection, project, me.id, task, now, site.base) for task in claimed.tasks]
        return claimed, shown, standing.progress(me)

    claimed, shown, progress = as_annotator(request, site, work)
    if not shown:
        return Response(status_code=204, headers={"X-Oneof-Reason": claimed.reason or "done"})
    common = {"progress": progress, "guidelines_version": site.guidelines()[0]}
    return JSONResponse(shown[0] | common if wanted.count is None else {"tasks": shown} | common)


@router.get("/api/progress", tags=["annotating"])
def progress(site: TheSite, person: Annotator) -> dict[str, Any]:
    """The progress, and whether the project is paused."""
    with site.database.read() as connection:
        return {
            "progress": presenting.progress(connection, person.id),
            "reason": "paused" if person.paused or claims.is_paused(connection) else None,
        }


@router.post("/api/release", tags=["annotating"])
async def release(request: Request, site: TheSite, person: Annotator) -> Response:
    """Give back questions that were not shown. Takes text/plain too, as a closing page sends it."""
    try:
        wanted = messages.Release.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from None
    released = await run_in_threadpool(site.database.write, claims.release, person.id, wanted.tasks)
    return JSONResponse({"released": released})


@router.post("/api/answers", tags=["annotating"], status_code=201)
def answer(request: Request, site: TheSite, sent: messages.Answer) -> Response:
    """Store an answer: 201, or 200 with the stored row when this `id` is here already."""
    version = site.guidelines()[0]

    def work(connection: Connection, me: Row[Any]) -> tuple[dict[str, Any], bool]:
        _refuse_untrue(sent, site.project.settings.flip, version)
        shown = sent.guidelines_version or me.guidelines or version
        given = recording.Given(sent.id, sent.task, sent.answer, sent.seconds, sent.reason, shown, sent.guess)
        event, new = recording.record_answer(connection, site.project, me.id, given, site.clock(), standing=me)
        row = presenting.answer_row(event) | {"progress": presenting.progress(connection, me.id)}
        return row, new

    row, new = as_annotator(request, site, work)
    return JSONResponse(row | {"guidelines_version": version}, status_code=201 if new else 200)


@router.post("/api/undo", tags=["annotating"])
def undo(site: TheSite, person: Annotator, wanted: messages.Undo) -> dict[str, Any]:
    """Take back an answer; its question is held again and returned."""
    now = site.clock()

    def work(connection: Connection) -> dict[str, Any]:
        answer = recording.undo(connection, site.project, person.id, wanted.id, now, wanted.answer_id)
        return {
            "task": presenting.question(connection, site.project, person.id, answer.task_id, now, site.base),
            "undone": answer.client_id,
            "answer_id": answer.client_id,
            "answer": answer.answer,
            "progress": presenting.progress(connection, person.id),
        }

    return site.database.write(work)


@router.post("/api/redo", tags=["annotating"])
def redo(site: TheSite, person: Annotator, wanted: messages.Redo) -> dict[str, Any]:
    """Bring back the answer that was undone last."""

    def work(connection: Connection) -> dict[str, Any]:
        answer = recording.redo(connection, person.id, wanted.id, site.clock(), wanted.answer_id)
        return {
            "redone": answer.client_id,
            "answer_id": answer.client_id,
            "answer": answer.answer,
            "task": answer.task_id,
            "progress": presenting.progress(connection, person.id),
        }

    return site.database.write(work)


@router.post("/api/flags", tags=["annotating"], status_code=201)
def flag(site: TheSite, person: Annotator, sent: messages.Flag) -> Response:
    """Leave a remark about an item for the manager."""
    event, new = site.database.write(recording.flag, person.id, sent.id, sent.task, sent.comment, site.clock())
    row = {"id": event.client_id, "task": event.task_id, "comment": event.comment, "at": event.at}
    return JSONResponse(row, status_code=201 if new else 200)


@router.get("/api/history", tags=["annotating"])
def history(site: TheSite, person: Annotator, limit: int = 20) -> dict[str, Any]:
    """This annotator's own last answers, newest first."""
    with site.database.read() as connection:
        return presenting.history(connection, site.project, person.id, max(1, min(limit, 200)), site.base)


def _refuse_untrue(sent: messages.Answer, flip: float, version: int) -> None:
    # Absent means: as the project is. Only the browser knows the coin; what says that it was not flipped is refused.
    if flip and sent.private is False and (sent.answer != "skip" or sent.guess is not None):
        raise RequestValidationError([_problem("private", "this project takes only answers that the browser flipped")])
    if sent.private and not flip:
        raise RequestValidationError([_problem("private", "this project is not private: send the answer as it is")])
    if sent.guidelines_version is not None and sent.guidelines_version > version:
        raise RequestValidationError([_problem("guidelines_version", f"there are {version} versions")])


def _problem(field: str, message: str) -> dict[str, Any]:
    return {"loc": ("body", field), "msg": message, "type": "value_error"}
