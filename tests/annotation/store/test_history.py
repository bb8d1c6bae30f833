"""The journal: entries in order, never changed."""

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from oneof.annotation.store import history
from oneof.annotation.store.schema import journal as table


def test_entries_come_newest_first_and_cannot_be_changed(world):
    admin = world.person("admin")
    for number in range(3):
        world.database.write(
            lambda c, number=number: history.note(c, "pause", 5.0 + number, admin, name=f"ann {number}")
        )
    world.database.write(lambda c: history.note(c, "train", 9.0))
    with world.database.read() as connection:
        found = history.entries(connection, limit=2)
    assert [(one.action, one.who, one.detail) for one in found] == [
        ("train", None, {}),
        ("pause", "admin", {"name": "ann 2"}),
    ]
    for statement in (update(table).values(action="nothing"), delete(table)):
        with pytest.raises(DBAPIError), world.database.engine.begin() as connection:
            connection.execute(statement)
