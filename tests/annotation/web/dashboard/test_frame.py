"""Who may see the dashboard, and what a form may send."""

import pytest

PAGES = ("/admin", "/admin/items", "/admin/review", "/admin/people", "/admin/model", "/admin/project")
without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@without_postgresql
@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_for_managers(world, page):
    assert world.browser().get(page).status_code == 401
    assert world.annotator("ann").get(page).status_code == 403
    reply = world.admin().get(page)
    assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-store")
    assert 'aria-current="page"' in reply.text


@without_postgresql
@pytest.mark.parametrize(
    "form",
    ["/admin/pause", "/admin/people/invite", "/admin/people/act", "/admin/model/train", "/admin/project/settings"],
)
def test_every_form_is_for_managers(world, form):
    assert world.browser().post(form, data={"name": "eve"}).status_code == 401
    assert world.annotator("ann").post(form, data={"name": "eve"}).status_code == 403


@without_postgresql
@pytest.mark.parametrize(
    "fields",
    [{}, {"paused": ""}, {"paused": "yes\0"}, {f"field{number}": "x" for number in range(200)}],
    ids=["empty", "blank", "zero", "many"],
)
def test_a_wrong_form_is_refused(world, fields):
    assert world.admin().post("/admin/pause", data=fields).status_code == 422


@without_postgresql
def test_an_address_cannot_put_words_into_the_page(world):
    assert "buy now" not in world.admin().get("/admin", params={"done": "buy now"}).text
