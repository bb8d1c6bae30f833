"""Predictions for all items of a project."""

import pandas as pd
import pytest

import oneof
from oneof.annotation.learning.predicting import predict_project
from oneof.annotation.learning.training import train_project
from oneof.annotation.project.classes import ProjectError


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_text_project_predicts_old_and_new_texts(make_world, tmp_path, backend):
    world = make_world(60)
    out = tmp_path / "predictions.csv"
    with pytest.raises(ProjectError, match="there is no model yet; make one with `oneof annotate train`"):
        predict_project(world.database, world.project, out)
    ann = world.annotator("ann")
    for _ in range(60):
        world.give(ann)
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
    with pytest.raises(ProjectError, match=r"ends in \.csv or \.parquet"):
        predict_project(world.database, world.project, tmp_path / "predictions.xlsx")
