"""Project: bring items in, take answers out, settings, classes, guidelines, and the history of it all."""

from dataclasses import replace
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import Connection, func, select
from starlette.concurrency import run_in_threadpool

from oneof.annotation.asking.people import Person
from oneof.annotation.learning import jobs
from oneof.annotation.project import changing_classes, taking_back
from oneof.annotation.project.changing import FIXED, change_guidelines, change_settings
from oneof.annotation.project.classes import Class, ProjectError, bad_name, fingerprint
from oneof.annotation.project.folder import Project, open_project
from oneof.annotation.store import journal
from oneof.annotation.store.schema import items
from oneof.annotation.web import transfer
from oneof.annotation.web.dashboard import frame
from oneof.annotation.web.dashboard.frame import Form, Manager
from oneof.annotation.web.dashboard.overview import figures
from oneof.annotation.web.dashboard.settings import FORM, read_form
from oneof.annotation.web.site import Site, TheSite

router = APIRouter(tags=["dashboard"])

frame.NOTICES |= {
    "importing": "The files are here. They are read and stored in the background; it goes on if you leave this page.",
    "settings": "The settings are saved and hold from now on.",
    "classes": "The classes are saved. Annotators see them with the next question.",
    "class-change": "The list of classes is changed. Questions that nobody has seen are drawn from the new one.",
    "guidelines": "The guidelines are saved as a new version. Answers remember which version was on screen.",
}


@router.get("/admin/project")
def project(request: Request, site: TheSite, person: Manager) -> Response:
    """The settings, and everything that goes in and out."""
    return _show(request, site, person)


@router.post("/admin/project/import")
async def bring_in(request: Request, site: TheSite, person: Manager) -> Response:
    """Take pictures, zip files of pictures, or a table of texts; and known labels, if given."""
    try:
        await transfer.take_files(request, site, person)
    except ProjectError as error:
        return await run_in_threadpool(_show, request, site, person, refused=str(error))
    figures.forget()
    return frame.done(request, "project", "importing")


@router.get("/admin/project/answers.{kind}")
def answers(site: TheSite, person: Manager, kind: str, everything: bool = False) -> Response:
    """The answers as a file that `oneof train` reads; `everything` adds checks and withdrawn answers."""
    return transfer.send_answers(site, kind, everything)


@router.get("/admin/project/backup.sqlite")
def backup(site: TheSite, person: Manager) -> Response:
    """The whole database in one file."""
    return transfer.send_backup(site, person)


