"""Which runs a table or figure needs under a preset. What is searched label-free is chosen in `selection`."""

from collections.abc import Sequence
from itertools import chain

from oneof.datasets import info
from oneof.experiments.methods import CORRECTIONS, LEADERBOARD, MAIN, SUPERVISED
from oneof.experiments.protocol import LETTERS, P_YES, PRESETS, STANDARD_BATCH, Preset, RunSpec

TABLES_AND_FIGURES = tuple(f"{kind}{number}" for kind in ("table", "figure") for number in range(1, 7))


def needed(key: str, preset: Preset) -> list[RunSpec]:
    """The runs behind one table or figure, with the preset's default rates; duplicates do not occur.

    >>> from oneof.experiments.protocol import preset
    >>> len(needed("table3", preset("smoke")))
    18
    """
    letters = [name for name in preset.budgets if info(name).title == LETTERS]
    ten = [name for name in preset.budgets if name not in letters]
    hard = [name for name in ("kmnist", "svhn") if name in preset.budgets] or ten
    swept = ["kmnist"] if "kmnist" in preset.budgets else ten[:1]
    match key:
        case "table1" | "figure1":
            return []
        case "table2":
            main = [name for name in ten if preset.budgets[name].baselines]
            return _cells(preset, main, P_YES, (*MAIN, "Likelihood", *preset.methods))
        case "table3":
            return _cells(preset, ten, P_YES, CORRECTIONS)
        case "table4" | "figure3":
            return _cells(preset, hard, (0.7,), CORRECTIONS)
        case "table5":
            return _cells(preset, letters, P_YES, (*CORRECTIONS, "URE-MAE"))
        case "figure4":
            return _cells(preset, letters or ten[:1], (0.3,), ("GCE-ABS",))
        case "figure2":
            return _cells(preset, hard, (0.3, 0.7), CORRECTIONS)
        case "table6" | "figure5":
            return _cells(preset, swept, P_YES, (*CORRECTIONS, "URE-MAE"), preset.batch_sizes)
        case "figure6":
            return _cells(preset, swept, (0.7,), CORRECTIONS, preset.batch_sizes)
        case "leaderboard":
            # Full supervision does not depend on the queries: one value of P(s=1) stands for all.
            names = list(preset.budgets)
            first, *others = (_cells(preset, names, P_YES, (method,)) for method in LEADERBOARD)
            ceiling = _cells(preset, names, P_YES[:1], (SUPERVISED,))
            # Where the paper's recipe has the same network, the paper's methods tell objective and recipe apart.
            same = [name for name in names if _network(preset, name) == _network(PRESETS["cpu"], name)]
            apart = _cells(preset, same, P_YES, MAIN) if preset.recipe != PRESETS["cpu"].recipe else []
            return [*first, *ceiling, *chain.from_iterable(others), *apart]
        case "all":
            specs = dict.fromkeys(spec for each in TABLES_AND_FIGURES for spec in needed(each, preset))
            # Every cell with one seed comes before any cell with two.
            return sorted(specs, key=lambda spec: preset.seeds.index(spec.seed))
        case _:
            raise ValueError(
                f"unknown table or figure {key!r}; known: table1 to table6, figure1 to figure6, all, leaderboard"
            )


def _network(preset: Preset, dataset: str) -> tuple[str, int | None] | None:
    """The network that a preset has for a data set, with its width; None where it does not have the data set."""
    budget = preset.budgets.get(dataset)
    return None if budget is None else (budget.backbone, budget.width)


def _cells(
    preset: Preset,
    datasets: Sequence[str],
    p_yes: Sequence[float],
    methods: Sequence[str],
    batch_sizes: Sequence[int] = (STANDARD_BATCH,),
) -> list[RunSpec]:
    # Seeds are the outer loop: a grid that is cut off leaves whole comparisons for fewer seeds.
    return [
        RunSpec(
            preset=preset.name,
            dataset=dataset,
            p_yes=p,
            method=method,
            seed=seed,
            recipe=preset.recipe,
            batch_size=batch_size,
            **preset.budgets[dataset].settings(),
        )
        for seed in preset.seeds
        for dataset in datasets
        for batch_size in batch_sizes
        for p in p_yes
        for method in methods
        if seed in preset.seeds[: preset.budgets[dataset].seeds]
    ]
