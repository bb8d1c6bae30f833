import pytest

from oneof.experiments.figures.catalogue import FIGURES
from oneof.experiments.grid import TABLES_AND_FIGURES, needed
from oneof.experiments.methods import MAIN
from oneof.experiments.protocol import preset
from oneof.experiments.tables import TABLES


@pytest.mark.parametrize("key", TABLES_AND_FIGURES)
def test_every_table_and_figure_knows_its_runs(key: str) -> None:
    assert key in TABLES or key in FIGURES
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
    assert set(everything) == {spec for key in TABLES_AND_FIGURES for spec in needed(key, cpu)}


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


def test_the_leaderboard_has_the_papers_methods_where_both_recipes_have_one_network() -> None:
    fast = preset("fast")
    runs = needed("leaderboard", fast)
    assert len({spec.run for spec in runs}) == len(runs)
    apart = [spec for spec in runs if spec.method in MAIN]
    assert {(spec.dataset, spec.network) for spec in apart} == {("usps", "cnn-12")}
    assert len(apart) == len(MAIN) * 3 * len(fast.seeds)
    assert {spec.network for spec in needed("table2", preset("cpu")) if spec.dataset == "usps"} == {"cnn-12"}
    assert not [spec for spec in needed("leaderboard", preset("cpu")) if spec.method in MAIN]
