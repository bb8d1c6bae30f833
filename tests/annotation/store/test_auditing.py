"""The audit finds what does not add up."""

import pytest
from sqlalchemy import update

from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import claims, people, tasks


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (update(claims).values(answer="no"), "the events say"),
        (update(claims).values(state="held"), "the events say"),
        (update(people).where(people.c.name == "ann").values(answered=7), "ann: counters"),
        (update(tasks).where(tasks.c.free == 0).values(free=1), "1 places, 1 free, 1 taken"),
        (update(tasks).where(tasks.c.free == 0).values(free=-1), "1 places, -1 free, 1 taken"),
    ],
)
def test_tampering_is_found(world, change, words):
    world.give(world.annotator("ann"), "yes")
    assert audit(world.database) == []
    world.database.write(lambda connection: connection.execute(change))
    assert any(words in problem for problem in audit(world.database))
