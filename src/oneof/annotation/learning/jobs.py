"""Jobs: work that takes longer than a request runs in a process of its own, and reports how far it has come.

One job of each kind runs at a time. A job updates its row every half second; one that has not done so for a minute has
died (the server was switched off, the process was killed), and another may start.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.project.importing import import_items, read_gold
from oneof.annotation.store import history
from oneof.annotation.store.database import BusyError, Database
from oneof.annotation.store.schema import jobs

SILENCE_SECONDS = 60.0
BEAT_SECONDS = 0.5
SHOWN_LEFT_OUT = 10
KINDS = ("train", "import", "predict")


@dataclass(frozen=True)
class Job:
    """A job. state: waiting, running, done or failed. done, total: how far it has come; total is 0 if unknown."""

    id: int
    kind: str
    state: str
    created_at: float
    finished_at: float | None
    done: int
    total: int
    message: str

    @property
    def working(self) -> bool:
        """Whether it has not ended yet."""
        return self.state in ("waiting", "running")


def start(
    database: Database, project: Project, kind: str, request: dict[str, Any], now: float, person_id: int | None = None
) -> int:
    """Begin a job in the background and return its id; an error while another job of this kind is at work."""
    job_id = database.write(_enter, kind, request, now, person_id)
    # The URL of the database may hold a password, and everybody can read command lines.
    environment = os.environ | {"ONEOF_DATABASE": database.url.render_as_string(hide_password=False)}
    command = [sys.executable, "-m", "oneof.annotation.learning.worker", str(project.folder), str(job_id)]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    # Unless somebody waits for it, it stays in the process table after its end.
    threading.Thread(target=process.wait, daemon=True).start()
    return job_id


def latest(connection: Connection, kind: str, now: float) -> Job | None:
    """The last job of this kind; None if there was none."""
    row = connection.execute(select(jobs).where(jobs.c.kind == kind).order_by(jobs.c.id.desc()).limit(1)).first()
    return None if row is None else _seen(row, now)


def run(database: Database, project: Project, job_id: int) -> None:
    """Do the work of a job, in the process that was started for it. A failure is stored in the job's row."""
    with database.read() as connection:
        row = connection.execute(select(jobs).where(jobs.c.id == job_id)).one()
    request = json.loads(row.request)
    with _beating(database, job_id) as report:
        try:
            message, detail = WORK[row.kind](database, project, request, report, row.person_id)
        except Exception as error:
            state, message = "failed", str(error) or type(error).__name__
            detail = {"error": message[:500]}
        else:
            state = "done"
    now = time.time()

    def end(connection: Connection) -> None:
        values = {"state": state, "message": message, "finished_at": now, "beat_at": now}
        connection.execute(update(jobs).where(jobs.c.id == job_id).values(values))
        if detail:
            action = row.kind if state == "done" else f"{row.kind}-failed"
            history.note(connection, action, now, row.person_id, **detail)

    database.write(end)


Report = Callable[[int, int, str], None]


def _train(
    database: Database, project: Project, request: dict[str, Any], report: Report, _person_id: int | None
) -> tuple[str, dict[str, Any]]:
    report(0, 0, "reading the items")
    from oneof.annotation.learning.training import train_project
    from oneof.training.progress import watched

    with watched(report):
        trained = train_project(database, project, now=time.time(), **request)
    estimate = trained.estimate
    detail = {"model": trained.folder.name, "answers": trained.answers, "judged_on": int(estimate.n)}
    if not estimate.n:
        return f"trained on {trained.answers} answers; {trained.unjudged}", detail
    detail |= {"accuracy": estimate.value, "low": estimate.low, "high": estimate.high}
    return f"trained on {trained.answers} answers; accuracy without labels {100 * estimate.value:.1f} %", detail


def _import(
    database: Database, project: Project, request: dict[str, Any], report: Report, person_id: int | None
) -> tuple[str, dict[str, Any]]:
    """Import items. Nothing is returned for the journal: the import writes its own entry."""
    gold_file = request.get("gold")
    gold = {} if gold_file is None else read_gold(Path(gold_file), project.label_names)
    total = int(request.get("count", 0))
    path = Path(request["path"])

    def count(stored: int) -> None:
        report(stored, total, "storing items")

    done = import_items(database, project, path, gold, report=count, person_id=person_id)
    parts = [f"{done.added} new items, {done.known} already here"]
    if done.left_out:
        parts.append(f"{len(done.left_out)} left out:\n" + "\n".join(done.left_out[:SHOWN_LEFT_OUT]))
    return "; ".join(parts), {}


def _predict(
    database: Database, project: Project, _request: dict[str, Any], report: Report, _person_id: int | None
) -> tuple[str, dict[str, Any]]:
    """Predict new items. Nothing is returned for the journal: no manager asked for it."""
    report(0, 0, "looking at new items")
    from oneof.annotation.learning.predicting import predict_new

    return f"{predict_new(database, project)} new items have their prediction", {}


WORK: dict[str, Callable[..., tuple[str, dict[str, Any]]]] = {"train": _train, "import": _import, "predict": _predict}


def _enter(connection: Connection, kind: str, request: dict[str, Any], now: float, person_id: int | None) -> int:
    assert kind in KINDS, kind
    if connection.dialect.name == "postgresql":
        # If two managers press at once, the second waits here and then finds the first one's job.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7216032)")
    before = latest(connection, kind, now)
    if before is not None and before.working:
        raise ProjectError(f"{kind}: one is at work already; wait until it has ended")
    row = {"kind": kind, "state": "waiting", "person_id": person_id, "request": json.dumps(request), "message": ""}
    values = row | {"created_at": now, "beat_at": now, "done": 0, "total": 0}
    return int(connection.execute(insert(jobs).values(values).returning(jobs.c.id)).scalar_one())


def _seen(row: Row[Any], now: float) -> Job:
    """The job of a row; failed, if it has been silent for too long."""
    state, message = row.state, row.message
    if state in ("waiting", "running") and now - row.beat_at > SILENCE_SECONDS:
        state, message = "failed", "the process ended before the work was done"
    return Job(row.id, row.kind, state, row.created_at, row.finished_at, row.done, row.total, message)


@contextmanager
def _beating(database: Database, job_id: int) -> Iterator[Report]:
    """A function that takes reports of progress, which a thread writes into the job's row, so that no work waits."""
    lock = threading.Lock()
    current: dict[str, Any] = {"state": "running", "done": 0, "total": 0, "message": ""}
    ended = threading.Event()

    def report(done: int, total: int, line: str) -> None:
        with lock:
            current.update(done=done, total=total, message=line)

    def beat() -> None:
        while not ended.wait(BEAT_SECONDS):
            with lock:
                values = current | {"beat_at": time.time()}
            write = update(jobs).where(jobs.c.id == job_id).values(values)
            # The job goes on while the database is busy, and must not seem dead afterwards.
            with suppress(BusyError):
                database.write(Connection.execute, write)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield report
    finally:
        ended.set()
        thread.join()
