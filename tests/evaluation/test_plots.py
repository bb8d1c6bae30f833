"""Pictures of a judgement say what their tables say."""

import numpy as np
import pandas as pd

from oneof.evaluation import Confusion
from oneof.evaluation.plots import MOST, as_svg, class_whiskers, confusion_heat_map, reliability_diagram


def report(k: int) -> pd.DataFrame:
    frame = pd.DataFrame({"class": [f"class {number}" for number in range(k)], "n": np.arange(k) + 5})
    for name, value in (("precision", 0.8), ("recall", 0.6)):
        frame[name], frame[f"{name}_low"], frame[f"{name}_high"] = value, value - 0.1, value + 0.05
    return frame


def test_whiskers_end_where_the_intervals_end() -> None:
    axes = class_whiskers(report(3)).axes[0]
    ends = [segment[:, 0] for container in axes.containers for segment in container[2][0].get_segments()]
    np.testing.assert_allclose(ends, [[0.7, 0.85]] * 3 + [[0.5, 0.65]] * 3)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["class 0", "class 1", "class 2"]


def test_a_figure_that_is_not_known_is_not_drawn() -> None:
    frame = report(3).assign(recall=np.nan)
    assert len(class_whiskers(frame).axes[0].containers) == 1


def test_of_many_classes_those_with_the_most_answers_are_shown() -> None:
    labels = class_whiskers(report(MOST + 10)).axes[0].get_yticklabels()
    assert (len(labels), labels[0].get_text()) == (MOST, "class 10")
    k = MOST + 3
    value = np.diag(np.arange(k, dtype=float))
    found = confusion_heat_map(Confusion(value, np.zeros((k, k)), 100, tuple(map(str, range(k)))))
    assert found.axes[0].get_xticklabels()[0].get_text() == "3"


def test_cells_that_may_be_nothing_stay_empty() -> None:
    value = np.array([[0.4, 0.03], [0.01, 0.56]])
    axes = confusion_heat_map(Confusion(value, np.full((2, 2), 0.01), 500, ("$x", "a name that is far too long"))).axes[
        0
    ]
    assert sorted(text.get_text() for text in axes.texts) == ["3.0", "40.0", "56.0"]
    assert axes.images[0].get_array()[1, 0] == 0
    assert [text.get_text() for text in axes.get_yticklabels()] == [r"\$x", "a name that is fa…"]


def test_reliability_and_the_same_svg_in_every_run() -> None:
    table = pd.DataFrame(
        {"confidence": [0.5, 0.9], "accuracy": [0.4, 1.0], "low": [0.3, 0.8], "high": [0.5, 1.0], "n": [9, 90]}
    )
    first, second = (as_svg(reliability_diagram(table)) for _ in range(2))
    assert first == second
    assert first.startswith("<svg")
    axes = reliability_diagram(table).axes[0]
    (drawn,) = (container for container in axes.containers if hasattr(container, "has_yerr"))
    np.testing.assert_allclose([end[:, 1] for end in drawn[2][0].get_segments()], [[0.3, 0.5], [0.8, 1.0]])
    heights = [bar.get_height() for bar in axes.patches]
    np.testing.assert_allclose(heights, [0.025, 0.25])
