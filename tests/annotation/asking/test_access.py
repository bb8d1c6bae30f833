"""Links and sessions."""

import pytest

from oneof.annotation.asking import access
from oneof.annotation.project.classes import ProjectError


def test_tokens_are_long_and_each_is_new(world):
    tokens = {world.invite(f"p{number}") for number in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= 43


def test_a_role_is_not_changed_by_an_invitation(world):
    world.invite("ann")
    with pytest.raises(ProjectError, match="'ann' is already here as annotator"):
        world.database.write(lambda connection: access.invite(connection, "ann", "admin", 0.0))


def test_old_sessions_are_cleared_when_a_new_one_starts(world):
    token = world.invite("ann")

    def sessions_after(now):
        def work(connection):
            person = access.by_token(connection, token)
            secret = access.start_session(connection, person, now, days=1)
            return [access.by_session(connection, one, now) is not None for one in (*seen, secret)], secret

        valid, secret = world.database.write(work)
        seen.append(secret)
        return valid

    seen = []
    assert sessions_after(0.0) == [True]
    assert sessions_after(10.0) == [True, True]
    assert sessions_after(86_405.0) == [False, True, True]
