"""What a project gives away."""

from zipfile import ZipFile

import pytest
from sqlalchemy import insert, select

from oneof.annotation.learning import downloads
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.schema import items, models, predictions


def test_a_version_is_one_zip_file(world, tmp_path):
    folder = world.project.folder / "models" / "0003" / "inside"
    folder.mkdir(parents=True)
    (folder / "weights.bin").write_bytes(b"numbers")
    downloads.zip_model(world.project, 3, tmp_path / "model.zip")
    with ZipFile(tmp_path / "model.zip") as archive:
        assert archive.namelist() == ["model-0003/inside/weights.bin"]
        assert archive.read("model-0003/inside/weights.bin") == b"numbers"
    with pytest.raises(ProjectError, match="no version 4"):
        downloads.zip_model(world.project, 4, tmp_path / "none.zip")


def test_predictions_are_a_table_of_the_current_version(world):
    with world.database.read() as connection:
        assert downloads.current_version(connection) is None
    ids = [row.id for row in world.rows(select(items.c.id).order_by(items.c.id))][:2]
    model = {"trained_at": 0.0, "last_event": 0, "answers": 2, "held_out": 0}
    world.database.write(lambda c: c.execute(insert(models), [model, model]))
    rows = [
        {"model_id": 2, "item_id": ids[0], "label": 3, "held_out": True, "confidence": 0.75},
        {"model_id": 2, "item_id": ids[1], "label": 0, "held_out": False, "confidence": None},
        {"model_id": 1, "item_id": ids[1], "label": 4, "held_out": False, "confidence": None},
    ]
    world.database.write(lambda c: c.execute(insert(predictions), rows))
    with world.database.read() as connection:
        assert downloads.current_version(connection) == 2
        text = downloads.predictions_csv(connection, world.project)
    assert text == "item,label,confidence,kept_aside\nt0,c3,0.750000,true\nt1,c0,,false\n"
