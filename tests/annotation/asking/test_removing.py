"""Items that are taken out and brought back: asked no more, nothing lost, everything adds up."""

import pytest
from PIL import Image
from sqlalchemy import select

from oneof.annotation.asking import managing, removing
from oneof.annotation.learning.content import load_content
from oneof.annotation.learning.exporting import answer_rows
from oneof.annotation.learning.training import load_answers
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import facts, history
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import items


def needed(world):
    with world.database.read() as connection:
        return int(facts.get(connection, "needed", "0"))


def exported(world):
    with world.database.read() as connection:
        return {row["item"] for part in answer_rows(connection, world.project) for row in part}


def test_a_removed_item_is_asked_no_more_and_comes_back(make_world):
    world = make_world(4, overlap=2, questions_per_item=2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    held, answered = world.claim(ann), world.claim(bob)
    bob.post("/api/answers", json=world.body(answered["task"]))
    out = sorted({held["item"], answered["item"]})
    before = needed(world)
    assert removing.remove(world.database, out, "blurred", 5.0) == out
    assert removing.remove(world.database, out, "again", 6.0) == []
    assert audit(world.database) == []
    assert needed(world) == before - 4 * len(out) + 1, "what was answered is not wanted again"
    # What somebody has on the screen may still be answered; it does not open the item again.
    assert ann.post("/api/answers", json=world.body(held["task"])).status_code == 201
    world.step(ann, "undo")
    world.clock.ahead = 10_000
    asked = set()
    while (reply := bob.post("/api/claim", json={})).status_code == 200:
        asked.add(reply.json()["item"])
    assert asked == {"t0", "t1", "t2", "t3"} - set(out)
    assert audit(world.database) == []
    assert exported(world) == set()
    with world.database.read() as connection:
        assert [one.name for one in removing.removed_items(connection)] == out
        notes = [entry for entry in history.entries(connection) if entry.action == "remove item"]
    assert [entry.detail for entry in notes] == [{"item": name, "reason": "blurred"} for name in reversed(out)]
    assert removing.restore(world.database, out, 7.0) == out
    assert needed(world) == before
    assert audit(world.database) == []
    assert exported(world) == {answered["item"]}
    while (reply := bob.post("/api/claim", json={})).status_code == 200:
        asked.add(reply.json()["item"])
    assert asked == {"t0", "t1", "t2", "t3"}


def test_training_goes_on_without_removed_and_deleted_items(make_world, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(4):
        Image.new("RGB", (8, 8), (number, 0, 0)).save(folder / f"{number}.png")
    world = make_world(folder)
    ann = world.annotator("ann")
    for _ in range(4):
        world.give(ann)
    removing.remove(world.database, ["1.png"], "", 1.0)
    (folder / "2.png").unlink()
    with world.database.read() as connection:
        content = load_content(connection)
        answers = load_answers(connection, world.project, content)
        names = dict(connection.execute(select(items.c.id, items.c.name)).all())
    assert [names[number] for number in content.ids] == ["0.png", "3.png"]
    assert len(answers) == 2
    assert answers.items.max() < 2
    assert content.skipped == (f"{folder / '2.png'}: not a file",)


def test_gold_and_repeats_of_a_removed_item_are_asked_no_more(make_world, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\nt3,c1\n")
    world = make_world(6, gold=gold, gold_share=1.0)
    removing.remove(world.database, ["t3"], "", 1.0)
    assert world.claim(world.annotator("ann"))["item"] != "t3"


@pytest.mark.parametrize("backend", ["sqlite"])
def test_an_unknown_item_is_named_and_nothing_is_removed(world):
    with pytest.raises(ProjectError, match="no such item: 'zebra'"):
        removing.remove(world.database, ["t1", "zebra"], "", 1.0)
    assert world.rows(select(items.c.id).where(items.c.removed_at.is_not(None))) == []


def test_withdrawn_answers_stand_again(make_world):
    world = make_world(6)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    for answer in ("yes", "no", "skip"):
        world.give(ann, answer)
    before = exported(world)
    assert managing.withdraw(world.database, "ann", 1.0) == 3
    assert exported(world) == set()
    taken = world.give(bob, "no")
    assert managing.restore_answers(world.database, "ann", 2.0) == 3
    assert managing.restore_answers(world.database, "ann", 2.0) == 0
    assert audit(world.database) == []
    assert before <= exported(world)
    assert ann.get("/api/progress").json()["progress"]["mine"] == {"answered": 2, "skipped": 1}
    assert taken["answer"] == "no"
    # And they can be withdrawn once more.
    assert managing.withdraw(world.database, "ann", 3.0) == 3
    assert managing.restore_answers(world.database, "ann", 4.0) == 3
    assert audit(world.database) == []
