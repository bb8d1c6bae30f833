"""Keys of programs."""

import pytest
from sqlalchemy import select

from oneof.annotation.asking import managing, tokens
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.schema import tokens as table


def test_a_key_acts_for_its_maker_until_it_is_revoked(world):
    admin = world.person("admin")
    key = world.database.write(lambda c: tokens.make(c, admin, "nightly export", 5.0))
    assert key not in str(world.rows(select(table)))
    with world.database.read() as connection:
        assert tokens.owner(connection, key).name == "admin"
        assert tokens.owner(connection, key + "x") is None
        (listed,) = tokens.valid(connection)
    assert (listed.name, listed.who, listed.used_at) == ("nightly export", "admin", None)
    for now in (10.0, 20.0, 4000.0):
        world.database.write(lambda c, now=now: tokens.mark_used(c, key, now))
    assert world.rows(select(table.c.used_at)) == [(4000.0,)]
    world.database.write(lambda c: tokens.revoke(c, listed.id, 9.0))
    with world.database.read() as connection:
        assert tokens.owner(connection, key) is None
        assert tokens.valid(connection) == []
    with pytest.raises(ProjectError, match="no key 1"):
        world.database.write(lambda c: tokens.revoke(c, listed.id, 9.0))


def test_who_has_no_access_has_no_keys(world):
    key = world.database.write(lambda c: tokens.make(c, world.person("admin"), "export", 5.0))
    managing.revoke(world.database, "admin", 6.0)
    with world.database.read() as connection:
        assert tokens.owner(connection, key) is None
    with pytest.raises(ProjectError, match="printable"):
        world.database.write(lambda c: tokens.make(c, 1, " ", 5.0))
