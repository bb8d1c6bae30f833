"""New projects in the browser, for whoever has the key of the server: `serve FOLDER` prints a link with it.

Each becomes a folder in FOLDER, is served at once, and opens with its first manager signed in, who uploads the items.
"""

import csv
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

from fastapi.responses import RedirectResponse, Response
from fastapi.templating import Jinja2Templates
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import GUIDELINES
from oneof.annotation.project.starting import start_project
from oneof.annotation.store.new_databases import new_database
from oneof.annotation.web.dashboard.frame import form
from oneof.files.atomic import replacing

KEY_FILE = "server.key"
COOKIE = "oneof_server"
DAYS = 90
LONGEST_SLUG = 60


def server_key(home: Path) -> str:
    """The key of the server that has its projects in this folder: made once, readable by the folder's owner alone."""
    path = home / KEY_FILE
    if not path.is_file():
        with replacing(path, mode=0o600) as part:
            part.write_text(secrets.token_urlsafe(32) + "\n")
    return path.read_text().strip()


def may_create(request: Request, home: Path) -> bool:
    """Whether this browser, or program, has the key."""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    given = given.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE, "")
    return hmac.compare_digest(given.encode(), server_key(home).encode())


def slug_of(name: str, taken: set[str]) -> str:
    """A part of the path for a project of this name, which no other has.

    >>> slug_of("Birds of 2026!", {"birds-of-2026"})
    'birds-of-2026-2'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST_SLUG].strip("-") or "project"
    tries = (plain if number == 1 else f"{plain}-{number}" for number in range(1, len(taken) + 2))
    return next(slug for slug in tries if slug not in taken)


def read_lines(text: str) -> list[tuple[str, str]]:
    """Classes from lines of `name` or `name: definition`.

    >>> read_lines("cat: a small feline\\n\\ndog")
    [('cat', 'a small feline'), ('dog', '')]
    """
    rows = [line.partition(":") for line in text.splitlines() if line.strip()]
    return [(" ".join(name.split()), " ".join(definition.split())) for name, _, definition in rows]


def create(home: Path, fields: dict[str, str], taken: set[str], database_server: str | None = None) -> tuple[str, str]:
    """Make a project of what the form says: its part of the path, and the token of its first manager's link.

    database_server: where PostgreSQL makes a database for it; else it has a file of its own.
    """
    name = " ".join(fields.get("name", "").split())
    if not name:
        raise ProjectError("name: nothing was given")
    size = _whole(fields.get("size", ""), "labels in a question")
    questions = _whole(fields.get("questions_per_item") or "1", "questions about each item")
    slug = slug_of(name, taken | {path.name for path in home.iterdir()})
    folder = home / slug
    values: dict[str, Any] = {"name": name, "size": size, "questions_per_item": questions}
    values |= {"question": fields["question"].strip()} if fields.get("question", "").strip() else {}
    folder.mkdir()
    try:
        if database_server is None:
            return slug, _start(folder, values, fields, None)
        with new_database(database_server, slug) as url:
            return slug, _start(folder, values, fields, url)
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise


def _whole(text: str, title: str) -> int:
    text = text.strip()
    if not text.isdecimal() or len(text) > 9:
        raise ProjectError(f"{title}: {text[:20]!r} is not a whole number")
    return int(text)


def _start(folder: Path, values: dict[str, Any], fields: dict[str, str], database_url: str | None) -> str:
    guidelines = fields.get("guidelines", "").replace("\r\n", "\n") or GUIDELINES
    (folder / "guidelines.md").write_text(guidelines, encoding="utf-8")
    with TemporaryDirectory() as place:
        listed = Path(place) / "classes.csv"
        with listed.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([("name", "definition"), *read_lines(fields.get("classes", ""))])
        try:
            return start_project(folder, values, listed, None, database_url=database_url).admin_token
        except ProjectError as error:
            raise ProjectError(str(error).replace(f"{listed}, ", "").replace(str(listed), "classes")) from None


def routes(
    home: Path,
    root: str,
    templates: Jinja2Templates,
    taken: Callable[[], set[str]],
    adopt: Callable[[str], object],
    database_server: str | None = None,
) -> list[Route]:
    """The addresses of this page. taken: parts of the path in use. adopt: serve a project from now on."""

    def show(request: Request, refused: str | None = None, typed: dict[str, str] | None = None) -> Response:
        context = {"refused": refused, "typed": typed or {}, "guidelines": GUIDELINES}
        response = templates.TemplateResponse(request, "new.html", context, status_code=422 if refused else 200)
        response.headers["Cache-Control"] = "no-store"
        return response

    async def enter(request: Request) -> Response:
        if not hmac.compare_digest(request.path_params["key"].encode(), server_key(home).encode()):
            raise HTTPException(403, "The link is wrong.")
        response = RedirectResponse(f"{root}/new", status_code=303)
        secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, server_key(home), DAYS * 86_400, path=root or "/", httponly=True, samesite="strict", secure=secure
        )
        return response

    async def new(request: Request) -> Response:
        if not may_create(request, home):
            raise HTTPException(403, "New projects are made by whoever runs the server, with the link that it prints.")
        if request.method == "GET":
            return show(request)
        fields = await form(request)
        try:
            slug, token = await run_in_threadpool(create, home, fields, taken(), database_server)
        except (ProjectError, ValueError) as error:
            return show(request, str(error), fields)
        await run_in_threadpool(adopt, slug)
        return RedirectResponse(f"{root}/{slug}/join/{token}", status_code=303)

    pages: list[tuple[str, Callable[[Request], Awaitable[Response]], list[str]]] = [
        ("/new/{key}", enter, ["GET"]),
        ("/new", new, ["GET", "POST"]),
    ]
    return [Route(path, endpoint, methods=methods) for path, endpoint, methods in pages]
