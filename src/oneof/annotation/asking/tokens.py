"""Keys by which programs use a project: each acts for the manager who made it. Only the hash of a key is stored."""

import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from oneof.annotation.asking.access import Person, as_person, checked_name, digest
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import history
from oneof.annotation.store.schema import people, tokens

PREFIX = "oneof_"
"""How every key begins, so that people, and programs that look for leaked keys, recognise one."""


@dataclass(frozen=True)
class Key:
    """A key in the list of keys, without its text, which is not stored. who: the manager it acts for."""

    id: int
    name: str
    who: str
    created_at: float
    used_at: float | None


def make(connection: Connection, person_id: int, name: str, now: float, by: int | None = None) -> str:
    """The text of a new key that acts for a manager; it cannot be shown again. by: who makes it, for the journal."""
    name = checked_name(name)
    key = PREFIX + secrets.token_urlsafe(32)
    connection.execute(insert(tokens).values(name=name, hash=digest(key), person_id=person_id, created_at=now))
    history.note(connection, "key", now, by, name=name)
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
    """Whom this key acts for, if it was not revoked and the person still has access."""
    found = (
        select(people)
        .join(tokens, tokens.c.person_id == people.c.id)
        .where(tokens.c.hash == digest(key), tokens.c.revoked_at.is_(None), people.c.revoked_at.is_(None))
    )
    return as_person(connection.execute(found).first())


def mark_used(connection: Connection, key: str, now: float) -> None:
    """Remember when a key was last used, to the hour: a write at every request would cost too much."""
    stale = tokens.c.used_at.is_(None) | (tokens.c.used_at < now - 3600)
    connection.execute(update(tokens).where(tokens.c.hash == digest(key), stale).values(used_at=now))


def revoke(connection: Connection, number: int, now: float, by: int | None = None) -> None:
    """Revoke a key."""
    ended = update(tokens).where(tokens.c.id == number, tokens.c.revoked_at.is_(None)).values(revoked_at=now)
    if not connection.execute(ended).rowcount:
        raise ProjectError(f"there is no key {number}")
    history.note(connection, "revoke-key", now, by, number=number)
