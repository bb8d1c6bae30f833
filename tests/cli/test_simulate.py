"""oneof simulate."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from oneof import Answers, OneOfClassifier, UniformQueries, respond
from oneof.items.loading import load


@pytest.fixture
def run(oneof):
    return partial(oneof, "simulate")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".npz"])
def test_answers_are_true_and_uniform(suffix, tmp_path, run):
    out = tmp_path / f"answers{suffix}"
    code, text, _ = run("dataset:digits/train", "--size", 4, "--out", out, "--json")
    assert code == 0
    facts = json.loads(text)
    labels = load("dataset:digits/train").labels
    answers = Answers.load(out)
    assert (len(answers), answers.classes) == (facts["answers"], facts["classes"]) == (1347, 10)
    assert (answers.subsets.sum(axis=1) == 4).all()
    np.testing.assert_array_equal(answers.responses, answers.subsets[np.arange(1347), labels])
    assert facts["yes"] == pytest.approx(0.4, abs=0.04)
    assert answers.flip_yes is None


def test_the_seed_decides(tmp_path, run):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert run("dataset:digits/test", "--size", 3, "--seed", seed, "--out", tmp_path / f"{name}.csv")[0] == 0
    texts = [(tmp_path / f"{name}.csv").read_text() for name in "abc"]
    assert texts[0] == texts[1] != texts[2]


def test_labels_drawn_with_the_same_seed_do_not_decide_the_questions(tmp_path, run):
    np.save(tmp_path / "items.npy", np.zeros((200, 1)))
    np.save(tmp_path / "labels.npy", np.random.default_rng(0).integers(2, size=200))
    items, labels, out = (tmp_path / name for name in ("items.npy", "labels.npy", "answers.csv"))
    assert run(items, "--labels", labels, "--size", 1, "--seed", 0, "--out", out)[0] == 0
    assert Answers.load(out).yes.mean() == pytest.approx(0.5, abs=0.15)


def test_flips_are_made_and_written_along(tmp_path, run):
    out = tmp_path / "answers.csv"
    assert run("dataset:digits/train", "--size", 5, "--flip-yes", 0.2, "--flip-no", 0.1, "--out", out)[0] == 0
    answers = Answers.load(out)
    truth = answers.subsets[np.arange(1347), load("dataset:digits/train").labels]
    assert (~answers.responses[truth]).mean() == pytest.approx(0.2, abs=0.05)
    assert answers.responses[~truth].mean() == pytest.approx(0.1, abs=0.05)
    assert set(answers.flip_yes) == {0.2}
    assert set(answers.flip_no) == {0.1}


def test_several_answers_about_each_item_of_a_table_with_named_classes(tmp_path, run):
    pd.DataFrame({"id": ["x", "y", "z"], "w": [1, 2, 3]}).to_csv(tmp_path / "items.csv", index=False)
    pd.DataFrame({"id": ["z", "y", "x"], "label": ["dog", "cat", "bird"]}).to_csv(tmp_path / "y.csv", index=False)
    code, text, _ = run(
        tmp_path / "items.csv",
        "--size",
        1,
        "--labels",
        tmp_path / "y.csv",
        "--per-item",
        4,
        "--out",
        tmp_path / "a.jsonl",
    )
    assert code == 0
    assert "12 answers about 3 items" in text
    answers = Answers.load(tmp_path / "a.jsonl")
    assert answers.class_names == ("bird", "cat", "dog")
    truth = np.array([0, 1, 2])[answers.align(["x", "y", "z"]).items]
    np.testing.assert_array_equal(answers.responses, answers.subsets[np.arange(12), truth])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dataset:digits/train", "--size", 0], "size must be a whole number in 1..9 for 10 classes, not 0"),
        (["dataset:digits/train", "--size", 10], "size must be a whole number in 1..9 for 10 classes, not 10"),
        (["dataset:digits/train", "--size", 3, "--flip-yes", 1.5], "flip_yes must be a probability"),
        (["dataset:digits/train", "--size", 3, "--flip-yes", 0.6, "--flip-no", 0.6], "flip_yes + flip_no"),
        (["dataset:digits/all", "--size", 3], "expected dataset:NAME/train"),
        (["dataset:nothing/train", "--size", 3], "nothing"),
        (["x.npy", "--size", 3], "no such file or folder of items"),
    ],
)
def test_bad_input(words, message, tmp_path, run):
    code, out, err = run(*words, "--out", tmp_path / "a.csv")
    assert code == 1
    assert message in err
    assert "Traceback" not in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_items_without_labels_need_some(tmp_path, run):
    np.save(tmp_path / "x.npy", np.zeros((3, 2)))
    code, _, err = run(tmp_path / "x.npy", "--size", 1, "--out", tmp_path / "a.csv")
    assert code == 1
    assert "has no labels of its own: give them with --labels" in err


@pytest.mark.parametrize("out", ["a.txt", "none/a.csv"])
def test_a_bad_place_to_write(out, tmp_path, run):
    code, _, err = run("dataset:digits/test", "--size", 3, "--out", tmp_path / out)
    assert code == 1
    assert str(tmp_path / out).rsplit("/", 1)[0] in err
    assert list(tmp_path.iterdir()) == []


def test_items_called_by_numbers_that_are_not_rows(tmp_path, run):
    """Keys of a database, say: the answers go by them, and training finds the items again."""
    keys = [7, 12, 30, 41]
    (tmp_path / "items.csv").write_text("id,a\n" + "".join(f"{key},{number}\n" for number, key in enumerate(keys)))
    (tmp_path / "labels.csv").write_text("id,label\n" + "".join(f"{key},{key % 2}\n" for key in keys))
    words = ["--labels", tmp_path / "labels.csv", "--size", 1, "--out", tmp_path / "a.csv"]
    code, _, err = run(tmp_path / "items.csv", *words)
    assert code == 0, err
    assert Answers.load(tmp_path / "a.csv", classes=2).items.tolist() == keys
    assert Answers.load(tmp_path / "a.csv", classes=2).align([str(key) for key in keys]).items.tolist() == [0, 1, 2, 3]


def test_groups_come_from_a_file_of_classes(tmp_path, run):
    rng = np.random.default_rng(0)
    names = np.array(["ant", "bee", "cat", "dog"])
    labels = rng.integers(4, size=200)
    table = pd.DataFrame(3 * np.eye(4)[labels] + rng.standard_normal((200, 4))).add_prefix("x")
    table.assign(id=range(200)).to_csv(tmp_path / "items.csv", index=False)
    pd.DataFrame({"id": range(200), "label": names[labels]}).to_csv(tmp_path / "labels.csv", index=False)
    (tmp_path / "classes.csv").write_text("name,parent\nant,insect\nbee,insect\ncat,pet\ndog,pet\n")
    play = partial(
        run, tmp_path / "items.csv", "--labels", tmp_path / "labels.csv", "--out", tmp_path / "answers.csv",
        "--size", 1, "--adaptive", "--budget", 80, "--batch", 20, "--epochs", 2, "--strategy", "finish",
    )  # fmt: skip
    code, _, error = play("--groups", tmp_path / "classes.csv", "--largest", 1)
    assert code == 0, error
    answers = Answers.load(tmp_path / "answers.csv")
    sizes = answers[answers.adaptive].sizes
    assert set(sizes.tolist()) == {1, 2}, "a label, or a group of two that counts as one"
    (tmp_path / "classes.csv").write_text("name,parent\nant,insect\nbee,insect\ncat,pet\n")
    code, _, error = play("--groups", tmp_path / "classes.csv")
    assert code != 0
    assert "class 'dog' is missing" in error


def test_questions_made_from_predictions_judge_that_model(tmp_path, oneof, run):
    """Plan, predict, simulate, evaluate: the prediction among decoys from the command line."""
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=400)
    x = rng.normal(size=(400, 4)).astype(np.float32)
    x[np.arange(400), labels] += 2
    names = np.array(["ant", "bee", "cat", "dog"])
    ids = [f"i{row}" for row in range(400)]
    pd.DataFrame(x, columns=list("abcd")).assign(id=ids).to_csv(tmp_path / "items.csv", index=False)
    pd.DataFrame({"id": ids, "label": names[labels]}).to_csv(tmp_path / "labels.csv", index=False)
    subsets = UniformQueries(4, 2).draw(400, rng)
    training = Answers(subsets, respond(subsets, labels), class_names=names.tolist())
    OneOfClassifier(epochs=5, backbone="linear", random_state=0).fit(x + 0.1, training).save(tmp_path / "model")
    guessed, out = tmp_path / "predictions.csv", tmp_path / "out.csv"
    items, known = tmp_path / "items.csv", ("--labels", tmp_path / "labels.csv")
    assert oneof("predict", tmp_path / "model", items, "--out", guessed)[0] == 0
    code, _, err = run(items, *known, "--size", 2, "--predictions", guessed, "--out", out)
    assert code == 0, err
    answers = Answers.load(out)
    assert answers.has_design("prediction").all()
    assert answers.subsets[np.arange(400), answers.predicted].all()
    facts = json.loads(oneof("evaluate", tmp_path / "model", items, out, *known, "--json")[1])
    assert facts["accuracy"]["n"] == 400
    assert facts["accuracy"]["low"] <= facts["true"]["accuracy"] <= facts["accuracy"]["high"]
    strange = pd.read_csv(guessed).assign(prediction="fox")
    strange.to_csv(tmp_path / "strange.csv", index=False)
    code, _, err = run(items, *known, "--size", 2, "--predictions", tmp_path / "strange.csv", "--out", out)
    assert code == 1
    assert "prediction 'fox' of item 'i0' is not among the classes ant, bee, cat, dog" in err
    code, _, err = run(items, *known, "--size", 2, "--predictions", guessed, "--adaptive", "--out", out)
    assert code == 2
