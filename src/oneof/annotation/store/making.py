"""Databases for new projects on a PostgreSQL server, where the server of the projects may make them."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, make_url
from sqlalchemy.exc import DBAPIError

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.database import Database


@contextmanager
def new_database(server: str, name: str) -> Iterator[str]:
    """A new database beside the one at the URL `server`, called after `name`; dropped again if the block fails."""
    own = f"oneof_{re.sub('[^a-z0-9]+', '_', name.lower())[:40]}_{secrets.token_hex(4)}"
    with _asking(server) as connection:
        try:
            connection.exec_driver_sql(f"CREATE DATABASE {own}")
        except DBAPIError as error:
            raise ProjectError(f"--database-server: no database can be made there: {error.orig}") from None
    try:
        yield make_url(server).set(database=own).render_as_string(hide_password=False)
    except BaseException:
        with _asking(server) as connection:
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {own} WITH (FORCE)")
        raise


def postgres_address(server: str) -> URL:
    """A URL that names a PostgreSQL server and one of its databases, else a ValueError."""
    url = make_url(server)
    if url.get_backend_name() not in ("postgresql", "postgres") or not url.database:
        raise ValueError("expected postgresql://USER@HOST/DATABASE, with a database to ask for others")
    return url


@contextmanager
def _asking(server: str) -> Iterator[Connection]:
    database = Database(server)
    try:
        # Databases are made and dropped outside of transactions.
        with database.engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")
    except DBAPIError as error:
        raise ProjectError(f"--database-server: it does not answer: {error.orig}") from None
    finally:
        database.close()
