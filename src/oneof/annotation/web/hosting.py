"""One server for one project or for several: which ones, at which paths, and behind which reverse proxies."""

import logging
import re
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from oneof.annotation.asking import access
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project, open_project
from oneof.annotation.store.database import Database
from oneof.annotation.store.new_databases import postgres_address
from oneof.annotation.web import creating, translating
from oneof.annotation.web.app import create_app, error_page, page_templates, static_files
from oneof.annotation.web.logs import AccessLog
from oneof.annotation.web.metrics import Metrics
from oneof.annotation.web.proxy import Proxy
from oneof.annotation.web.security import Guard
from oneof.annotation.web.site import Site, session_of
from oneof.annotation.web.ticking import ticking
from oneof.annotation.web.translating import Refusal

log = logging.getLogger("oneof.annotation")
OWN = ("static", "healthz", "metrics", "new")
"""Addresses of the server itself."""


class Hosting(BaseModel):
    """The options of `serve`, in a form that can be handed to other processes.

    several: whether other processes serve the same projects. address: where the server is reached, once it is known.
    database_server: a PostgreSQL database beside which those of new projects are made.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    folders: list[Path]
    several: bool = False
    address: str = ""
    root_path: str = ""
    public_url: str | None = None
    trusted_proxies: list[str] = []
    user_header: str | None = None
    metrics_token: str | None = Field(default=None, min_length=8)
    database_server: str | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("root_path")
    @classmethod
    def _path(cls, value: str) -> str:
        value = value.rstrip("/")
        if value and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value):
            raise ValueError("expected a path like /label")
        return value

    @field_validator("public_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
            raise ValueError("expected http(s)://HOST[:PORT]; a path belongs into --root-path")
        return value.rstrip("/")

    @field_validator("database_server")
    @classmethod
    def _server(cls, value: str | None) -> str | None:
        if value is not None:
            postgres_address(value)
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: list[str]) -> list[str]:
        for one in value:
            try:
                ip_network(one)
            except ValueError:
                raise ValueError(f"{one!r} is not an address or a network like 10.0.0.0/8") from None
        return value

    @model_validator(mode="after")
    def _vouched(self) -> "Hosting":
        if self.user_header and not self.trusted_proxies:
            raise ValueError("--user-header needs --trusted-proxy: anybody can send a header")
        return self


@dataclass(frozen=True)
class Hosted:
    """One served project. slug: its part of the path; empty where it is the only one."""

    slug: str
    project: Project
    database: Database
    app: Any

    @cached_property
    def mounted(self) -> ASGIApp:
        """The application at its part of the path."""
        return Router([Mount(f"/{self.slug}", self.app)])

    @property
    def site(self) -> Site:
        """What the routes of the project share."""
        site: Site = self.app.state.site
        return site

    def admin_token(self) -> str | None:
        """The token of the first manager's link, if it still opens the dashboard."""
        token = self.project.admin_token()
        if token is None:
            return None
        with self.database.read() as connection:
            return token if access.by_token(connection, token) is not None else None


def find_projects(folders: list[Path]) -> dict[str, Path]:
    """The projects at these folders by their part of the path. A folder may be a project or hold several.

    >>> find_projects([Path("/nowhere")])
    Traceback (most recent call last):
    ...
    oneof.annotation.project.classes.ProjectError: /nowhere: not a project, and holds none (no project.toml)
    """
    if len(folders) == 1 and (folders[0] / "project.toml").is_file():
        return {"": folders[0]}
    found: dict[str, Path] = {}
    for folder in folders:
        inside = sorted(path.parent for path in folder.glob("*/project.toml"))
        here = [folder] if (folder / "project.toml").is_file() else inside
        if not here:
            raise ProjectError(f"{folder}: not a project, and holds none (no project.toml)")
        for one in here:
            slug = re.sub(r"[^A-Za-z0-9._~-]+", "-", one.resolve().name).strip("-.") or "project"
            if slug in OWN:
                raise ProjectError(f"{one}: the server needs /{slug} itself; rename the folder")
            if slug in found:
                raise ProjectError(f"{one} and {found[slug]} would both be served at /{slug}: rename one")
            found[slug] = one
    return found


def home_of(folders: list[Path]) -> Path | None:
    """The folder that new projects are made in: the only one that is served, if it is no project itself."""
    only = folders[0] if len(folders) == 1 else None
    return only if only is not None and only.is_dir() and not (only / "project.toml").is_file() else None


