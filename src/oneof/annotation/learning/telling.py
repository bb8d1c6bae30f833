"""Webhooks: addresses that are told of answers, of a trained model, and when every wanted answer is in.

A POST with JSON `{"project": ..., "events": [...]}`, signed with the address's own secret (`X-Oneof-Signature:
sha256=<HMAC of the body>`). Each event has an id, by which a receiver tells what it has seen already: what was not
answered with 2xx is sent again, later and later, so an event may arrive twice but is not lost.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from sqlalchemy import Connection, func, insert, select, update

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts, journal
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import events, items, people, tasks, webhooks
from oneof.annotation.store.schema import journal as journal_table

KINDS = ("answer", "trained", "finished")
AT_ONCE = 200
LONGEST_PAUSE = 3600.0
PATIENCE_SECONDS = 5.0
TOLD_ACTIONS = {"train": "trained", "finished": "finished"}

Post = Callable[[str, bytes, str], str | None]
"""(address, body, signature) -> None if it was taken, else why not."""


@dataclass(frozen=True)
class Hook:
    """An address, what it is told, and how the last attempt went."""

    id: int
    url: str
    kinds: tuple[str, ...]
    failures: int
    last_reply: str | None


def add(connection: Connection, url: str, kinds: Sequence[str], now: float, by: int | None = None) -> str:
    """Tell an address from now on; returns the secret that signs, which is shown once."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or len(url) > 2000:
        raise ProjectError(f"address {url[:100]!r}: expected http:// or https:// and a host")
    wrong = next((kind for kind in kinds if kind not in KINDS), None)
    if wrong is not None or not kinds:
        raise ProjectError(f"{wrong or 'nothing'}: expected one or more of {', '.join(KINDS)}")
    secret = secrets.token_hex(32)
    last_event = connection.execute(select(func.coalesce(func.max(events.c.id), 0))).scalar_one()
    last_entry = connection.execute(select(func.coalesce(func.max(journal_table.c.id), 0))).scalar_one()
    row = {"url": url, "secret": secret, "kinds": ",".join(kinds), "created_at": now, "failures": 0, "retry_at": 0.0}
    connection.execute(insert(webhooks).values(**row, told_event=last_event, told_entry=last_entry))
    journal.note(connection, "webhook", now, by, url=url, kinds=list(kinds))
    return secret


def listed(connection: Connection) -> list[Hook]:
    """The addresses that are told."""
    rows = connection.execute(select(webhooks).where(webhooks.c.removed_at.is_(None)).order_by(webhooks.c.id))
    return [Hook(row.id, row.url, tuple(row.kinds.split(",")), row.failures, row.last_reply) for row in rows]


def remove(connection: Connection, number: int, now: float, by: int | None = None) -> None:
    """Tell an address no more."""
    ended = update(webhooks).where(webhooks.c.id == number, webhooks.c.removed_at.is_(None)).values(removed_at=now)
    if not connection.execute(ended).rowcount:
        raise ProjectError(f"there is no address {number}")
    journal.note(connection, "remove-webhook", now, by, number=number)


def note_if_finished(database: Database, now: float) -> bool:
    """Write into the journal, once for each number of wanted answers, that all are in."""

    def all_in(connection: Connection) -> int:
        """How many were wanted, if all are in and nobody has noted it; else 0."""
        needed = int(facts.get(connection, "needed", "0"))
        filled = connection.execute(
            select(func.coalesce(func.sum(people.c.counted_answered + people.c.counted_skipped), 0))
        ).scalar_one()
        return needed if filled >= needed and facts.get(connection, "finished", "0") != str(needed) else 0

    def work(connection: Connection) -> bool:
        needed = all_in(connection)
        if needed:
            facts.put(connection, "finished", str(needed))
            journal.note(connection, "finished", now, answers=needed)
        return needed > 0

    # Nobody waits for a look; only what is to be written takes its turn.
    with database.read() as connection:
        if not all_in(connection):
            return False
    return database.write(work)


def deliver(database: Database, project: Project, now: float, post: Post | None = None) -> int:
    """Tell every address what it has not heard yet; returns how many requests were taken."""
    with database.read() as connection:
        due = connection.execute(
            select(webhooks).where(webhooks.c.removed_at.is_(None), webhooks.c.retry_at <= now)
        ).all()
    taken = 0
    for hook in due:
        with database.read() as connection:
            told, last_event, last_entry = _news(connection, project, hook)
        values: dict[str, Any] = {"told_event": last_event, "told_entry": last_entry}
        if told:
            body = json.dumps({"project": project.settings.name, "events": told}, ensure_ascii=False).encode()
            signature = hmac.new(hook.secret.encode(), body, hashlib.sha256).hexdigest()
            problem = (post or send)(hook.url, body, f"sha256={signature}")
            if problem is None:
                taken += 1
                values |= {"failures": 0, "retry_at": 0.0, "last_reply": "taken"}
            else:
                pause = min(LONGEST_PAUSE, 5.0 * 2.0 ** min(hook.failures, 10))
                values = {"failures": hook.failures + 1, "retry_at": now + pause, "last_reply": problem[:300]}
        if values != {"told_event": hook.told_event, "told_entry": hook.told_entry}:
            change = update(webhooks).where(webhooks.c.id == hook.id).values(values)
            database.write(Connection.execute, change)
    return taken


def send(url: str, body: bytes, signature: str) -> str | None:
    """Post once, without following redirects, which would carry the signature elsewhere."""
    headers = {"Content-Type": "application/json", "X-Oneof-Signature": signature, "User-Agent": "oneof"}
    try:
        with build_opener(_Stay()).open(Request(url, body, headers, method="POST"), timeout=PATIENCE_SECONDS):
            return None
    except HTTPError as error:
        return f"answered {error.code}"
    except (URLError, OSError, HTTPException, ValueError) as error:
        return f"not reached: {getattr(error, 'reason', error)}"


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


def _news(connection: Connection, project: Project, hook: Any) -> tuple[list[dict[str, Any]], int, int]:
    kinds = hook.kinds.split(",")
    told: list[dict[str, Any]] = []
    last_event, last_entry = hook.told_event, hook.told_entry
    if "answer" in kinds:
        rows = connection.execute(
            select(
                events.c.id, events.c.at, events.c.answer, events.c.task_id, people.c.name, items.c.name.label("item")
            )
            .join(people, people.c.id == events.c.person_id)
            .join(tasks, tasks.c.id == events.c.task_id)
            .join(items, items.c.id == tasks.c.item_id)
            .where(events.c.id > hook.told_event, events.c.kind == "answer")
            .order_by(events.c.id)
            .limit(AT_ONCE)
        ).all()
        for row in rows:
            about = {"item": row.item, "task": row.task_id, "annotator": row.name, "answer": row.answer}
            told.append({"id": f"answer-{row.id}", "kind": "answer", "at": row.at, **about})
            last_event = row.id
    entries = connection.execute(
        select(journal_table)
        .where(journal_table.c.id > hook.told_entry, journal_table.c.action.in_(TOLD_ACTIONS))
        .order_by(journal_table.c.id)
        .limit(AT_ONCE)
    ).all()
    for entry in entries:
        kind = TOLD_ACTIONS[entry.action]
        if kind in kinds:
            told.append({"id": f"entry-{entry.id}", "kind": kind, "at": entry.at, **json.loads(entry.detail)})
        last_entry = entry.id
    return told, last_event, last_entry
