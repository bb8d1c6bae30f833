"""One way to use SQLite and PostgreSQL: short transactions, durable commits, and patience with a busy database.

SQLite runs in WAL mode with synchronous=FULL, so that a commit is on disk before anybody hears of it, and writers
begin with BEGIN IMMEDIATE: taking the lock at the start is what keeps two claims from reading the same free place.
"""

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import uniform
from typing import Any, Concatenate, ParamSpec, TypeVar

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidatePoolError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

T = TypeVar("T")
P = ParamSpec("P")

PATIENCE_SECONDS = 20.0
"""How long a write is repeated while the database is busy, before the caller gets an error."""

SQLITE_WAITS_SECONDS = 5.0
"""How long SQLite itself waits for a lock in one attempt to write."""

IDLE_SECONDS = 1.0
"""A connection to PostgreSQL that was idle for longer than this is tested before it is used."""

RETRIED_STATES = {"40001", "40P01", "55P03", "57P01", "57P03", "08006", "08003", "08001", "53300"}
"""PostgreSQL: serialisation failure, deadlock, lock not available, shutting down or starting, connection lost."""


class BusyError(RuntimeError):
    """The database was busy for longer than `PATIENCE_SECONDS`."""


class GoneError(BusyError):
    """The file of the database was deleted or replaced: what is written now would be lost."""


class Database:
    """A database with the two kinds of transaction that a project needs, `read` and `write`.

    >>> from tempfile import mkdtemp
    >>> database = Database(f"sqlite:///{mkdtemp()}/project.sqlite")
    >>> with database.read() as connection:
    ...     connection.exec_driver_sql("PRAGMA synchronous").scalar()
    2
    """

    def __init__(self, url: str, *, patience: float = PATIENCE_SECONDS) -> None:
        parsed = make_url(url)
        if parsed.drivername in ("postgresql", "postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise ValueError(f"database {url!r}: expected sqlite:///FILE or postgresql://...")
        self.url = parsed
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        self.patience = patience
        # Threads of one process queue here, in order, rather than poll SQLite's lock against each other.
        self._writer: threading.Lock | None = threading.Lock() if self.is_sqlite else None
        self.engine = _sqlite_engine(parsed) if self.is_sqlite else _postgres_engine(parsed)
        self._file = Path(parsed.database) if self.is_sqlite and parsed.database else None
        self._opened: tuple[int, int] | None = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction: it sees one state of the database throughout, and nobody waits for it."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    def write(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        """Run `work(connection, ...)` in one transaction and commit; run it again if the database was busy.

        `work` must have no effect other than through the connection, as it may run more than once.
        """
        deadline = time.monotonic() + self.patience
        pause = 0.005
        races = 0
        while True:
            try:
                return self._write_once(lambda connection: work(connection, *given, **named))
            except (DBAPIError, PoolTimeout) as error:
                # Two transactions inserted the same key at once: the second, run again, finds the row of the first.
                races += isinstance(error, IntegrityError)
                if not (is_busy(error) or (isinstance(error, IntegrityError) and races <= 3)):
                    raise
                if time.monotonic() > deadline:
                    raise BusyError("the database is busy, please try again in a moment") from error
            time.sleep(uniform(0, pause))
            pause = min(0.25, pause * 2)

    def _write_once(self, work: Callable[[Connection], T]) -> T:
        if self._writer is None:
            with self.engine.begin() as connection:
                return work(connection)
        with self._writer, self.engine.connect() as connection:
            connection = connection.execution_options(oneof_begin="BEGIN IMMEDIATE")
            with connection.begin():
                done = work(connection)
                # Before the commit, so that nobody is told "stored" about a file that is gone.
                self.check_file()
                return done

    def check_file(self) -> None:
        """A GoneError if the file of the database is not the one that was opened."""
        if self._file is None:
            return
        try:
            seen = os.stat(self._file)
        except FileNotFoundError:
            raise GoneError(f"{self._file}: the file of the database was deleted") from None
        there = (seen.st_dev, seen.st_ino)
        self._opened = self._opened or there
        if there != self._opened:
            raise GoneError(f"{self._file}: the file of the database was replaced; restart the server")

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def is_busy(error: Exception) -> bool:
    """Whether the error comes from a busy database, so that trying again can help."""
    if isinstance(error, PoolTimeout):
        return True
    if not isinstance(error, DBAPIError):
        return False
    cause: Any = error.orig
    if isinstance(cause, sqlite3.OperationalError):
        return "locked" in str(cause) or "busy" in str(cause)
    if is_full(error):
        return False
    if error.connection_invalidated:
        return True
    state = getattr(cause, "sqlstate", None)
    return state in RETRIED_STATES or (isinstance(error, OperationalError) and state is None)


def is_full(error: Exception) -> bool:
    """Whether the error comes from a full disk."""
    cause: Any = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, OSError):
        return cause.errno == errno.ENOSPC
    return "disk is full" in str(cause) or getattr(cause, "sqlstate", None) == "53100"


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite file."""
    return f"sqlite:///{path}"


def _sqlite_engine(url: Any) -> Engine:
    engine = create_engine(url, connect_args={"timeout": SQLITE_WAITS_SECONDS}, pool_size=8, max_overflow=56)

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        # The driver must not begin transactions by itself: its deferred BEGIN is what lets two claims collide.
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-16384"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("oneof_begin", "BEGIN"))

    return engine


def _postgres_engine(url: Any) -> Engine:
    # The connection used last is used next: it has its statements prepared, and connections that are too many idle.
    engine = create_engine(url, pool_size=8, max_overflow=24, pool_use_lifo=True, connect_args={"connect_timeout": 10})

    @event.listens_for(engine, "checkin")
    def _rested(_connection: Any, record: Any) -> None:
        record.info["since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _alive(connection: Any, record: Any, _proxy: Any) -> None:
        # After a while the server may have closed it. To test at every checkout would cost a trip to the server.
        if time.monotonic() - record.info.get("since", time.monotonic()) > IDLE_SECONDS:
            try:
                engine.dialect.do_ping(connection)
            except psycopg.Error as error:
                raise InvalidatePoolError from error

    return engine
