"""One suite for both databases: every test that asks for `world` runs on SQLite and on a real PostgreSQL."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import func, insert, make_url, select

from oneof.annotation.asking import access
from oneof.annotation.project.folder import Project, open_project
from oneof.annotation.project.starting import start_project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import events, items, models, predictions
from oneof.annotation.web.app import create_app

from .prompt_server import PromptServer


def postgres_programs() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server: ONEOF_TEST_POSTGRES, else a throw-away cluster behind a socket of its own."""
    given = os.environ.get("ONEOF_TEST_POSTGRES")
    if given:
        yield given
        return
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed and ONEOF_TEST_POSTGRES is not set")
    # Socket paths must be short, so the cluster does not live in pytest's own folder.
    home = Path(tempfile.mkdtemp(prefix="oneof-pg-"))
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(home, "postgres")
        as_user = {"user": "postgres", "group": "postgres", "extra_groups": []}
    data, log = home / "data", home / "log"
    run: dict[str, Any] = {"check": True, "cwd": home, "stdout": subprocess.DEVNULL, **as_user}
    # These tests kill our server, never PostgreSQL itself, so the cluster need not wait for the disk.
    options = f"-c listen_addresses= -c unix_socket_directories={home} -c max_connections=120 -c fsync=off"
    subprocess.run([programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "-N"], **run)
    subprocess.run([programs / "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start"], **run)
    try:
        yield f"postgresql://postgres@/postgres?host={home}"
    finally:
        subprocess.run([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], **run)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def new_databases(server: str) -> Iterator[Callable[..., str]]:
    """new(like=None) -> the URL of an empty database, or of a copy; all of them go at the end."""
    made: list[str] = []
    before, _, after = server.rpartition("/postgres")
    with psycopg.connect(server, autocommit=True) as connection:
        # Copying files takes a tenth of the time of copying through the log; servers before 15 know no other way.
        strategy = "STRATEGY FILE_COPY" if connection.info.server_version >= 150000 else ""

        def new(like: str | None = None) -> str:
            pattern = "template1" if like is None else make_url(like).database
            made.append(f"oneof_{uuid.uuid4().hex[:12]}")
            connection.execute(f"CREATE DATABASE {made[-1]} TEMPLATE {pattern} {strategy}")
            return f"{before}/{made[-1]}{after}"

        yield new
        for name in made:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def new_database_url(backend: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., str | None]]:
    """Make URLs of databases; None stands for the project's own SQLite file."""
    if backend == "sqlite":
        yield lambda like=None: None
        return
    with new_databases(request.getfixturevalue("postgres")) as new:
        yield new


Patterns = Callable[[int, int, dict[str, Any]], Path]


def patterns(home: Path, new_url: Callable[[], str | None]) -> Patterns:
    """Projects that nobody has touched yet, each kind started once: a test works on a copy."""
    started: dict[str, Path] = {}

    def pattern(items: int, classes: int, values: dict[str, Any]) -> Path:
        kind = repr((items, classes, sorted(values.items())))
        if kind not in started:
            # A name of its own each time: one that is refused leaves its folder behind.
            here = Path(tempfile.mkdtemp(dir=home))
            texts, names = write_texts(here / "texts.csv", items), write_classes(here / "classes.csv", classes)
            start_project(here / "project", values, names, texts, None, new_url())
            started[kind] = here / "project"
        return started[kind]

    return pattern


@pytest.fixture(scope="session")
def sqlite_patterns(tmp_path_factory: pytest.TempPathFactory) -> Patterns:
    return patterns(tmp_path_factory.mktemp("patterns"), lambda: None)


