"""Figures for Prometheus at `/metrics`: requests and how long they took, and the progress of each project.

They are for whoever has the token. Without a token they are for this machine alone, and not through a proxy, because
everybody who comes through one looks local. Figures of projects come from the database, so that every server process
gives the same; requests are counted in files that the processes share (`PROMETHEUS_MULTIPROC_DIR`, which
`serve --workers` sets).
"""

import hmac
import os
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from oneof.annotation.asking.decoys import CURRENT_MODEL
from oneof.annotation.learning import jobs
from oneof.annotation.store import facts
from oneof.annotation.store.schema import claims, people, webhooks
from oneof.annotation.web.logs import timed

if TYPE_CHECKING:
    from oneof.annotation.web.site import Site

SHARED = "PROMETHEUS_MULTIPROC_DIR"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
KINDS = {
    "/api/claim": "claim",
    "/api/answers": "answer",
    "/api/v1/": "program",
    "/api/": "page",
    "/admin": "dashboard",
    "/items/": "item",
    "/static/": "static",
}
"""What a request is for, by how its path starts; the first that fits."""


class Metrics:
    """ASGI middleware, the outermost one: times every request, and answers `/metrics`."""

    def __init__(
        self, app: ASGIApp, sites: Sequence["Site"], *, root_path: str = "", token: str | None = None, proxied: bool
    ) -> None:
        self.app, self.root_path, self.token, self.proxied = app, root_path, token, proxied
        self.sites = sites
        self.registry = CollectorRegistry()
        self.projects = _ProjectFigures(sites)
        shown = ["project", "what"]
        self.seconds = Histogram(
            "oneof_request_seconds", "How long requests took.", shown, buckets=BUCKETS, registry=self.registry
        )
        self.requests = Counter("oneof_requests", "Requests by status.", [*shown, "status"], registry=self.registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(self.root_path)
        if path == "/metrics":
            await (await self._page(scope))(scope, receive, send)
            return

        def report(status: int, seconds: float) -> None:
            first = path.split("/", 2)[1] if path.count("/") else ""
            project = first if any(site.slug == first for site in self.sites) else ""
            what = kind_of(path.removeprefix(f"/{project}") if project else path)
            self.seconds.labels(project, what).observe(seconds)
            self.requests.labels(project, what, str(status)).inc()

        await timed(self.app, scope, receive, send, report)

    async def _page(self, scope: Scope) -> Response:
        why_not = self._refusal(scope)
        if why_not is not None:
            return PlainTextResponse(why_not + "\n", status_code=403)
        text = await run_in_threadpool(self._text)
        return Response(text, media_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})

    def _refusal(self, scope: Scope) -> str | None:
        if self.token is not None:
            given = Headers(scope=scope).get("authorization", "")
            right = hmac.compare_digest(given.encode(), f"Bearer {self.token}".encode())
            return None if right else "metrics: expected Authorization: Bearer and the token of --metrics-token"
        if self.proxied:
            return "metrics: behind a proxy they need a token; start the server with --metrics-token"
        try:
            local = ip_address(scope["client"][0]).is_loopback
        except (ValueError, TypeError, KeyError):
            local = False
        return None if local else "metrics: for this machine alone; start the server with --metrics-token for others"

    def _text(self) -> bytes:
        counted = self.registry
        if os.environ.get(SHARED):
            counted = CollectorRegistry()
            MultiProcessCollector(counted)
        return generate_latest(counted) + generate_latest(self.projects.registry)


class _ProjectFigures(Collector):
    """The figures of each project, read when somebody asks. No query goes through a whole table of tasks or events."""

    def __init__(self, sites: Sequence["Site"]) -> None:
        self.sites = sites
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def describe(self) -> Iterable[Metric]:
        """No names beforehand: they would come from the database."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """The figures of every project."""
        found: dict[str, GaugeMetricFamily] = {}

        def adder(site: "Site") -> Callable[..., None]:
            def add(name: str, about: str, value: float, **labels: str) -> None:
                family = found.setdefault(name, GaugeMetricFamily(name, about, labels=["project", *labels]))
                family.add_metric([site.slug, *labels.values()], value)

            return add

        for site in self.sites:
            figures(site, adder(site))
        return found.values()


def figures(site: "Site", add: Callable[..., None]) -> None:
    """Call `add(name, meaning, value, **labels)` for each figure of one project."""
    now = site.clock()
    with site.database.read() as connection:
        sums = connection.execute(
            select(
                func.coalesce(func.sum(people.c.answered), 0),
                func.coalesce(func.sum(people.c.skipped), 0),
                func.coalesce(func.sum(people.c.claimed), 0),
                func.coalesce(func.sum(people.c.counted_answered + people.c.counted_skipped), 0),
            )
        ).one()
        needed = int(facts.get(connection, "needed", "0"))
        held = connection.execute(select(func.count()).select_from(claims).where(claims.c.state == "held")).scalar_one()
        failing = connection.execute(
            select(func.count()).select_from(webhooks).where(webhooks.c.removed_at.is_(None), webhooks.c.failures > 0)
        ).scalar_one()
        model = connection.execute(CURRENT_MODEL).first()
        work = {kind: jobs.latest(connection, kind, now) for kind in jobs.KINDS}
        paused = facts.get(connection, "paused", "") == "yes"
    add("oneof_answers", "Answers yes or no that stand.", int(sums[0]))
    add("oneof_skips", "Answers can't tell that stand.", int(sums[1]))
    add("oneof_claims", "Questions handed out so far.", int(sums[2]))
    add("oneof_claims_held", "Questions on screens now.", held)
    add("oneof_answers_needed", "Answers wanted in all.", needed)
    add("oneof_queue", "Answers still wanted.", max(0, needed - int(sums[3])))
    add("oneof_paused", "1 while the project is paused.", paused)
    add("oneof_webhooks_failing", "Addresses whose last attempt failed.", failing)
    for kind, job in work.items():
        for state in ("waiting", "running", "done", "failed"):
            add("oneof_job", "1 for the state of the last job of a kind.", job is not None and job.state == state,
                 kind=kind, state=state)  # fmt: skip
    if model is not None:
        add("oneof_model_version", "The current version of the model.", model.id)
        add("oneof_model_trained_seconds", "When it was trained, in Unix time.", model.trained_at)
        if model.accuracy is not None:
            add("oneof_model_accuracy", "Its accuracy without labels, as it was judged when trained.", model.accuracy)


def kind_of(path: str) -> str:
    """What a request is for; a few words only, so that nobody can make up new ones.

    >>> kind_of("/api/claim"), kind_of("/join/secret")
    ('claim', 'other')
    """
    return next((kind for start, kind in KINDS.items() if path.startswith(start)), "other")
