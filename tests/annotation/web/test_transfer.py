"""Files in and out: the same for the dashboard and for programs."""

import asyncio
from pathlib import Path

import pytest

from oneof.annotation.learning import jobs
from oneof.annotation.web import transfer

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@without_postgresql
@pytest.mark.parametrize("address", ["/admin/project/import", "/api/v1/items"])
def test_an_upload_is_kept_and_imported(world, monkeypatch, address):
    started = []
    monkeypatch.setattr(jobs, "start", lambda _db, _project, kind, wanted, *_: started.append((kind, wanted)) or 7)
    files = {"files": ("texts.csv", b"id,text\n1,one\n"), "gold": ("labels.csv", b"item,label\n1,c0\n")}
    world.admin().post(address, files=files)
    ((kind, wanted),) = started
    assert kind == "import"
    assert Path(wanted["path"]).read_bytes() == b"id,text\n1,one\n"
    assert Path(wanted["gold"]).read_bytes() == b"item,label\n1,c0\n"


@without_postgresql
@pytest.mark.parametrize("prefix", ["/admin/project", "/api/v1"])
def test_answers_and_a_backup_go_out(world, prefix):
    admin = world.admin()
    assert admin.get(f"{prefix}/answers.csv").headers["content-type"].startswith("text/csv")
    backup = admin.get(f"{prefix}/backup.sqlite")
    assert (backup.content[:6], backup.headers["cache-control"]) == (b"SQLite", "no-store")
    missing = "/admin/model/9.zip" if prefix == "/admin/project" else f"{prefix}/models/9.zip"
    assert "there is no version 9" in admin.get(missing).text


def test_what_was_sent_is_not_left_behind():
    with transfer._new_file("answers.csv") as path:
        path.write_text("item,subset,answer\n")
    response = transfer._send_once(path, "text/csv")
    asyncio.run(response.background())
    assert not path.parent.exists()


def test_what_could_not_be_written_is_not_left_behind():
    with pytest.raises(FileNotFoundError), transfer._new_file("answers.csv") as path:
        (path / "missing").write_text("")
    assert not path.parent.exists()
