"""The project's page: what goes in and out, and what can be changed."""

import re
from pathlib import Path

import pytest

from oneof.annotation.learning import jobs
from oneof.annotation.project.folder import open_project
from oneof.annotation.store import journal

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@pytest.fixture
def begun(monkeypatch):
    started = []
    monkeypatch.setattr(jobs, "start", lambda database, project, kind, request, *_: started.append((kind, request)))
    return started


@without_postgresql
def test_an_upload_larger_than_any_other_request_is_kept_and_imported(world, begun):
    admin = world.admin()
    table = b"id,text\n" + b"".join(b"n%d,%s\n" % (number, b"word " * 50) for number in range(1000))
    reply = admin.post("/admin/project/import", files={"files": ("texts.csv", table)})
    assert reply.headers["location"] == "/admin/project?done=importing"
    ((kind, request),) = begun
    assert (kind, Path(request["path"]).read_bytes() == table) == ("import", True)
    refused = admin.post("/admin/project/import", files={"files": ("a.exe", b"x")})
    assert (refused.status_code, "expected pictures" in refused.text) == (422, True)
    assert world.annotator("ann").post("/admin/project/import", files={"files": ("t.csv", table)}).status_code == 403


def test_answers_and_a_backup_can_be_taken_away(world):
    admin, ann = world.admin(), world.annotator("ann")
    world.give(ann)
    world.give(ann, "skip")
    assert len(admin.get("/admin/project/answers.csv").text.splitlines()) == 3
    assert len(admin.get("/admin/project/answers.jsonl?everything=true").text.splitlines()) == 2
    assert admin.get("/admin/project/answers.parquet").content[:4] == b"PAR1"
    assert admin.get("/admin/project/answers.exe").status_code == 404
    assert admin.get("/admin/project/backup.sqlite").content.startswith(b"SQLite format 3")


@without_postgresql
def test_classes_are_added_merged_and_retired_after_asking(world):
    admin = world.admin()
    for kind, form in (
        ("add", {"name": "c9", "before": "class:c0", "definition": "new"}),
        ("merge", {"name": "c4", "into": "c1"}),
        ("retire", {"name": "c2"}),
    ):
        asked = admin.post(f"/admin/project/classes/{kind}", data=form)
        assert (asked.status_code, "Of 0 answers so far" in asked.text) == (200, True)
        done = admin.post(f"/admin/project/classes/{kind}", data=form | {"confirmed": "yes"})
        assert done.headers["location"] == "/admin/project?done=class-change"
    assert open_project(world.project.folder).active_names == ["c0", "c1", "c3", "c9"]
    page = admin.get("/admin/project").text
    assert "c4 (merged into c1)" in page
    assert "class-retire" in page
    assert admin.post("/admin/project/classes/retire", data={"name": "c2"}).status_code == 422
    assert admin.get("/admin").status_code == admin.get("/admin/items").status_code == 200


@without_postgresql
def test_settings_are_checked_saved_and_recorded(world):
    admin = world.admin()
    assert admin.post("/admin/project/settings", data={"question": "One of these?"}).status_code == 303
    assert open_project(world.project.folder).settings.question == "One of these?"
    assert "One of these?" in world.annotator("ann").get("/").text
    refused = admin.post("/admin/project/settings", data={"overlap": "0", "name": "x"})
    assert (refused.status_code, "overlap" in refused.text) == (422, True)
    assert open_project(world.project.folder).settings.name == "test"
    with world.database.read() as connection:
        changed = [one.detail for one in journal.entries(connection) if one.action == "settings"]
    assert changed == [{"question": "One of these?"}]


@without_postgresql
def test_a_new_name_asks_first_and_a_definition_does_not(world):
    admin = world.admin()

    def names():
        return [(one.name, one.definition) for one in open_project(world.project.folder).classes]

    assert admin.post("/admin/project/classes", data={"definition-0": "better"}).status_code == 303
    assert names()[0] == ("c0", "better")
    asked = admin.post("/admin/project/classes", data={"name-1": "bird"})
    assert (asked.status_code, "“c1” becomes “bird”" in asked.text) == (200, True)
    assert names()[1][0] == "c1"
    admin.post("/admin/project/classes", data={"name-1": "bird", "confirmed": "yes"})
    assert names()[1][0] == "bird"
    for wrong in ("", "a|b", "c0"):
        assert admin.post("/admin/project/classes", data={"name-1": wrong, "confirmed": "yes"}).status_code == 422
    assert names()[1][0] == "bird"


@without_postgresql
def test_guidelines_are_a_new_version(world):
    admin = world.admin()
    assert admin.post("/admin/project/guidelines", data={"text": "Look\r\ntwice."}).status_code == 303
    world.clock.ahead = 10
    page = admin.get("/admin/project").text
    assert "version 2" in page
    assert world.project.guidelines_file.read_text() == "Look\ntwice."
    assert admin.post("/admin/project/guidelines", data={"text": "x" * 50_001}).status_code == 422


@pytest.mark.parametrize("backend", ["sqlite"])
def test_the_last_change_of_the_classes_is_taken_back_after_asking(world, backend):
    admin = world.admin()
    assert "Take back" not in admin.get("/admin/project").text
    admin.post("/admin/project/classes/retire", data={"name": "c4", "confirmed": "yes"})
    assert "The last change: “c4” was retired." in admin.get("/admin/project").text
    asked = admin.post("/admin/project/classes/take-back", data={"again": "1"})
    assert "“c4” is asked about again" in asked.text
    entry = re.search(r'name="entry" value="(\d+)"', asked.text)[1]
    assert "c4" not in open_project(world.project.folder).active_names
    done = admin.post("/admin/project/classes/take-back", data={"entry": entry, "confirmed": "yes"})
    assert done.status_code == 303
    assert "c4" in open_project(world.project.folder).active_names
    assert admin.post("/admin/project/classes/take-back", data={"entry": entry, "confirmed": "yes"}).status_code == 422


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_form_from_before_somebody_elses_change_is_not_saved(world, backend):
    admin = world.admin()
    seen = re.search(r'name="seen" value="(\w+)"', admin.get("/admin/project").text)[1]
    assert admin.post("/admin/project/classes", data={"seen": seen, "definition-1": "first"}).status_code == 303
    late = admin.post("/admin/project/classes", data={"seen": seen, "definition-1": "second"})
    assert late.status_code == 422
    assert "somebody else has changed the classes" in late.text
    assert open_project(world.project.folder).classes[1].definition == "first"
