"""Pages with numbers are made from the committed rows."""

import re

import pandas as pd
import pytest

from benchmarks.annotation import reached
from benchmarks.pages import MARK, RESULTS, ROOT, facts_of, filled, rebuilt
from oneof.experiments.store import COLUMNS

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.slow
def test_every_page_is_what_the_rows_give() -> None:
    made = rebuilt()
    assert len(made) > 10
    for path, text in made.items():
        # Compared by lines, so that a difference is shown and not two whole pages.
        assert path.read_text(encoding="utf-8").splitlines() == text.splitlines(), (
            f"{path.relative_to(ROOT)} is not what the rows give: run `python -m benchmarks.pages`"
        )


def test_every_fact_is_told_somewhere() -> None:
    told: dict[str, set[str]] = {}
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        assert text.count("<!-- rows: ") == text.count("<!-- /rows -->") == len(MARK.findall(text)), path.name
        for mark in MARK.finditer(text):
            told.setdefault(mark["module"], set()).add(mark["name"])
    for module, names in told.items():
        assert set(facts_of(module)) == names, module


def test_a_page_is_filled_and_filled_again() -> None:
    facts = {"speed": {"ratio": "3.7", "table": "| a |\n|---|\n"}}.__getitem__
    page = "It takes <!-- rows: speed ratio -->?<!-- /rows --> times.\n\n<!-- rows: speed table -->\n<!-- /rows -->\n"
    made = filled(page, facts)
    assert "takes <!-- rows: speed ratio -->3.7<!-- /rows --> times" in made
    assert "-->\n\n| a |\n|---|\n\n<!-- /rows -->\n" in made
    assert filled(made, facts) == made


def test_an_unknown_fact_is_named() -> None:
    with pytest.raises(ValueError, match=re.escape("speed has no fact 'tabel'; it has table")):
        filled("a <!-- rows: speed tabel --><!-- /rows -->", {"speed": {"table": ""}}.__getitem__)


def test_the_aim_of_claims_is_told_as_the_rows_have_it() -> None:
    rows = pd.DataFrame({"database": ["SQLite", "PostgreSQL"] * 2, "tasks": [10, 10, 2000, 2000]})
    told = reached(rows.assign(claim_p95_ms=[60.0, 60.0, 4.8, 12.25]))
    assert told == "under 50 ms at 2,000 tasks; this run reached it on SQLite (4.8 ms) and PostgreSQL (12.2 ms)"
    told = reached(rows.assign(claim_p95_ms=[1.0, 1.0, 4.8, 131.0]))
    assert (
        told
        == "under 50 ms at 2,000 tasks; this run reached it on SQLite (4.8 ms) and missed it on PostgreSQL (131 ms)"
    )


def test_rows_of_small_benchmarks_have_the_names_of_the_experiments() -> None:
    others = {"k", "m", "test", "label_free", "low", "high", "optimizer", "negative_batches", "version", "torch"}
    for name in ("digits", "demo", "against", "beyond/noise", "beyond/privacy", "beyond/adaptive_digits"):
        columns = set((RESULTS / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0].split(","))
        assert "test_accuracy" in columns, name
        assert not columns & others, name
    digits = pd.read_csv(RESULTS / "digits.csv")
    assert set(digits.columns) - set(COLUMNS) == {"holdout", "covered"}
    assert digits["test_accuracy"].between(80, 100).all()  # per cent
