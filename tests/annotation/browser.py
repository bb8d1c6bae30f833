"""A served project and a real browser, for the tests of the page."""

import asyncio
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from sqlalchemy import select, update

from oneof.annotation.asking import access
from oneof.annotation.project.classes import Class
from oneof.annotation.project.folder import Project, Settings, create_project, open_project
from oneof.annotation.project.importing import import_items
from oneof.annotation.store import facts
from oneof.annotation.store.schema import claims, events, sources
from oneof.annotation.store.upgrading import upgrade
from oneof.annotation.web.app import create_app

from .prompt_server import PromptServer

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
# The one without windows takes half of the processor time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
OPTIONS: dict[str, Any] = {
    "executable_path": CHROMIUM,
    "args": [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ],
}
ARTEFACTS = Path(__file__).parents[2] / "artefacts" / "annotation"
COLOURS = {"square": "#c0392b", "disc": "#2471a3", "triangle": "#1e8449", "ring": "#b7950b", "bar": "#6c3483"}
CLASSES = [
    Class("square", "Four equal sides", "0.png"),
    Class("disc", "Round and filled"),
    Class("triangle", "Three corners, filled", "2.png"),
    Class("ring", "Round with a hole in it"),
    Class("bar", "Much longer than it is wide"),
]


@dataclass
class Served:
    """A project folder and its server, in a thread; it may be stopped and started again on the same port."""

    project: Project
    port: int = 0
    server: PromptServer | None = None
    thread: threading.Thread | None = None
    links: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        # With the protocol named, asyncio sends small replies at once; otherwise each waits for about 40 ms.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        self.server = PromptServer(self.app(), log_level="warning", timeout_graceful_shutdown=1)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self.thread.start()
        wait_until(lambda: self.server is not None and self.server.started)

    def app(self) -> Any:
        return create_app(self.project, self.project.database())

    def stop(self) -> None:
        if self.server is None or self.thread is None:
            return
        self.server.told.set()
        self.thread.join(10)
        assert not self.thread.is_alive()
        self.server = None

    def in_database(self, work: Callable[[Any], Any]) -> Any:
        database = self.project.database()
        try:
            return database.write(work)
        finally:
            database.close()

    def link(self, name: str = "Ada", role: access.Role = "annotator") -> str:
        if name not in self.links:
            token = self.in_database(lambda connection: access.invite(connection, name, role, time.time()))
            self.links[name] = f"{self.url}/join/{token}"
        return self.links[name]

    def current(self) -> dict[int, str]:
        """task -> the answer that stands."""
        query = select(claims.c.task_id, claims.c.answer).where(claims.c.state == "answered")
        return {row.task_id: row.answer for row in self.in_database(lambda connection: connection.execute(query).all())}

    def held(self) -> list[int]:
        query = select(claims.c.task_id).where(claims.c.state == "held").order_by(claims.c.ordinal)
        return list(self.in_database(lambda connection: connection.scalars(query).all()))

    def events(self, kind: str) -> list[Any]:
        query = select(events).where(events.c.kind == kind).order_by(events.c.id)
        return list(self.in_database(lambda connection: connection.execute(query).all()))

    def pause(self, paused: bool) -> None:
        self.in_database(lambda connection: facts.put(connection, "paused", "yes" if paused else ""))


@dataclass
class Person:
    """An annotator at a browser."""

    page: Any
    site: Served
    requests: list[str]
    troubles: list[str]

    @property
    def task(self) -> int:
        return int(self.page.evaluate("document.body.dataset.task || 0"))

    @property
    def labels(self) -> list[str]:
        return [str(name) for name in self.page.locator("#labels b").all_inner_texts()]

    def ready(self, state: str = "item") -> int:
        self.page.wait_for_selector(f"body[data-state='{state}']")
        return self.task

    def saved(self) -> None:
        self.page.wait_for_selector("#save-state[data-save='saved'][data-waiting='0']")

    def press(self, key: str) -> int:
        """Press a key that changes the question, and guess nothing after "can't tell"; returns the next one."""
        if key not in "ur":
            self.page.wait_for_selector("body[data-state='item'], body[data-state='broken'], dialog[open]")
        before = self.task
        self.page.keyboard.press(key)
        if self.page.locator("#guess-dialog[open]").count():
            self.page.keyboard.press("c")
        self.page.wait_for_function("before => Number(document.body.dataset.task || 0) !== before", arg=before)
        return self.task

    def keep(self, name: str) -> None:
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png", animations="disabled")


Serve = Callable[..., Served]
Open = Callable[..., Person]


