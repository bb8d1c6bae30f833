import pytest

from oneof.experiments.grid import needed
from oneof.experiments.outputs import known
from oneof.experiments.protocol import preset

KEYS = [f"{kind}{number}" for kind in ("table", "figure") for number in range(1, 7)]


@pytest.mark.parametrize("key", KEYS)
def test_every_table_and_figure_knows_its_runs(key: str) -> None:
    known(key)
    runs = needed(key, preset("paper"))
    assert len({spec.run for spec in runs}) == len(runs)
    assert bool(runs) == (key not in ("table1", "figure1"))
    assert {spec.seed for spec in runs} <= set(range(5))


def test_the_papers_tables_are_whole() -> None:
    paper = preset("paper")
    assert len(needed("table2", paper)) == 6 * 3 * 6 * 5
    assert len(needed("table3", paper)) == 6 * 3 * 3 * 5
    assert len(needed("table4", paper)) == 2 * 3 * 5
    assert len(needed("table5", paper)) == 3 * 4 * 5
    assert len(needed("table6", paper)) == 3 * 4 * 4 * 5


def test_all_is_the_union_without_repeats() -> None:
    cpu = preset("cpu")
    everything = needed("all", cpu)
    assert len(set(everything)) == len(everything)
    assert set(everything) == {spec for key in KEYS for spec in needed(key, cpu)}


def test_a_grid_that_is_cut_off_leaves_whole_comparisons() -> None:
    for key in ("table3", "all"):
        seeds = [spec.seed for spec in needed(key, preset("cpu"))]
        assert seeds == sorted(seeds)


def test_a_data_set_may_have_fewer_seeds_and_no_baselines() -> None:
    cpu = preset("cpu")
    assert {spec.seed for spec in needed("table3", cpu) if spec.dataset == "kmnist"} == {0, 1, 2}
    assert {spec.seed for spec in needed("table3", cpu) if spec.dataset == "usps"} == {0, 1, 2, 3, 4}
    assert needed("table2", preset("cpu-mlp")) == []


def test_without_letters_there_is_no_table_five() -> None:
    assert needed("table5", preset("smoke")) == []


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(ValueError, match="unknown table or figure 'table9'"):
        needed("table9", preset("smoke"))
