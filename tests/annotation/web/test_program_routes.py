"""Keys and webhooks through the API for programs."""

import pytest

from oneof.annotation.asking import tokens

pytestmark = pytest.mark.parametrize("backend", ["sqlite"])


def test_keys_and_webhooks_are_made_listed_and_ended(world):
    first = world.database.write(lambda c: tokens.make(c, world.person("admin"), "tests", 0.0))
    program = world.browser()
    del program.headers["X-Oneof"]
    program.headers["Authorization"] = f"Bearer {first}"
    made = program.post("/api/v1/keys", json={"name": "nightly"})
    assert made.status_code == 201
    other = world.browser()
    other.headers["Authorization"] = f"Bearer {made.json()['key']}"
    assert other.get("/api/v1/status").status_code == 200
    listed = program.get("/api/v1/keys").json()["keys"]
    assert [one["name"] for one in listed] == ["nightly", "tests"]
    assert made.json()["key"] not in str(listed)
    assert program.delete(f"/api/v1/keys/{listed[0]['id']}").status_code == 200
    assert other.get("/api/v1/status").status_code == 401
    assert program.delete("/api/v1/keys/99").status_code == 422
    hook = program.post("/api/v1/webhooks", json={"url": "https://example.org/told", "kinds": ["trained"]})
    assert len(hook.json()["secret"]) == 64
    (one,) = program.get("/api/v1/webhooks").json()["webhooks"]
    assert (one["url"], one["kinds"]) == ("https://example.org/told", ["trained"])
    assert program.delete(f"/api/v1/webhooks/{one['id']}").status_code == 200
    assert program.get("/api/v1/webhooks").json() == {"webhooks": []}
    assert program.post("/api/v1/webhooks", json={"url": "file:///etc/passwd"}).status_code == 422
    assert program.get("/api/v1/guidelines").json()["version"] == 1
    actions = [entry["action"] for entry in program.get("/api/v1/journal").json()["entries"]]
    assert actions[:4] == ["remove-webhook", "webhook", "revoke-key", "key"]
    assert world.annotator("ann").get("/api/v1/keys").status_code == 403
