"""One server for several projects: paths, sessions that do not mix, and sign-in by a trusted proxy."""

import re
import time

import httpx
import pytest
from pydantic import ValidationError

from oneof.annotation.asking import access
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.web.hosting import Host, Hosting, find_projects

pytestmark = pytest.mark.parametrize("backend", ["sqlite"])


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def two(make_world, tmp_path):
    """A folder of two projects."""
    folder = tmp_path / "all"
    folder.mkdir()
    for name in ("pets", "cars and trucks"):
        world = make_world(3, name=name)
        world.database.close()
        world.project.folder.rename(folder / name)
    return folder


def browser(host, peer="127.0.0.1"):
    transport = httpx.ASGITransport(host.app(), client=(peer, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://server", headers={"X-Oneof": "1"})


def invite(host, slug, name, role="annotator"):
    (one,) = [one for one in host.hosted if one.slug == slug]
    return one.database.write(lambda connection: access.invite(connection, name, role, time.time()))


@pytest.mark.anyio
async def test_several_projects_and_roles_in_one_browser_never_mix(two):
    host = Host(Hosting(folders=[two], root_path="/label"))
    async with browser(host) as client:
        # The proxy takes the prefix off; addresses that the server makes have it.
        for slug, name, role in (
            ("pets", "ann", "annotator"),
            ("pets", "boss", "admin"),
            ("cars-and-trucks", "ann", "annotator"),
        ):
            joined = await client.get(f"/{slug}/join/{invite(host, slug, name, role)}")
            start = "/admin" if role == "admin" else "/"
            assert (joined.status_code, joined.headers["location"]) == (303, f"/label/{slug}{start}")
        for slug in ("pets", "cars-and-trucks"):
            page = await client.get(f"/label/{slug}/")
            assert page.status_code == 200
            for address in re.findall(r'(?:href|src)="(/[^"]*)"', page.text):
                assert address.startswith(f"/label/{slug}/")
                assert (await client.get(address)).status_code == 200
            assert (await client.post(f"/label/{slug}/api/claim", json={})).status_code == 200
        assert (await client.get("/label/pets/admin")).status_code == 200
        assert (await client.get("/label/cars-and-trucks/admin")).status_code == 403
        index = (await client.get("/label/")).text
        assert "/label/pets/" in index
        assert "cars and trucks" in index
        client.cookies.clear()
        assert "pets" not in (await client.get("/label/")).text
        assert (await client.get("/healthz")).json() == {"status": "ok", "projects": 2}
        gone = await client.get("/label/nothing/")
        assert gone.status_code == 404
        assert 'href="/label/"' in gone.text
    host.close()


@pytest.mark.anyio
async def test_a_trusted_proxy_signs_people_in_by_name(two):
    hosting = Hosting(folders=[two / "pets"], trusted_proxies=["10.0.0.1"], user_header="X-Remote-User")
    host = Host(hosting)
    invite(host, "", "ann")
    invite(host, "", "boss", "admin")
    async with browser(host, "10.0.0.1") as proxy, browser(host, "10.0.0.2") as stranger:
        ann, boss, zoe = ({"X-Remote-User": name} for name in ("ann", "boss", "zoe"))
        assert (await proxy.post("/api/claim", json={}, headers=ann)).status_code == 200
        assert (await proxy.get("/admin", headers=ann)).status_code == 403
        assert (await proxy.get("/admin", headers=boss)).status_code == 200
        assert (await proxy.get("/", headers=boss)).headers["location"] == "/admin"
        unknown = await proxy.get("/", headers=zoe)
        assert (unknown.status_code, "zoe" in unknown.text) == (403, True)
        assert (await proxy.get("/")).status_code == 401
        assert (await stranger.get("/", headers=ann)).status_code == 401
        # A cookie is the proxy's business no more: it says who is there.
        forged = await proxy.post("/api/claim", json={}, headers=ann | {"Origin": "https://evil.example"})
        assert forged.status_code == 403
    host.close()


def test_projects_are_found(two, tmp_path, backend):
    assert set(find_projects([two])) == {"pets", "cars-and-trucks"}
    assert set(find_projects([two / "pets"])) == {""}
    assert set(find_projects([two / "pets", two / "cars and trucks"])) == {"pets", "cars-and-trucks"}
    with pytest.raises(ProjectError, match="would both be served at /pets"):
        find_projects([two, two / "pets"])
    with pytest.raises(ProjectError, match="holds none"):
        find_projects([tmp_path])
    (two / "pets").rename(two / "metrics")
    with pytest.raises(ProjectError, match="the server needs /metrics itself"):
        find_projects([two])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"root_path": "label"}, "a path like /label"),
        ({"public_url": "label.example.org"}, "expected http"),
        ({"public_url": "https://label.example.org/label"}, "--root-path"),
        ({"trusted_proxies": ["10.0.0.0/99"]}, "'10.0.0.0/99' is not an address"),
        ({"user_header": "X-User"}, "--user-header needs --trusted-proxy"),
        ({"log_level": "loud"}, "'debug'"),
    ],
)
def test_mistakes_are_said(tmp_path, wrong, message, backend):
    with pytest.raises(ValidationError, match=message):
        Hosting(folders=[tmp_path], **wrong)


@pytest.mark.anyio
async def test_the_path_of_the_server_with_and_without_its_slash(two):
    host = Host(Hosting(folders=[two], root_path="/label"))
    alone = Host(Hosting(folders=[two / "pets"], root_path="/label"))
    for served, places in (
        (host, ("/label", "/label/", "/label/pets", "/label/pets/")),
        (alone, ("/label", "/label/")),
    ):
        async with browser(served) as client:
            for place in places:
                reply = await client.get(place, follow_redirects=True)
                assert (reply.status_code, reply.url.path) in ((200, "/label/"), (401, f"{place.rstrip('/')}/"))
            for place in ("/labelled", "/label//evil.example", "/label/../label/nowhere"):
                reply = await client.get(place)
                assert (reply.status_code, "location" in reply.headers) == (404, False), place
        served.close()
