"""Behind a proxy: what a request looks like to the application, and whose word counts."""

import httpx
import pytest

from oneof.annotation.web.proxy import Proxy
from oneof.annotation.web.site import USER


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def seen(path="/x", peer="10.0.0.1", headers=None, **options):
    """The scope that the application gets."""
    got = {}

    async def app(scope, receive, send):
        got.update(scope)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    transport = httpx.ASGITransport(Proxy(app, **options), client=(peer, 123))
    async with httpx.AsyncClient(transport=transport, base_url="http://inner:8000") as client:
        await client.get(path, headers=headers or {})
    return got, dict(got["headers"])


FORWARDED = {
    "X-Forwarded-For": "6.6.6.6, 203.0.113.9, 10.0.0.2",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "label.example.org",
    "X-User": "J\u00fcrgen".encode(),
}


@pytest.mark.anyio
async def test_headers_of_a_named_proxy_are_believed():
    scope, headers = await seen(headers=FORWARDED, trusted=["10.0.0.0/8"], user_header="X-User")
    assert scope["client"][0] == "203.0.113.9", "the last one that is no proxy of ours; what stands before is hearsay"
    assert scope["scheme"] == "https"
    assert headers[b"host"] == b"label.example.org"
    assert scope[USER] == "J\u00fcrgen"
    assert not [name for name in headers if name.startswith(b"x-")]


@pytest.mark.anyio
@pytest.mark.parametrize("trusted", [[], ["10.0.0.2"], ["192.168.0.0/16", "::1"]])
async def test_headers_of_anybody_else_are_dropped(trusted):
    scope, headers = await seen(headers=FORWARDED, trusted=trusted, user_header="X-User")
    assert scope["client"][0] == "10.0.0.1"
    assert scope["scheme"] == "http"
    assert headers[b"host"] == b"inner:8000"
    assert scope.get(USER) is None
    assert not [name for name in headers if name.startswith(b"x-")]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("/join/x", "/label/join/x"),
        ("/label/join/x", "/label/join/x"),
        ("/labels", "/label/labels"),
        ("/label", "/label"),
    ],
)
async def test_the_proxy_may_leave_its_prefix_on_or_take_it_off(path, inside):
    scope, _ = await seen(path, root_path="/label")
    assert (scope["root_path"], scope["path"]) == ("/label", inside)


@pytest.mark.anyio
async def test_the_public_address_is_what_pages_see():
    scope, headers = await seen(public_url="https://label.example.org")
    assert (scope["scheme"], headers[b"host"]) == ("https", b"label.example.org")
