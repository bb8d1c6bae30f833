"""The demonstration."""

import base64
import re

import pytest

from oneof.experiments import demo


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "page"
    return demo.run(out, size=5, seed=0, epochs=12), out / "index.html"


def test_four_objectives_each_with_an_interval_beside_the_truth(demonstration):
    facts, page = demonstration
    assert [row["name"] for row in facts["rows"]] == ["URE (GCE)", "NN (GCE)", "ABS (GCE)", "likelihood"]
    assert (facts["answers"], facts["judging"]) == (1347, 450)
    assert facts["page"] == str(page.resolve())
    likelihood = facts["rows"][-1]
    assert likelihood["true"] > 0.9
    for row in facts["rows"]:
        assert row["low"] <= row["label_free"] <= row["high"]
        assert row["true"] > 0.5
    assert sum(row["low"] <= row["true"] <= row["high"] for row in facts["rows"]) >= 3


def test_the_page_is_one_file_with_the_same_figures_and_the_curves(demonstration):
    facts, page = demonstration
    text = page.read_text(encoding="utf-8")
    assert list(page.parent.iterdir()) == [page]
    for row in facts["rows"]:
        assert f"<td>{row['name']}</td><td>{row['label_free']:.1%}</td>" in text
    assert not re.search(r"(src|href)=\"?http", text), "it needs no network"
    picture = re.search(r"data:image/png;base64,([^\"]+)", text)
    assert base64.b64decode(picture[1])[:8] == b"\x89PNG\r\n\x1a\n"