class Host:
    """The projects of one server."""

    def __init__(self, hosting: Hosting) -> None:
        self.hosting = hosting
        self.home = home_of(hosting.folders)
        empty = self.home is not None and not list(self.home.glob("*/project.toml"))
        found = {} if empty else find_projects(hosting.folders)
        self.hosted = [self._open(slug, folder) for slug, folder in found.items()]
        self.address = hosting.address
        self._sites = [one.site for one in self.hosted]
        self._serving = ExitStack()
        self._adopting = threading.Lock()

    @property
    def creates(self) -> bool:
        """Whether new projects are made here: several processes share only what is on PostgreSQL."""
        return self.home is not None and (not self.hosting.several or self.hosting.database_server is not None)

    def _open(self, slug: str, folder: Path) -> Hosted:
        project = open_project(folder)
        database = project.database()
        return Hosted(slug, project, database, create_app(project, database, self.hosting.root_path, slug))

    def app(self) -> ASGIApp:
        """What the server runs."""
        hosting = self.hosting
        alone = len(self.hosted) == 1 and not self.hosted[0].slug
        inner: ASGIApp = self.hosted[0].app if alone else self._several()
        outer = Proxy(
            AccessLog(inner),
            root_path=hosting.root_path,
            trusted=hosting.trusted_proxies,
            user_header=hosting.user_header,
            public_url=hosting.public_url,
        )
        return Metrics(
            outer,
            self._sites,
            root_path=hosting.root_path,
            token=hosting.metrics_token,
            proxied=bool(hosting.trusted_proxies or hosting.public_url or hosting.root_path),
        )

    def close(self) -> None:
        """Stop the background work of every project, and close every database."""
        self._serving.close()
        for one in self.hosted:
            one.database.close()

    def _several(self) -> ASGIApp:
        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            with self._serving:
                for one in self.hosted:
                    self._serving.enter_context(ticking(one.site))
                yield
            self.close()

        templates = page_templates()
        templates.env.globals["base"] = self.hosting.root_path

        async def refused(request: Request, error: Exception) -> Response:
            assert isinstance(error, HTTPException)
            missing = error.status_code == 404
            return error_page(
                templates, request, Refusal(404, "no_project") if missing else error, root=self.hosting.root_path
            )

        async def index(request: Request) -> Response:
            """The projects that this browser has signed in to. Others do not learn which projects there are."""
            await run_in_threadpool(self._adopt_all)
            context: dict[str, Any] = {"projects": await run_in_threadpool(self._signed_in, request)}
            context |= translating.context(translating.language_of(request), self.hosting.root_path)
            context["may_create"] = self.home is not None and self.creates and creating.may_create(request, self.home)
            response = templates.TemplateResponse(request, "projects.html", context)
            response.headers["Cache-Control"] = "no-store"
            return response

        routes = [Route("/", index), Route("/healthz", self._health), Mount("/static", static_files())]
        if self.home is not None and self.creates:

            def taken() -> set[str]:
                return {*OWN, *(one.slug for one in self.hosted)}

            server = self.hosting.database_server
            routes += creating.routes(self.home, self.hosting.root_path, templates, taken, self._adopt, server)
        # Last: a route is looked for in this order.
        routes.append(Mount("/", self._project))
        app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: refused})
        app.add_middleware(Guard)
        return app

    async def _project(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the project that it is for, which another process may have made a moment ago."""
        slug = scope["path"].removeprefix(self.hosting.root_path).split("/")[1]
        one = next((one for one in self.hosted if one.slug == slug), None)
        if one is None:
            one = await run_in_threadpool(self._adopt, slug)
        if one is None:
            raise HTTPException(404)
        await one.mounted({**scope, "root_path": self.hosting.root_path}, receive, send)

    def _adopt(self, slug: str) -> Hosted | None:
        """Serve a project of the folder of projects from now on, if there is one of this name."""
        if self.home is None or not re.fullmatch(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*", slug) or slug in OWN:
            return None
        with self._adopting:
            known = next((one for one in self.hosted if one.slug == slug), None)
            if known is not None or not (self.home / slug / "project.toml").is_file():
                return known
            one = self._open(slug, self.home / slug)
            if self.hosting.several and one.database.is_sqlite:
                one.database.close()
                log.error("%s: not served: several server processes need PostgreSQL", one.project.folder)
                return None
            if self.address:
                # Also over an older note: the project may have been served elsewhere before it came into this folder.
                (one.project.folder / "server.url").write_text(f"{self.address}/{slug}\n")
            self._serving.enter_context(ticking(one.site))
            self._sites.append(one.site)
            self.hosted.append(one)
            return one

    def _adopt_all(self) -> None:
        for path in [] if self.home is None else self.home.glob("*/project.toml"):
            self._adopt(path.parent.name)

    def _signed_in(self, request: Request) -> list[dict[str, str]]:
        found = []
        for one in self.hosted:
            person = session_of(request, one.site, access.ROLES)
            if person is not None:
                found.append({"name": one.site.project.settings.name, "url": f"{one.site.base}/", "as": person.name})
        return found

    async def _health(self, _request: Request) -> Response:
        """Whether the server and every database answer."""

        def check() -> None:
            for one in self.hosted:
                with one.database.read() as connection:
                    connection.execute(select(1)).one()
                one.database.check_file()

        await run_in_threadpool(check)
        return JSONResponse({"status": "ok", "projects": len(self.hosted)})
