"""The HTTP API for programs: what the dashboard does, as JSON, with a key (`Authorization: Bearer oneof_...`)."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import AfterValidator, Field
from sqlalchemy import select
from starlette.exceptions import HTTPException

from oneof.annotation.asking import access, known, managing, removing, reviewing, tokens
from oneof.annotation.asking.access import Person, Role
from oneof.annotation.learning import catalogue, jobs
from oneof.annotation.learning.report import model_report
from oneof.annotation.learning.sizing import begin_round
from oneof.annotation.project import changing_classes, taking_back
from oneof.annotation.project.changing import change_guidelines, change_settings
from oneof.annotation.store import history
from oneof.annotation.store.schema import models
from oneof.annotation.web import transfer
from oneof.annotation.web.dashboard.overview import figures
from oneof.annotation.web.messages import Message, Number, TaskId, Word, storable
from oneof.annotation.web.site import TheSite, the_manager

router = APIRouter(prefix="/api/v1", tags=["programs"])
Filter = Literal["all", "unanswered", "skipped", "flagged", "disagreeing", "unsure", "against", "gold", "removed"]


def the_program(request: Request, site: TheSite) -> Person:
    """The manager for whom a program acts, by its key or by the manager's own session."""
    kind, _, key = request.headers.get("authorization", "").partition(" ")
    if not kind:
        return the_manager(request, site)
    with site.database.read() as connection:
        person = tokens.owner(connection, key.strip()) if kind.lower() == "bearer" else None
    if person is None or person.role != "admin":
        raise HTTPException(401, "The key is wrong or was revoked.", headers={"WWW-Authenticate": "Bearer"})
    site.database.write(tokens.mark_used, key.strip(), site.clock())
    return person


Program = Annotated[Person, Depends(the_program)]


Changes = Annotated[dict[str, Any], AfterValidator(storable)]


class NewPerson(Message):
    """Somebody to invite. again: replace the link of somebody who is here."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    role: Role = "annotator"
    again: bool = False


class Paused(Message):
    """Pause the project, or resume it."""

    paused: bool


class JudgingRound(Message):
    """The number of questions; or the width of the interval that they should give (0.1: ten percentage points)."""

    questions: Annotated[int, Field(ge=1)] | None = None
    width: Annotated[float, Field(gt=0, lt=1)] | None = None


class NewClasses(Message):
    """Rename or describe a class, or change the list. before, of a new one: a class, "none", or None: unknown."""

    kind: Literal["rename", "describe", "add", "merge", "retire"]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    to: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    into: str | None = None
    before: str | None = None
    definition: Annotated[str, Field(max_length=1000)] | None = None
    confirmed: bool = False


class TakeBack(Message):
    """Take back the last change of the classes. entry: its number in the journal, as it was shown."""

    confirmed: bool = False
    entry: int | None = None


class KnownLabel(Message):
    """The known label of an item; None: not known."""

    label: str | None


class Verdict(Message):
    """A reviewer's answer to a question; accept: leave it as it is. target: the remark or miss that it settles."""

    task: TaskId
    answer: Literal["yes", "no", "skip", "accept"]
    target: TaskId | None = None
    note: Annotated[str, Field(max_length=2000)] | None = None


class Guidelines(Message):
    """What annotators read, in Markdown."""

    text: Annotated[str, Field(max_length=50_000)]


@router.get("/status")
def status(site: TheSite, person: Program) -> dict[str, Any]:
    """Progress, pace, quality of each annotator, versions of the model, and what to look at first."""
    return figures.get(site)


@router.post("/pause")
def pause(site: TheSite, person: Program, wanted: Paused) -> dict[str, Any]:
    """Pause the project, or resume it."""
    managing.set_paused(site.database, None, wanted.paused, site.clock(), person.id)
    figures.forget()
    return {"paused": wanted.paused}


@router.post("/people", status_code=201)
def invite(request: Request, site: TheSite, person: Program, wanted: NewPerson) -> dict[str, Any]:
    """Make a personal link. It is shown once."""
    token = site.database.write(
        access.invite, wanted.name, wanted.role, site.clock(), person.id, new_only=not wanted.again
    )
    figures.forget()
    return {"name": wanted.name, "role": wanted.role, "link": f"{site.address(request)}/join/{token}"}


