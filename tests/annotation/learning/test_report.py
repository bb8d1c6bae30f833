"""The report of a model: the label-free figures of the answers that judge it."""

import numpy as np
import pytest
from sqlalchemy import update

from oneof.annotation.learning.report import model_report
from oneof.annotation.store.schema import predictions

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


def told(world):
    with world.database.read() as connection:
        return model_report(connection, world.project)


@pytest.fixture
def judged(make_world):
    """Text n is of class n mod 3; the model takes what is of class 2 for class 1."""
    world = make_world(240, classes=3, size=1, gold_share=0.0)
    ann = world.annotator("ann")
    world.model(label=lambda item: min((item - 1) % 3, 1))
    world.database.write(lambda c: c.execute(update(predictions).values(confidence=0.65)))
    for number in range(240):
        question = world.claim(ann)
        truth = f"c{int(question['item'][1:]) % 3}"
        said = "skip" if number % 40 == 0 else "yes" if truth in [one["name"] for one in question["labels"]] else "no"
        ann.post("/api/answers", json=world.body(question["task"], said))
    return world


@without_postgresql
def test_each_class_the_mix_up_and_the_calibration_are_found(judged):
    found = told(judged)
    rows = {one["class"]: one for one in found["classes"]}
    assert list(rows) == ["c0", "c1", "c2"]
    assert rows["c0"]["precision_low"] > 0.75
    assert rows["c1"]["precision_low"] < 0.5 < rows["c1"]["precision_high"]
    assert rows["c2"]["precision"] is None, "it is never predicted"
    assert rows["c2"]["recall_low"] == 0
    assert np.array(found["confusion"]["value"]).sum() == pytest.approx(1)
    assert [(one["truth"], one["predicted"]) for one in found["mixed_up"]] == [("c2", "c1")]
    (only,) = found["calibration"]
    assert only["confidence"] == pytest.approx(0.65)
    assert only["low"] < 2 / 3 < only["high"]
    assert all(words for words in found["notes"].values())
    page = judged.admin().get("/admin/model").text
    assert '<b dir="auto">c2</b> taken for <b dir="auto">c1</b>' in page
    assert page.count("heat-") >= 9
    assert "65% sure, 6" in page


@without_postgresql
def test_what_cannot_be_told_says_why(make_world):
    world = make_world(6)
    assert told(world) is None
    world.model()
    assert told(world)["why"]["classes"] == "no answers judge it yet"
    world.give(world.annotator("ann"))
    found = told(world)
    assert "train again" in found["why"]["calibration"]
    assert len(found["classes"]) == 5
    assert world.admin().get("/admin/model").status_code == 200
