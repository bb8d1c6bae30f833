"""What every route needs: the guidelines as of now, and who is asking."""

import pytest

from oneof.annotation.asking import access, managing
from oneof.annotation.store import facts
from oneof.annotation.web.live import LiveProject
from oneof.annotation.web.site import GUIDELINES_SECONDS, Site


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


@pytest.fixture
def site(world):
    live = LiveProject(world.project, world.database)
    return Site(live, world.database, None, facts.project_id(world.database), world.clock)


def test_an_edit_of_the_guidelines_is_seen_after_a_moment_without_a_restart(world, site):
    assert site.guidelines()[0] == 1
    world.project.guidelines_file.write_text("Look twice.")
    assert site.guidelines()[0] == 1
    world.clock.ahead = GUIDELINES_SECONDS + 1
    assert site.guidelines() == (2, "Look twice.")
    # A clock that was set back must not keep an old text for long.
    world.project.guidelines_file.write_text("Look thrice.")
    world.clock.ahead = -3600
    assert site.guidelines() == (3, "Look thrice.")


def test_the_owner_is_stable_and_differs_by_person_and_project(world, site):
    assert site.owner(1) == site.owner(1)
    other = Site(site.live, world.database, None, "another project", world.clock)
    assert len({site.owner(1), site.owner(2), other.owner(1)}) == 3


def test_a_session_is_needed_and_its_owner_must_match(world, site):
    ann = world.annotator("ann")
    assert ann.get("/api/progress").status_code == 200
    me = world.person("ann")
    assert ann.get("/api/progress", headers={"X-Oneof-Owner": site.owner(me)}).status_code == 200
    assert ann.get("/api/progress", headers={"X-Oneof-Owner": site.owner(99)}).status_code == 401
    assert world.browser().get("/api/progress").status_code == 401


@pytest.mark.parametrize("cookie", ["", "x", "x" * 3000, "' OR 1=1 --"])
def test_an_invented_session_is_none(world, site, cookie):
    world.annotator("ann")
    reply = world.browser().get("/api/progress", headers={"Cookie": f"{site.cookie('annotator')}={cookie}"})
    assert reply.status_code == 401


def test_a_link_is_no_session(world, site):
    """The token of a link is for /join alone, and what is stored opens nothing."""
    token = world.invite("ann")
    for secret in (token, access.digest(token)):
        cookie = f"{site.cookie('annotator')}={secret}"
        assert world.browser().get("/api/progress", headers={"Cookie": cookie}).status_code == 401


def test_a_managers_link_asks_no_questions(world):
    admin = world.admin()
    for reply in (admin.post("/api/claim", json={}), admin.get("/api/progress"), admin.get("/api/history")):
        assert reply.status_code == 403
        assert "manager" in reply.json()["detail"]


def test_a_session_ends_with_its_person(world):
    ann = world.annotator("ann")
    managing.revoke(world.database, "ann", world.clock())
    assert ann.get("/api/progress").status_code == 401
