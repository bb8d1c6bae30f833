"""Webhooks: addresses that are told of answers, of trained models, and when all wanted answers are given.

Each is sent a POST with JSON `{"project": ..., "events": [...]}`, signed with a secret of its own (`X-Oneof-Signature:
sha256=<HMAC of the body>`). What is not answered with 2xx is sent again, after longer and longer pauses. So an event
may arrive twice, but is not lost; a receiver recognises it by its id.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from sqlalchemy import Connection, Row, func, insert, select, update

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts, history
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import events, items, journal, people, tasks, webhooks

KINDS = ("answer", "trained", "finished")
AT_ONCE = 200
LONGEST_PAUSE = 3600.0
PATIENCE_SECONDS = 5.0
GAP_SECONDS = 60.0
"""After so long a missing id belongs to a transaction that failed; none takes longer (`database.PATIENCE_SECONDS`)."""

TOLD_ACTIONS = {"train": "trained", "finished": "finished"}

Post = Callable[[str, bytes, str], str | None]
"""(address, body, signature) -> None if it was accepted, else why not."""


@dataclass(frozen=True)
class Hook:
    """An address, the kinds of events that it is sent, and the result of the last attempt."""

    id: int
    url: str
    kinds: tuple[str, ...]
    failures: int
    last_reply: str | None


def add(connection: Connection, url: str, kinds: Sequence[str], now: float, by: int | None = None) -> str:
    """Send events to an address from now on; returns the secret that signs them, which cannot be shown again."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or len(url) > 2000:
        raise ProjectError(f"address {url[:100]!r}: expected http:// or https:// and a host")
    wrong = next((kind for kind in kinds if kind not in KINDS), None)
    if wrong is not None or not kinds:
        raise ProjectError(f"{wrong or 'nothing'}: expected one or more of {', '.join(KINDS)}")
    secret = secrets.token_hex(32)
    last_event = connection.execute(select(func.coalesce(func.max(events.c.id), 0))).scalar_one()
    last_entry = connection.execute(select(func.coalesce(func.max(journal.c.id), 0))).scalar_one()
    row = {"url": url, "secret": secret, "kinds": ",".join(kinds), "created_at": now, "failures": 0, "retry_at": 0.0}
    connection.execute(insert(webhooks).values(**row, told_event=last_event, told_entry=last_entry))
    history.note(connection, "webhook", now, by, url=url, kinds=list(kinds))
    return secret


def listed(connection: Connection) -> list[Hook]:
    """The addresses that events are sent to."""
    rows = connection.execute(select(webhooks).where(webhooks.c.removed_at.is_(None)).order_by(webhooks.c.id))
    return [Hook(row.id, row.url, tuple(row.kinds.split(",")), row.failures, row.last_reply) for row in rows]


def remove(connection: Connection, number: int, now: float, by: int | None = None) -> None:
    """Send nothing to an address any more."""
    ended = update(webhooks).where(webhooks.c.id == number, webhooks.c.removed_at.is_(None)).values(removed_at=now)
    if not connection.execute(ended).rowcount:
        raise ProjectError(f"there is no address {number}")
    history.note(connection, "remove-webhook", now, by, number=number)


def note_if_finished(database: Database, now: float) -> bool:
    """Note in the journal that all wanted answers are given, once for each number of them; returns whether it did."""

    def all_in(connection: Connection) -> int:
        """How many answers were wanted, if all are given and that is not noted yet; else 0."""
        needed = int(facts.get(connection, "needed", "0"))
        filled = connection.execute(
            select(func.coalesce(func.sum(people.c.counted_answered + people.c.counted_skipped), 0))
        ).scalar_one()
        return needed if filled >= needed and facts.get(connection, "finished", "0") != str(needed) else 0

    def work(connection: Connection) -> bool:
        needed = all_in(connection)
        if needed:
            facts.put(connection, "finished", str(needed))
            history.note(connection, "finished", now, answers=needed)
        return needed > 0

    # First a read, which nobody waits for: mostly there is nothing to write.
    with database.read() as connection:
        if not all_in(connection):
            return False
    return database.write(work)


def deliver(database: Database, project: Project, now: float, post: Post | None = None) -> int:
    """Send every address what it has not been sent yet; returns how many requests were accepted."""
    with database.read() as connection:
        due = connection.execute(
            select(webhooks).where(webhooks.c.removed_at.is_(None), webhooks.c.retry_at <= now)
        ).all()
    taken = 0
    for hook in due:
        with database.read() as connection:
            news, last_event, last_entry = _news(connection, hook, now)
        values: dict[str, Any] = {"told_event": last_event, "told_entry": last_entry}
        if news:
            body = json.dumps({"project": project.settings.name, "events": news}, ensure_ascii=False).encode()
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
    """Post once; returns None if it was accepted, else why not. Redirects could carry the signature elsewhere."""
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


def _news(connection: Connection, hook: Any, now: float) -> tuple[list[dict[str, Any]], int, int]:
    """What an address has not been sent yet, and the last event and the last entry of the journal looked at for it."""
    kinds = hook.kinds.split(",")
    news: list[dict[str, Any]] = []
    last_event, last_entry = hook.told_event, hook.told_entry
    if "answer" in kinds:
        rows = connection.execute(
            select(events.c.id, events.c.at, events.c.kind, events.c.answer, events.c.task_id)
            .add_columns(people.c.name, items.c.name.label("item"))
            .join(people, people.c.id == events.c.person_id)
            .outerjoin(tasks, tasks.c.id == events.c.task_id)
            .outerjoin(items, items.c.id == tasks.c.item_id)
            .where(events.c.id > last_event)
            .order_by(events.c.id)
            .limit(AT_ONCE)
        )
        for row in _settled(rows.all(), last_event, now):
            last_event = row.id
            if row.kind == "answer":
                about = {"item": row.item, "task": row.task_id, "annotator": row.name, "answer": row.answer}
                news.append({"id": f"answer-{row.id}", "kind": "answer", "at": row.at, **about})
    entries = select(journal).where(journal.c.id > last_entry).order_by(journal.c.id).limit(AT_ONCE)
    for entry in _settled(connection.execute(entries).all(), last_entry, now):
        last_entry = entry.id
        kind = TOLD_ACTIONS.get(entry.action)
        if kind in kinds:
            news.append({"id": f"entry-{entry.id}", "kind": kind, "at": entry.at, **json.loads(entry.detail)})
    return news, last_event, last_entry


def _settled(rows: Sequence[Row[Any]], last: int, now: float) -> Iterator[Row[Any]]:
    """The rows after the id `last`, up to the first missing id whose row may still be stored.

    Transactions on PostgreSQL do not end in the order of their ids: who goes on after a gap at once may miss a row.
    """
    for row in rows:
        if row.id != last + 1 and now - row.at < GAP_SECONDS:
            return
        last = row.id
        yield row
