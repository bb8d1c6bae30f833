"""Make a database for a new project on a PostgreSQL server, if the operator of the projects has named one."""

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
    """The URL of a new database beside the one at `server`, named after `name`; dropped again if the block fails."""
    own = f"oneof_{re.sub('[^a-z0-9]+', '_', name.lower())[:40]}_{secrets.token_hex(4)}"
    with _connected(server) as connection:
        try:
            connection.exec_driver_sql(f"CREATE DATABASE {own}")
        except DBAPIError as error:
            raise ProjectError(f"--database-server: no database can be made there: {error.orig}") from None
    try:
        yield make_url(server).set(database=own).render_as_string(hide_password=False)
    except BaseException:
        with _connected(server) as connection:
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {own} WITH (FORCE)")
        raise


def postgres_address(server: str) -> URL:
    """The parsed URL of a PostgreSQL server and one of its databases; a ValueError if it is not one."""
    url = make_url(server)
    if url.get_backend_name() not in ("postgresql", "postgres") or not url.database:
        raise ValueError("expected postgresql://USER@HOST/DATABASE, with a database to ask for others")
    return url


@contextmanager
def _connected(server: str) -> Iterator[Connection]:
    database = Database(server)
    try:
        # Databases are made and dropped outside of transactions.
        with database.engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")
    except DBAPIError as error:
        raise ProjectError(f"--database-server: it does not answer: {error.orig}") from None
    finally:
        database.close()
