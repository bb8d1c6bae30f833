"""Numbers as people read them."""

import pytest

from oneof.annotation.web.dashboard import wording


def test_what_is_not_known_is_a_dash():
    assert {wording.percent(None), wording.count(None), wording.seconds(None), wording.moment(None)} == {"–"}


def test_what_is_rounded_to_zero_has_no_sign():
    assert wording.percent(-0.001, 0) == wording.percent(0.001, 0) == "0\u00a0%"


def test_a_moment_is_for_people_and_for_machines():
    assert wording.moment(0.0) == '<time datetime="1970-01-01T00:00:00Z">1 Jan 1970, 00:00 UTC</time>'


@pytest.mark.parametrize(("value", "text"), [(5, "1 min"), (600, "10 min"), (3600, "1.0 h"), (864_000, "10.0 days")])
def test_durations(value, text):
    assert wording.duration(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(12, "12 bytes"), (1500, "1.5 kB"), (2.5e9, "2.5 GB"), (7e13, "70000.0 GB")]
)
def test_sizes(value, text):
    assert wording.size(value) == text


def test_code_is_marked_and_nothing_in_it_runs():
    assert wording.with_code("`a` < `<b>`") == "<code>a</code> &lt; <code>&lt;b&gt;</code>"


@pytest.mark.parametrize(("value", "text"), [(1 / 3, "0.333"), (600.0, "600"), ([], "0"), (0, "0"), ("x", "x")])
def test_details_of_the_journal(value, text):
    assert wording.noted(value) == text