@router.post("/admin/project/settings")
def settings(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Change settings; all are checked before any is stored."""
    try:
        changes = read_form(site.project.settings, fields)
        site.project = change_settings(site.database, site.project, changes, site.clock(), person.id)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error), typed=fields)
    figures.forget()
    return frame.done(request, "project", "settings")


@router.post("/admin/project/classes")
def classes(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Other names and definitions for the same classes."""
    known = site.project.classes
    wanted: list[Class] = []
    for number, one in enumerate(known):
        if one.ended is not None:
            wanted.append(one)
            continue
        name = " ".join(fields.get(f"name-{number}", one.name).split())
        problem = bad_name(name)
        if problem is not None:
            return _show(request, site, person, refused=f"class {number + 1}: {problem}")
        definition = fields.get(f"definition-{number}", one.definition or "").strip()
        wanted.append(replace(one, name=name, definition=definition or None))
    renamed = {old.name: new.name for old, new in zip(known, wanted, strict=True) if old.name != new.name}
    if renamed and fields.get("confirmed") != "yes":
        consequences = [f"“{old}” becomes “{new}” in questions from now on." for old, new in renamed.items()]
        consequences += [
            "Answers so far are kept by number, not by name: they now speak of the new name. Rename only what stays "
            "the same thing; a class of another meaning would make every answer about it wrong.",
            "Exports, predictions and models trained from now on use the new name; models that are there keep the old.",
        ]
        return frame.confirm(
            request, site, person, "project", title="Rename classes?", consequences=consequences,
            button="Rename", fields=fields,
        )  # fmt: skip
    now = site.clock()

    def work(connection: Connection) -> Project:
        changing_classes.one_at_a_time(connection)
        today = open_project(site.project.folder)
        if fields.get("seen", fingerprint(known)) != fingerprint(today.classes) or today.classes != known:
            raise ProjectError("somebody else has changed the classes meanwhile: look at them, and change them again")
        journal.note(connection, "classes", now, person.id, renamed=renamed)
        return changing_classes.store(connection, today, wanted, now, anew=False)

    try:
        site.project = site.database.write(work)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    figures.forget()
    return frame.done(request, "project", "classes")


@router.post("/admin/project/classes/take-back")
def take_classes_back(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Take back the last change of the classes: says first what that means, and does it once that is confirmed."""
    try:
        if fields.get("confirmed") != "yes":
            with site.database.read() as connection:
                step = taking_back.last(connection)
                if step is None:
                    raise ProjectError("no change of the classes is recorded that could be taken back")
                told = [f"The last change: {step.words}.", *taking_back.consequences(connection, site.project, step)]
            return frame.confirm(
                request, site, person, "project", title="Take back the last change?", consequences=told,
                button="Take it back", fields={"entry": str(step.entry)},
            )  # fmt: skip
        entry = frame.needed(fields, "entry")
        if not entry.isdecimal():
            raise ProjectError(f"entry {entry[:20]!r}: not a number of the history")
        site.project = taking_back.take_back(site.database, site.project, site.clock(), person.id, int(entry))
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    figures.forget()
    return frame.done(request, "project", "class-change")


@router.post("/admin/project/classes/{kind}")
def change_classes(
    request: Request, site: TheSite, person: Manager, kind: Literal["add", "merge", "retire"], fields: Form
) -> Response:
    """Add, merge or retire a class: says first what that means, and does it once that is confirmed."""
    before = fields.get("before", "")
    change = changing_classes.Change(
        kind,
        frame.needed(fields, "name"),
        fields.get("into") or None,
        None if before in ("", "unknown") else before.removeprefix("class:"),
        " ".join(fields.get("definition", "").split()) or None,
    )
    try:
        if fields.get("confirmed") != "yes":
            with site.database.read() as connection:
                told = changing_classes.consequences(connection, site.project, change)
            title = {"add": "Add a class?", "merge": "Merge two classes?", "retire": "Retire a class?"}[kind]
            return frame.confirm(
                request, site, person, "project", title=title, consequences=told, button=title[:-1], fields=fields
            )
        site.project = changing_classes.apply(site.database, site.project, change, site.clock(), person.id)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    figures.forget()
    return frame.done(request, "project", "class-change")


@router.post("/admin/project/guidelines")
def guidelines(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """A new version of what annotators read."""
    try:
        change_guidelines(site.database, site.project, fields.get("text", ""), site.clock(), person.id)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    return frame.done(request, "project", "guidelines")


def _show(request: Request, site: Site, person: Person, **context: Any) -> Response:
    with site.database.read() as connection:
        job = jobs.latest(connection, "import", site.clock())
        count = connection.execute(select(func.count()).select_from(items)).scalar_one()
        history = journal.entries(connection)
        last_change = taking_back.last(connection)
    if job is not None and not job.working and (job.finished_at or 0) > site.clock() - 30:
        figures.forget()
    version, text = site.guidelines()
    values = site.project.settings.model_dump()
    shown = {
        "job": job, "items": count, "history": history, "classes": site.project.classes,
        "active": site.project.active, "seen": fingerprint(site.project.classes), "last_change": last_change,
        "settings": values,
        "form": FORM, "fixed": FIXED, "guidelines": text, "guidelines_version": version, "refused": None, "typed": {},
    } | context  # fmt: skip
    response = frame.show(request, site, person, "project", **shown)
    response.status_code = 422 if shown["refused"] else 200
    return response
