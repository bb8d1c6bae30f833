"""Annotators, reviewers and managers (stored as "admin"): personal links and sessions, and how they are revoked.

A link holds a token of 256 random bits; the database holds only its SHA-256. (A slow password hash would add nothing:
nobody can guess such a token.)
"""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import history
from oneof.annotation.store.schema import people, sessions

Role = Literal["annotator", "reviewer", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
LONGEST_NAME = 200

BY_SESSION = (
    select(people.c.id, people.c.name, people.c.role, people.c.paused, people.c.guidelines)
    .join(sessions, sessions.c.person_id == people.c.id)
    .where(sessions.c.hash == bindparam("hash"), sessions.c.expires_at > bindparam("now"))
    .where(people.c.revoked_at.is_(None))
)


@dataclass(frozen=True)
class Person:
    """Somebody with a valid link or session. guidelines: the version that the page last showed them."""

    id: int
    name: str
    role: str
    paused: bool
    guidelines: int | None


def as_person(row: Any) -> Person | None:
    """A row of `people`; None if there is no row."""
    return None if row is None else Person(row.id, row.name, row.role, row.paused, row.guidelines)


def digest(token: str) -> str:
    """The hash that is stored in place of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def invite(
    connection: Connection, name: str, role: Role, now: float, by: int | None = None, *, new_only: bool = False
) -> str:
    """Add a person and return the token of their personal link; it cannot be shown again.

    Somebody who is here already gets a new link, and the old one and its sessions end; with `new_only` that is an
    error. by: the manager who invites, for the journal.
    """
    name = checked_name(name)
    token = secrets.token_urlsafe(32)
    known = connection.execute(select(people.c.id, people.c.role).where(people.c.name == name)).first()
    if known is None:
        connection.execute(insert(people).values(name=name, role=role, token_hash=digest(token), created_at=now))
    elif known.role != role or new_only:
        raise ProjectError(f"{name!r} is already here as {known.role}")
    else:
        connection.execute(delete(sessions).where(sessions.c.person_id == known.id))
        renewed = {"token_hash": digest(token), "revoked_at": None}
        connection.execute(update(people).where(people.c.id == known.id).values(renewed))
    history.note(connection, "invite", now, by, name=name, role=role, again=known is not None)
    return token


def checked_name(name: str) -> str:
    """A name of a person or of a key, without spaces around it; an error if it cannot be shown in one line."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise ProjectError(f"name {name!r}: expected 1..{LONGEST_NAME} printable characters")
    return name


def find(connection: Connection, name: str) -> int:
    """The id of a person, by name."""
    found = connection.execute(select(people.c.id).where(people.c.name == name.strip())).scalar()
    if found is None:
        raise ProjectError(f"nobody here is called {name!r}")
    return int(found)


def by_token(connection: Connection, token: str) -> Person | None:
    """Whose link this is, if it is still valid."""
    valid = select(people).where(people.c.token_hash == digest(token), people.c.revoked_at.is_(None))
    return as_person(connection.execute(valid).first())


def by_name(connection: Connection, name: str) -> Person | None:
    """The person of this name, if they still have access."""
    valid = select(people).where(people.c.name == name, people.c.revoked_at.is_(None))
    return as_person(connection.execute(valid).first())


def start_session(connection: Connection, person: Person, now: float, days: float) -> str:
    """Begin a session of so many days and return its secret, for the cookie."""
    secret = secrets.token_urlsafe(32)
    connection.execute(delete(sessions).where(sessions.c.person_id == person.id, sessions.c.expires_at < now))
    connection.execute(
        insert(sessions).values(
            hash=digest(secret), person_id=person.id, created_at=now, expires_at=now + days * 86_400
        )
    )
    return secret


def by_session(connection: Connection, secret: str, now: float) -> Person | None:
    """Whose session this is, if it has not ended."""
    return as_person(connection.execute(BY_SESSION, {"hash": digest(secret), "now": now}).first())


def end_access(connection: Connection, person_id: int, now: float) -> None:
    """Revoke the link of a person and end every session."""
    connection.execute(update(people).where(people.c.id == person_id).values(revoked_at=now))
    connection.execute(delete(sessions).where(sessions.c.person_id == person_id))
