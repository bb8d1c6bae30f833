"""Bring a database to the current schema; the steps are in `migrations/versions`."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select

from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import items

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(database: Database) -> None:
    """Create the tables or bring them up to date. Safe to run from several processes at once.

    >>> from tempfile import mkdtemp
    >>> from sqlalchemy import inspect
    >>> database = Database(f"sqlite:///{mkdtemp()}/project.sqlite")
    >>> upgrade(database)
    >>> "events" in inspect(database.engine).get_table_names()
    True
    """
    # If the server cannot be reached, this fails at once; only a busy one is worth waiting for.
    with database.engine.connect():
        pass

    def run(connection: Connection) -> None:
        if connection.dialect.name == "postgresql":
            # Two servers that start together must not both create the tables.
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7216031)")
        if MigrationContext.configure(connection).get_current_revision() != newest():
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    database.write(run)


@cache
def newest() -> str | None:
    """The name of the newest migration."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def holds_project(database: Database) -> bool:
    """Whether this database has items already."""
    if not inspect(database.engine).has_table("items"):
        return False
    with database.read() as connection:
        return connection.execute(select(items.c.id).limit(1)).first() is not None
