"""A reviewer's answer: recorded as such, used in place of what contradicts it, and nothing is lost."""

import pytest
from sqlalchemy import select

from oneof.annotation.asking import access, reviewing
from oneof.annotation.learning import quality
from oneof.annotation.learning.exporting import answer_rows
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import claims, events


@pytest.fixture
def disagreeing(make_world):
    """One question with a yes and a no, and a reviewer."""
    world = make_world(items=1, overlap=2)
    for name, answer in (("ann", "yes"), ("bob", "no")):
        world.give(world.annotator(name), answer)
    world.database.write(lambda c: access.invite(c, "rita", "reviewer", 0.0))
    return world


def cases(world):
    with world.database.read() as connection:
        return reviewing.queue(connection, world.project)


def settle(world, task, answer):
    rita = world.person("rita")
    now = world.clock()
    return world.database.write(lambda c: reviewing.settle(c, world.project, rita, task, answer, "looked twice", now))


def used(world, **more):
    with world.database.read() as connection:
        rows = [row for part in answer_rows(connection, world.project, **({"skips": False} | more)) for row in part]
    return {row["annotator"]: row["answer"] for row in rows}


def test_a_disagreement_is_settled_and_what_contradicts_is_kept(disagreeing):
    (case,) = cases(disagreeing)
    assert (case.why, len(case.labels)) == ("disagreement", 2)
    assert case.answers == [("ann", "yes", "answered"), ("bob", "no", "answered")]
    alpha = quality.dashboard(disagreeing.database, disagreeing.project, 0.0)["agreement_alpha"]
    assert settle(disagreeing, case.task, "yes") == 1
    assert cases(disagreeing) == []
    assert used(disagreeing) == {"ann": "yes", "rita": "yes"}
    assert used(disagreeing, withdrawn=True) == {"ann": "yes", "rita": "yes", "bob": "no"}
    assert audit(disagreeing.database) == []
    # Settling does not make people agree more often than they did, and wants no more answers.
    figures = quality.dashboard(disagreeing.database, disagreeing.project, 0.0)
    assert figures["agreement_alpha"] == alpha
    assert (figures["answered"], figures["needed"]) == (2, 2)


def test_a_reviewer_may_think_again(disagreeing):
    (case,) = cases(disagreeing)
    settle(disagreeing, case.task, "yes")
    assert settle(disagreeing, case.task, "no") == 1
    assert used(disagreeing) == {"bob": "no", "rita": "no"}
    assert settle(disagreeing, case.task, "skip") == 0
    assert used(disagreeing) == {"ann": "yes", "bob": "no"}
    kinds = [row.kind for row in disagreeing.rows(select(events.c.kind).order_by(events.c.id))]
    assert kinds.count("overrule") == 2
    assert kinds.count("reinstate") == 2
    assert audit(disagreeing.database) == []


def test_an_overruled_answer_cannot_be_taken_back_by_its_annotator(disagreeing):
    (case,) = cases(disagreeing)
    settle(disagreeing, case.task, "yes")
    bob = disagreeing.annotator("bob")
    assert disagreeing.step(bob, "undo").status_code == 409
    states = dict(map(tuple, disagreeing.rows(select(claims.c.person_id, claims.c.state))))
    assert states[disagreeing.person("bob")] == "overruled"


def test_remarks_and_wrong_answers_to_known_items_wait_until_they_are_resolved(make_world, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\nt0,c0\n")
    world = make_world(items=3, gold=gold, gold_share=1.0)
    ann = world.annotator("ann")
    asked = world.claim(ann)
    right = "yes" if "c0" in [one["name"] for one in asked["labels"]] else "no"
    wrong = {"yes": "no", "no": "yes"}[right]
    assert ann.post("/api/answers", json=world.body(asked["task"], wrong)).status_code == 201
    body = world.body(asked["task"])
    assert (
        ann.post("/api/flags", json={"id": body["id"], "task": asked["task"], "comment": "blurred"}).status_code == 201
    )
    found = {case.why: case for case in cases(world)}
    assert found["flag"].remark == "blurred"
    assert found["gold"].known == "c0"
    admin = world.person("admin")
    for case in found.values():
        world.database.write(lambda c, case=case: reviewing.resolve(c, admin, case.task, case.target, None, 5.0))
    assert cases(world) == []
    assert quality.dashboard(world.database, world.project, 0.0)["flags"] == []
    assert audit(world.database) == []


def test_what_cannot_be_settled_is_refused(disagreeing, make_world):
    with pytest.raises(ProjectError, match="question 999 has no answer"):
        settle(disagreeing, 999, "yes")
    with pytest.raises(ProjectError, match="expected yes, no or skip"):
        settle(disagreeing, 1, "perhaps")
    private = make_world(items=1, epsilon=1.0)
    with pytest.raises(ProjectError, match="private mode"):
        private.database.write(lambda c: reviewing.settle(c, private.project, 1, 1, "yes", None, 0.0))
