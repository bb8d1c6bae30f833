"""Charts: well-formed SVG with the points where they belong."""

import xml.etree.ElementTree as ElementTree

import pytest

from oneof.annotation.web.dashboard import charts


def parsed(svg):
    return ElementTree.fromstring(svg)


def points(svg, name):
    text = next(one for one in parsed(svg) if one.get("class") == name).get("points")
    return [tuple(map(float, pair.split(","))) for pair in text.split()]


@pytest.mark.parametrize("value", [0.003, 0.7, 1, 3, 20, 99, 101, 12_345])
def test_an_axis_ends_above_the_value_and_not_far_above(value):
    top = charts.nice_ceiling(value)
    assert value <= top <= 2.5 * value * (1 + 1e-9)


def test_the_line_goes_from_corner_to_corner():
    svg = charts.growth([(10.0, 0), (15.0, 50), (20.0, 100)], 100, "half & more")
    assert points(svg, "line") == [(0, 300), (500, 150), (1000, 0)]
    assert parsed(svg).get("aria-label") == "half & more"
    assert parsed(svg).get("role") == "img"


def test_a_goal_far_away_does_not_flatten_the_line():
    near, far = ([(0.0, 0), (1.0, 30)], 100), ([(0.0, 0), (1.0, 10)], 1000)
    assert charts.ceiling(*near) == 100
    assert charts.ceiling(*far) == 10
    assert [one.get("class") for one in parsed(charts.growth(*far, ""))] == ["area", "line"]
    assert [one.get("class") for one in parsed(charts.growth(*near, ""))] == ["area", "line", "goal"]


def test_calibration_stands_at_its_confidence_beside_the_line_of_agreement():
    line, whisker, dot = parsed(charts.calibration([(0.8, 0.5, 0.25, 0.75)], "x"))
    assert line.get("d") == "M0 300L1000 0"
    assert whisker.get("d") == "M800.0 75.0V225.0"
    assert dot.get("d") == "M800.0 150.0h0"


def test_intervals_hold_their_estimate():
    svg = charts.intervals([(0.0, 0.5, 0.25, 0.75), (1.0, 1.0, 0.5, 1.0)], "")
    assert points(svg, "thread") == [(250, 150), (750, 0)]
    whiskers = [one.get("d") for one in parsed(svg) if one.get("class") == "whisker"]
    assert whiskers == ["M250.0 75.0V225.0", "M750.0 0.0V150.0"]


def test_a_range_has_its_mark():
    drawn = {one.get("class"): one.get("d") for one in parsed(charts.range_bar(0.2, 0.4, 0.6, 0.5, ""))}
    assert drawn["whisker"] == "M200.0 150H600.0"
    assert drawn["mark"].startswith("M500.0")


def test_what_is_said_cannot_become_markup():
    assert "<script>" not in charts.growth([(0.0, 1)], None, '"><script>')
