import pytest

from oneof.experiments.paper_numbers import paper_best, paper_table


@pytest.mark.parametrize(("number", "entries"), [(1, 7), (2, 90), (3, 54), (4, 4), (5, 12), (6, 48)])
def test_every_entry_is_there(number: int, entries: int) -> None:
    table = paper_table(number)
    assert len(table) == entries
    assert not table.isna().any().any()


def test_tables_agree_where_they_overlap() -> None:
    keys = ["dataset", "p_yes", "method", "accuracy_mean", "accuracy_std"]
    batches = paper_table(6)
    overlap = batches[batches["batch_size"] == 128][keys]
    main = {tuple(entry) for number in (2, 3) for entry in paper_table(number)[keys].itertuples(index=False)}
    assert {tuple(entry) for entry in overlap.itertuples(index=False)} <= main


def test_paired_means_follow_from_table_three() -> None:
    means = paper_table(3).set_index(["dataset", "p_yes", "method"])["accuracy_mean"]
    for entry in paper_table(4).to_dict("records"):
        better, base = entry["comparison"].split(" - ")
        difference = means[entry["dataset"], 0.7, better] - means[entry["dataset"], 0.7, base]
        assert entry["mean_paired_difference"] == pytest.approx(difference, abs=0.021)


def test_the_best_of_each_cell() -> None:
    best = paper_best().set_index(["dataset", "p_yes"])
    assert len(best) == 21
    assert best.loc[("CIFAR-10", 0.3), "method"] == "GCE-ABS"
    assert best.loc[("CIFAR-10", 0.3), "accuracy_mean"] == 71.87
    assert best.loc[("EMNIST-Letters", 0.7), "accuracy_mean"] == 89.52


def test_a_caller_cannot_change_the_numbers() -> None:
    mine = paper_table(2)
    mine["accuracy_mean"] = 0.0
    assert paper_table(2)["accuracy_mean"].min() > 0


def test_there_is_no_seventh_table() -> None:
    with pytest.raises(ValueError, match="tables 1 to 6, not 7"):
        paper_table(7)
