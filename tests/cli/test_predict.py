"""oneof predict."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from oneof import Answers, OneOfClassifier, UniformQueries, respond


@pytest.fixture
def run(oneof):
    return partial(oneof, "predict")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rng = np.random.default_rng(0)
    subsets = UniformQueries(3, 1).draw(60, rng)
    answers = Answers(subsets, respond(subsets, rng.integers(3, size=60)), class_names=["a", "b", "c"])
    model = OneOfClassifier(epochs=1, width=8, random_state=0).fit(rng.normal(size=(60, 2)), answers)
    path = tmp_path_factory.mktemp("predict") / "model"
    model.save(path)
    return path


@pytest.fixture
def items(tmp_path):
    pd.DataFrame({"id": ["007", "x y"], "u": [0.5, -1], "v": [2, 3]}).to_csv(tmp_path / "items.csv", index=False)
    return tmp_path / "items.csv"


@pytest.mark.parametrize("suffix", [".CSV", ".parquet"])
def test_one_row_an_item(suffix, model, items, tmp_path, run):
    out = tmp_path / f"p{suffix}"
    code, text, _ = run(model, items, "--out", out, "--json")
    assert code == 0
    assert json.loads(text) == {"out": str(out), "items": 2, "left_out": []}
    frame = pd.read_csv(out, dtype={"id": str}) if suffix == ".CSV" else pd.read_parquet(out)
    assert list(frame) == ["id", "prediction", "p_a", "p_b", "p_c"]
    assert frame["id"].tolist() == ["007", "x y"]
    expected = OneOfClassifier.load(model)
    x = np.array([[0.5, 2], [-1, 3]], dtype=np.float32)
    assert frame["prediction"].tolist() == expected.predict(x).tolist()
    np.testing.assert_allclose(frame[["p_a", "p_b", "p_c"]], expected.predict_proba(x), atol=1e-6)
    assert run(model, items, "--out", out)[1].startswith("2 predictions: ")


def test_bad_input(model, items, tmp_path, run):
    (tmp_path / "wide.csv").write_text("id,u,v,w\na,1,2,3\n")
    (tmp_path / "nan.csv").write_text("id,u,v\na,1,2\nb,inf,2\n")
    for words, message in (
        ([model, items, "--out", tmp_path / "p.txt"], "expected .csv or .parquet"),
        ([model, tmp_path / "wide.csv", "--out", tmp_path / "p.csv"], "X has 3 features"),
        ([model, tmp_path / "nan.csv", "--out", tmp_path / "p.csv"], "line 3, column u: value inf"),
        ([tmp_path, items, "--out", tmp_path / "p.csv"], "not a model, there is no model.json in it"),
        ([model, "dataset:digits/test", "--out", tmp_path / "p.csv"], "X has 64 features"),
        ([model, items, "--out", tmp_path / "none" / "p.csv"], "none"),
    ):
        code, out, err = run(*words)
        assert code == 1, message
        assert message in err
        assert "Traceback" not in err
        assert out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.csv", "nan.csv", "wide.csv"]
