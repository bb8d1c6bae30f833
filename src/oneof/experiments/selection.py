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

HOLDOUT = 0.1
SUFFIX = "-search"
SEARCHED = 0.5
"""The P(s=1) at which rates are chosen."""


def stages(specs: Iterable[RunSpec], preset: Preset, rows: pd.DataFrame) -> list[RunSpec]:
    """Return the search runs that are not done and can be done now; none when every choice can be made.

    Call again after they are done: the second stage depends on the first.
    """
    finished = set(rows["run"])
    pending: dict[RunSpec, None] = {}
    for cell in _cells(specs, preset):
        first = [replace(cell, learning_rate=rate) for rate in preset.learning_rates]
        if preset.full_search:
            first = [replace(spec, weight_decay=decay) for spec in first for decay in preset.weight_decays]
        missing = [spec for spec in first if spec.run not in finished]
        if not missing and not preset.full_search:
            rate = _best(first, rows).learning_rate
            second = [replace(cell, learning_rate=rate, weight_decay=decay) for decay in preset.weight_decays]
            missing = [spec for spec in second if spec.run not in finished]
        pending |= dict.fromkeys(missing)
    return list(pending)


def chosen_rates(spec: RunSpec, preset: Preset, rows: pd.DataFrame) -> tuple[float, float]:
    """Return the learning rate and weight decay for a run; the preset's own where it does not search."""
    if not preset.budgets[spec.dataset].search_epochs:
        return spec.learning_rate, spec.weight_decay
    (cell,) = _cells([spec], preset)
    grid = [
        replace(cell, learning_rate=rate, weight_decay=decay)
        for rate in preset.learning_rates
        for decay in preset.weight_decays
    ]
    best = _best(grid, rows)
    return best.learning_rate, best.weight_decay


def _cells(specs: Iterable[RunSpec], preset: Preset) -> list[RunSpec]:
    """Return one search run a (data set, method): first seed, standard batch, middle weight decay."""
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
    """Return the spec whose held-out answers promise the highest accuracy; the first of the grid wins a tie."""
    estimates = rows.set_index("run")["label_free_accuracy"]
    done = [spec for spec in grid if spec.run in estimates.index]
    if not done:
        cell = grid[0]
        raise ValueError(f"no search run of {cell.dataset}, {cell.method} is finished")
    return max(done, key=lambda spec: float(estimates[spec.run]))
