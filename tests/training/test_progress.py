"""The progress bar."""

import pytest

from oneof.training.progress import Bar

ROW = {"epoch": 3, "objective": 0.5, "raw": -0.25, "negative": 0.4, "label_free": 0.9123}


def test_a_hidden_bar_prints_nothing(capsys):
    with Bar(10, 0, shown=False, title="ure") as bar:
        bar.step()
        bar.epoch(ROW)
    assert capsys.readouterr() == ("", "")


def test_the_bar_tells_epoch_objective_raw_risk_negative_batches_and_accuracy(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with Bar(10, 4, shown=True, title="ure") as bar:
        bar.step()
        bar.epoch(ROW)
    text = capsys.readouterr().out
    for part in (
        "ure",
        "5/10",
        "epoch 3",
        "objective 0.500",
        "raw -0.250",
        "negative 40%",
        "label-free accuracy 91.2%",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    "row", [{"epoch": 1, "objective": 0.5, "raw": 0.5, "negative": 0.0}, ROW | {"label_free": None}]
)
def test_what_there_is_nothing_to_say_about_is_left_out(row, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with Bar(10, 0, shown=True, title="likelihood") as bar:
        bar.epoch(row)
    text = capsys.readouterr().out
    assert "label-free" not in text
    assert ("raw" in text) == (row["raw"] != row["objective"])