@router.post("/people/{name}/{action}")
def act(site: TheSite, person: Program, name: Word, action: managing.Action, to: Word | None = None) -> dict[str, Any]:
    """Pause, resume, revoke, withdraw or restore (all answers of this person), or reassign what the person holds."""
    count = managing.act(site.database, action, name, site.clock(), person.id, to=to)
    figures.forget()
    return {"name": name, "action": action, "count": count}


@router.get("/items")
def items(
    site: TheSite,
    person: Program,
    show: Filter = "all",
    after: Annotated[int, Field(ge=0, lt=2**62)] = 0,
    search: Word = "",
) -> dict[str, Any]:
    """Items that a filter lets through, a hundred at a time; go on with `after` = `following`."""
    with site.database.read() as connection:
        found = catalogue.listed(connection, site.project, show, after, 100, search)
    return asdict(found)


@router.post("/items", status_code=202)
async def bring_in(request: Request, site: TheSite, person: Program) -> dict[str, Any]:
    """Upload pictures, zip files or a table as multipart `files`, and known labels as `gold`; a job imports them."""
    return {"job": await transfer.take_files(request, site, person), "kind": "import"}


@router.get("/items/{number}")
def item(site: TheSite, person: Program, number: Number) -> dict[str, Any]:
    """One item with its questions, answers, evidence by class and prediction."""
    with site.database.read() as connection:
        found = catalogue.one_item(connection, site.project, number)
    if found is None:
        raise HTTPException(404, "there is no such item")
    return found


@router.post("/items/{number}/ask")
def ask(site: TheSite, person: Program, number: Number) -> dict[str, Any]:
    """Draw another question about an item."""
    site.database.write(known.ask_again, site.project, number, site.clock(), person.id)
    figures.forget()
    return {"item": number}


@router.put("/items/{number}/gold")
def gold(site: TheSite, person: Program, number: Number, wanted: KnownLabel) -> dict[str, Any]:
    """Set or clear the known label of an item."""
    site.database.write(known.set_known, site.project, number, wanted.label, site.clock(), person.id)
    figures.forget()
    return {"item": number, "label": wanted.label}


@router.post("/items/{name}/{action}")
def take_out(
    site: TheSite, person: Program, name: Word, action: Literal["remove", "restore"], reason: Word = ""
) -> dict[str, Any]:
    """Take an item out by its name, or bring it back. Nothing is deleted."""
    if action == "remove":
        changed = removing.remove(site.database, [name], reason, site.clock(), person.id)
    else:
        changed = removing.restore(site.database, [name], site.clock(), person.id)
    figures.forget()
    return {"item": name, "changed": bool(changed)}


@router.get("/review")
def review(site: TheSite, person: Program) -> dict[str, Any]:
    """The cases that wait for a reviewer."""
    with site.database.read() as connection:
        return {"cases": [asdict(one) for one in reviewing.queue(connection, site.project, 100)]}


@router.post("/review")
def settle(site: TheSite, person: Program, wanted: Verdict) -> dict[str, Any]:
    """Answer a question as a reviewer, or settle a case as it is."""
    verdict = (wanted.task, wanted.answer, wanted.target, wanted.note)
    overruled = site.database.write(reviewing.decide, site.project, person.id, *verdict, site.clock())
    figures.forget()
    return {"task": wanted.task, "overruled": overruled}


@router.post("/train", status_code=202)
def train(site: TheSite, person: Program) -> dict[str, Any]:
    """Begin training in the background."""
    return {"job": jobs.start(site.database, site.project, "train", {}, site.clock(), person.id), "kind": "train"}


@router.post("/judge", status_code=201)
def judge(site: TheSite, person: Program, wanted: JudgingRound) -> dict[str, Any]:
    """Ask for a judging round about the current model: so many questions, or as many as a width of interval takes."""
    begun = begin_round(site.database, site.project, wanted.questions, site.clock(), person.id, width=wanted.width)
    figures.forget()
    return asdict(begun)


@router.get("/jobs/{kind}")
def job(site: TheSite, person: Program, kind: Literal["train", "import", "predict"]) -> dict[str, Any]:
    """The last job of this kind: waiting, running, done or failed, and its progress."""
    with site.database.read() as connection:
        found = jobs.latest(connection, kind, site.clock())
    if found is None:
        raise HTTPException(404, f"there was no {kind} yet")
    return asdict(found)


