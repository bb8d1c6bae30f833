"""Project: bring items in, take answers out, settings, classes, guidelines, and the history of it all."""

from dataclasses import replace
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import Connection, func, select
from starlette.concurrency import run_in_threadpool

from oneof.annotation.asking.access import Person
from oneof.annotation.learning import jobs
from oneof.annotation.project import changing_classes, taking_back
from oneof.annotation.project.changing import FIXED, change_guidelines, change_settings
from oneof.annotation.project.classes import Class, ProjectError, bad_name
from oneof.annotation.project.folder import Project, open_project
from oneof.annotation.store import facts, history
from oneof.annotation.store.schema import items
from oneof.annotation.web import transfer
from oneof.annotation.web.dashboard import frame
from oneof.annotation.web.dashboard.frame import Form, Manager
from oneof.annotation.web.dashboard.overview import figures
from oneof.annotation.web.dashboard.settings import FORM, as_typed, read_form, shown
from oneof.annotation.web.dashboard.stale import StaleFormError, carried, refuse_stale
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
    """Store uploaded pictures, sounds, zip files of them or a table of texts, and known labels if there are any."""
    try:
        await transfer.take_files(request, site, person)
    except ProjectError as error:
        return await run_in_threadpool(_refuse, request, site, person, error)
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
    typed = as_typed(fields)
    try:
        changes = read_form(site.project.settings, fields)
        site.project = change_settings(
            site.database, site.project, changes, site.clock(), person.id,
            check=lambda today: refuse_stale("settings", typed, shown(today.settings)),
        )  # fmt: skip
    except ProjectError as error:
        return _refuse(request, site, person, error, typed)
    figures.forget()
    return frame.done(request, "project", "settings")


