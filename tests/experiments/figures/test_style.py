import matplotlib as mpl

from oneof.experiments.figures.style import COLOURS, MARKERS, paper_style
from oneof.experiments.methods import names


def test_the_users_settings_come_back() -> None:
    before = mpl.rcParams["font.size"]
    with paper_style():
        assert mpl.rcParams["font.size"] == 8
    assert mpl.rcParams["font.size"] == before


def test_every_coloured_method_has_a_marker_of_its_own() -> None:
    assert COLOURS.keys() == MARKERS.keys() <= set(names())
    assert len(set(COLOURS.values())) == len(set(MARKERS.values())) == len(COLOURS)
