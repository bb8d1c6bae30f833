"""Copy a whole project database: into one SQLite file as a backup, or to another server.

The copy sees one state of the database (a WAL snapshot on SQLite, REPEATABLE READ on PostgreSQL), so it can run while
people answer. A backup opens with `oneof annotate serve DIR --database sqlite:///BACKUP`, whatever database it is of.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, insert, select, text

from oneof.annotation.store.database import Database, sqlite_url
from oneof.annotation.store.schema import events, metadata
from oneof.annotation.store.upgrading import upgrade
from oneof.files.atomic import replacing

BATCH = 5000


def back_up(database: Database, out: Path) -> int:
    """Write a backup; returns the number of events in it. The file appears whole or not at all."""
    with replacing(out) as part:
        part.unlink()
        copy = Database(sqlite_url(part.resolve()))
        try:
            upgrade(copy)
            copy_rows(database, copy)
            with copy.read() as connection:
                count = connection.execute(select(func.count()).select_from(events)).scalar_one()
        finally:
            copy.close()
        # One file, without a journal beside it that could be left behind.
        with closing(sqlite3.connect(part)) as plain:
            plain.execute("PRAGMA journal_mode=DELETE")
    return int(count)


def copy_rows(source: Database, target: Database) -> None:
    """Copy every row into the empty tables of `target`."""
    with source.engine.connect() as connection:
        if not source.is_sqlite:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            # All in one transaction of the target: a copy that breaks off leaves it empty.
            target.write(lambda writing: _copy_all(connection, writing))


def _copy_all(reading: Connection, writing: Connection) -> None:
    for table in metadata.sorted_tables:
        rows = reading.execution_options(yield_per=BATCH).execute(select(table).order_by(*table.primary_key))
        for part in rows.mappings().partitions():
            values: list[dict[str, Any]] = [dict(row) for row in part]
            writing.execute(insert(table), values)
        if writing.dialect.name == "postgresql" and "id" in table.c:
            _continue_numbers(writing, table.name)


def _continue_numbers(writing: Connection, table: str) -> None:
    """Let PostgreSQL number new rows after the copied ones, which its sequence does not know of."""
    following = f"(SELECT coalesce(max(id), 0) + 1 FROM {table})"
    writing.execute(text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {following}, false)"))
