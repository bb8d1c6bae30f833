"""Keys of programs: a long random text, of which only the hash is kept; each acts for the manager who made it."""

import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from oneof.annotation.asking.people import LONGEST_NAME, Person, digest
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import journal
from oneof.annotation.store.schema import people, tokens

PREFIX = "oneof_"
"""So that people, and programs that look for leaked keys, see what it is."""


@dataclass(frozen=True)
class Key:
    """A key as it is listed; the text itself is nowhere."""

    id: int
    name: str
    who: str
    created_at: float
    used_at: float | None


def make(connection: Connection, person_id: int, name: str, now: float, by: int | None = None) -> str:
    """A new key that acts for a manager; the text cannot be shown again. by: who makes it, for the journal."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise ProjectError(f"name {name!r}: expected 1..{LONGEST_NAME} printable characters")
    key = PREFIX + secrets.token_urlsafe(32)
    connection.execute(insert(tokens).values(name=name, hash=digest(key), person_id=person_id, created_at=now))
    journal.note(connection, "key", now, by, name=name)
    return key


def valid(connection: Connection) -> list[Key]:
    """The keys that are not revoked, newest first."""
    rows = connection.execute(
        select(tokens, people.c.name.label("who"))
        .join(people, people.c.id == tokens.c.person_id)
        .where(tokens.c.revoked_at.is_(None))
        .order_by(tokens.c.id.desc())
    )
    return [Key(row.id, row.name, row.who, row.created_at, row.used_at) for row in rows]


def owner(connection: Connection, key: str) -> Person | None:
    """Whom this key acts for, if it holds and the person still has access."""
    row = connection.execute(
        select(people)
        .join(tokens, tokens.c.person_id == people.c.id)
        .where(tokens.c.hash == digest(key), tokens.c.revoked_at.is_(None), people.c.revoked_at.is_(None))
    ).first()
    return None if row is None else Person(row.id, row.name, row.role, row.paused, row.guidelines)


def mark_used(connection: Connection, key: str, now: float) -> None:
    """Remember when a key was last used, to the hour: a write for every request would be too many."""
    stale = tokens.c.used_at.is_(None) | (tokens.c.used_at < now - 3600)
    connection.execute(update(tokens).where(tokens.c.hash == digest(key), stale).values(used_at=now))


def revoke(connection: Connection, number: int, now: float, by: int | None = None) -> None:
    """End a key."""
    ended = update(tokens).where(tokens.c.id == number, tokens.c.revoked_at.is_(None)).values(revoked_at=now)
    if not connection.execute(ended).rowcount:
        raise ProjectError(f"there is no key {number}")
    journal.note(connection, "revoke-key", now, by, number=number)
