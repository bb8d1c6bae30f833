"""Questions: drawn from a recorded seed and stored before they are shown; overlap, gold and repeats."""

from collections import Counter

import numpy as np
import pytest
from sqlalchemy import func, select

from oneof.annotation.asking.questions import read_subset
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import draws, events, items, tasks
from oneof.queries import UniformQueries


def stored_subsets(world):
    rows = world.rows(select(tasks).where(tasks.c.kind == "question").order_by(tasks.c.draw_id, tasks.c.draw_row))
    found = np.zeros((len(rows), len(world.project.classes)), dtype=bool)
    for number, row in enumerate(rows):
        found[number, read_subset(row.subset)] = True
    return found


def test_item_19_subsets_come_from_the_recorded_seed(make_world):
    world = make_world(30, questions_per_item=2)
    with world.database.read() as connection:
        (draw,) = connection.execute(select(draws)).all()
    again = UniformQueries(draw.classes, draw.size).draw(draw.drawn, draw.seed)
    assert again.shape == (60, 5)
    assert (again == stored_subsets(world)).all()
    assert (again.sum(axis=1) == 2).all()


def test_item_19_the_same_project_seed_asks_the_same_and_another_does_not(make_world):
    first, same, other = make_world(40), make_world(40), make_world(40, seed=8)
    assert (stored_subsets(first) == stored_subsets(same)).all()
    assert (stored_subsets(first) != stored_subsets(other)).any()


def test_item_19_every_question_is_stored_before_it_is_shown_and_never_drawn_again(world):
    before = world.rows(select(tasks.c.id, tasks.c.subset).order_by(tasks.c.id))
    ann = world.annotator("ann")
    shown = world.claim(ann)
    again = world.claim(ann, resume=True, count=1)["tasks"][0]
    assert again["labels"] == shown["labels"]
    names = [world.project.classes[index].name for index in read_subset(dict(before)[shown["task"]])]
    assert [label["name"] for label in shown["labels"]] == names
    assert world.rows(select(tasks.c.id, tasks.c.subset).order_by(tasks.c.id)) == before


def test_subsets_are_uniform(make_world):
    """Ten subsets of two out of five classes, 3000 draws: chi-squared, with a level of 1e-6."""
    world = make_world(3000)
    counts = Counter(tuple(read_subset(subset)) for (subset,) in world.rows(select(tasks.c.subset)))
    subsets: Counter[tuple[int, ...]] = Counter()
    for order, count in counts.items():
        subsets[tuple(sorted(order))] += count
    assert len(subsets) == 10
    assert sum((count - 300) ** 2 / 300 for count in subsets.values()) < 45.0
    # And so is the order in which the two labels stand: 20 orders, 19 degrees of freedom.
    assert len(counts) == 20
    assert sum((count - 150) ** 2 / 150 for count in counts.values()) < 65.0


def test_rounds_are_asked_one_after_the_other_and_in_random_order(make_world):
    world = make_world(30, questions_per_item=2, overlap=1)
    ann = world.annotator("ann")
    shown = [world.claim(ann)["item"] for _ in range(60)]
    assert len(set(shown[:30])) == 30
    assert shown[:30] != sorted(shown[:30], key=lambda name: int(name[1:]))


def test_item_04_labels_carry_definitions(world):
    ann = world.annotator("ann")
    for _ in range(10):
        labels = world.claim(ann)["labels"]
        numbers = [int(label["name"][1:]) for label in labels]
        assert [label["definition"] for label in labels] == [f"the class {number}" for number in numbers]


def test_item_15_overlap_wants_r_answers_by_different_people(make_world):
    world = make_world(3, overlap=2)
    clients = [world.annotator(name) for name in ("ann", "bob", "eve")]
    assert world.claim(clients[0])["progress"]["project"]["needed"] == 6
    clients[0].post("/api/release", json={"tasks": [1, 2, 3]})
    while any(client.post("/api/claim", json={}).status_code == 200 for client in clients):
        pass
    assert audit(world.database) == []
    assert world.rows(select(tasks.c.free)) == [(0,)] * 3


def test_item_15_hidden_gold_is_asked_of_everybody_and_looks_like_any_question(make_world, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\nt3,c1\nt4,c2\n")
    world = make_world(10, gold=gold, gold_share=0.5)
    assert world.rows(select(items.c.name, items.c.gold).where(items.c.gold.is_not(None)).order_by(items.c.name)) == [
        ("t3", 1),
        ("t4", 2),
    ]
    for name in ("ann", "bob"):
        client = world.annotator(name)
        seen = []
        while (reply := client.post("/api/claim", json={})).status_code == 200:
            shown = reply.json()
            seen.append(shown["item"])
            assert "gold" not in reply.text
            client.post("/api/answers", json=world.body(shown["task"]))
            if len(seen) == 6:
                break
        assert {"t3", "t4"} & set(seen)
    assert audit(world.database) == []
    # Gold is a check of the annotators: it does not count towards what the project needs.
    assert ann_needed(world) == 8


def ann_needed(world):
    return world.annotator("zoe").get("/api/progress").json()["progress"]["project"]["needed"]


def test_item_15_self_repeats_come_back_as_a_question_of_their_own(make_world):
    world = make_world(30, repeat_share=0.5, repeat_gap=3)
    ann = world.annotator("ann")
    shown = []
    for _ in range(20):
        one = world.claim(ann)
        shown.append(one)
        ann.post("/api/answers", json=world.body(one["task"]))
    repeats = world.rows(select(tasks.c.id, tasks.c.repeat_of).where(tasks.c.kind == "repeat"))
    assert repeats
    by_task = {one["task"]: one for one in shown}
    order = [one["task"] for one in shown]
    for repeat, original in repeats:
        assert by_task[repeat]["labels"] == by_task[original]["labels"]
        assert by_task[repeat]["item"] == by_task[original]["item"]
        assert order.index(repeat) - order.index(original) >= 3
    assert len(set(order)) == 20
    assert audit(world.database) == []


def test_private_projects_refuse_repeats(make_world):
    with pytest.raises(ValueError, match="epsilon and repeat_share"):
        make_world(3, epsilon=1.0, repeat_share=0.1)


def test_item_23_the_flip_rate_is_stored_with_the_answer(make_world):
    world = make_world(5, epsilon=1.0)
    ann = world.annotator("ann")
    rate = 1 / (1 + np.e)
    row = world.give(ann, "yes", private=True)
    assert row["flip_probability"] == pytest.approx(rate)
    assert row["private"] is True
    assert world.give(ann, "skip")["flip_probability"] == 0
    assert [flip for (flip,) in world.rows(select(events.c.flip).order_by(events.c.id))] == pytest.approx([rate, 0.0])
    # An answer that the browser did not flip does not belong here.
    plain = ann.post("/api/answers", json=world.body(world.claim(ann)["task"], private=False))
    assert plain.status_code == 422
    boot = ann.get("/").text
    assert '"epsilon": 1.0' in boot
    assert '"flip_probability": 0.268' in boot


def test_item_23_a_project_without_epsilon_takes_no_flipped_answers(world):
    ann = world.annotator("ann")
    body = world.body(world.claim(ann)["task"], private=True)
    assert ann.post("/api/answers", json=body).status_code == 422
    assert world.rows(select(func.count()).select_from(events)) == [(0,)]
