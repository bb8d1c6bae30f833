"""Files into a served project and out of it, for the dashboard and for programs alike."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from fastapi import Request
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from oneof.annotation.asking.access import Person
from oneof.annotation.learning import downloads, jobs
from oneof.annotation.learning.exporting import export_answers
from oneof.annotation.project.uploading import Sent, keep
from oneof.annotation.store import history
from oneof.annotation.store.backup import back_up
from oneof.annotation.web.site import Site

FORMATS = {"csv": "text/csv", "jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet"}


async def take_files(request: Request, site: Site, person: Person) -> int:
    """Keep the `files` of a form, and known labels as `gold`; returns the number of the job that imports them."""
    async with request.form(max_files=20_000, max_fields=10) as form:
        files = [_sent(one) for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
        gold = form.get("gold")
        known = _sent(gold) if isinstance(gold, UploadFile) and gold.filename else None

        def work() -> int:
            uploaded = keep(site.project, files, known)
            wanted = {"path": str(uploaded.path), "count": uploaded.count}
            wanted |= {} if uploaded.gold is None else {"gold": str(uploaded.gold)}
            return jobs.start(site.database, site.project, "import", wanted, site.clock(), person.id)

        return await run_in_threadpool(work)


def send_answers(site: Site, kind: str, everything: bool) -> Response:
    """The answers as a file that `oneof train` reads; `everything` adds checks and withdrawn answers."""
    if kind not in FORMATS:
        raise HTTPException(404, f"expected one of {', '.join(FORMATS)}")
    with _new_file(f"answers.{kind}") as path:
        export_answers(site.database, site.project, path, checks=everything, withdrawn=everything)
    return _send_once(path, FORMATS[kind])


def send_backup(site: Site, person: Person) -> Response:
    """The whole database in one file."""
    with _new_file("backup.sqlite") as path:
        back_up(site.database, path)
        site.database.write(history.note, "backup", site.clock(), person.id)
    return _send_once(path, "application/vnd.sqlite3")


def send_model(site: Site, version: int) -> Response:
    """A version of the model as one file; a `ProjectError` if it was not kept."""
    with _new_file(f"model-{version:04d}.zip") as path:
        downloads.zip_model(site.project, version, path)
    return _send_once(path, "application/zip")


def send_predictions(site: Site) -> Response:
    """The current model's prediction for every item; a table without rows if there is no model yet."""
    with site.database.read() as connection:
        text = downloads.predictions_csv(connection, site.project)
    headers = {"Content-Disposition": 'attachment; filename="predictions.csv"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def _sent(file: UploadFile) -> Sent:
    return Sent(file.filename or "", file.file)


@contextmanager
def _new_file(name: str) -> Iterator[Path]:
    """The path of a file that is written within this block, for `_send_once`; an error leaves nothing behind."""
    folder = Path(mkdtemp(prefix="oneof-"))
    try:
        yield folder / name
    except BaseException:
        rmtree(folder)
        raise


def _send_once(path: Path, media_type: str) -> Response:
    """Send a file of `_new_file`, and remove it."""

    return FileResponse(
        path,
        filename=path.name,
        media_type=media_type,
        headers={"Cache-Control": "no-store"},
        background=BackgroundTask(rmtree, path.parent),
    )
