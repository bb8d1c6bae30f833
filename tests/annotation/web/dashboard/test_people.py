"""Inviting people, and what can be done with them."""

import re

import pytest
from sqlalchemy import select

from oneof.annotation.store import history
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import claims, people


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


def act(admin, action, name, **more):
    return admin.post("/admin/people/act", data={"action": action, "name": name} | more)


def state(world, name):
    return world.rows(select(people.c.paused, people.c.revoked_at).where(people.c.name == name))[0]


@pytest.mark.parametrize("role", ["annotator", "reviewer", "admin"])
def test_a_link_is_shown_once_with_its_code(world, role):
    admin = world.admin()
    made = admin.post("/admin/people/invite", data={"name": "ann", "role": role})
    assert (made.status_code, made.headers["cache-control"]) == (200, "no-store")
    link = re.search(r'id="new-link">([^<]+)<', made.text)[1]
    assert "<svg" in made.text.split('class="qr"')[1]
    assert link not in admin.get("/admin/people").text
    arrived = world.browser().get(link, follow_redirects=False)
    assert arrived.headers["location"] == ("/" if role == "annotator" else "/admin")
    refused = admin.post("/admin/people/invite", data={"name": "ann", "role": role})
    assert (refused.status_code, "already here" in refused.text) == (422, True)
    assert world.browser().get(link).status_code == 303
    # Asked for, a new link takes the place of the old one.
    assert admin.post("/admin/people/invite", data={"name": "ann", "role": role, "again": "yes"}).status_code == 200
    assert world.browser().get(link).status_code == 403


def test_pausing_and_handing_over(world):
    admin, ann, bob = world.admin(), world.annotator("ann"), world.annotator("bob")
    task = world.claim(ann)["task"]
    assert act(admin, "reassign", "ann", to="bob").status_code == 303
    assert world.claim(bob)["task"] == task
    assert act(admin, "pause", "ann").status_code == 303
    assert state(world, "ann").paused
    act(admin, "resume", "ann")
    assert not state(world, "ann").paused
    assert act(admin, "reassign", "bob", to="zoe").status_code == 422
    with world.database.read() as connection:
        found = [(one.action, one.detail) for one in history.entries(connection)]
    assert ("reassign", {"name": "ann", "to": "bob", "questions": 1}) in found


def test_withdrawing_and_ending_a_link_ask_first(world):
    admin, ann = world.admin(), world.annotator("ann")
    world.give(ann)
    asked = act(admin, "withdraw", "ann")
    assert (asked.status_code, "1 answers and 0" in asked.text) == (200, True)
    answered = select(claims.c.state)
    assert world.rows(answered) == [("answered",)]
    assert act(admin, "withdraw", "ann", confirmed="yes").status_code == 303
    assert world.rows(answered) == [("withdrawn",)]
    assert "Restore answers ann" in admin.get("/admin/people").text
    assert act(admin, "restore", "ann").status_code == 303
    assert world.rows(answered) == [("answered",)]
    assert act(admin, "revoke", "ann").status_code == 200
    assert state(world, "ann").revoked_at is None
    act(admin, "revoke", "ann", confirmed="yes")
    assert state(world, "ann").revoked_at is not None
    assert ann.get("/").status_code == 401
    assert audit(world.database) == []


def test_quality_comes_with_intervals(world):
    admin, ann = world.admin(), world.annotator("ann")
    for _ in range(3):
        world.give(ann)
    page = admin.get("/admin/people").text
    assert "3 of 3, 95 % interval 29% to 100%" in page
    past = admin.get(f"/admin/people/{world.person('ann')}")
    assert past.text.count("text number") == 3
    assert admin.get("/admin/people/999").status_code == 404


@pytest.mark.parametrize(
    "fields", [{}, {"action": "explode", "name": "ann"}, {"action": "revoke"}, {"action": "revoke", "name": "zoe"}]
)
def test_a_wrong_form_changes_nothing(world, fields):
    world.invite("ann")
    assert world.admin().post("/admin/people/act", data=fields).status_code == 422
    assert world.admin().post("/admin/people/invite", data={"name": "eve", "role": "king"}).status_code == 422
    assert world.admin().post("/admin/people/invite", data={"name": "   "}).status_code == 422
    assert state(world, "ann") == (False, None)
