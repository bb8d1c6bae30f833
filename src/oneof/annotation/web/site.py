"""What every route needs: the project, its database, the templates and the clock; and who is asking."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException

from oneof.annotation.asking import people
from oneof.annotation.asking.people import Person
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.database import Database

COOKIE = "oneof_session"
GUIDELINES_SECONDS = 2.0


@dataclass
class Site:
    """One served project."""

    project: Project
    database: Database
    templates: Jinja2Templates
    project_id: str
    clock: Callable[[], float]
    _guidelines: tuple[float, int, str] | None = field(default=None)

    def guidelines(self) -> tuple[int, str]:
        """Version and text; the file is looked at again every few seconds, so that an edit needs no restart."""
        now = self.clock()
        if self._guidelines is None or not 0 <= now - self._guidelines[0] < GUIDELINES_SECONDS:
            self._guidelines = (now, *facts.current_guidelines(self.database, self.project))
        return self._guidelines[1], self._guidelines[2]

    def owner(self, person: Person) -> str:
        """A stable name for this person in this project, by which a browser keeps unsent answers apart."""
        return hashlib.sha256(f"{self.project_id}/{person.id}".encode()).hexdigest()[:24]


# Dependencies that do not wait for anything are coroutines: a plain function would cost a trip to a thread each.


async def current_site(request: Request) -> Site:
    """The site that this request is for."""
    site: Site = request.app.state.site
    return site


TheSite = Annotated[Site, Depends(current_site)]


def signed_in(request: Request, site: TheSite) -> Person:
    """Whoever has a valid session, else 401."""
    secret = request.cookies.get(COOKIE, "")
    person = None
    if secret:
        with site.database.read() as connection:
            person = people.by_session(connection, secret, site.clock())
    if person is None:
        raise HTTPException(401, "Open the personal link that you were given; it signs you in.")
    owner = request.headers.get("x-oneof-owner")
    if owner is not None and owner != site.owner(person):
        raise HTTPException(401, "Somebody else has signed in with this browser.")
    return person


SignedIn = Annotated[Person, Depends(signed_in)]


async def annotating(person: SignedIn) -> Person:
    """An annotator, else 403: the admin's own link asks no questions."""
    if person.role != "annotator":
        raise HTTPException(403, "This is a manager's link. Invite yourself as an annotator to answer questions.")
    return person


Annotator = Annotated[Person, Depends(annotating)]