@router.get("/models")
def versions(site: TheSite, person: Program) -> dict[str, Any]:
    """The versions of the model, newest first, each with its accuracy when it was trained."""
    with site.database.read() as connection:
        rows = connection.execute(select(models).order_by(models.c.id.desc())).all()
    return {"models": [dict(row._mapping) for row in rows]}


@router.get("/report")
def report(site: TheSite, person: Program) -> dict[str, Any]:
    """The current model class by class, what it mixes up, and its calibration; without labels."""
    with site.database.read() as connection:
        found = model_report(connection, site.project)
    if found is None:
        raise HTTPException(404, "there is no model yet")
    return found


@router.get("/models/{version}.zip")
def model(site: TheSite, person: Program, version: Number) -> Response:
    """A version of the model as one file."""
    return transfer.send_model(site, version)


@router.get("/predictions.csv")
def predictions(site: TheSite, person: Program) -> Response:
    """The current model's prediction for every item."""
    return transfer.send_predictions(site)


@router.get("/answers.{kind}")
def answers(
    site: TheSite, person: Program, kind: Literal["csv", "jsonl", "parquet"], everything: bool = False
) -> Response:
    """The answers as a file that `oneof train` reads; `everything` adds checks and withdrawn answers."""
    return transfer.send_answers(site, kind, everything)


@router.get("/backup.sqlite")
def backup(site: TheSite, person: Program) -> Response:
    """The whole database in one file."""
    return transfer.send_backup(site, person)


@router.get("/settings")
def settings(site: TheSite, person: Program) -> dict[str, Any]:
    """The settings."""
    return site.project.settings.model_dump()


@router.patch("/settings")
def change(site: TheSite, person: Program, changes: Changes) -> dict[str, Any]:
    """Change settings; all are checked before any is stored."""
    site.project = change_settings(site.database, site.project, changes, site.clock(), person.id)
    figures.forget()
    return site.project.settings.model_dump()


@router.get("/classes")
def classes(site: TheSite, person: Program) -> dict[str, Any]:
    """The classes that are asked about, and those that are gone."""
    return {"classes": [asdict(one) | {"number": number} for number, one in enumerate(site.project.classes)]}


@router.post("/classes")
def change_classes(site: TheSite, person: Program, wanted: NewClasses) -> dict[str, Any]:
    """Change the classes. Without `confirmed` nothing is changed: the reply lists the consequences."""
    change = changing_classes.Change(wanted.kind, wanted.name, wanted.into, wanted.before, wanted.definition, wanted.to)
    with site.database.read() as connection:
        consequences = changing_classes.consequences(connection, site.project, change)
    if wanted.confirmed:
        site.project = changing_classes.apply(site.database, site.project, change, site.clock(), person.id)
        figures.forget()
    return {"done": wanted.confirmed, "consequences": consequences}


@router.post("/classes/take-back")
def take_classes_back(site: TheSite, person: Program, wanted: TakeBack) -> dict[str, Any]:
    """Take back the last change of the classes. Without `confirmed` the reply only tells it and its consequences."""
    with site.database.read() as connection:
        step = taking_back.last(connection)
        if step is None:
            raise HTTPException(409, "no change of the classes is recorded that could be taken back")
        consequences = taking_back.consequences(connection, site.project, step)
    if wanted.confirmed:
        entry = step.entry if wanted.entry is None else wanted.entry
        site.project = taking_back.take_back(site.database, site.project, site.clock(), person.id, entry)
        figures.forget()
    return {"done": wanted.confirmed, "entry": step.entry, "change": step.words, "consequences": consequences}


@router.get("/guidelines")
def read_guidelines(site: TheSite, person: Program) -> dict[str, Any]:
    """What annotators read, and its version."""
    version, text = site.guidelines()
    return {"version": version, "text": text}


@router.put("/guidelines")
def guidelines(site: TheSite, person: Program, wanted: Guidelines) -> dict[str, Any]:
    """A new version of what annotators read."""
    version = change_guidelines(site.database, site.project, wanted.text, site.clock(), person.id)
    return {"characters": len(wanted.text), "version": version}


@router.get("/journal")
def journal(site: TheSite, person: Program) -> dict[str, Any]:
    """What managers and the server did, newest first."""
    with site.database.read() as connection:
        return {"entries": [asdict(one) for one in history.entries(connection, 500)]}
