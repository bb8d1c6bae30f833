"""How fast answers come in."""

import pytest

from oneof.annotation.learning.pace import pace


def measured(world, needed=20, filled=0):
    with world.database.read() as connection:
        return pace(connection, needed, filled, world.clock())


def test_without_answers_there_is_no_pace(world):
    found = measured(world)
    assert (found.points, found.hourly, found.ends_at) == ([], 0.0, None)


def test_the_line_climbs_to_the_number_of_answers_and_the_end_follows_from_the_last_hour(world):
    ann = world.annotator("ann")
    for hours in (0, 1, 2, 2):
        world.clock.ahead = 3600.0 * hours
        world.give(ann, "skip" if hours == 1 else "yes")
    found = measured(world, filled=4)
    assert [total for _, total in found.points] == sorted(total for _, total in found.points)
    assert found.points[0][1] == 0
    assert found.points[-1] == (pytest.approx(world.clock(), abs=1), 4)
    # Two answers within the last minute; a project that has just begun again is averaged over at least a minute.
    assert found.hourly == pytest.approx(2 * 60, rel=0.01)
    assert found.ends_at == pytest.approx(world.clock() + 16 / found.hourly * 3600, abs=1)
    world.clock.ahead += 3 * 3600
    later = measured(world, filled=4)
    assert later.window == 24 * 3600
    assert later.hourly == pytest.approx(4 / 5, rel=0.01)
