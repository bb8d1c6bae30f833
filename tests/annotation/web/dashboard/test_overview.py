"""The first page of the dashboard."""

import pytest
from sqlalchemy import insert

from oneof.annotation.asking.claims import is_paused
from oneof.annotation.learning import quality
from oneof.annotation.store import history
from oneof.annotation.store.schema import models
from oneof.annotation.web.dashboard.overview import overview_figures

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


def test_the_figures_come_together(world):
    ann = world.annotator("ann")
    for answer in ("yes", "no", "skip"):
        world.give(ann, answer)
    row = {"trained_at": 5.0, "last_event": 3, "answers": 2, "accuracy": 0.8, "low": 0.6, "high": 0.9, "held_out": 40}
    world.database.write(lambda connection: connection.execute(insert(models).values(row)))
    found = overview_figures(world.database, world.project, world.clock())
    assert (found["answered"], found["skipped"]) == (2, 1)
    assert found["pace"]["points"][-1][1] == 3
    assert [(one["accuracy"], one["judged_on"]) for one in found["versions"]] == [(0.8, 40)]
    page = world.admin().get("/admin").text
    assert "2<small> of 20" in page
    assert "40 answers about items kept aside" in page
    assert page.count("<svg") == 2


def test_an_empty_project_says_what_to_do(make_world):
    page = make_world().admin().get("/admin").text
    assert "Nobody is invited yet" in page


def test_pausing_is_recorded(world):
    admin = world.admin()
    for paused in ("yes", "no"):
        reply = admin.post("/admin/pause", data={"paused": paused})
        assert reply.status_code == 303
        with world.database.read() as connection:
            assert is_paused(connection) == (paused == "yes")
    with world.database.read() as connection:
        assert [(one.action, one.who) for one in history.entries(connection, 2)] == [
            ("resume", "admin"),
            ("pause", "admin"),
        ]
    assert "People get questions again" in admin.get(reply.headers["location"]).text


@without_postgresql
def test_a_managers_token_in_the_address_signs_in_and_leaves_it(world):
    browser = world.browser()
    first = browser.get("/admin", params={"token": world.admin_token})
    assert (first.status_code, first.headers["location"]) == (303, "/admin")
    assert browser.get("/admin").status_code == 200
    assert world.browser().get("/admin", params={"token": world.invite("ann")}).status_code == 403
    assert world.browser().get("/admin", params={"token": "wrong"}).status_code == 403


@without_postgresql
def test_many_dashboards_cost_as_much_as_one_and_an_action_shows_at_once(world, monkeypatch):
    asked = []
    dashboard = quality.dashboard
    monkeypatch.setattr(quality, "dashboard", lambda *given: asked.append(given) or dashboard(*given))
    admin = world.admin()
    for _ in range(3):
        admin.get("/admin")
    assert len(asked) == 1
    world.clock.ahead = 6
    admin.get("/admin")
    assert len(asked) == 2
    admin.post("/admin/pause", data={"paused": "yes"})
    assert "Go on" in admin.get("/admin").text
    assert len(asked) == 3
