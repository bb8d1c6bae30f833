"""What the page is told about a question, the progress and past answers."""

import uuid

import pytest
from sqlalchemy import insert

from oneof.annotation.asking import claims, recording
from oneof.annotation.store.schema import models, predictions
from oneof.annotation.web import presenting


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


NOW = 1000.0


def ask(world, name="ann", now=NOW):
    """A question for this person, who is invited first; returns the person and what the page is shown."""
    world.invite(name)
    me = world.person(name)

    def work(connection):
        (task,) = claims.claim(connection, world.project, me, now).tasks
        return presenting.question(connection, world.project, me, task, now)

    return me, world.database.write(work)


def answer(world, me, task, said):
    given = recording.Given(str(uuid.uuid4()), task, said, 1.0)
    return world.database.write(lambda c: recording.record_answer(c, world.project, me, given, NOW)[0])


def predict(world, label):
    """A new model that says `label` of every item."""

    def work(connection):
        row = insert(models).values(trained_at=NOW, last_event=0, answers=0, held_out=0).returning(models.c.id)
        model = connection.execute(row).scalar_one()
        for item in range(1, 4):
            connection.execute(insert(predictions).values(model_id=model, item_id=item, label=label, held_out=False))

    world.database.write(work)


def test_a_question_has_what_the_page_needs_and_no_more(make_world):
    world = make_world(3, claim_seconds=60.0)
    _, shown = ask(world)
    assert set(shown) == {"task", "item", "kind", "labels", "instruction", "expires_in", "text"}
    assert shown["text"] == f"text number {shown['item'][1:]}"
    assert shown["expires_in"] == pytest.approx(60)
    assert [set(label) for label in shown["labels"]] == [{"name", "definition", "example_url"}] * 2


def test_time_left_is_never_negative(make_world):
    world = make_world(3, claim_seconds=60.0)
    me, shown = ask(world)
    with world.database.read() as connection:
        later = presenting.question(connection, world.project, me, shown["task"], NOW + 3600)
    assert later["expires_in"] == 0


def test_a_prediction_is_hidden_unless_the_project_shows_it(make_world):
    hidden, shown = make_world(3), make_world(3, show_predictions=True)
    for world in (hidden, shown):
        predict(world, 1)
        predict(world, 4)
    assert "prediction" not in ask(hidden)[1]
    # The newest model speaks.
    assert ask(shown)[1]["prediction"] == "c4"


def test_before_the_first_model_there_is_no_prediction(make_world):
    assert ask(make_world(3, show_predictions=True))[1]["prediction"] is None


def test_hidden_names_are_hidden_in_questions_and_in_the_history(make_world):
    world = make_world(3, show_names=False)
    me, shown = ask(world)
    answer(world, me, shown["task"], "yes")
    with world.database.read() as connection:
        (past,) = presenting.history(connection, world.project, me, 20)["answers"]
    assert past["item"] == shown["item"]
    assert len(shown["item"]) == 24


def test_progress_is_mine_and_everybodys(make_world):
    world = make_world(3)
    for name, said in (("ann", "yes"), ("bob", "skip")):
        me, shown = ask(world, name)
        answer(world, me, shown["task"], said)
    with world.database.read() as connection:
        assert presenting.progress(connection, world.person("ann")) == {
            "mine": {"answered": 1, "skipped": 0},
            "project": {"answered": 1, "needed": 3, "skipped": 1},
        }


def test_the_history_is_my_own_newest_first_and_short(make_world, tmp_path):
    texts = tmp_path / "long.csv"
    texts.write_text("id,text\n" + "".join(f"t{number},{str(number) * 500}\n" for number in range(3)))
    world = make_world(texts)
    other, shown = ask(world, "bob")
    answer(world, other, shown["task"], "no")
    stored = []
    for _ in range(2):
        me, shown = ask(world)
        stored.append(answer(world, me, shown["task"], "yes"))
    with world.database.read() as connection:
        told = presenting.history(connection, world.project, me, 20)
        assert presenting.history(connection, world.project, me, 1)["answers"] == told["answers"][:1]
    assert [one["id"] for one in told["answers"]] == [row.client_id for row in reversed(stored)]
    assert {len(one["text"]) for one in told["answers"]} == {presenting.SHOWN_TEXT}
    assert (told["can_undo"], told["can_redo"]) == (True, False)


def test_a_stored_answer_tells_how_it_was_randomised(make_world):
    world = make_world(3, epsilon=1.0)
    me, shown = ask(world)
    row = presenting.answer_row(answer(world, me, shown["task"], "no"))
    assert (row["answer"], row["private"]) == ("no", True)
    assert row["flip_probability"] == pytest.approx(world.project.settings.flip)


def test_a_whole_group_is_one_label_with_its_members(make_world, tmp_path):
    listed = tmp_path / "grouped.csv"
    listed.write_text("name,definition,example,parent\ncrow,black,,bird\nowl,,,bird\noak,,,\nelm,,,\n")
    world = make_world(3, classes=listed)

    def names(subset):
        labels = presenting._labels(world.project, subset, "")
        return [(one["name"], [member["name"] for member in one.get("members", [])]) for one in labels]

    assert names("3,1,0") == [("elm", []), ("bird", ["owl", "crow"])]
    assert names("1,2") == [("owl", []), ("oak", [])]
    assert presenting._labels(world.project, "0,1", "")[0]["members"][0]["definition"] == "black"
