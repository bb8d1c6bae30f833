"""oneof train, and the whole way of a new user through the shell."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from oneof import Answers, OneOfClassifier, UniformQueries, respond
from oneof.answers import files as answer_files
from oneof.items import allocating, parquet
from oneof.objectives import losses, registry

ONEOF = str(Path(sys.executable).with_name("oneof"))
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"}
"""One thread: with another number of them the sums come out in another order, and so in other last digits."""
TRAIN = "dataset:digits/train"


@pytest.fixture
def answers(tmp_path) -> Path:
    """One answer about each of the digits to train on."""
    from oneof.items.loading import load

    items = load(TRAIN)
    subsets = UniformQueries(10, 3).draw(len(items), rng=0)
    Answers(subsets, respond(subsets, items.labels)).save(tmp_path / "answers.csv")
    return tmp_path / "answers.csv"


PLUGIN = """
import torch
from oneof.objectives import losses, register
from oneof.objectives.likelihood import Likelihood

register("mine")(Likelihood)


@losses.register("minus-log")
def minus_log(logits):
    return -torch.log_softmax(logits, dim=1)
"""


def test_an_objective_and_a_loss_of_a_plugin(tmp_path, oneof, answers, monkeypatch):
    (tmp_path / "a_plugin_to_train_with.py").write_text(PLUGIN)
    monkeypatch.setattr(losses, "_LOSSES", dict(losses._LOSSES))
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ONEOF_PLUGINS", "a_plugin_to_train_with")
    train = ["train", TRAIN, answers, "--epochs", "1", "--backbone", "linear", "--json", "--out"]
    for number, choice in enumerate((["--objective", "mine"], ["--objective", "ure", "--loss", "minus-log"])):
        code, out, err = oneof(*train, tmp_path / f"model{number}", *choice)
        assert code == 0, err
        assert json.loads(out)["config"][choice[-2].removeprefix("--")] == choice[-1]
    code, out, _ = oneof("train", "--help")
    assert code == 0
    assert "mine" in out
    assert "minus-log" in out


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "answers.csv")


@pytest.mark.slow
def test_digits_through_the_shell(tmp_path, oneof):
    """Simulate, train, be killed, resume, evaluate, predict, export; only what is killed in a process of its own."""

    def as_json(*words: object) -> dict:
        code, out, err = oneof(*words, "--json")
        assert code == 0, err
        return json.loads(out)

    answers, later, model = tmp_path / "answers.csv", tmp_path / "later.csv", tmp_path / "model"
    as_json("simulate", TRAIN, "--size", 3, "--out", answers)
    simulated = as_json("simulate", "dataset:digits/test", "--size", 3, "--seed", 1, "--out", later)
    assert (simulated["answers"], simulated["classes"]) == (450, 10)

    train = ["train", TRAIN, str(answers), "--out", str(model), "--backbone", "mlp", "--width", "64", "--epochs", "20"]
    process = subprocess.Popen([ONEOF, *train], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
    deadline = time.monotonic() + 120
    while not (tmp_path / "model.checkpoint").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not model.exists()
    code, _, err = oneof(*train, "--resume", "--seed", "9")
    assert code == 1
    assert "of another" in err
    assert as_json(*train, "--resume")["config"]["epochs"] == 20
    assert not (tmp_path / "model.checkpoint").exists()
    as_json(*[str(tmp_path / "whole") if word == str(model) else word for word in train])
    weights = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("model", "whole")]
    assert weights[0] == weights[1], "killed and resumed, or never killed: the same weights"

    judged = as_json("evaluate", model, "dataset:digits/test", later)
    assert judged["true"]["accuracy"] > 0.9
    assert judged["accuracy"]["low"] <= judged["true"]["accuracy"] <= judged["accuracy"]["high"]
    assert as_json("predict", model, "dataset:digits/test", "--out", tmp_path / "p.csv")["items"] == 450
    assert len(pd.read_csv(tmp_path / "p.csv")) == 450
    assert oneof("export", model, "--onnx", tmp_path / "model.onnx")[0] == 0
    assert (tmp_path / "model.onnx").stat().st_size > 1000


def test_a_folder_of_pictures_with_named_classes(tmp_path, oneof):
    images, labels = load_digits(n_class=4, return_X_y=True)
    names = np.array(["zero", "one", "two", "three"])
    for part, rows in (("train", range(400)), ("test", range(400, 600))):
        (tmp_path / part).mkdir()
        for row in rows:
            picture = Image.fromarray((images[row].reshape(8, 8) * 15).astype(np.uint8))
            (picture if part == "train" else picture.resize((16, 16))).save(tmp_path / part / f"{row:04}.png")
        frame = pd.DataFrame({"id": [f"{row:04}.png" for row in rows], "label": names[labels[list(rows)]]})
        frame.to_csv(tmp_path / f"{part}-labels.csv", index=False)
        command = ["simulate", tmp_path / part, "--size", 2, "--labels", tmp_path / f"{part}-labels.csv"]
        assert oneof(*command, "--out", tmp_path / f"{part}.jsonl")[0] == 0

    # A loss of order: the classes of the model are those of the answers, here not in alphabetical order.
    ordered = Answers.load(tmp_path / "train.jsonl", classes=list(names))
    ordered.save(tmp_path / "train.jsonl")
    model = tmp_path / "model"
    code, out, _ = oneof(
        "train", tmp_path / "train", tmp_path / "train.jsonl", "--out", model, "--epochs", 12, "--json"
    )
    assert code == 0
    assert json.loads(out)["config"]["augment"] == "shift"
    assert OneOfClassifier.load(model).classes_.tolist() == list(names)

    evaluate = ["evaluate", model, tmp_path / "test", tmp_path / "test.jsonl", "--labels", tmp_path / "test-labels.csv"]
    code, out, _ = oneof(*evaluate, "--json")
    judged = json.loads(out)
    assert judged["true"]["accuracy"] > 0.9, "pictures of another size and labels in another order"
    assert judged["accuracy"]["low"] <= judged["true"]["accuracy"] <= judged["accuracy"]["high"]
    code, out, _ = oneof(*evaluate)
    assert code == 0
    assert "label-free accuracy" in out
    assert "true accuracy" in out

    assert oneof("predict", model, tmp_path / "test", "--out", tmp_path / "p.parquet")[0] == 0
    predictions = pd.read_parquet(tmp_path / "p.parquet")
    assert predictions["id"].tolist() == [f"{row:04}.png" for row in range(400, 600)]
    assert (predictions["prediction"].to_numpy() == names[labels[400:600]]).mean() > 0.9
    np.testing.assert_allclose(predictions[[f"p_{name}" for name in names]].sum(axis=1), 1, atol=1e-4)


def test_text_tells_where_the_model_is_and_how_good(answers, tmp_path, oneof):
    code, out, _ = oneof(
        "train", TRAIN, answers, "--out", tmp_path / "m", "--backbone", "mlp", "--width", 16, "--epochs", 2
    )
    assert code == 0
    assert "label-free accuracy 0." in out.replace("\n", "")
    assert left_behind(tmp_path) == ["m"]
    code, out, _ = oneof(
        "train", TRAIN, answers, "--out", tmp_path / "m", "--backbone", "mlp", "--epochs", 1, "--holdout", 0
    )
    assert "not judged: nothing was held out" in out.replace("\n", "")


def test_a_configuration_file_and_options_over_it(answers, tmp_path, oneof):
    (tmp_path / "run.toml").write_text('objective = "nn"\nloss = "gce"\nbackbone = "mlp"\nepochs = 50\nwidth = 16\n')
    code, out, _ = oneof(
        "train", TRAIN, answers, "--out", tmp_path / "m", "--config", tmp_path / "run.toml", "--epochs", 1, "--json"
    )
    assert code == 0
    config = json.loads((tmp_path / "m" / "model.json").read_text())["config"]
    assert config == json.loads(out)["config"]
    assert (config["objective"], config["loss"], config["epochs"], config["batch_size"]) == ("nn", "gce", 1, 64)


def test_a_search(answers, tmp_path, oneof, monkeypatch):
    from oneof.training import search

    monkeypatch.setattr(search, "LEARNING_RATES", (1e-7, 1e-2))
    monkeypatch.setattr(search, "WEIGHT_DECAYS", (1e-3,))
    quick = ("--backbone", "mlp", "--width", 16, "--epochs", 2, "--json")
    code, out, _ = oneof("train", TRAIN, answers, "--out", tmp_path / "m", "--search", "grid", "--workers", 1, *quick)
    assert code == 0
    assert json.loads(out)["config"]["learning_rate"] == 1e-2
    code, out, _ = oneof(
        "train", TRAIN, answers, "--out", tmp_path / "o", "--search", "optuna", "--trials", 3, *quick, "--width", 16
    )
    assert code == 0
    assert left_behind(tmp_path) == ["m", "o"]


def test_divergence_ends_in_one_line_and_keeps_the_checkpoint(answers, tmp_path, oneof):
    code, out, err = oneof(
        "train", TRAIN, answers, "--out", tmp_path / "m", "--backbone", "mlp", "--learning-rate", 1e30, "--json"
    )
    assert code == 1
    assert out == ""
    assert "lower the learning rate" in err
    assert len(err.strip().splitlines()) == 1


def bad(name: str, folder: Path) -> tuple[list[object], str]:
    """Words of a command that must fail, and what it must say."""
    answers = folder / "answers.csv"
    train = ["train", TRAIN, answers, "--out", folder / "model"]
    frame = pd.DataFrame({"id": ["a", "b"], "x": [1.0, 2.0]})

    def items(text: str) -> list[object]:
        (folder / "items.csv").write_text(text)
        return ["train", folder / "items.csv", answers, "--out", folder / "model"]

    def answered(text: str) -> list[object]:
        answers.write_text(text)
        return train

    if name == "unknown item":
        return items(frame.to_csv(index=False)), "answer 0: item 0 is not among the 2 items"
    if name == "class out of range":
        return answered("item,subset,answer,classes\n0,0|1,yes,10\n1,2|12,no,\n"), "line 3, column subset: label '12'"
    if name == "empty subset":
        return answered("item,subset,answer\n0,,yes\n1,2,no\n"), "line 2, column subset"
    if name == "subset of every class":
        return answered("item,subset,answer\n0,0|1|2,yes\n1,2,no\n"), "line 2"
    if name == "odd answer":
        return answered("item,subset,answer\n0,0|1,yes\n1,2,perhaps\n"), "line 3, column answer: value 'perhaps'"
    if name == "empty answers":
        return answered(""), "answers.csv"
    if name == "no answers file":
        answers.unlink()
        return train, "no such file of answers"
    if name == "contradiction":
        answered("item,subset,answer\na,0|1,yes\nb,2,no\na,2,yes\n")
        return items(frame.to_csv(index=False)), "the answers about item a contradict each other"
    if name == "all yes":
        answered("item,subset,answer\n" + "".join(f"{i},{i % 9}|9,yes\n" for i in range(100)))
        return [*train, "--objective", "ure"], "answers are yes: ure needs both yes and no"
    if name == "nan":
        return items("id,x\n0,1\n1,\n"), "line 3, column x: the value is missing"
    if name == "infinite":
        answered("item,subset,answer\n0,0|1,yes\n1,2|0,no\n")
        return items("id,x\n0,1\n1,inf\n"), "items.csv, line 3, column x: value inf, expected a number below"
    if name == "other items":  # noticed before anything is encoded, which may take hours
        return items("id,text\na,one\nb,two\n"), "answer 0: item 0 is not among the 2 items, such as a"
    if name == "empty items":
        return items(""), "items.csv: empty file"
    if name == "image":
        (folder / "pictures").mkdir()
        (folder / "pictures" / "a.png").write_bytes(b"not a picture")
        answered("item,subset,answer\na.png,0|1,yes\na.png,2|0,yes\n")
        return [
            "train",
            folder / "pictures",
            answers,
            "--out",
            folder / "model",
        ], "can be read: a.png: not a picture of a known format"
    if name == "no items":
        return ["train", folder / "none.npy", answers, "--out", folder / "model"], "no such file or folder of items"
    if name == "key":
        (folder / "run.toml").write_text("lerning_rate = 0.1\n")
        return [*train, "--config", folder / "run.toml"], "unknown key 'lerning_rate'; did you mean 'learning_rate'?"
    if name == "value":
        return [*train, "--epochs", -3], "configuration: epochs: "
    if name == "objective":
        return [*train, "--objective", "guess"], "unknown objective 'guess'"
    if name == "option":
        return [*train, "--epoch", 3], "No such option"
    if name == "not a model":
        (folder / "model").mkdir()
        (folder / "model" / "thesis.txt").write_text("all of it")
        return train, "exists and is not a model: choose another place"
    if name == "no folder":
        return ["train", TRAIN, answers, "--out", answers / "model"], "is not a folder that can be written to"
    if name == "precision":
        return [*train, "--precision", "16"], "precision 16 needs a GPU with CUDA, and there is none: use bf16 or 32"
    if name == "search and resume":
        return [*train, "--search", "optuna", "--resume"], "an optuna search cannot be resumed"
    if name == "search and devices":
        return [*train, "--search", "grid", "--devices", 2], "use --workers, not --devices"
    if name == "workers and no search":
        return [*train, "--workers", 2], "are for --search grid"
    if name == "workers of optuna":
        return [*train, "--search", "optuna", "--workers", 2], "are for --search grid"
    if name == "engine":
        return [*train, "--search", "grid", "--engine", "slurm"], "unknown engine 'slurm'; known: local, ray"
    if name == "scores":
        (folder / "model.search.json").write_text("half of it")
        return [*train, "--search", "grid", "--workers", 1, "--resume"], "not the scores of a search"
    if name == "checkpoint":
        (folder / "model.checkpoint").write_bytes(b"half of it")
        return [*train, "--resume"], "model.checkpoint: damaged or not a checkpoint; start again without --resume"
    raise KeyError(name)


CASES = """
unknown item, class out of range, empty subset, subset of every class, odd answer, empty answers, no answers file,
contradiction, all yes, nan, infinite, other items, empty items, image, no items, key, value, objective, option,
not a model, no folder, search and resume, search and devices, workers and no search, workers of optuna, engine, scores,
checkpoint, precision
"""


@pytest.mark.parametrize("name", [name.strip() for name in CASES.split(",")])
def test_bad_input_is_one_clear_line_and_nothing_is_written(name, answers, tmp_path, oneof, monkeypatch):
    words, message = bad(name, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    code, out, err = oneof(*words)
    assert code == (2 if "Usage: " in err else 1)
    assert message in err
    assert "Traceback" not in err
    assert out == ""
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_full_disk_is_one_clear_line(answers, tmp_path, oneof, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = oneof("train", TRAIN, answers, "--out", tmp_path / "m", "--backbone", "mlp", "--epochs", 1, "--json")
    assert code == 1
    assert "No space left on device" in err
    assert left_behind(tmp_path) == []


def test_a_folder_that_cannot_be_written_to_is_told_before_training(answers, tmp_path, oneof, monkeypatch):
    """The permission is simulated: these tests may run as root, who may write everywhere."""
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode, **options: mode != os.W_OK and real(path, mode, **options))
    monkeypatch.setattr("oneof.training.fit", None)
    code, _, err = oneof("train", TRAIN, answers, "--out", tmp_path / "model")
    assert code == 1
    assert f"{tmp_path} is not a folder that can be written to: choose another place" in err.replace("\n", "")
    assert left_behind(tmp_path) == []


def test_streamed_from_disk_or_read_whole_the_weights_are_the_same(tmp_path, oneof, monkeypatch):
    """Items mapped from .npy or copied out of .parquet, answers whole or some rows at a time: not a bit differs."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5)).astype(np.float32)
    labels = x[:, :4].argmax(axis=1)
    about = np.concatenate([rng.permutation(300), rng.integers(0, 300, 100)])
    subsets = UniformQueries(4, 2).draw(400, rng)
    answers = Answers(subsets, respond(subsets, labels[about]), about)
    answers.save(tmp_path / "answers.csv")
    answers.save(tmp_path / "answers.parquet")
    np.save(tmp_path / "items.npy", x)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 5)
    pq.write_table(pa.table({"id": np.arange(300), "x": lists}), tmp_path / "items.parquet")
    monkeypatch.setattr(answer_files, "ROWS_READ", 37)
    monkeypatch.setattr(parquet, "ROWS_READ", 29)
    monkeypatch.setattr(allocating, "IN_MEMORY", 0)
    weights = []
    for number, (items, answers) in enumerate((("npy", "csv"), ("npy", "parquet"), ("parquet", "parquet"))):
        files = tmp_path / f"items.{items}", tmp_path / f"answers.{answers}"
        assert oneof("train", *files, "--out", tmp_path / f"{number}", "--width", 8, "--epochs", 2, "--json")[0] == 0
        weights.append((tmp_path / f"{number}" / "weights.safetensors").read_bytes())
    assert weights[0] == weights[1] == weights[2]


def test_figures_are_logged(tmp_path, oneof):
    pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")
    np.savez(tmp_path / "items.npz", x=np.repeat(np.eye(3), 20, axis=0))
    subsets = UniformQueries(3, 1).draw(60, rng=0)
    Answers(subsets, respond(subsets, np.repeat([0, 1, 2], 20))).save(tmp_path / "answers.csv")
    train = "train", tmp_path / "items.npz", tmp_path / "answers.csv", "--out", tmp_path / "model", "--epochs", 2
    code, _, err = oneof(*train, "--log", f"tensorboard:{tmp_path / 'runs'}")
    assert code == 0, err
    assert len(list((tmp_path / "runs").iterdir())) == 1
    code, _, err = oneof(*train, "--log", "paper")
    assert code == 1
    assert "expected tensorboard:FOLDER or mlflow:EXPERIMENT" in err
    assert oneof(*train, "--log", "tensorboard:x", "--search", "grid")[0] == 2
