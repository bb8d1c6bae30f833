"""Databases for new projects."""

import psycopg
import pytest

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.database import Database
from oneof.annotation.store.new_databases import new_database, postgres_address


def names(server):
    with psycopg.connect(server) as connection:
        return {name for (name,) in connection.execute("SELECT datname FROM pg_database")}


def fail_inside(server, seen):
    with new_database(server, "Birds; DROP TABLE x") as url:
        opened = Database(url)
        with opened.read() as connection:
            seen.append(connection.exec_driver_sql("SELECT current_database()").scalar())
        opened.close()
        seen.append(names(server))
        raise KeyError


def test_a_database_is_made_beside_another_and_dropped_if_it_is_not_wanted(postgres):
    before, seen = names(postgres), []
    with pytest.raises(KeyError):
        fail_inside(postgres, seen)
    made, meanwhile = seen
    assert made.startswith("oneof_birds_drop_table_x_")
    assert meanwhile == before | {made}
    assert names(postgres) == before


def test_a_server_that_is_not_there_is_named():
    there = new_database("postgresql://nobody@/postgres?host=/nowhere", "birds")
    with pytest.raises(ProjectError, match="--database-server: it does not answer"):
        there.__enter__()


@pytest.mark.parametrize("address", ["sqlite:///x", "postgresql://host", "mysql://a@b/c"])
def test_only_postgresql_with_a_database_to_ask_will_do(address):
    with pytest.raises(ValueError, match="expected postgresql://USER@HOST/DATABASE"):
        postgres_address(address)
