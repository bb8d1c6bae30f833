"""How somebody stands at the moment of a click."""

import pytest

from oneof.annotation.asking import access, managing, standing


def of(world, function, *given):
    return world.database.write(lambda connection: function(connection, *given))


def test_a_session_a_name_and_a_number_lead_to_the_same_row_with_the_progress(world):
    ann = world.annotator("ann")
    world.give(ann)
    world.give(ann, "skip")
    secret = next(iter(ann.cookies.values()))
    now = world.clock()
    row = of(world, standing.of_session, secret, now)
    assert row == of(world, standing.of_name, "ann", now) == of(world, standing.of_person, world.person("ann"), now)
    assert standing.progress(row) == ann.get("/api/progress").json()["progress"]
    assert (row.all_paused, row.overdue, row.reserved) == (False, False, False)


def test_what_is_rare_is_seen_on_the_way(world):
    ann = world.annotator("ann")
    world.claim(ann)
    managing.set_paused(world.database, None, True, world.clock())
    row = of(world, standing.of_person, world.person("ann"), world.clock() + 1e6)
    assert (row.all_paused, row.overdue, row.reserved) == (True, True, False)
    world.invite("bob")
    managing.reassign(world.database, "ann", world.clock(), to="bob")
    assert of(world, standing.of_person, world.person("bob"), world.clock()).reserved


@pytest.mark.parametrize("backend", ["sqlite"])
def test_an_ended_session_another_role_and_a_stranger_stand_nowhere(world, backend):
    ann, admin = world.annotator("ann"), world.admin()
    now = world.clock()
    mine, theirs = (next(iter(client.cookies.values())) for client in (ann, admin))
    assert of(world, standing.of_session, mine, now + 1e9) is None
    assert of(world, standing.of_session, theirs, now) is None, "a manager's link asks no questions"
    assert of(world, standing.of_session, access.digest(mine), now) is None
    assert of(world, standing.of_name, "admin", now) is None
    managing.revoke(world.database, "ann", now)
    assert of(world, standing.of_session, mine, now) is None
    assert of(world, standing.of_name, "ann", now) is None
