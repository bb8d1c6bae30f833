"""Keys and webhooks on the dashboard."""

import re

import pytest

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])
PAGE = "/admin/project/programs"


@without_postgresql
def test_a_key_is_shown_once_works_and_ends(world):
    admin = world.admin()
    made = admin.post(PAGE, data={"action": "key", "name": "nightly"}).text
    key = re.search(r'id="new-secret">([^<]+)<', made)[1]
    page = admin.get(PAGE).text
    assert key not in page
    assert "nightly" in page
    assert "GET /api/v1/status" in page
    program = world.browser()
    program.headers["Authorization"] = f"Bearer {key}"
    assert program.get("/api/v1/status").status_code == 200
    assert admin.post(PAGE, data={"action": "revoke", "number": "1"}).status_code == 303
    assert program.get("/api/v1/status").status_code == 401


@without_postgresql
def test_addresses_to_tell(world):
    admin = world.admin()
    made = admin.post(PAGE, data={"action": "hook", "url": "https://example.org/x", "kind-answer": "on"})
    assert "signing secret" in made.text
    assert "https://example.org/x" in admin.get(PAGE).text
    assert admin.post(PAGE, data={"action": "remove", "number": "1"}).status_code == 303
    assert "https://example.org/x" not in admin.get(PAGE).text
    for wrong in ({}, {"action": "hook", "url": "ftp://x"}, {"action": "remove", "number": "9"}, {"action": "revoke"}):
        assert admin.post(PAGE, data=wrong).status_code == 422
