"""Guidelines: Markdown that is shown, and nothing that runs or loads from elsewhere."""

import pytest

from oneof.annotation.web.prose import render


def test_what_people_write_is_shown():
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    shown = render(f"# Birds\n\n**Bold**, [a link](https://a.example)\n\n- one\n- two\n\n{table}")
    assert "<h3>Birds</h3>" in shown
    assert "<strong>Bold</strong>" in shown
    assert 'href="https://a.example"' in shown
    assert 'rel="noopener noreferrer"' in shown
    assert shown.count("<li>") == 2
    assert "<td>1</td>" in shown


def test_pictures_come_from_the_project_alone():
    assert '<img src="/pets/guidelines/a.png" alt="A cat">' in render("![A cat](guidelines/a.png)", "/pets")
    elsewhere = render("![A dog](https://b.example/dog.png)")
    assert "<img" not in elsewhere
    assert "A dog" in elsewhere


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "<a href='https://a.example' onclick='alert(1)'>x</a>",
    ],
)
def test_nothing_in_it_runs(text):
    shown = render(text)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<a onclick" not in shown
    assert 'href="javascript' not in shown
    assert 'href="data' not in shown
