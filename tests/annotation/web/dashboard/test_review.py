"""The reviewers' page."""

import pytest
from sqlalchemy import select

from oneof.annotation.asking import access
from oneof.annotation.store.schema import claims

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@without_postgresql
def test_a_reviewer_settles_a_case_and_sees_no_other_page(make_world):
    world = make_world(items=1, overlap=2)
    for name, answer in (("ann", "yes"), ("bob", "no")):
        world.give(world.annotator(name), answer)
    token = world.database.write(lambda c: access.invite(c, "rita", "reviewer", 0.0))
    rita = world.browser()
    assert rita.get(f"/join/{token}", follow_redirects=True).url.path == "/admin/review"
    assert "people disagree" in rita.get("/admin/review").text
    assert rita.get("/admin/people").status_code == 403
    reply = rita.post("/admin/review", data={"task": "1", "answer": "no", "note": "clear", "target": ""})
    assert "recorded as yours" in rita.get(reply.headers["location"]).text
    assert "Nothing waits" in rita.get("/admin/review").text
    assert sorted(world.rows(select(claims.c.state))) == [("answered",), ("answered",), ("overruled",)]


@without_postgresql
@pytest.mark.parametrize("fields", [{}, {"task": "1"}, {"task": "x", "answer": "yes"}, {"task": "9", "answer": "yes"}])
def test_a_wrong_form_is_refused(world, fields):
    assert world.admin().post("/admin/review", data=fields).status_code == 422
    assert world.annotator("ann").post("/admin/review", data=fields).status_code == 403
