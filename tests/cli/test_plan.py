import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from oneof import Answers, UniformQueries, respond
from oneof.cli.plan import plan
from oneof.datasets import load

app = typer.Typer()
app.command()(plan)
runner = CliRunner()
ASK = ["--classes", "10", "--accuracy", "0.9", "--width", "0.05"]


def test_table_for_people() -> None:
    result = runner.invoke(app, ASK)
    assert result.exit_code == 0
    assert "Fewest held-out answers: 1,114 at m = 5." in result.stdout
    assert "privacy" not in result.stdout


def test_many_classes_get_advice_that_people_can_follow() -> None:
    result = runner.invoke(app, ["--classes", "1000", "--accuracy", "0.9", "--width", "0.05", "--largest", "6"])
    assert result.exit_code == 0
    assert "show its prediction among others: 591 answers at m = 2" in result.stdout
    noisy = ["--flip-yes", "0.1", "--flip-no", "0.1", "--json"]
    result = runner.invoke(app, ["--classes", "9999", "--accuracy", "0.9", "--width", "0.01", "--largest", "2", *noisy])
    assert [row["answers"] for row in json.loads(result.stdout)["plan"]] == [None, None]


@pytest.mark.parametrize("terminal", [False, True])
def test_no_figure_is_cut_at_eighty_columns(terminal: bool) -> None:
    window = {"COLUMNS": "80"} | ({"FORCE_COLOR": "1"} if terminal else {})
    many = ["--classes", "1000", "--accuracy", "0.9", "--width", "0.05", "--epsilon", "1"]
    shown = runner.invoke(app, many, env=window).stdout
    assert "…" not in shown
    assert "89,039,533" in shown
    assert ("230,666,900.6" in shown) is not terminal, "what is left out of a narrow window stands in a file"


def test_json_for_scripts() -> None:
    result = runner.invoke(app, [*ASK, "--json"])
    rows = json.loads(result.stdout)["plan"]
    assert [row["size"] for row in rows] == list(range(1, 10))
    assert rows[4]["answers"] == 1114


def test_privacy_is_priced() -> None:
    result = runner.invoke(app, [*ASK, "--epsilon", "2"])
    assert result.exit_code == 0
    assert "flips 11.9% of the answers" in result.stdout
    assert json.loads(runner.invoke(app, [*ASK, "--epsilon", "2", "--json"]).stdout)["plan"][4]["privacy_cost"] > 1.7


def test_figure(tmp_path: Path) -> None:
    result = runner.invoke(app, [*ASK, "--figure", str(tmp_path / "plan.png"), "--json"])
    assert result.exit_code == 0
    assert (tmp_path / "plan.png").read_bytes()[:4] == b"\x89PNG"
    assert [path.name for path in tmp_path.iterdir()] == ["plan.png"]


def test_pilot_gives_a_forecast(tmp_path: Path) -> None:
    digits = load("digits", "train")
    subsets = UniformQueries(10, 5).draw(400, rng=0)
    Answers(subsets, respond(subsets, digits.labels[:400])).save(tmp_path / "pilot.csv")
    np.save(tmp_path / "items.npy", digits.images[:400].reshape(400, -1))
    files = ["--pilot", str(tmp_path / "pilot.csv"), "--items", str(tmp_path / "items.npy")]
    result = runner.invoke(app, [*ASK, *files, "--epochs", "8", "--json"])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert len(facts["pilot"]) == 4
    assert facts["answers_for_accuracy"]["n"] == facts["pilot"][-1]["answers"]
    assert facts["answers_for_accuracy"]["low"] > 0
    coming = facts["next_answers"]
    assert coming["more"] == 500
    assert 0 <= coming["low"] <= coming["value"] <= coming["high"] < 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ASK, "--pilot", "answers.csv"], "--pilot and --items go together"),
        ([*ASK, "--figure", "plan.gif"], ".png, .pdf or .svg"),
        ([*ASK, "--figure", "nowhere/plan.png"], "there is no folder nowhere"),
        ([*ASK[:-1], "0"], "width must be between 0 and 1"),
        ([*ASK, "--epsilon", "-1"], "epsilon must be positive"),
        (["--classes", "1", *ASK[2:]], "--classes"),
    ],
)
def test_mistakes_are_refused(arguments: list[str], message: str) -> None:
    result = runner.invoke(app, arguments)
    assert result.exit_code != 0
    output = result.output + str(result.exception)
    assert message in " ".join(output.replace("│", " ").split())