@router.post("/admin/project/classes")
def classes(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Other names and definitions for the same classes."""
    now = site.clock()

    def work(connection: Connection) -> Project:
        changing_classes.one_at_a_time(connection)
        today = open_project(site.project.folder)
        refuse_stale("classes", fields, class_fields(today))
        wanted, renamed = _described(today, fields)
        history.note(connection, "classes", now, person.id, renamed=renamed)
        return changing_classes.store(connection, today, wanted, now, anew=False)

    try:
        refuse_stale("classes", fields, class_fields(site.project))
        _, renamed = _described(site.project, fields)
        if renamed and fields.get("confirmed") != "yes":
            consequences = [f"“{old}” becomes “{new}” in questions from now on." for old, new in renamed.items()]
            consequences += [
                "Answers so far are kept by number, not by name: they now speak of the new name. Rename only what "
                "stays the same thing; a class of another meaning would make every answer about it wrong.",
                "Exports, predictions and models trained from now on use the new name; models that are there keep the "
                "old.",
            ]
            return frame.confirm(
                request, site, person, "project", title="Rename classes?", consequences=consequences,
                button="Rename", fields=fields,
            )  # fmt: skip
        site.project = site.database.write(work)
    except ProjectError as error:
        return _refuse(request, site, person, error, fields)
    figures.forget()
    return frame.done(request, "project", "classes")


def class_fields(project: Project) -> dict[str, str]:
    """What the form of the classes shows: the name and the definition of each that is asked about, by its number."""
    found = {}
    for number in project.active:
        found[f"name-{number}"] = project.classes[number].name
        found[f"definition-{number}"] = project.classes[number].definition or ""
    return found


def _described(project: Project, fields: dict[str, str]) -> tuple[list[Class], dict[str, str]]:
    """The classes as the form wants them, and the new names by the old."""
    values = class_fields(project) | fields
    wanted = list(project.classes)
    for number in project.active:
        name = " ".join(values[f"name-{number}"].split())
        problem = bad_name(name)
        if problem is not None:
            raise ProjectError(f"class {number + 1}: {problem}")
        definition = " ".join(values[f"definition-{number}"].split()) or None
        wanted[number] = replace(wanted[number], name=name, definition=definition)
    pairs = zip(project.classes, wanted, strict=True)
    return wanted, {old.name: new.name for old, new in pairs if old.name != new.name}


@router.post("/admin/project/classes/take-back")
def take_classes_back(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Take back the last change of the classes: says first what that means, and does it once that is confirmed."""
    try:
        if fields.get("confirmed") != "yes":
            with site.database.read() as connection:
                step = taking_back.last(connection)
                if step is None:
                    raise ProjectError("no change of the classes is recorded that could be taken back")
                consequences = taking_back.consequences(connection, site.project, step)
            return frame.confirm(
                request, site, person, "project", title="Take back the last change?",
                consequences=[f"The last change: {step.words}.", *consequences],
                button="Take it back", fields={"entry": str(step.entry)},
            )  # fmt: skip
        entry = frame.needed(fields, "entry")
        if not entry.isdecimal():
            raise ProjectError(f"entry {entry[:20]!r}: not a number of the history")
        site.project = taking_back.take_back(site.database, site.project, site.clock(), person.id, int(entry))
    except ProjectError as error:
        return _refuse(request, site, person, error)
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
                consequences = changing_classes.consequences(connection, site.project, change)
            title = {"add": "Add a class?", "merge": "Merge two classes?", "retire": "Retire a class?"}[kind]
            return frame.confirm(
                request, site, person, "project", title=title, consequences=consequences, button=title[:-1],
                fields=fields,
            )  # fmt: skip
        site.project = changing_classes.apply(site.database, site.project, change, site.clock(), person.id)
    except ProjectError as error:
        return _refuse(request, site, person, error)
    figures.forget()
    return frame.done(request, "project", "class-change")


@router.post("/admin/project/guidelines")
def guidelines(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """A new version of what annotators read."""
    typed = fields | {"text": frame.sent(fields, "text").replace("\r\n", "\n")}
    try:
        change_guidelines(
            site.database, site.project, typed["text"], site.clock(), person.id,
            check=lambda today: refuse_stale("guidelines", typed, {"text": facts.guidelines_text(today)}),
        )  # fmt: skip
    except ProjectError as error:
        return _refuse(request, site, person, error, typed)
    return frame.done(request, "project", "guidelines")


def _refuse(
    request: Request, site: Site, person: Person, error: ProjectError, typed: dict[str, str] | None = None
) -> Response:
    """The page again, with what is wrong and with what was typed."""
    if isinstance(error, StaleFormError):
        return _show(request, site, person, 409, stale=error, typed=error.typed)
    return _show(request, site, person, 422, refused=str(error), typed=typed or {})


def _show(request: Request, site: Site, person: Person, status: int = 200, **context: Any) -> Response:
    with site.database.read() as connection:
        job = jobs.latest(connection, "import", site.clock())
        count = connection.execute(select(func.count()).select_from(items)).scalar_one()
        entries = history.entries(connection)
        last_change = taking_back.last(connection)
    if job is not None and not job.working and (job.finished_at or 0) > site.clock() - 30:
        figures.forget()
    project = site.project
    version, text = facts.current_guidelines(site.database, project)
    forms = {"settings": shown(project.settings), "classes": class_fields(project), "guidelines": {"text": text}}
    response = frame.show(
        request, site, person, "project", **{
            "job": job, "items": count, "history": entries, "classes": project.classes, "active": project.active,
            "last_change": last_change, "settings": project.settings.model_dump(), "form": FORM, "fixed": FIXED,
            "titles": _titles(project), "guidelines_version": version,
            "seen": {name: carried(values) for name, values in forms.items()},
            "values": forms["settings"] | forms["classes"] | forms["guidelines"] | context.pop("typed", {}),
        } | context,
    )  # fmt: skip
    response.status_code = status
    return response


def _titles(project: Project) -> dict[str, str]:
    """What to call each field of the forms."""
    titles = {one.name: one.title for one in FORM} | {"text": "Guidelines"}
    for number, one in enumerate(project.classes):
        titles |= {f"name-{number}": f"Name of class {number + 1}", f"definition-{number}": f"Definition of {one.name}"}
    return titles
