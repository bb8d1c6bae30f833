import pandas as pd

from oneof.experiments.cells import our_cells, paired_cells, paper_cells, seeds_note, select


def test_ours_and_the_papers_are_bold_apart(rows: pd.DataFrame) -> None:
    methods = ("GCE-ABS", "GCE-NN", "GCE-URE")
    ours = our_cells(select(rows, batch_size=128), methods, dataset="KMNIST", p_yes=0.3)
    assert [cell.text for cell in ours] == ["88.00 ± 0.20", "86.00 ± 0.20", "80.00 ± 0.20"]
    assert [cell.bold for cell in ours] == [True, False, False]
    paper = paper_cells(3, methods, dataset="KMNIST", p_yes=0.3)
    assert [cell.text for cell in paper] == ["88.18 ± 0.29", "85.87 ± 0.55", "81.42 ± 0.13"]
    assert all(cell.pale for cell in paper)


def test_a_cell_that_was_not_run_says_so(rows: pd.DataFrame) -> None:
    (cell,) = our_cells(rows, ["GCE-ABS"], dataset="SVHN", p_yes=0.3)
    assert (cell.text, cell.bold) == ("not run", False)


def test_a_method_the_paper_lacks_is_a_dash() -> None:
    cells = paper_cells(2, ["URE-MAE", "Likelihood"], dataset="MNIST", p_yes=0.3)
    assert [cell.text for cell in cells] == ["98.71 ± 0.07", "–"]


def test_paired_cells(rows: pd.DataFrame) -> None:
    chosen = select(rows, dataset="digits", p_yes=0.7)
    mean, interval, seeds = paired_cells(chosen, "GCE-ABS", "GCE-URE")
    assert (mean.text, interval.text, seeds.text) == ("18.40", "[18.40, 18.40]", "3")
    assert paired_cells(select(rows, dataset="SVHN"), "GCE-ABS", "GCE-URE")[0].text == "not run"
    single = paired_cells(select(chosen, seed=1), "GCE-ABS", "GCE-URE")
    assert [cell.text for cell in single] == ["18.40", "–", "1"]


def test_the_note_tells_seeds_and_budget(rows: pd.DataFrame) -> None:
    assert seeds_note(rows) == "Here: KMNIST: mlp, 40 epochs, seeds: 3; digits: mlp, 40 epochs, seeds: 3."
    uneven = rows[~((rows["seed"] == 2) & (rows["method"] == "PRODEN"))]
    assert "KMNIST: mlp, 40 epochs, seeds: 2 to 3" in seeds_note(uneven)
    assert seeds_note(rows.iloc[:0]) == "Nothing was run here."
