"""The tables: what the database itself refuses, whatever the code above it does."""

import pytest
from sqlalchemy import delete, insert, inspect, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from oneof.annotation.store.schema import claims, events, items, metadata, people, predictions, tasks


def refuses(world, statement, error=IntegrityError):
    # Not through `write`, which would try again.
    with pytest.raises(error), world.database.engine.begin() as connection:
        connection.execute(statement)


def person(**values):
    return insert(people).values({"name": "ann", "role": "annotator", "token_hash": "h", "created_at": 0.0} | values)


def event(**values):
    return insert(events).values({"client_id": "a", "person_id": 1, "kind": "flag", "at": 0.0} | values)


def item(**values):
    return insert(items).values({"key": "k", "name": "new", "kind": "text", "content_hash": "h", "text": "x"} | values)


def test_every_table_and_index_is_there(world):
    found = inspect(world.database.engine)
    assert set(metadata.tables) <= set(found.get_table_names())
    for table in metadata.tables.values():
        there = {index["name"] for index in found.get_indexes(table.name)}
        assert {index.name for index in table.indexes} <= there


def test_names_links_and_keys_are_unique(world):
    world.database.write(lambda connection: connection.execute(person()))
    refuses(world, person(token_hash="other"))
    refuses(world, person(name="bob"))
    world.database.write(lambda connection: connection.execute(item()))
    for same in ("key", "name", "content_hash"):
        others = {"key": "k2", "name": "new2", "content_hash": "h2"}
        del others[same]
        refuses(world, item(**others))


def test_a_browsers_id_is_stored_once_a_person(world):
    for statement in (event(), person(), event(person_id=2)):
        world.database.write(lambda connection, statement=statement: connection.execute(statement))
    refuses(world, event(kind="answer"))


def test_a_person_has_one_claim_a_question(world):
    row = {
        "task_id": 1,
        "person_id": 1,
        "state": "held",
        "ordinal": 1,
        "claimed_at": 0,
        "expires_at": 1,
        "placed": True,
    }
    world.database.write(lambda connection: connection.execute(insert(claims).values(row)))
    refuses(world, insert(claims).values(row))


@pytest.mark.parametrize(
    "statement",
    [
        event(person_id=999),
        insert(predictions).values(model_id=999, item_id=1, label=0, held_out=False),
        update(tasks).values(item_id=999),
        delete(items),
    ],
    ids=["event", "prediction", "task", "item"],
)
def test_nothing_points_at_what_is_not_there(world, statement):
    refuses(world, statement)


@pytest.mark.parametrize("statement", [update(events).values(kind="answer"), delete(events)], ids=["update", "delete"])
def test_events_are_append_only(world, statement):
    world.database.write(lambda connection: connection.execute(event()))
    refuses(world, statement, DBAPIError)
    assert world.rows(events.select())[0].kind == "flag"
