"""From the name of a table or figure to its files: search label-free, run what is missing, draw."""

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from oneof.datasets import check
from oneof.engines.base import Engine
from oneof.experiments.grid import TABLES_AND_FIGURES, needed
from oneof.experiments.leaderboard import leaderboard_csv, leaderboard_runs, leaderboard_table, not_shown_yet
from oneof.experiments.outputs import write_output
from oneof.experiments.protocol import Preset, RunSpec
from oneof.experiments.run import execute
from oneof.experiments.runner import Tally, run_grid
from oneof.experiments.selection import chosen, comparisons, stages
from oneof.experiments.store import Results
from oneof.experiments.table_format import to_latex, to_markdown
from oneof.files.atomic import replacing


class RunsFailed(RuntimeError):
    """Some runs did not finish; the message names each and what went wrong."""


@dataclass(frozen=True)
class Repeated:
    """A finished run that was done again: its accuracy then and now, in per cent."""

    run: str
    recorded: float
    repeated: float

    @property
    def same(self) -> bool:
        """Whether the two are equal to the last digit."""
        return self.recorded == self.repeated

    def describe(self) -> str:
        """Both figures and the verdict in one line."""
        verdict = "the same" if self.same else "different"
        return f"{self.run}: recorded {self.recorded} %, again {self.repeated} %: {verdict}"


def restrict(preset: Preset, datasets: list[str] | None = None, seeds: int | None = None) -> Preset:
    """The preset with only these data sets, and with its first seeds.

    >>> from oneof.experiments.protocol import preset
    >>> restrict(preset("cpu"), ["usps"], seeds=3).seeds
    (0, 1, 2)
    """
    budgets = preset.budgets
    if datasets:
        for name in datasets:
            if name not in budgets:
                raise ValueError(f"the preset {preset.name} has no data set {name!r}; it has {', '.join(budgets)}")
        budgets = {name: budgets[name] for name in datasets}
    if seeds is not None and not 1 <= seeds <= len(preset.seeds):
        raise ValueError(f"the preset {preset.name} has 1 to {len(preset.seeds)} seeds, not {seeds}")
    return replace(preset, budgets=budgets, seeds=preset.seeds[:seeds])


def run_missing(key: str, preset: Preset, results: Results, *, engine: Engine, console: Console | None) -> Tally:
    """Do the runs behind a table or figure that are not finished, after the search.

    A run that fails stops only those that need what it would have chosen; `RunsFailed` names all failures at the end.
    """
    specs = needed(key, preset)
    for name in dict.fromkeys(spec.dataset for spec in specs):
        check(name)
    searched, failed = Tally(), set[str]()
    while search := [spec for spec in stages(specs, preset, results.rows()) if spec.run not in failed]:
        if console is not None:
            console.print(f"Choosing by held-out answers: {len(search)} runs")
        stage = run_grid(search, results, execute, engine, console=console)
        searched.done += stage.done
        searched.failed |= stage.failed
        failed |= {spec.run for spec in search} - results.finished()
    rows = results.rows()
    ready = [spec for spec in specs if not stages([spec], preset, rows)]
    runs = [*(chosen(spec, preset, rows) for spec in ready), *comparisons(ready, preset, rows)]
    summary = run_grid(runs, results, execute, engine, console=console)
    failures = searched.failed | summary.failed
    if failures:
        details = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
        finished = f"{searched.done + summary.done} finished and are kept"
        waiting = f", {len(specs) - len(ready)} wait for the search" if len(ready) < len(specs) else ""
        raise RunsFailed(f"{len(failures)} runs failed, {finished}{waiting}. {details}")
    return summary


def write(key: str, preset: str, results: Results) -> list[Path]:
    """Write the files of one table or figure, of "all", or of the leaderboard, from finished runs; their paths."""
    if key == "leaderboard":
        return _write_leaderboard(preset, results)
    evidence = results.evidence(preset)
    keys = TABLES_AND_FIGURES if key == "all" else (key,)
    return [path for each in keys for path in write_output(each, evidence, results.folder / preset)]


def run_again(run: str, results: Results) -> Repeated:
    """Do a finished run again from its recorded configuration; nothing is written."""
    rows = results.rows()
    found = rows[rows["run"] == run]
    if found.empty:
        raise ValueError(f"{results.folder / 'rows.csv'} has no run {run!r}")
    spec = RunSpec.from_json(found["configuration"].iloc[0])
    with TemporaryDirectory() as folder:
        result = execute(spec, Path(folder) / "run.pt", lambda epoch: None)
    return Repeated(run, float(found["test_accuracy"].iloc[0]), float(result.row["test_accuracy"]))


def _write_leaderboard(preset: str, results: Results) -> list[Path]:
    rows = leaderboard_runs(results, preset).rows
    folder = results.folder if preset == "fast" else results.folder / preset
    folder.mkdir(parents=True, exist_ok=True)
    table = leaderboard_table(rows, not_shown_yet(results.rows(), preset))
    contents = {
        "leaderboard.csv": leaderboard_csv(rows),
        "leaderboard.md": to_markdown(table),
        "leaderboard.tex": to_latex(table),
    }
    for name, content in contents.items():
        with replacing(folder / name) as part:
            part.write_text(content, encoding="utf-8")
    return [folder / name for name in contents]