def wait_until(condition: Callable[[], Any], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def draw(path: Path, shape: str, number: int, size: tuple[int, int] = (640, 480)) -> None:
    """A picture of a class; the number makes each one different."""
    width, height = size
    shift = 7 * number % 90
    picture = Image.new("RGB", size, (236 - number % 20, 232, 222))
    pen, colour = ImageDraw.Draw(picture), COLOURS[shape]
    box = (width * 0.28 + shift, height * 0.22, width * 0.28 + shift + height * 0.5, height * 0.72)
    if shape == "square":
        pen.rectangle(box, fill=colour)
    elif shape == "disc":
        pen.ellipse(box, fill=colour)
    elif shape == "ring":
        pen.ellipse(box, outline=colour, width=max(2, width // 24))
    elif shape == "triangle":
        pen.polygon([(box[0], box[3]), (box[2], box[3]), ((box[0] + box[2]) / 2, box[1])], fill=colour)
    else:
        pen.rectangle((width * 0.1, height * 0.42, width * 0.8 + shift, height * 0.52), fill=colour)
    picture.save(path)


def make_site(folder: Path, *, texts: list[str] | None = None, count: int = 12, **settings: Any) -> Served:
    """A project of drawn shapes, or of texts, not yet served."""
    values = {"name": "Shapes", "size": 3, "seed": 5, "gold_share": 0.0, "show_names": True, **settings}
    classes = [Class(one.name, one.definition) for one in CLASSES] if texts is not None else CLASSES
    project = create_project(folder / "project", Settings(**values), classes)
    (folder / "project" / "examples").mkdir()
    for index, one in enumerate(CLASSES):
        draw(folder / "project" / "examples" / f"{index}.png", one.name, 1, (160, 160))
    if texts is None:
        source = folder / "pictures"
        source.mkdir()
        for number in range(count):
            draw(source / f"{number:03}.png", CLASSES[number % len(CLASSES)].name, number)
    else:
        import json

        source = folder / "texts.jsonl"
        rows = [json.dumps({"id": f"text-{number}", "text": text}) for number, text in enumerate(texts)]
        source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    database = project.database()
    upgrade(database)
    import_items(database, project, source)
    database.close()
    return Served(project)


PATTERNS: dict[str, Path] = {}
"""Projects that nobody has touched yet, by their settings: each is made once, and served as a copy."""


@pytest.fixture
def serve(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Served]]:
    """make(**settings) -> a served project."""
    running: list[Served] = []

    def make(**settings: Any) -> Served:
        kind = repr(sorted(settings.items()))
        if kind not in PATTERNS:
            made = tmp_path_factory.mktemp("site")
            make_site(made, **settings)
            PATTERNS[kind] = made
        folder = shutil.copytree(PATTERNS[kind], tmp_path / f"site{len(running)}")
        site = Served(open_project(folder / "project"))
        site.in_database(lambda connection: connection.execute(update(sources).values(root=str(folder / "pictures"))))
        site.start()
        running.append(site)
        return site

    yield make
    for site in running:
        site.stop()


class Running:
    """Playwright and a browser, started once for all tests.

    Playwright keeps its event loop in this thread, where no test could run another: it is put aside between the tests
    that use it.
    """

    def __init__(self) -> None:
        self.manager = playwright.sync_playwright()
        self.playwright = self.manager.start()
        self.loop = asyncio.get_running_loop()
        self.chromium = self.playwright.chromium.launch(**OPTIONS)
        self.put_aside()

    def bring_back(self) -> None:
        asyncio._set_running_loop(self.loop)

    def put_aside(self) -> None:
        asyncio._set_running_loop(None)

    def end(self) -> None:
        self.bring_back()
        self.chromium.close()
        self.playwright.stop()
        self.put_aside()


@pytest.fixture
def driver(running_browser: Any) -> Iterator[Any]:
    running_browser.bring_back()
    yield running_browser.playwright
    running_browser.put_aside()


@pytest.fixture
def chromium(driver: Any, running_browser: Any) -> Any:
    return running_browser.chromium


def watch(page: Any, site: Served) -> Person:
    """Note what the page asks for and what goes wrong in it."""
    person = Person(page, site, [], [])
    page.set_default_timeout(15_000)
    page.on("request", lambda request: person.requests.append(request.url))
    page.on("pageerror", lambda error: person.troubles.append(str(error)))
    page.on("console", lambda note: person.troubles.append(note.text) if "Content Security" in note.text else None)
    return person


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Person]]:
    """open(site, name) -> an annotator who has followed the personal link; at the end nothing may have gone wrong."""
    people_here: list[Person] = []

    def open_one(
        site: Served, name: str = "Ada", *, context: Any = None, path: str | None = None, **options: Any
    ) -> Person:
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = context or chromium.new_context(**options)
        person = watch(context.new_page(), site)
        people_here.append(person)
        person.page.goto(site.link(name) if path is None else site.url + path)
        return person

    yield open_one
    for person in people_here:
        with suppress(playwright.Error):
            person.page.context.close()
        assert person.troubles == []
        foreign = [
            url for url in person.requests if not url.startswith((person.site.url + "/", "about:blank", "blob:"))
        ]
        assert foreign == []
