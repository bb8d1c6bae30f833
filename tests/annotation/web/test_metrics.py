"""/metrics: what it says, and to whom."""

from contextlib import asynccontextmanager

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from oneof.annotation.web.hosting import Host, Hosting

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@pytest.fixture
def anyio_backend():
    return "asyncio"


@asynccontextmanager
async def client(world, peer="127.0.0.1", **hosting):
    host = Host(Hosting(folders=[world.project.folder], **hosting))
    transport = httpx.ASGITransport(host.app(), client=(peer, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as browser:
        yield browser
    host.close()


def values(text):
    """Each figure by name and labels."""
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(one.name, *(v for k, v in sorted(one.labels.items()) if k != "project")): one.value for one in samples}


@pytest.mark.anyio
async def test_it_tells_how_the_project_stands_and_how_long_requests_took(world):
    ann = world.annotator("ann")
    for answer in ("yes", "no", "skip"):
        world.give(ann, answer)
    world.claim(ann)
    async with client(world) as browser:
        for _ in range(3):
            await browser.get("/healthz")
        assert (await browser.post("/api/claim", json={}, headers={"X-Oneof": "1"})).status_code == 401
        reply = await browser.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain")
    found = values(reply.text)
    assert found["oneof_answers",] == 2
    assert found["oneof_skips",] == 1
    assert found["oneof_claims",] == 4
    assert found["oneof_claims_held",] == 1
    assert found["oneof_answers_needed",] == 20
    assert found["oneof_queue",] == 17
    assert found["oneof_job", "train", "running"] == 0
    assert found["oneof_requests_total", "200", "other"] == 3
    assert found["oneof_requests_total", "401", "claim"] == 1
    assert found["oneof_request_seconds_count", "claim"] == 1
    assert found["oneof_request_seconds_bucket", "+Inf", "claim"] == 1


@pytest.mark.anyio
@without_postgresql
@pytest.mark.parametrize(
    ("peer", "hosting", "header", "status"),
    [
        ("127.0.0.1", {}, None, 200),
        ("::1", {}, None, 200),
        ("10.0.0.7", {}, None, 403),
        # Whoever comes through a proxy on this machine looks local.
        ("127.0.0.1", {"public_url": "https://label.example.org"}, None, 403),
        ("127.0.0.1", {"trusted_proxies": ["127.0.0.1"]}, None, 403),
        ("10.0.0.7", {"metrics_token": "let me see"}, "Bearer let me see", 200),
        ("10.0.0.7", {"metrics_token": "let me see"}, "Bearer let me", 403),
        ("127.0.0.1", {"metrics_token": "let me see"}, None, 403),
    ],
)
async def test_it_is_for_this_machine_or_for_those_with_the_token(world, peer, hosting, header, status):
    async with client(world, peer, **hosting) as browser:
        reply = await browser.get("/metrics", headers={} if header is None else {"Authorization": header})
    assert reply.status_code == status
    assert ("oneof_answers" in reply.text) == (status == 200)
