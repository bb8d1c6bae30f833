"""The project's page: what goes in and out, and what can be changed."""

import html
import re
from pathlib import Path

import pytest

from oneof.annotation.learning import jobs
from oneof.annotation.project.folder import open_project
from oneof.annotation.store import history


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


@pytest.fixture
def begun(monkeypatch):
    started = []
    monkeypatch.setattr(jobs, "start", lambda database, project, kind, request, *_: started.append((kind, request)))
    return started


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


def test_settings_are_checked_saved_and_recorded(world):
    admin = world.admin()
    assert admin.post("/admin/project/settings", data={"question": "One of these?"}).status_code == 303
    assert open_project(world.project.folder).settings.question == "One of these?"
    assert "One of these?" in world.annotator("ann").get("/").text
    refused = admin.post("/admin/project/settings", data={"overlap": "0", "name": "x"})
    assert (refused.status_code, "overlap" in refused.text) == (422, True)
    assert open_project(world.project.folder).settings.name == "test"
    with world.database.read() as connection:
        changed = [one.detail for one in history.entries(connection) if one.action == "settings"]
    assert changed == [{"question": "One of these?"}]


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


def test_guidelines_are_a_new_version(world):
    admin = world.admin()
    assert admin.post("/admin/project/guidelines", data={"text": "Look\r\ntwice."}).status_code == 303
    page = admin.get("/admin/project").text
    assert "version 2" in page
    assert world.project.guidelines_file.read_text() == "Look\ntwice."
    assert admin.post("/admin/project/guidelines", data={"text": "x" * 50_001}).status_code == 422


def test_the_last_change_of_the_classes_is_taken_back_after_asking(world):
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


def opened(admin, form):
    """The fields of a form of the page as a browser would send them."""
    found = re.search(rf'action="/admin/project/{form}".*?</form>', admin.get("/admin/project").text, re.DOTALL)[0]
    inputs = re.findall(r'<input(?: type="(\w+)")?[^>]*? name="([^"]+)"(?: value="([^"]*)")?([^>]*)>', found)
    fields = {name: html.unescape(value) for kind, name, value, more in inputs if kind != "checkbox"}
    fields |= {name: "on" for kind, name, _, more in inputs if kind == "checkbox" and "checked" in more}
    fields |= dict(re.findall(r'<select name="([^"]+)">.*?<option selected>([^<]*)', found, re.DOTALL))
    texts = re.findall(r'<textarea name="([^"]+)"[^>]*>\n(.*?)</textarea>', found, re.DOTALL)
    return fields | {name: html.unescape(text).replace("\n", "\r\n") for name, text in texts}


def test_settings_from_before_somebody_elses_change_are_not_saved_and_not_lost(world):
    ann, bob = world.admin(), world.admin()
    form = opened(ann, "settings")
    assert form["gold_share"] == "0.05"
    late = opened(bob, "settings") | {"question": "Which?", "has-show_names": "1"}
    del late["show_names"]  # switched off
    assert ann.post("/admin/project/settings", data=form | {"overlap": "3"}).status_code == 303
    refused = bob.post("/admin/project/settings", data=late)
    assert refused.status_code == 409
    assert "Somebody else has changed the settings" in refused.text
    assert re.search(r"Answers for each question</th>\s*<td[^>]*>1</td><td[^>]*>3</td>", refused.text)
    settings = open_project(world.project.folder).settings
    assert (settings.overlap, settings.question, settings.show_names) == (3, "Is it one of these?", True)
    with world.database.read() as connection:
        assert [one.action for one in history.entries(connection)].count("settings") == 1
    # What Bob typed stands in the form, and what he left alone is as Ann saved it.
    assert 'name="question" value="Which?"' in refused.text
    assert 'name="overlap" value="3"' in refused.text
    assert 'name="show_names">' in refused.text
    again = late | {"overlap": "3", "seen": html.unescape(re.findall(r'name="seen" value="([^"]+)"', refused.text)[2])}
    assert bob.post("/admin/project/settings", data=again).status_code == 303
    settings = open_project(world.project.folder).settings
    assert (settings.overlap, settings.question, settings.show_names) == (3, "Which?", False)


def test_classes_from_before_somebody_elses_change_are_not_saved_and_not_lost(world):
    admin = world.admin()
    form = opened(admin, "classes")
    assert admin.post("/admin/project/classes", data=form | {"definition-1": "first"}).status_code == 303
    late = admin.post("/admin/project/classes", data=form | {"definition-1": "second", "name-2": "bird"})
    assert late.status_code == 409
    assert "Somebody else has changed the classes" in late.text
    assert re.search(r"Definition of c1</th>\s*<td[^>]*>the class 1</td><td[^>]*>first</td>", late.text)
    assert re.search(r'name="definition-1"[^>]*>\nsecond</textarea>', late.text)
    assert 'name="name-2" value="bird"' in late.text
    assert open_project(world.project.folder).classes[1].definition == "first"
    # Confirming what was asked before the change is too late as well.
    confirmed = admin.post("/admin/project/classes", data=form | {"name-2": "bird", "confirmed": "yes"})
    assert confirmed.status_code == 409
    admin.post("/admin/project/classes/retire", data={"name": "c4", "confirmed": "yes"})
    gone = admin.post("/admin/project/classes", data=form | {"definition-4": "lost"})
    assert re.search(r"Name of class 5</th>\s*<td[^>]*>c4</td><td[^>]*>not there</td>", gone.text)


def test_guidelines_from_before_somebody_elses_change_are_not_saved_and_not_lost(world):
    admin = world.admin()
    form = opened(admin, "guidelines")
    assert admin.post("/admin/project/guidelines", data=form | {"text": "Look\r\ntwice."}).status_code == 303
    # The new version is seen at once.
    assert opened(admin, "guidelines")["text"] == "Look\r\ntwice."
    late = admin.post("/admin/project/guidelines", data=form | {"text": "Mine <b>."})
    assert late.status_code == 409
    assert "Somebody else has changed the guidelines" in late.text
    assert "+twice." in late.text
    assert "Mine &lt;b&gt;.</textarea>" in late.text
    assert world.project.guidelines_file.read_text() == "Look\ntwice."
    for bad in ("{", "[]", '{"text": 1}', "[" * 50_000):
        assert admin.post("/admin/project/guidelines", data={"text": "x", "seen": bad}).status_code == 422
    assert world.project.guidelines_file.read_text() == "Look\ntwice."


def test_what_was_typed_is_still_there_after_a_refusal(world):
    admin = world.admin()
    for form, typed in (
        ("settings", {"overlap": "0", "question": "Mine?"}),
        ("classes", {"name-1": "a|b", "definition-2": "Mine?"}),
        ("guidelines", {"text": "Mine?" + "x" * 50_000}),
    ):
        refused = admin.post(f"/admin/project/{form}", data=opened(admin, form) | typed)
        assert (refused.status_code, "Mine?" in refused.text) == (422, True)


def test_long_guidelines_of_any_script_fit_into_the_form(world):
    admin = world.admin()
    assert admin.post("/admin/project/guidelines", data={"text": "看" * 50_000}).status_code == 303
    form = opened(admin, "guidelines")
    assert admin.post("/admin/project/guidelines", data=form | {"text": "猫" * 50_000}).status_code == 303
    assert admin.post("/api/guidelines", content="猫" * 50_000).status_code == 200
