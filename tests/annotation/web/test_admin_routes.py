"""The dashboard's routes: for admins only, plain forms, and nothing that a wrong form can break."""

import pytest
from sqlalchemy import func, select

from oneof.annotation.asking.claims import is_paused
from oneof.annotation.learning import quality
from oneof.annotation.store.schema import people

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


def paused(world):
    with world.database.read() as connection:
        return is_paused(connection)


def names(world):
    return {name for (name,) in world.rows(select(people.c.name).where(people.c.role == "annotator"))}


@pytest.mark.parametrize("who", ["annotator", "nobody"])
def test_only_an_admin_sees_or_does_anything(world, who):
    client, code = (world.annotator("ann"), 403) if who == "annotator" else (world.browser(), 401)
    before = names(world)
    assert client.get("/admin").status_code == code
    for form in ({"action": "pause"}, {"action": "invite", "name": "eve"}, {"action": "nonsense"}, {}):
        assert client.post("/admin", data=form).status_code == code
    assert not paused(world)
    assert names(world) == before


def test_an_annotators_token_does_not_open_the_dashboard(world):
    reply = world.browser().get("/admin", params={"token": world.invite("ann")})
    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers


def test_an_admins_token_in_the_address_signs_in(world):
    browser = world.browser()
    first = browser.get("/admin", params={"token": world.admin_token})
    assert (first.status_code, first.headers["cache-control"]) == (200, "no-store")
    assert browser.get("/admin").status_code == 200


def test_the_forms_act_and_come_back_to_the_page(world):
    admin, ann = world.admin(), world.annotator("ann")
    reply = admin.post("/admin", data={"action": "pause"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/admin")
    assert paused(world)
    admin.post("/admin", data={"action": "resume"})
    assert not paused(world)
    admin.post("/admin", data={"action": "pause", "name": "ann"})
    assert not paused(world)
    assert ann.post("/api/claim", json={}).headers["x-oneof-reason"] == "paused"


def test_held_questions_go_to_whom_the_form_says(world):
    admin, ann, bob = world.admin(), world.annotator("ann"), world.annotator("bob")
    task = world.claim(ann)["task"]
    assert admin.post("/admin", data={"action": "reassign", "name": "ann", "to": "bob"}).status_code == 303
    assert world.claim(bob)["task"] == task
    assert admin.post("/admin", data={"action": "reassign", "name": "bob", "to": "zoe"}).status_code == 422


def test_a_new_link_is_shown_once_and_an_old_one_is_not_replaced(world):
    admin = world.admin()
    made = admin.post("/admin", data={"action": "invite", "name": "ann"})
    assert (made.status_code, made.headers["cache-control"]) == (200, "no-store")
    link = made.text.split("<code>")[1].split("</code>")[0]
    assert link not in admin.get("/admin").text
    again = admin.post("/admin", data={"action": "invite", "name": "ann"})
    assert again.status_code == 422
    assert world.browser().get(link).status_code == 303


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"action": "explode"},
        {"action": "revoke"},
        {"action": "revoke", "name": "zoe"},
        {"action": "withdraw", "name": "a\0"},
        {"action": "reassign", "name": "ann", "to": "a\0"},
        {"action": "invite", "name": "a\0"},
        {"action": "invite", "name": "   "},
        {"action": "pause"} | {f"field{number}": "x" for number in range(20)},
    ],
    ids=lambda form: "-".join(form)[:40] or "empty",
)
def test_a_wrong_form_is_refused_and_changes_nothing(world, form):
    admin = world.admin()
    world.invite("ann")
    assert admin.post("/admin", data=form).status_code == 422
    assert names(world) == {"ann"}
    assert not paused(world)


@without_postgresql
def test_bytes_that_are_no_form_are_refused(world):
    assert world.admin().post("/admin", content=b"\xff\x00\xfe").status_code == 422


@without_postgresql
def test_many_dashboards_cost_as_much_as_one_and_an_action_shows_at_once(world, monkeypatch):
    asked = []
    dashboard = quality.dashboard
    monkeypatch.setattr(quality, "dashboard", lambda *given: asked.append(given) or dashboard(*given))
    admin = world.admin()
    for _ in range(3):
        assert admin.get("/admin").status_code == 200
    assert len(asked) == 1
    world.clock.ahead = 6
    admin.get("/admin")
    assert len(asked) == 2
    admin.post("/admin", data={"action": "pause"})
    admin.get("/admin")
    assert len(asked) == 3
    assert world.rows(select(func.count()).select_from(people)) == [(1,)]
