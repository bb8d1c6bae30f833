"""Predictions for all items of a project."""

import pandas as pd
import pytest
from sqlalchemy import select

import oneof
from oneof.annotation.asking import removing
from oneof.annotation.learning.judging import current_model
from oneof.annotation.learning.predicting import predict_new, predict_project, unpredicted
from oneof.annotation.learning.training import train_project
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.importing import import_items
from oneof.annotation.store.schema import models, predictions


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_text_project_predicts_old_and_new_texts(make_world, tmp_path, backend):
    world = make_world(60)
    out = tmp_path / "predictions.csv"
    with pytest.raises(ProjectError, match="there is no model yet; make one with `oneof annotate train`"):
        predict_project(world.database, world.project, out)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        predict_project(world.database, world.project, tmp_path / "nowhere" / "predictions.csv")
    with pytest.raises(ValueError, match=r"p\.txt: unknown kind of file '\.txt', expected \.csv or \.parquet"):
        predict_project(world.database, world.project, tmp_path / "p.txt")
    ann = world.annotator("ann")
    for number in range(60):
        world.give(ann, "no" if number % 5 > 1 else "yes")
    trained = train_project(world.database, world.project, now=1.0)
    done = predict_project(world.database, world.project, out)
    found = pd.read_csv(out)
    names = [one.name for one in world.project.classes]
    assert found.columns.tolist() == ["id", "prediction", "check", *(f"p_{name}" for name in names)]
    assert (done.items, len(found)) == (60, 60)
    assert abs(done.to_check - (found["check"] == "yes").mean()) < 1e-9
    assert set(found["prediction"]) <= set(names)
    model = oneof.load(trained.folder)
    assert set(model.predict(["a new text that nobody has seen", "新しい"])) <= set(names)
    assert 0 < len(model.trained_on) <= 60
    # What comes in later is looked at by the model that is there, and its answers judge at once.
    (tmp_path / "more.csv").write_text("id,text\nm0,another text\nm1,yet another one\n")
    import_items(world.database, world.project, tmp_path / "more.csv")
    with world.database.read() as connection:
        assert unpredicted(connection) == 2
        judged_on = current_model(connection, world.project)["judged_on"]
    assert predict_new(world.database, world.project) == 2
    assert predict_new(world.database, world.project) == 0
    new = world.rows(select(predictions).where(predictions.c.item_id > 60))
    assert [row.model_id for row in new] == [1, 1]
    assert all(0.2 <= row.confidence <= 1 for row in new)
    for answer in ("yes", "no"):
        world.give(ann, answer)
    with world.database.read() as connection:
        assert current_model(connection, world.project)["judged_on"] == judged_on + 2
    # What is brought back after it was taken out is looked at again.
    removing.remove(world.database, ["t5"], "", 0.0)
    removing.restore(world.database, ["t5"], 0.0)
    assert predict_new(world.database, world.project) == 1
    assert world.rows(select(models.c.last_item, models.c.aside_share)) == [(62, 0.2)]
    with pytest.raises(ValueError, match=r"expected \.csv or \.parquet"):
        predict_project(world.database, world.project, tmp_path / "predictions.xlsx")
