"""The journal: what managers did, when, and with what effect. Entries are added and never changed."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from oneof.annotation.store.schema import journal, people


@dataclass(frozen=True)
class Entry:
    """One entry. who: the manager's name; None for the command line or the server itself."""

    id: int
    at: float
    who: str | None
    action: str
    detail: dict[str, Any]


def note(connection: Connection, action: str, now: float, person_id: int | None = None, /, **detail: Any) -> None:
    """Write an entry, in the same transaction as the action that it tells of."""
    text = json.dumps(detail, ensure_ascii=False)
    connection.execute(insert(journal).values(at=now, person_id=person_id, action=action, detail=text))


def entries(connection: Connection, limit: int = 50) -> list[Entry]:
    """The last entries, newest first."""
    rows = connection.execute(
        select(journal, people.c.name)
        .outerjoin(people, people.c.id == journal.c.person_id)
        .order_by(journal.c.id.desc())
        .limit(limit)
    )
    return [Entry(row.id, row.at, row.name, row.action, json.loads(row.detail)) for row in rows]