@pytest.fixture(scope="session")
def postgresql_patterns(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[Patterns]:
    with new_databases(postgres) as new:
        yield patterns(tmp_path_factory.mktemp("patterns"), new)


@pytest.fixture(scope="session")
def running_browser() -> Iterator[Any]:
    """A browser for all tests that ask for one; see `browser.Running`."""
    from .browser import CHROMIUM, Running  # needs playwright

    if CHROMIUM is None:
        pytest.skip("needs chromium-headless-shell or chromium")
    running = Running()
    yield running
    running.end()


class Clock:
    """Time that a test can move."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


class Served:
    """The application on a port of its own, in a thread of the test."""

    def __init__(self, app: Any) -> None:
        # With the protocol named, asyncio switches off the delay of small packets, as it does for `serve`.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self.server = PromptServer(app, log_level="error", access_log=False, ws="none")
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]})
        self.thread.start()
        while not self.server.started:
            time.sleep(0.005)

    def stop(self) -> None:
        self.server.told.set()
        self.thread.join()


@dataclass
class World:
    """A project with its database and, once somebody joins, its server."""

    project: Project
    database: Database
    admin_token: str
    clock: Clock = field(default_factory=Clock)
    clients: list[httpx.Client] = field(default_factory=list)

    @cached_property
    def served(self) -> Served:
        app = create_app(self.project, self.database)
        app.state.site.clock = self.clock
        return Served(app)

    def close(self) -> None:
        for client in self.clients:
            client.close()
        if "served" in self.__dict__:
            self.served.stop()
        self.database.close()

    def invite(self, name: str) -> str:
        return self.database.write(lambda c: access.invite(c, name, "annotator", time.time()))

    def person(self, name: str) -> int:
        with self.database.read() as connection:
            return access.find(connection, name)

    def browser(self) -> httpx.Client:
        # There is no TLS here, and loading the certificates of the machine takes longer than many a test.
        client = httpx.Client(base_url=self.served.url, headers={"X-Oneof": "1"}, timeout=60, verify=False)
        self.clients.append(client)
        return client

    def annotator(self, name: str) -> httpx.Client:
        """A signed-in annotator."""
        client = self.browser()
        assert client.get(f"/join/{self.invite(name)}").status_code == 303
        return client

    def admin(self) -> httpx.Client:
        client = self.browser()
        assert client.get(f"/join/{self.admin_token}").status_code == 303
        return client

    @staticmethod
    def body(task: int, answer: str = "yes", **more: Any) -> dict[str, Any]:
        return {"id": str(uuid.uuid4()), "task": task, "answer": answer, "seconds": 1.0} | more

    @staticmethod
    def claim(client: httpx.Client, **wanted: Any) -> dict[str, Any]:
        claimed = client.post("/api/claim", json=wanted)
        assert claimed.status_code == 200, (claimed.status_code, claimed.text)
        return dict(claimed.json())

    def give(self, client: httpx.Client, answer: str = "yes", **more: Any) -> dict[str, Any]:
        """Claim a question and answer it; returns the stored row."""
        stored = client.post("/api/answers", json=self.body(self.claim(client)["task"], answer, **more))
        assert stored.status_code == 201, (stored.status_code, stored.text)
        return dict(stored.json())

    @staticmethod
    def step(client: httpx.Client, kind: str, **more: Any) -> httpx.Response:
        """Undo or redo."""
        return client.post(f"/api/{kind}", json={"id": str(uuid.uuid4())} | more)

    def model(self, aside: Any = (), label: Callable[[int], int] = lambda item: item % 5) -> int:
        """Store a model that has learned from every answer but those about `aside`, and what it says of items."""

        def work(connection: Any) -> int:
            last = connection.execute(select(func.coalesce(func.max(events.c.id), 0))).scalar_one()
            row = {"trained_at": 1000.0, "last_event": last, "answers": last, "held_out": 0}
            model = int(connection.execute(insert(models).values(row).returning(models.c.id)).scalar_one())
            for item in connection.scalars(select(items.c.id)).all():
                prediction = {"model_id": model, "item_id": item, "label": label(item), "held_out": item in aside}
                connection.execute(insert(predictions).values(prediction))
            return model

        return self.database.write(work)

    def rows(self, query: Any) -> list[Any]:
        with self.database.read() as connection:
            return list(connection.execute(query))


MakeWorld = Callable[..., World]


def write_texts(path: Path, count: int) -> Path:
    path.write_text("id,text\n" + "".join(f"t{n},text number {n}\n" for n in range(count)), encoding="utf-8")
    return path


def write_classes(path: Path, count: int = 5) -> Path:
    path.write_text("name,definition\n" + "".join(f"c{n},the class {n}\n" for n in range(count)), encoding="utf-8")
    return path


@pytest.fixture
def make_world(
    tmp_path: Path, backend: str, new_database_url: Callable[..., str | None], request: pytest.FixtureRequest
) -> Iterator[MakeWorld]:
    """Start projects: `make_world(items=20, overlap=2)`; other settings by name, other items by path."""
    made: list[World] = []
    pattern: Patterns = request.getfixturevalue(f"{backend}_patterns")

    def make(items: int | Path = 20, *, classes: int | Path = 5, gold: Path | None = None, **settings: Any) -> World:
        home = tmp_path / f"world{len(made)}"
        home.mkdir()
        values = {"name": "test", "size": 2, "seed": 7, "show_names": True} | settings
        if isinstance(items, int) and isinstance(classes, int) and gold is None:
            like = pattern(items, classes, values)
            shutil.copytree(like, home / "project")
            url = new_database_url(like=open_project(like).database_url())
            if url is not None:
                open_project(home / "project").remember_database(url)
        else:
            source = write_texts(home / "texts.csv", items) if isinstance(items, int) else items
            classes_file = write_classes(home / "classes.csv", classes) if isinstance(classes, int) else classes
            start_project(home / "project", values, classes_file, source, gold, new_database_url())
        project = open_project(home / "project")
        world = World(project, project.database(), project.admin_token() or "")
        made.append(world)
        return world

    yield make
    for world in made:
        world.close()


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    return make_world()
