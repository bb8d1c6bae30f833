"""The model's page."""

import pytest
from sqlalchemy import insert

from oneof.annotation.learning import jobs
from oneof.annotation.project.folder import open_project
from oneof.annotation.store.schema import jobs as table
from oneof.annotation.store.schema import models
from oneof.annotation.web.dashboard.stale import carried

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])
MODEL = {"trained_at": 5.0, "last_event": 3, "answers": 2, "accuracy": 0.8, "low": 0.6, "high": 0.9, "held_out": 40}


@without_postgresql
def test_training_begins_once_and_its_progress_is_shown(world, monkeypatch):
    begun = []
    monkeypatch.setattr(jobs, "start", lambda *given: begun.append(given[2:4]))
    admin = world.admin()
    assert admin.post("/admin/model/train", data={"train": "now"}).headers["location"] == "/admin/model?done=training"
    assert begun == [("train", {})]
    row = {"kind": "train", "state": "running", "request": "{}", "message": "epoch 3", "done": 3, "total": 9}
    times = {"created_at": world.clock(), "beat_at": world.clock()}
    world.database.write(lambda c: c.execute(insert(table).values(row | times)))
    page = admin.get("/admin/model").text
    assert "data-working" in page
    assert "epoch 3" in page
    monkeypatch.undo()
    assert admin.post("/admin/model/train", data={"train": "now"}).status_code == 422


@without_postgresql
def test_versions_can_be_taken_away(world):
    admin = world.admin()
    assert admin.get("/admin/model/1.zip").status_code == 404
    assert admin.get("/admin/model/predictions.csv").status_code == 404
    world.database.write(lambda c: c.execute(insert(models).values(MODEL)))
    folder = world.project.folder / "models" / "0001"
    folder.mkdir(parents=True)
    (folder / "weights").write_bytes(b"1234")
    page = admin.get("/admin/model").text
    assert "4 bytes" in page
    assert admin.get("/admin/model/1.zip").headers["content-disposition"] == 'attachment; filename="model-0001.zip"'
    assert admin.get("/admin/model/predictions.csv").text.startswith("item,label")


@without_postgresql
def test_the_schedule_is_kept_in_the_settings(world):
    admin = world.admin()
    form = {"train_every_answers": "200", "train_every_minutes": ""}
    assert admin.post("/admin/model/schedule", data=form).status_code == 303
    settings = open_project(world.project.folder).settings
    assert (settings.train_every_answers, settings.train_every_minutes) == (200, None)
    refused = admin.post("/admin/model/schedule", data=form | {"train_every_answers": "3"})
    assert (refused.status_code, "train_every_answers" in refused.text) == (422, True)


@without_postgresql
def test_a_schedule_from_before_somebody_elses_change_is_not_saved(world):
    admin = world.admin()
    never = {"train_every_answers": "", "train_every_minutes": ""}
    form = never | {"seen": carried(never)}
    assert admin.post("/admin/model/schedule", data=form | {"train_every_answers": "200"}).status_code == 303
    late = admin.post("/admin/model/schedule", data=form | {"train_every_minutes": "5"})
    assert (late.status_code, "Somebody else has changed the schedule" in late.text) == (409, True)
    assert 'value="200"' in late.text
    assert 'value="5"' in late.text
    settings = open_project(world.project.folder).settings
    assert (settings.train_every_answers, settings.train_every_minutes) == (200, None)
