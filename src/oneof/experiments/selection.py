"""Rates, networks and recipes, chosen without labels: by held-out answers.

Runs of the search take one seed, P(s=1) = 0.5, and keep a tenth of the training answers from training.

Rates are searched for each (data set, method), by the accuracy that held-out answers estimate. The paper's grids are
searched whole where the preset says so; otherwise the learning rate first, at the middle weight decay, then the weight
decay at the best learning rate.
A data set with candidates has its network, augmentation, averaging and epochs chosen among them. All are trained by
the likelihood, so that the log-likelihood of held-out answers compares them: it varies far less by chance than an
accuracy. The choice is then fixed for all P(s=1), seeds and batch sizes, and candidates for all methods.
Last, under the budget that was chosen, corrected risks are compared by the accuracy that held-out answers estimate: the
probabilities that they lead to are not those of a likelihood. No run waits for this.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pandas as pd

from oneof.experiments.methods import CORRECTED
from oneof.experiments.protocol import STANDARD_BATCH, Budget, Preset, RunSpec
from oneof.training.scores import first_best

HOLDOUT = 0.1
SUFFIX = "-search"
SEARCHED = 0.5
"""The P(s=1) at which things are chosen."""
CANDIDATES_TRAIN = "Likelihood"
"""The method by which candidates are trained when they are compared."""


def stages(specs: Sequence[RunSpec], preset: Preset, rows: pd.DataFrame) -> list[RunSpec]:
    """The runs of the search that are missing and can be done now; none when every choice can be made.

    Call this again after they are done: the second stage depends on the first.
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
    for name in dict.fromkeys(spec.dataset for spec in specs):
        pending |= dict.fromkeys(trial for trial in trials(name, preset) if trial.run not in finished)
    return list(pending)


def chosen(spec: RunSpec, preset: Preset, rows: pd.DataFrame) -> RunSpec:
    """A run with what the search chose for it; as it is where nothing is searched."""
    if spec.dataset in preset.candidates:
        return replace(spec, **chosen_budget(spec.dataset, preset, rows).settings())
    if not preset.budgets[spec.dataset].search_epochs:
        return spec
    (cell,) = _cells([spec], preset)
    best = _best(_grid(cell, preset.learning_rates, preset.weight_decays), rows)
    return replace(spec, learning_rate=best.learning_rate, weight_decay=best.weight_decay)


def trials(dataset: str, preset: Preset) -> dict[RunSpec, Budget]:
    """The runs that choose among a data set's candidates, its own budget first; none where it has no others."""
    if dataset not in preset.candidates:
        return {}
    return {
        RunSpec(
            preset=preset.name + SUFFIX,
            dataset=dataset,
            p_yes=SEARCHED,
            method=CANDIDATES_TRAIN,
            seed=preset.seeds[0],
            recipe=preset.recipe,
            batch_size=STANDARD_BATCH,
            holdout=HOLDOUT,
            **budget.settings(),
        ): budget
        for budget in (preset.budgets[dataset], *preset.candidates[dataset])
    }


def chosen_budget(dataset: str, preset: Preset, rows: pd.DataFrame) -> Budget:
    """The candidate under which held-out answers are likeliest; the data set's own budget until all were trained."""
    budgets = trials(dataset, preset)
    if not budgets or not {trial.run for trial in budgets} <= set(rows["run"]):
        return preset.budgets[dataset]
    return budgets[_best(list(budgets), rows, "held_out_log_likelihood")]


def risk_trials(dataset: str, preset: Preset, rows: pd.DataFrame) -> list[RunSpec]:
    """The runs that compare the corrected risks of `CORRECTED` on a data set, under its chosen budget."""
    budgets = trials(dataset, preset)
    best = chosen_budget(dataset, preset, rows)
    return [replace(trial, method=name) for trial, budget in budgets.items() if budget == best for name in CORRECTED]


def comparisons(specs: Sequence[RunSpec], preset: Preset, rows: pd.DataFrame) -> list[RunSpec]:
    """The runs that compare corrected risks where these runs have one, once the budget there is chosen; all of them."""
    finished = set(rows["run"])
    names = dict.fromkeys(spec.dataset for spec in specs if spec.method in CORRECTED)
    ready = [name for name in names if {trial.run for trial in trials(name, preset)} <= finished]
    return [trial for name in ready for trial in risk_trials(name, preset, rows)]


def shown_budget(dataset: str, specs: Sequence[RunSpec], preset: Preset, rows: pd.DataFrame) -> Budget:
    """The budget whose runs are a data set's results: the chosen one, once it has a run wherever its own has one.

    Until then the data set's own budget, so that a choice leaves no hole where there was a number, and the two are
    never mixed. specs: the runs of the table.
    """
    wanted = [spec for spec in specs if spec.dataset == dataset]
    best, own = chosen_budget(dataset, preset, rows), preset.budgets[dataset]
    filled, filled_before = (
        {(spec.p_yes, spec.method) for spec, _ in _finished(wanted, budget, rows)} for budget in (best, own)
    )
    return best if filled_before <= filled else own


def shown(specs: Sequence[RunSpec], preset: Preset, rows: pd.DataFrame) -> set[str]:
    """The identities of the finished ones of these runs with the budgets that are shown: only their results count."""
    found = set()
    for dataset in dict.fromkeys(spec.dataset for spec in specs):
        wanted = [spec for spec in specs if spec.dataset == dataset]
        found |= {run for _, run in _finished(wanted, shown_budget(dataset, specs, preset, rows), rows)}
    return found


def waiting(specs: Sequence[RunSpec], preset: Preset, rows: pd.DataFrame) -> dict[str, str]:
    """The data sets whose chosen budget is not shown yet, and what of its runs is finished, such as "3 of 21 runs"."""
    found = {}
    for dataset in dict.fromkeys(spec.dataset for spec in specs):
        best = chosen_budget(dataset, preset, rows)
        if shown_budget(dataset, specs, preset, rows) != best:
            wanted = [spec for spec in specs if spec.dataset == dataset]
            found[dataset] = f"{len(_finished(wanted, best, rows))} of {len(wanted)} runs"
    return found


def _finished(specs: Sequence[RunSpec], budget: Budget, rows: pd.DataFrame) -> list[tuple[RunSpec, str]]:
    """Those of the runs that are finished with another budget, with the identity they have under it."""
    done = set(rows["run"])
    runs = [(spec, replace(spec, **budget.settings()).run) for spec in specs]
    return [(spec, run) for spec, run in runs if run in done]


def _grid(cell: RunSpec, rates: tuple[float, ...], decays: tuple[float, ...]) -> list[RunSpec]:
    return [replace(cell, learning_rate=rate, weight_decay=decay) for rate in rates for decay in decays]


def _cells(specs: Iterable[RunSpec], preset: Preset) -> list[RunSpec]:
    """One search run for each (data set, method): first seed, standard batch, middle weight decay."""
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


def _best(grid: list[RunSpec], rows: pd.DataFrame, judge: str = "label_free_accuracy") -> RunSpec:
    """The run with the best figure by held-out answers, which the column `judge` has; of equal ones the first."""
    estimates = rows.set_index("run")[judge]
    best = first_best(float(estimates[spec.run]) if spec.run in estimates.index else None for spec in grid)
    if best is None:
        raise ValueError(f"no search run of {grid[0].dataset}, {grid[0].method} is finished")
    return grid[best]
