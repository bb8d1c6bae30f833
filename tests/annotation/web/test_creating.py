"""New projects in the browser: by whoever has the key, served at once, and nothing left behind by a mistake."""

import httpx
import pytest

from oneof.annotation.project.folder import open_project
from oneof.annotation.web.creating import server_key
from oneof.annotation.web.hosting import Host, Hosting

FORM = {"name": "Garden birds", "classes": "robin: red breast\nwren\n\n great tit ", "size": "2", "guidelines": "Look."}


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def host(tmp_path):
    made = Host(Hosting(folders=[tmp_path], root_path="/label"))
    yield made
    made.close()


def browser(host):
    transport = httpx.ASGITransport(host.app())
    return httpx.AsyncClient(transport=transport, base_url="http://server", headers={"X-Oneof": "1"})


@pytest.mark.anyio
async def test_a_project_is_made_opened_and_listed(host, tmp_path):
    async with browser(host) as client:
        assert (await client.get("/label/new")).status_code == 403
        assert (await client.post("/label/new", data=FORM)).status_code == 403
        wrong = await client.get("/label/new/wrong")
        assert (wrong.status_code, 'href="/label/"' in wrong.text) == (403, True)
        entered = await client.get(f"/label/new/{server_key(tmp_path)}")
        assert (entered.status_code, entered.headers["location"]) == (303, "/label/new")
        assert 'name="classes"' in (await client.get("/label/new")).text
        for number in ("", "-2"):
            made = await client.post("/label/new", data=FORM)
            assert made.status_code == 303
            assert made.headers["location"].startswith(f"/label/garden-birds{number}/join/")
            signed_in = await client.get(made.headers["location"])
            assert signed_in.headers["location"] == f"/label/garden-birds{number}/admin"
            assert (await client.get(signed_in.headers["location"])).status_code == 200
        invited = await client.post(
            "/label/garden-birds/admin/people/invite", data={"name": "ann", "role": "annotator"}
        )
        assert "http://server/label/garden-birds/join/" in invited.text
        index = (await client.get("/label/")).text
        assert index.count("Garden birds") == 2
        assert "/label/new" in index
    project = open_project(tmp_path / "garden-birds")
    assert [(one.name, one.definition) for one in project.classes] == [
        ("robin", "red breast"),
        ("wren", None),
        ("great tit", None),
    ]
    assert project.guidelines_file.read_text() == "Look."
    assert (tmp_path / "server.key").stat().st_mode & 0o077 == 0
    assert {one.slug for one in host.hosted} == {"garden-birds", "garden-birds-2"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": " "}, "name: nothing was given"),
        ({"classes": "robin"}, "classes: 1 classes, expected at least 2"),
        ({"classes": "robin\nrobin"}, "line 3: class &#39;robin&#39; stands already"),
        ({"size": "3"}, "size 3: expected 1..2 of the 3 classes"),
        ({"size": "many"}, "is not a whole number"),
        ({"size": "9" * 5000}, "is not a whole number"),
        ({"questions_per_item": "many"}, "questions about each item: &#39;many&#39; is not a whole number"),
        ({"questions_per_item": "0"}, "greater than or equal to 1"),
    ],
)
@pytest.mark.anyio
async def test_a_mistake_is_said_and_leaves_nothing_behind(host, tmp_path, change, words):
    key = {"Authorization": f"Bearer {server_key(tmp_path)}"}
    async with browser(host) as client:
        refused = await client.post("/label/new", data=FORM | change, headers=key)
    assert (refused.status_code, words in refused.text) == (422, True)
    assert [path.name for path in tmp_path.iterdir()] == ["server.key"]
    assert (change.get("guidelines") or "Look.") in refused.text, "what was typed is still there"
