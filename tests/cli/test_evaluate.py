"""oneof evaluate."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from oneof import Answers, OneOfClassifier, UniformQueries, respond

NAMES = ["wolf", "cat", "dog"]


@pytest.fixture
def run(oneof):
    return partial(oneof, "evaluate")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A good model of three named classes, items, answers about them and their labels."""
    folder = tmp_path_factory.mktemp("evaluate")
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=600)
    x = rng.normal(size=(600, 4)).astype(np.float32)
    x[np.arange(600), labels] += 5
    subsets = UniformQueries(3, 1).draw(600, rng)
    responses = respond(subsets, labels)
    answers = Answers(subsets, responses, class_names=NAMES)
    OneOfClassifier(epochs=20, width=16, random_state=0).fit(x[:300], answers[:300]).save(folder / "model")
    ids = [f"i{row}" for row in range(300)]
    pd.DataFrame(x[300:], columns=list("abcd")).assign(id=ids).to_csv(folder / "items.csv", index=False)
    pd.DataFrame({"id": ids, "label": np.array(NAMES)[labels[300:]]}).to_csv(folder / "labels.csv", index=False)
    Answers(subsets[300:], responses[300:], class_names=NAMES, item_names=ids).save(folder / "answers.csv")
    return folder


def test_label_free_and_true_accuracy_side_by_side(folder, run):
    words = [folder / "model", folder / "items.csv", folder / "answers.csv"]
    code, out, _ = run(*words, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts.keys() == {"accuracy", "left_out", "notes"}
    assert facts["accuracy"]["n"] == 300
    code, out, _ = run(*words, "--labels", folder / "labels.csv", "--json")
    facts = json.loads(out)
    assert facts["true"]["accuracy"] > 0.9
    assert np.sum(facts["true"]["confusion"]) == 300
    assert facts["accuracy"]["low"] <= facts["true"]["accuracy"] <= facts["accuracy"]["high"]
    code, out, _ = run(*words, "--labels", folder / "labels.csv")
    assert "label-free accuracy" in out
    assert "on 300 labelled items" in out


def test_labels_that_lack_a_class_are_compared_by_name(folder, run, tmp_path):
    labels = pd.read_csv(folder / "labels.csv")
    kept = labels[labels["label"] != "cat"]
    items = pd.read_csv(folder / "items.csv")
    items[items["id"].isin(kept["id"])].to_csv(tmp_path / "items.csv", index=False)
    kept.to_csv(tmp_path / "labels.csv", index=False)
    answers = pd.read_csv(folder / "answers.csv", dtype=str)
    answers[answers["item"].isin(kept["id"])].to_csv(tmp_path / "answers.csv", index=False)
    code, out, _ = run(
        folder / "model",
        tmp_path / "items.csv",
        tmp_path / "answers.csv",
        "--labels",
        tmp_path / "labels.csv",
        "--json",
    )
    assert code == 0
    assert json.loads(out)["true"]["accuracy"] > 0.9


def test_bad_input(folder, run, tmp_path):
    model, items, answers = folder / "model", folder / "items.csv", folder / "answers.csv"
    few = tmp_path / "few.csv"
    few.write_text("item,subset,answer\ni0,wolf,yes\ni1,cat,no\n")
    other = tmp_path / "other.csv"
    other.write_text("item,subset,answer\ni0,0|1,yes\ni1,2|3,no\n")
    strange = tmp_path / "strange.csv"
    strange.write_text("item,subset,answer\nnobody,wolf,yes\nnobody,cat|dog,no\n")
    fox = tmp_path / "fox.csv"
    pd.read_csv(folder / "labels.csv").replace("wolf", "fox").to_csv(fox, index=False)
    for words, message in (
        ([model, items, few], "the model knows 3 classes, but the answers are about 2"),
        ([model, items, other], "the model knows 3 classes, but the answers are about 4"),
        ([model, items, strange], "item nobody is not among the 300 items"),
        ([model, items, answers, "--labels", fox], "label 'fox' is not among the classes wolf, cat, dog"),
        ([tmp_path / "none", items, answers], "not a model"),
        ([model, "dataset:digits/test", answers], "is not among the 450 items"),
    ):
        code, out, err = run(*words)
        assert code == 1, message
        assert message in err
        assert "Traceback" not in err
        assert out == ""


def test_items_that_were_trained_on_do_not_judge(folder, oneof, tmp_path):
    """A model is at its best on what it has learned: such answers are left out, whatever the items are called."""
    items, answers = folder / "items.csv", folder / "answers.csv"
    some = Answers.load(answers, classes=NAMES)
    some[some.items < 200].save(tmp_path / "learned.csv")
    code, _, err = oneof("train", items, tmp_path / "learned.csv", "--out", tmp_path / "model", "--epochs", 3)
    assert code == 0, err
    code, out, _ = oneof("evaluate", tmp_path / "model", items, answers, "--json")
    facts = json.loads(out)
    assert facts["accuracy"]["n"] == 100
    assert facts["notes"] == ["left out 200 answers about items that the model was trained on"]
    code, _, err = oneof("evaluate", tmp_path / "model", items, tmp_path / "learned.csv")
    assert code == 1
    assert "no answers to randomly drawn questions to judge by: left out 200 answers about items" in err


def test_an_interval_for_looking_again(folder, run):
    words = [folder / "model", folder / "items.csv", folder / "answers.csv"]
    once, again = (json.loads(run(*words, *more, "--json")[1])["accuracy"] for more in ((), ("--anytime",)))
    assert again["high"] - again["low"] > once["high"] - once["low"]
    assert "(anytime)" in run(*words, "--anytime")[1]


def test_a_page_to_send_to_somebody(folder, run, tmp_path):
    words = [folder / "model", folder / "items.csv", folder / "answers.csv", "--labels", folder / "labels.csv"]
    code, out, _ = run(*words, "--report", tmp_path / "report.html", "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["report"] == str(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "How good is model?" in page
    assert f"{100 * facts['accuracy']['value']:.1f} %" in page
    assert all(f"<td>{name}</td>" in page for name in NAMES)
    code, _, err = run(*words, "--report", tmp_path / "report.pdf")
    assert code == 1
    assert "expected .html or .htm" in err
