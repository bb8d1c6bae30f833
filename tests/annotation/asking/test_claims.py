"""Claims: quota, expiry, release, order; and what the page is told when there is nothing left."""

import json
import subprocess
import sys

import pytest
from sqlalchemy import func, select

from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import claims, tasks


def test_g4_claims_never_exceed_the_quota(make_world):
    world = make_world(6, overlap=2)
    people = [world.annotator(name) for name in ("ann", "bob", "eve")]
    seen = [[] for _ in people]
    for _ in range(8):
        for own, client in zip(seen, people, strict=True):
            reply = client.post("/api/claim", json={})
            if reply.status_code == 200:
                own.append(reply.json()["task"])
    assert sorted(task for own in seen for task in own) == sorted(2 * list(range(1, 7)))
    assert all(len(own) == len(set(own)) for own in seen)
    assert audit(world.database) == []


def test_g4_nobody_is_shown_an_answered_task_again(make_world):
    world = make_world(4, overlap=3)
    ann = world.annotator("ann")
    assert len({world.give(ann)["task"] for _ in range(4)}) == 4
    assert ann.post("/api/claim", json={}).status_code == 204


CLAIM_MANY = """
import json, sys
from multiprocessing import get_context
from pathlib import Path
from oneof.annotation.asking.claims import claim
from oneof.annotation.store.database import Database
from oneof.annotation.project.folder import open_project

folder, url, *people = sys.argv[1:]
project = open_project(Path(folder))

def take(person, barrier, taken):
    database, got = Database(url), []
    barrier.wait()
    for _ in range(50):
        got += database.write(lambda connection: claim(connection, project, person, 1e9)).tasks
    taken.put(got)

# Loading the libraries takes longer than claiming, so one process loads them and forks those that claim.
context = get_context("fork")
barrier, taken = context.Barrier(len(people)), context.Queue()
processes = [context.Process(target=take, args=(int(person), barrier, taken)) for person in people]
for process in processes:
    process.start()
print(json.dumps([taken.get() for _ in processes]))
for process in processes:
    process.join()
"""


@pytest.mark.timeout(120)
def test_g4_processes_that_claim_at_once_never_collide(make_world):
    """Six processes take fifty questions each, of 200 with two places each."""
    world = make_world(200, overlap=2)
    for number in range(6):
        world.invite(f"p{number}")
    url = world.database.url.render_as_string(hide_password=False)
    people = [str(world.person(f"p{number}")) for number in range(6)]
    command = [sys.executable, "-c", CLAIM_MANY, str(world.project.folder), url, *people]
    got = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=100).stdout)
    assert all(len(own) == len(set(own)) for own in got)
    counts = world.rows(select(claims.c.task_id, func.count()).group_by(claims.c.task_id))
    assert all(count <= 2 for _, count in counts)
    assert sum(map(len, got)) == 300
    assert audit(world.database) == []


def test_g4_claims_expire_and_go_to_others(make_world):
    world = make_world(1, claim_seconds=60)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    task = world.claim(ann)["task"]
    nothing = bob.post("/api/claim", json={})
    assert (nothing.status_code, nothing.headers["x-oneof-reason"]) == (204, "held")
    world.clock.ahead = 61
    assert world.claim(bob)["task"] == task


def test_g4_a_late_answer_is_kept_and_marked(make_world):
    world = make_world(2, claim_seconds=60)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    first = world.claim(ann)["task"]
    world.clock.ahead = 61
    assert {world.give(bob)["task"], world.give(bob)["task"]} == {1, 2}
    late = ann.post("/api/answers", json=world.body(first, "no"))
    assert late.status_code == 201
    assert late.json()["late"] is True
    # Beyond the quota: it is Ann's, but it does not make the project more than complete.
    assert late.json()["progress"] == {
        "mine": {"answered": 1, "skipped": 0},
        "project": {"answered": 2, "needed": 2, "skipped": 0},
    }
    assert audit(world.database) == []


def test_a_late_answer_to_a_question_nobody_took_fills_its_place(make_world):
    world = make_world(1, claim_seconds=60)
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    world.clock.ahead = 61
    late = ann.post("/api/answers", json=world.body(task)).json()
    assert late["late"] is True
    assert late["progress"]["project"]["answered"] == 1
    assert world.rows(select(tasks.c.free)) == [(0,)]
    assert audit(world.database) == []


def test_own_expired_claims_come_back(make_world):
    world = make_world(1, claim_seconds=60)
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    world.clock.ahead = 61
    assert world.claim(ann)["task"] == task


def test_item_05_unused_claims_are_released(make_world):
    world = make_world(3)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    held = [one["task"] for one in world.claim(ann, count=3)["tasks"]]
    assert bob.post("/api/claim", json={}).status_code == 204
    assert ann.post("/api/release", json={"tasks": held[1:]}).json() == {"released": 2}
    assert {one["task"] for one in world.claim(bob, count=5)["tasks"]} == set(held[1:])
    # What is not held is not released: neither somebody else's, nor twice.
    assert ann.post("/api/release", json={"tasks": held[1:]}).json() == {"released": 0}
    assert audit(world.database) == []


def test_a_closing_page_may_release_as_plain_text(make_world):
    world = make_world(3)
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    headers = {"Content-Type": "text/plain", "Sec-Fetch-Site": "same-origin"}
    reply = ann.post("/api/release", content=f'{{"tasks": [{task}]}}', headers=headers)
    assert reply.json() == {"released": 1}


def test_item_07_resume_gives_the_held_questions_back_in_order(make_world):
    world = make_world(10)
    ann = world.annotator("ann")
    held = [world.claim(ann)["task"] for _ in range(3)]
    again = world.claim(ann, resume=True, count=4)["tasks"]
    assert [one["task"] for one in again[:3]] == held
    assert len({one["task"] for one in again}) == 4
    assert [one["task"] for one in world.claim(ann, resume=True, exclude=held, count=1)["tasks"]] == [again[3]["task"]]


def test_item_10_done_is_told_from_held_by_others(make_world):
    world = make_world(2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    world.give(ann)
    task = world.claim(ann)["task"]
    assert bob.post("/api/claim", json={}).headers["x-oneof-reason"] == "held"
    ann.post("/api/answers", json=world.body(task))
    assert bob.post("/api/claim", json={}).headers["x-oneof-reason"] == "done"
    assert ann.post("/api/claim", json={}).headers["x-oneof-reason"] == "done"


def test_what_others_must_still_answer_is_done_for_me(make_world):
    """With overlap 2, Ann has answered all she can; that Bob holds the same question changes nothing for her."""
    world = make_world(1, overlap=2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    world.give(ann)
    world.claim(bob)
    assert ann.post("/api/claim", json={}).headers["x-oneof-reason"] == "done"


def test_item_12_two_tabs_of_one_annotator_hold_different_questions(make_world):
    world = make_world(6)
    token = world.invite("ann")
    tabs = [world.browser() for _ in range(2)]
    for tab in tabs:
        tab.get(f"/join/{token}")
    shown = [world.claim(tab)["task"] for tab in tabs for _ in range(3)]
    assert len(set(shown)) == 6
    answered = tabs[0].post("/api/answers", json=world.body(shown[0]))
    assert answered.status_code == 201
    # The same question answered again from the other tab is refused, not stored twice.
    assert tabs[1].post("/api/answers", json=world.body(shown[0], "no")).status_code == 409
    assert audit(world.database) == []
