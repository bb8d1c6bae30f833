"""People: invite, pause, hand questions over, end a link, withdraw answers; and the quality of each person."""

from typing import Any

import segno
from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup
from sqlalchemy import select
from starlette.exceptions import HTTPException

from oneof.annotation.asking import access, managing
from oneof.annotation.asking.access import ROLES, Person
from oneof.annotation.learning import quality
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.schema import claims, people
from oneof.annotation.web import presenting
from oneof.annotation.web.dashboard import charts, frame
from oneof.annotation.web.dashboard.frame import Form, Manager
from oneof.annotation.web.dashboard.overview import figures
from oneof.annotation.web.messages import Number
from oneof.annotation.web.site import Site, TheSite
from oneof.evaluation import clopper_pearson

router = APIRouter(tags=["dashboard"])
SHOWN_ANSWERS = 100
ROLE_NAMES = {"annotator": "Annotator", "reviewer": "Reviewer", "admin": "Manager"}

frame.NOTICES |= {
    "person-paused": "Paused: no new questions for this person.",
    "person-resumed": "This person gets questions again.",
    "reassigned": "The questions on that screen go to others now.",
    "revoked": "The link and every session have ended. The answers stay.",
    "withdrawn": "The answers are left out, and their questions are open again. Restore brings them back.",
    "restored": "The answers are used again.",
}
DONE = {
    "pause": "person-paused",
    "resume": "person-resumed",
    "reassign": "reassigned",
    "revoke": "revoked",
    "withdraw": "withdrawn",
    "restore": "restored",
}


@router.get("/admin/people")
def everybody(request: Request, site: TheSite, person: Manager) -> Response:
    """Everybody, with their figures."""
    return _show(request, site, person)


@router.get("/admin/people/{number}")
def one(request: Request, site: TheSite, person: Manager, number: Number) -> Response:
    """One person's past answers."""
    with site.database.read() as connection:
        found = connection.execute(select(people.c.name).where(people.c.id == number)).scalar()
        if found is None:
            raise HTTPException(404, "There is nobody of that number.")
        past = presenting.history(connection, site.project, number, SHOWN_ANSWERS)
    known = {entry["name"]: entry for entry in figures.get(site)["annotators"]}
    return frame.show(
        request, site, person, "people", template="dashboard/person.html",
        name=found, past=past["answers"], entry=_with_intervals(site, known[found]) if found in known else None,
    )  # fmt: skip


@router.post("/admin/people/invite")
def invite(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """A personal link for somebody new; or, with `again`, a new one in place of the old."""
    name, role = frame.needed(fields, "name").strip(), fields.get("role", "annotator")
    if role not in ROLES:
        raise HTTPException(422, f"role {role!r}: expected {', '.join(ROLES)}")
    again = fields.get("again") == "yes"
    try:
        token = site.database.write(access.invite, name, role, site.clock(), person.id, new_only=not again)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    figures.forget()
    link = f"{site.address(request)}/join/{token}"
    code = segno.make(link, error="m").svg_inline(border=0, omitsize=True, svgclass=None, lineclass=None)
    # The link is shown once, here; it is stored nowhere.
    invited = {"name": name, "role": ROLE_NAMES[role], "link": link, "code": Markup(code)}
    return _show(request, site, person, invited=invited)


@router.post("/admin/people/act")
def act(request: Request, site: TheSite, person: Manager, fields: Form) -> Response:
    """Pause, resume, reassign, revoke, withdraw or restore."""
    action, name = frame.needed(fields, "action"), frame.needed(fields, "name")
    if action in ("withdraw", "revoke") and fields.get("confirmed") != "yes":
        return _ask_first(request, site, person, action, name)
    try:
        managing.act(site.database, action, name, site.clock(), person.id, to=fields.get("to") or None)
    except ProjectError as error:
        return _show(request, site, person, refused=str(error))
    figures.forget()
    return frame.done(request, "people", DONE[action])


def _ask_first(request: Request, site: Site, person: Person, action: str, name: str) -> Response:
    found = next((entry for entry in _entries(site) if entry["name"] == name), None)
    if found is None:
        return _show(request, site, person, refused=f"nobody here is called {name!r}")
    if action == "revoke":
        title, button = f"End the link of {name}?", "End the link"
        consequences = [
            f"{name} is signed out everywhere, and the personal link stops working.",
            "Questions on that screen go to others. Answers stay and are used.",
            "“New link” lets this person in again.",
        ]
    else:
        title, button = f"Withdraw the answers of {name}?", "Withdraw"
        consequences = [
            f"{found['answered']} answers and {found['skipped']} “can't tell” are no longer used: not by training, "
            "not in figures, not in exports.",
            "Their questions are open again and are asked of others.",
            "Nothing is deleted; “Restore answers” brings them back. Both are recorded in the history of the project.",
        ]
    fields = {"action": action, "name": name}
    return frame.confirm(
        request, site, person, "people", title=title, consequences=consequences, button=button, fields=fields
    )


def _show(request: Request, site: Site, person: Person, **context: Any) -> Response:
    entries = _entries(site)
    shown = {"people": entries, "roles": ROLE_NAMES, "invited": None, "refused": None} | context
    response = frame.show(request, site, person, "people", **shown)
    response.status_code = 422 if shown["refused"] else 200
    return response


def _entries(site: Site) -> list[dict[str, Any]]:
    """Everybody, annotators with their figures."""
    known = {entry["name"]: _with_intervals(site, entry) for entry in figures.get(site)["annotators"]}
    with site.database.read() as connection:
        rows = connection.execute(select(people).order_by(people.c.name)).all()
        gone = select(claims.c.person_id).where(claims.c.state == "withdrawn").distinct()
        withdrawn = set(connection.scalars(gone))
    return [
        {"answered": row.answered, "skipped": row.skipped, "paused": row.paused, "revoked": row.revoked_at is not None}
        | known.get(row.name, {})
        | {"withdrawn": row.id in withdrawn}
        | {"id": row.id, "name": row.name, "role": row.role, "role_name": ROLE_NAMES.get(row.role, row.role)}
        for row in rows
    ]


def _with_intervals(site: Site, entry: dict[str, Any]) -> dict[str, Any]:
    """The rates of a person with exact 95 % intervals, as figures and as small charts."""
    expected = quality.expected_yes_rate(site.project)
    counted = {
        "yes": (entry["yes"], entry["uniform_answers"], expected),
        "gold": (entry["gold_right"], entry["gold_asked"], None),
        "repeats": (entry["repeats_same"], entry["repeats_asked"], None),
    }
    rates = {}
    for name, (part, whole, mark) in counted.items():
        if not whole:
            continue
        low, high = (float(end) for end in clopper_pearson(part, whole, 0.95))
        spoken = f"{part} of {whole}, 95 % interval {low:.0%} to {high:.0%}"
        bar = charts.range_bar(low, part / whole, high, mark, spoken)
        rates[name] = {"value": part / whole, "low": low, "high": high, "part": part, "whole": whole, "bar": bar}
    return entry | {"rates": rates, "expected": expected}
