"""Learning rate and weight decay, chosen without labels: by the accuracy that held-out answers estimate.

For each (data set, method) runs on one seed, at P(s=1) = 0.5, keep a tenth of the training answers from training. The
paper's grids are searched whole where the preset says so; otherwise the learning rate first, at the middle weight
decay, then the weight decay at the best learning rate. The choice is then fixed for all P(s=1), seeds and batch sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from oneof.experiments.protocol import Preset, RunSpec
from oneof.experiments.tables import STANDARD_BATCH
from oneof.training.scores import first_best

HOLDOUT = 0.1
SUFFIX = "-search"
SEARCHED = 0.5
"""The P(s=1) at which rates are chosen."""


def stages(specs: Iterable[RunSpec], preset: Preset, rows: pd.DataFrame) -> list[RunSpec]:
    """The search runs that are not done and can be done now; none when every choice can be made.

    Call again after they are done: the second stage depends on the first.
    """
    finished = set(rows["run"])
    pending: dict[RunSpec, None] = {}
    for cell in _cells(specs, preset):
        decays = preset.weight_decays if preset.full_search else (cell.weight_decay,)
        first = _grid(cell, preset.learning_rates, decays)
        missing = [spec for spec in first if spec.run not in finished]
        if not missing and not preset.full_search:
            second = _grid(cell, (_best(first, rows).learning_rate,), preset.weight_decays)
            missing = [spec for spec in second if spec.run not in finished]
        pending |= dict.fromkeys(missing)
    return list(pending)


def chosen_rates(spec: RunSpec, preset: Preset, rows: pd.DataFrame) -> tuple[float, float]:
    """The learning rate and weight decay for a run; the preset's own where it does not search."""
    if not preset.budgets[spec.dataset].search_epochs:
        return spec.learning_rate, spec.weight_decay
    (cell,) = _cells([spec], preset)
    best = _best(_grid(cell, preset.learning_rates, preset.weight_decays), rows)
    return best.learning_rate, best.weight_decay


def _grid(cell: RunSpec, rates: tuple[float, ...], decays: tuple[float, ...]) -> list[RunSpec]:
    return [replace(cell, learning_rate=rate, weight_decay=decay) for rate in rates for decay in decays]


def _cells(specs: Iterable[RunSpec], preset: Preset) -> list[RunSpec]:
    """One search run a (data set, method): first seed, standard batch, middle weight decay."""
    middle = preset.weight_decays[len(preset.weight_decays) // 2]
    cells = (
        replace(
            spec,
            preset=preset.name + SUFFIX,
            p_yes=SEARCHED,
            seed=preset.seeds[0],
            batch_size=STANDARD_BATCH,
            epochs=preset.budgets[spec.dataset].search_epochs,
            learning_rate=preset.learning_rates[0],
            weight_decay=middle,
            holdout=HOLDOUT,
        )
        for spec in specs
        if preset.budgets[spec.dataset].search_epochs
    )
    return list(dict.fromkeys(cells))


def _best(grid: list[RunSpec], rows: pd.DataFrame) -> RunSpec:
    """The run whose held-out answers promise the highest accuracy; the first of the grid wins a tie."""
    estimates = rows.set_index("run")["label_free_accuracy"]
    best = first_best(float(estimates[spec.run]) if spec.run in estimates.index else None for spec in grid)
    if best is None:
        raise ValueError(f"no search run of {grid[0].dataset}, {grid[0].method} is finished")
    return grid[best]
