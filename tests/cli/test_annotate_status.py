"""`oneof annotate status` in wide and narrow windows."""

import pytest

from oneof.cli.annotate_status import COLUMNS, print_status

PERSON = {"answered": 1234, "skipped": 5, "yes_rate": 0.5, "median_seconds": 1.26, "too_fast": None, "last_hour": 7} | {
    "gold_right": 3, "gold_asked": 4, "repeats_same": 0, "repeats_asked": 0, "name": "Ada Lovelace of London",
}  # fmt: skip
FIGURES = {"project": "birds", "answered": 1234, "needed": 5000, "skipped": 5, "paused": False, "yes_rate": 0.5} | {
    "expected_yes_rate": 0.4, "agreement_alpha": None, "model": None, "annotators": [PERSON], "next_answers": None,
}  # fmt: skip
VALUES = ("Ada Lovelace of London", "1234", "50.0%", "1.3", "3 of 4", "0 of 0")


@pytest.mark.parametrize("width", [20, 60, 200])
def test_nothing_is_cut_off_and_no_line_of_a_window_is_too_long(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    print_status(FIGURES)
    text = capsys.readouterr().out
    assert all(value in text for value in (*VALUES, *COLUMNS[1:]))
    if width == 60:
        assert max(map(len, text.splitlines())) <= width


def test_a_file_gets_the_whole_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_status(FIGURES)
    line = next(line for line in capsys.readouterr().out.splitlines() if "Ada" in line)
    assert all(value in line for value in VALUES)
