"""When to stop."""

import pytest
from sqlalchemy import insert

from oneof.annotation.learning.forecast import next_answers
from oneof.annotation.learning.quality import dashboard
from oneof.annotation.store.schema import models
from oneof.cli.annotate_status import print_status

pytestmark = pytest.mark.parametrize("backend", ["sqlite"])


def version(answers, accuracy, width=0.04):
    ends = {"low": None, "high": None} if accuracy is None else {"low": accuracy - width, "high": accuracy + width}
    row = {"trained_at": 5.0, "last_event": 3, "answers": answers, "accuracy": accuracy, "held_out": 300, **ends}
    return row | {"aside_share": 0.2}


def test_three_judged_versions_tell_what_comes(world, capsys):
    rows = [version(200, 0.6), version(400, None), version(400, 0.75), version(400, 0.74)]
    world.database.write(lambda connection: connection.execute(insert(models), rows))
    with world.database.read() as connection:
        assert next_answers(connection) is None, "two numbers of answers are no curve"
    world.database.write(lambda connection: connection.execute(insert(models), [version(800, 0.83)]))
    with world.database.read() as connection:
        found = next_answers(connection)
        assert next_answers(connection, more=5000)["gain"] > found["gain"]
    assert found["answers"] == 500
    assert found["versions"] == 4
    assert 0 <= found["low"] < found["gain"] < found["high"] < 0.17
    figures = dashboard(world.database, world.project, world.clock())
    assert figures["next_answers"] == found
    print_status(figures)
    assert f"the next 500 answers: {100 * found['gain']:.1f} points more accuracy expected" in capsys.readouterr().out
    assert "The next 500 answers are expected to add" in " ".join(world.admin().get("/admin").text.split())


def test_versions_that_got_no_better_promise_little(world):
    rows = [version(answers, 0.9, 0.01) for answers in (500, 1000, 2000, 4000)]
    world.database.write(lambda connection: connection.execute(insert(models), rows))
    with world.database.read() as connection:
        assert next_answers(connection)["gain"] < 0.01
