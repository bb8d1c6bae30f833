"""What every route needs: the project, its database, the templates, the clock, and the person who sends a request."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.templating import Jinja2Templates
from sqlalchemy import Connection, Row

from oneof.annotation.asking import access, standing
from oneof.annotation.asking.access import Person
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.database import Database
from oneof.annotation.web.live import LiveProject
from oneof.annotation.web.translating import Refusal

T = TypeVar("T")

GUIDELINES_SECONDS = 2.0
ANNOTATING = ("annotator",)
MANAGING = ("admin",)
REVIEWING = ("admin", "reviewer")
REFUSALS: dict[tuple[str, ...], str] = {
    ANNOTATING: "managers_link",
    MANAGING: "for_managers",
    REVIEWING: "for_reviewers",
}
"""The text for somebody who is signed in, but in none of these roles."""

USER = "oneof.user"
"""The key of a request's scope that names the person whom a trusted proxy has signed in."""


def cookie_name(project_id: str, role: str) -> str:
    """A name for each project and role, so that in one browser none signs out another.

    >>> cookie_name("5f0c", "annotator")
    'oneof_5f0c_annotator'
    """
    return f"oneof_{project_id}_{role}"


@dataclass
class Site:
    """One served project. root: the path of the server; slug: the project's part of it, where there are several."""

    live: LiveProject
    database: Database
    templates: Jinja2Templates
    project_id: str
    clock: Callable[[], float]
    root: str = ""
    slug: str = ""
    _guidelines: tuple[float, int, str] | None = field(default=None)

    @property
    def project(self) -> Project:
        """The project as its files are now; another server process may have changed them."""
        return self.live.get()

    @project.setter
    def project(self, project: Project) -> None:
        self.live.set(project)

    def guidelines(self) -> tuple[int, str]:
        """Version and text. The file is read again every few seconds, so that an edit needs no restart."""
        now = self.clock()
        if self._guidelines is None or not 0 <= now - self._guidelines[0] < GUIDELINES_SECONDS:
            self._guidelines = (now, *facts.current_guidelines(self.database, self.project))
        return self._guidelines[1], self._guidelines[2]

    @property
    def base(self) -> str:
        """The path that every address of this project starts with; no slash at its end."""
        return f"{self.root}/{self.slug}" if self.slug else self.root

    def address(self, request: Request) -> str:
        """The address of this project, as the browser of this request wrote it; no slash at its end."""
        return f"{request.url.scheme}://{request.url.netloc}{self.base}"

    def cookie(self, role: str) -> str:
        """The name of the session cookie of this role."""
        return cookie_name(self.project_id, role)

    def owner(self, person_id: int) -> str:
        """A stable name for this person in this project, by which a browser keeps unsent answers apart."""
        return hashlib.sha256(f"{self.project_id}/{person_id}".encode()).hexdigest()[:24]


# Dependencies that do not wait for anything are coroutines: a plain function would cost a trip to a thread each.


async def current_site(request: Request) -> Site:
    """The site that this request is for."""
    site: Site = request.app.state.site
    return site


TheSite = Annotated[Site, Depends(current_site)]


def session_of(request: Request, site: Site, roles: tuple[str, ...]) -> Person | None:
    """The person of a request, in one of these roles: named by a trusted proxy, else by a session."""
    with site.database.read() as connection:
        return _find(connection, request, site, roles)


def as_annotator(request: Request, site: Site, work: Callable[[Connection, Row[Any]], T]) -> T:
    """Find the annotator of a request and run `work(connection, standing)` in the same transaction; else 401 or 403.

    For what every click does: a transaction of its own to find the person takes half as long as a claim.
    """
    user, secret = request.scope.get(USER), request.cookies.get(site.cookie("annotator"), "")

    def as_found(connection: Connection) -> T:
        now = site.clock()
        if user is not None:
            found = standing.of_name(connection, user, now)
        else:
            found = standing.of_session(connection, secret, now)
        if found is None:
            _require(connection, request, site, ANNOTATING)
            raise Refusal(401, "open_link")
        _check_owner(request, site, found.id)
        return work(connection, found)

    if user is None and not secret:
        the_annotator(request, site)
    return site.database.write(as_found)


def signed_in(request: Request, site: TheSite) -> Person:
    """Whoever has a valid session in any role, else 401."""
    return _person_in(request, site, access.ROLES)


def the_annotator(request: Request, site: TheSite) -> Person:
    """An annotator, else 403: the admin's own link asks no questions."""
    return _person_in(request, site, ANNOTATING)


def the_manager(request: Request, site: TheSite) -> Person:
    """A manager, else 403."""
    return _person_in(request, site, MANAGING)


def the_reviewer(request: Request, site: TheSite) -> Person:
    """A reviewer or a manager, else 403."""
    return _person_in(request, site, REVIEWING)


def _person_in(request: Request, site: Site, roles: tuple[str, ...]) -> Person:
    with site.database.read() as connection:
        return _require(connection, request, site, roles)


def _find(connection: Connection, request: Request, site: Site, roles: tuple[str, ...]) -> Person | None:
    user = request.scope.get(USER)
    if user is not None:
        person = access.by_name(connection, user)
        return person if person is not None and person.role in roles else None
    for role in roles:
        secret = request.cookies.get(site.cookie(role), "")
        person = access.by_session(connection, secret, site.clock()) if secret else None
        if person is not None and person.role == role:
            return person
    return None


def _require(connection: Connection, request: Request, site: Site, roles: tuple[str, ...]) -> Person:
    person = _find(connection, request, site, roles)
    if person is None:
        if roles in REFUSALS and _find(connection, request, site, access.ROLES) is not None:
            raise Refusal(403, REFUSALS[roles])
        user = request.scope.get(USER)
        if user is not None:
            raise Refusal(403, "not_invited", user=repr(user))
        raise Refusal(401, "open_link")
    _check_owner(request, site, person.id)
    return person


def _check_owner(request: Request, site: Site, person_id: int) -> None:
    owner = request.headers.get("x-oneof-owner")
    if owner is not None and owner != site.owner(person_id):
        raise Refusal(401, "somebody_else")


SignedIn = Annotated[Person, Depends(signed_in)]
Annotator = Annotated[Person, Depends(the_annotator)]
Manager = Annotated[Person, Depends(the_manager)]
Reviewer = Annotated[Person, Depends(the_reviewer)]
