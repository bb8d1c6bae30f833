"""The web application: `create_app(folder)` ties the project, the database and the routes together."""

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from oneof.annotation.asking.recording import ConflictError, UnknownTaskError
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.database import BusyError, Database, GoneError, is_busy, is_full
from oneof.annotation.store.upgrading import upgrade
from oneof.annotation.web import api_routes, manage_routes, own_routes, page_routes, program_routes, translating
from oneof.annotation.web.dashboard import items, model, overview, people, programs, returning, review, wording
from oneof.annotation.web.dashboard import project as project_page
from oneof.annotation.web.live import LiveProject
from oneof.annotation.web.security import Guard
from oneof.annotation.web.site import Site
from oneof.annotation.web.ticking import ticking

HERE = Path(__file__).parent
log = logging.getLogger("oneof.annotation")


def create_app(project: Project, database: Database, root: str = "", slug: str = "") -> FastAPI:
    """The application of one project, at the path `root`/`slug`. Several processes may serve the same project."""
    upgrade(database)
    facts.check_classes(database, project)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        with ticking(site):
            yield
        database.close()

    app = FastAPI(
        title="oneof annotation",
        description='Yes/no answers to the question "is it one of these?"',
        lifespan=lifespan,
        # The interactive page of FastAPI loads scripts from elsewhere; the plain description does not.
        docs_url=None,
        redoc_url=None,
    )
    live = LiveProject(project, database)
    site = Site(live, database, page_templates(), facts.project_id(database), time.time, root, slug)
    site.templates.env.globals["base"] = site.base
    app.state.site = site
    app.add_middleware(Guard)
    app.include_router(api_routes.router)
    app.include_router(page_routes.router)
    app.include_router(own_routes.router)
    pages = [page.router for page in (overview, items, review, people, model, project_page, programs)]
    # The ways back come first: /admin/people/{number} would take /admin/people/invite for somebody.
    for router in (returning.ways_back(pages), *pages, manage_routes.router, program_routes.router):
        app.include_router(router)
    app.mount("/static", static_files())
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _failed)
    app.add_exception_handler(UnknownTaskError, _detail(404))
    app.add_exception_handler(ConflictError, _detail(409))
    app.add_exception_handler(ProjectError, _detail(422))
    app.add_exception_handler(ClientDisconnect, _gone)
    for busy in (BusyError, DBAPIError, PoolTimeout):
        app.add_exception_handler(busy, _busy)
    return app


def page_templates() -> Jinja2Templates:
    """The templates; each site sets its own `base`."""
    templates = Jinja2Templates(HERE / "templates")
    wording.add_filters(templates.env)
    translating.add_texts(templates.env)
    return templates


def static_files() -> StaticFiles:
    """Scripts, styles and pictures of the pages. Browsers ask each time, and load what has changed."""
    return _Static(directory=HERE / "static")


class _Static(StaticFiles):
    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


async def _bad_request(request: Request, error: Exception) -> Response:
    """Say what is wrong, without sending the input back: it may be anything."""
    assert isinstance(error, RequestValidationError)
    if all(one["loc"][0] == "path" for one in error.errors()) and wants_page(request):
        return await _refused(request, HTTPException(404))
    details = [f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}".lstrip(": ") for one in error.errors()]
    return await _refused(request, HTTPException(422, "; ".join(details[:5])))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    site: Site = request.app.state.site
    if not wants_page(request):
        return JSONResponse({"detail": error.detail}, status_code=error.status_code, headers=error.headers)
    response = error_page(site.templates, request, error, site.project.settings.language, site.root)
    if error.status_code == 401 and "again" not in request.query_params:
        # Right after a link on another site (webmail, chat) browsers hold back a Strict cookie that was just set.
        # Coming from our own page they send it, so the page asks once more by itself.
        response.headers["Refresh"] = f"0; url={site.base}{quote(_path(request))}?again=1"
    return response


async def _failed(request: Request, _error: Exception) -> Response:
    """An error of the program. It is in the log; people get a page with a link back."""
    site: Site = request.app.state.site
    mistake = translating.Refusal(500, "our_mistake")
    if not wants_page(request):
        return JSONResponse({"detail": mistake.detail}, status_code=500)
    return error_page(site.templates, request, mistake, site.project.settings.language, site.root)


def wants_page(request: Request) -> bool:
    """Whether a person opened this address, rather than a script or a page that loads a picture."""
    if _path(request).startswith(("/api/", "/items/", "/thumbnails/", "/examples/", "/guidelines/", "/static/")):
        return False
    return "text/html" in request.headers.get("accept", "*/*").replace("*/*", "text/html")


def _path(request: Request) -> str:
    """The path of a request within its project."""
    site: Site = request.app.state.site
    return str(request.scope["path"]).removeprefix(site.base)


def error_page(
    templates: Jinja2Templates, request: Request, error: HTTPException, language: str = "auto", root: str = ""
) -> Response:
    """A page with the error and a link back. language: the setting of the project."""
    spoken = translating.language_of(request, language)
    status = error.status_code
    context = translating.context(spoken, root) | {
        "title": spoken.text(f"error.{status}" if status in (401, 403, 404) else "error.other"),
        "message": translating.message_of(error, spoken),
        "status": status,
    }
    return templates.TemplateResponse(request, "error.html", context, status_code=status)


def _detail(status: int) -> Any:
    async def handler(request: Request, error: Exception) -> Response:
        return await _refused(request, HTTPException(status, str(error)))

    return handler


async def _gone(_request: Request, _error: Exception) -> Response:
    """The browser went away before it had sent the whole request; nobody reads this reply."""
    return Response(status_code=400)


async def _busy(_request: Request, error: Exception) -> Response:
    """Nothing was stored; the page keeps what it has and tries again."""
    if isinstance(error, GoneError):
        log.error("%s", error)
        words, seconds = "the database is not there any more; tell the manager", 10
    elif is_full(error):
        log.error("the disk is full: nothing can be stored")
        words, seconds = "the disk of the server is full; tell the manager", 10
    elif isinstance(error, BusyError) or is_busy(error):
        words, seconds = "the database is busy, please try again", 1
    else:
        raise error
    return JSONResponse({"detail": words}, status_code=503, headers={"Retry-After": str(seconds)})
