import pytest

from oneof.experiments.figures.catalogue import FIGURES, save
from oneof.experiments.store import Evidence


@pytest.mark.parametrize("key", FIGURES)
def test_every_figure_draws_with_and_without_runs(key: str, evidence: Evidence, nothing: Evidence) -> None:
    number = key.removeprefix("figure")
    assert FIGURES[key].caption.startswith(f"Figure {number}. ")
    for given in (evidence, nothing):
        assert save(FIGURES[key].draw(given), "png").startswith(b"\x89PNG")


def test_an_unknown_kind_is_refused(evidence: Evidence) -> None:
    with pytest.raises(ValueError, match="not 'gif'"):
        save(FIGURES["figure1"].draw(evidence), "gif")
