"""Training on a project's answers: texts, predictions, adaptive questions, and judging as answers come in."""

import json

import numpy as np
import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner

import oneof
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning.judging import current_model
from oneof.annotation.learning.quality import dashboard
from oneof.annotation.learning.training import train_project
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.schema import claims, draws, predictions, tasks
from oneof.cli.annotate import app

TOPICS = {
    "c0": "rain cloud storm wind snow sun",
    "c1": "bread butter cheese apple soup salt",
    "c2": "goal match player coach ball league",
    "c3": "piano violin song choir drum melody",
    "c4": "rocket orbit planet moon star comet",
}


def truth(item):
    return f"c{int(item[1:]) % 5}"


@pytest.fixture
def topics(tmp_path):
    """Two hundred short texts whose words tell the class."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(200):
        words = rng.choice(TOPICS[f"c{number % 5}"].split(), 4)
        rows.append({"id": f"t{number}", "text": " ".join(words) + f" n{number}"})
    path = tmp_path / "topics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def answer_some(world, name, count):
    client = world.annotator(name)
    for _ in range(count):
        reply = client.post("/api/claim", json={})
        if reply.status_code != 200:
            return
        question = reply.json()
        yes = truth(question["item"]) in {label["name"] for label in question["labels"]}
        client.post("/api/answers", json=world.body(question["task"], "yes" if yes else "no"))


def train(world, **options):
    return train_project(world.database, world.project, now=world.clock(), epochs=30, **options)


def test_item_16_texts_train_and_the_dashboard_judges_as_answers_come_in(make_world, topics):
    world = make_world(topics, questions_per_item=2)
    answer_some(world, "ann", 170)  # the first questions of some items: others are still unknown to the model
    trained = train(world, held_out=0.3)
    assert trained.estimate.low <= trained.estimate.value <= trained.estimate.high
    assert trained.estimate.value > 0.6
    assert oneof.load(trained.folder).predict(["a piano that nobody has written about"]).shape == (1,)
    before = dashboard(world.database, world.project, world.clock())["model"]
    assert before["judged_on"] == trained.estimate.n
    answer_some(world, "bob", 100)
    after = dashboard(world.database, world.project, world.clock())["model"]
    assert after["judged_on"] > before["judged_on"]
    guesses = world.rows(
        select(tasks.c.item_id, predictions.c.label).join(predictions, tasks.c.item_id == predictions.c.item_id)
    )
    assert len(guesses) == 400
    page = world.admin().get("/admin").text
    assert "without labels" in page


@pytest.mark.parametrize("backend", ["sqlite"])
def test_judging_uses_one_answer_an_item_and_nothing_that_was_learned(make_world, topics):
    world = make_world(topics, overlap=2)
    answer_some(world, "ann", 120)
    answer_some(world, "bob", 120)
    train(world, held_out=0.5)
    with world.database.read() as connection:
        judged = current_model(connection, world.project)
        kept = connection.execute(
            select(func.count(tasks.c.item_id.distinct()))
            .join(claims, claims.c.task_id == tasks.c.id)
            .join(predictions, predictions.c.item_id == tasks.c.item_id)
            .where(claims.c.state == "answered", predictions.c.held_out)
        ).scalar_one()
    assert judged["judged_on"] == kept
    # Most of the questions were answered twice, and the other half of the items was learned from.
    assert 0 < kept < 120


@pytest.mark.parametrize("backend", ["sqlite"])
def test_adaptive_questions_come_once_a_model_knows_enough_and_a_share_stays_uniform(make_world, topics, tmp_path):
    world = make_world(topics, questions_per_item=2, mechanism="adaptive", uniform_share=0.25)
    assert world.rows(select(func.count()).where(tasks.c.design == "adaptive")) == [(0,)]
    answer_some(world, "ann", 60)
    train(world, held_out=0.2)
    assert world.rows(select(func.count()).where(tasks.c.design == "adaptive")) == [(0,)], "uniform ones are better"
    answer_some(world, "eva", 220)
    held = world.claim(world.annotator("bob"))
    shown = dict(world.rows(select(tasks.c.id, tasks.c.subset).join(claims, claims.c.task_id == tasks.c.id)))
    train(world, held_out=0.2)
    rows = {row.id: row for row in world.rows(select(tasks, draws.c.design.label("drawn")).join(draws))}
    # What anybody was shown is never changed, nor are the questions about items kept to judge.
    assert all(rows[task].subset == subset and rows[task].design == "uniform" for task, subset in shown.items())
    assert rows[held["task"]].design == "uniform"
    aside = {item for (item,) in world.rows(select(predictions.c.item_id).where(predictions.c.held_out))}
    adaptive = [row for row in rows.values() if row.design == "adaptive"]
    assert adaptive
    assert not {row.item_id for row in adaptive} & aside
    assert all(row.drawn == "adaptive" for row in adaptive)
    assert all(1 <= len(read_subset(row.subset)) <= 2 for row in adaptive)
    fresh = [row for row in rows.values() if row.id not in shown and row.item_id not in aside]
    assert 0.1 < 1 - len(adaptive) / len(fresh) < 0.45
    # Adaptive answers are marked in the export.
    answer_some(world, "eve", 60)
    from oneof.annotation.learning.exporting import export_answers

    export_answers(world.database, world.project, tmp_path / "a.jsonl")
    marks = {json.loads(line)["adaptive"] for line in (tmp_path / "a.jsonl").read_text().splitlines()}
    assert marks == {False, True}


@pytest.mark.parametrize("backend", ["sqlite"])
def test_item_14_predictions_are_shown_only_where_the_project_says_so(make_world, topics):
    hidden, shown = make_world(topics), make_world(topics, show_predictions=True)
    for world in (hidden, shown):
        answer_some(world, "ann", 60)
        train(world)
    assert "prediction" not in hidden.claim(hidden.annotator("bob"))
    assert shown.claim(shown.annotator("bob"))["prediction"] in {f"c{n}" for n in range(5)}


@pytest.mark.parametrize("backend", ["sqlite"])
def test_too_few_answers_are_said(make_world):
    world = make_world(5)
    with pytest.raises(ProjectError, match="0 answers to learn from"):
        train(world)
    with pytest.raises(ProjectError, match="held out share"):
        train(world, held_out=1.5)


@pytest.mark.parametrize("backend", ["sqlite"])
def test_without_an_accuracy_the_reason_is_told_and_no_number(make_world, topics, backend):
    world = make_world(topics)
    hurried = world.annotator("Ann")
    for _ in range(150):
        world.give(hurried, "yes")
    trained = train(world)
    assert trained.unjudged.startswith("these answers do not fit questions drawn uniformly at random: 100.0 % of ")
    assert "Ann: 100.0 % of " in trained.unjudged
    assert "queries=" not in trained.unjudged, "a manager passes nothing"
    told = CliRunner().invoke(app, ["train", str(world.project.folder), "--epochs", "2"]).stdout
    assert f"No accuracy: {trained.unjudged}" in told
    assert "nan" not in told
