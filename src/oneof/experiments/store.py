"""Result rows on disk: tidy CSV files to which whole runs are added, and which are never half-written.

A results folder holds `rows.csv` (one line per run), `histories.csv` (one line per run and epoch), `per_class.csv`
(one line per run and class). A run is *finished* when its line is in `rows.csv`, which is written last, and has no
error. The line of a run that failed has its configuration and the error, and no figures.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from filelock import FileLock

from oneof.files.atomic import replacing

COLUMNS = (
    "run", "preset", "dataset", "classes", "size", "p_yes", "method", "objective", "loss", "weights", "backbone",
    "optimiser", "learning_rate", "weight_decay", "batch_size", "epochs", "seed", "selection", "test_accuracy",
    "label_free_accuracy", "label_free_low", "label_free_high", "held_out_log_likelihood", "negative_share", "seconds",
    "threads", "train_items", "test_items", "features", "official_files", "code_version", "torch_version", "cpu",
    "configuration", "error",
)  # fmt: skip
"""Accuracies are per cent. `configuration` is the whole configuration as JSON: enough to run the row again.
`held_out_log_likelihood` is the mean over the answers that were held out, empty where none were. `error` is empty where
the run is finished."""

LATER = ("held_out_log_likelihood",)
"""Columns that rows of the first release do not have."""

HISTORY_COLUMNS = (
    "run", "epoch", "objective", "raw", "negative_share", "test_accuracy", "label_free_accuracy", "seconds",
)  # fmt: skip
PER_CLASS_COLUMNS = ("run", "class_name", "items", "accuracy")


@dataclass(frozen=True)
class Evidence:
    """What tables and figures are drawn from: the rows of one preset, its histories and its accuracies by class."""

    rows: pd.DataFrame
    histories: pd.DataFrame
    per_class: pd.DataFrame

    def of(self, runs: set[str]) -> "Evidence":
        """What these runs say."""
        tables = (self.rows, self.histories, self.per_class)
        return Evidence(*(table[table["run"].isin(runs)].reset_index(drop=True) for table in tables))


class Results:
    """A results folder.

    >>> from tempfile import mkdtemp
    >>> Results(Path(mkdtemp())).rows().empty
    True
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def rows(self) -> pd.DataFrame:
        """One row per finished run, with the columns of `COLUMNS`."""
        lines = self._lines("rows.csv", COLUMNS)
        return _typed(lines[lines["error"] == ""])

    def failed(self) -> pd.DataFrame:
        """One row per run that failed when it was last tried; its figures are missing."""
        lines = self._lines("rows.csv", COLUMNS)
        return _typed(lines[lines["error"] != ""])

    def histories(self) -> pd.DataFrame:
        """One row per finished run and epoch, joined with the run's row; shared names are the epoch's."""
        return self._joined(_typed(self._lines("histories.csv", HISTORY_COLUMNS)))

    def per_class(self) -> pd.DataFrame:
        """One row per finished run and class, joined with the run's row."""
        return self._joined(_typed(self._lines("per_class.csv", PER_CLASS_COLUMNS)))

    def evidence(self, preset: str) -> Evidence:
        """The rows, histories and accuracies by class of one preset."""
        tables = (self.rows(), self.histories(), self.per_class())
        return Evidence(*(table[table["preset"] == preset].reset_index(drop=True) for table in tables))

    def finished(self) -> set[str]:
        """The identities of the runs that are done."""
        return set(self.rows()["run"])

    def add(
        self,
        row: Mapping[str, Any],
        history: Sequence[Mapping[str, Any]],
        per_class: Sequence[Mapping[str, Any]],
    ) -> None:
        """Add one run. The row is written last: without it the run does not count and is done again.

        A finished run is replaced by one that finished again, never by one that failed.
        """
        missing, unknown = set(COLUMNS) - row.keys(), row.keys() - set(COLUMNS)
        if missing or unknown:
            raise ValueError(f"a row lacks {sorted(missing)} and has unknown {sorted(unknown)}")
        self.folder.mkdir(parents=True, exist_ok=True)
        run = row["run"]
        with FileLock(self.folder / ".lock"):
            if row["error"] and run in self.finished():
                return
            self._replace("histories.csv", HISTORY_COLUMNS, run, [{"run": run, **line} for line in history])
            self._replace("per_class.csv", PER_CLASS_COLUMNS, run, [{"run": run, **line} for line in per_class])
            self._replace("rows.csv", COLUMNS, run, [dict(row)])

    def _replace(self, name: str, columns: Sequence[str], run: str, lines: Sequence[Mapping[str, Any]]) -> None:
        old = self._lines(name, columns)
        new = pd.DataFrame(list(lines), columns=list(columns), dtype=object)
        table = pd.concat([old[old["run"] != run].astype(object), new], ignore_index=True)
        with replacing(self.folder / name) as part:
            table.to_csv(part, index=False)

    def _lines(self, name: str, columns: Sequence[str]) -> pd.DataFrame:
        """A file as text, so that lines that are written back stay exactly as they are."""
        path = self.folder / name
        if not path.exists():
            return pd.DataFrame(columns=list(columns), dtype=str)
        try:
            table = pd.read_csv(path, dtype=str, keep_default_na=False)
        except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: not a table of results ({error})") from error
        if tuple(table.columns) == tuple(name for name in columns if name not in LATER):
            table = table.reindex(columns=list(columns), fill_value="")
        if tuple(table.columns) != tuple(columns):
            odd = sorted(set(columns).symmetric_difference(table.columns)) or "their order"
            raise ValueError(f"{path}: the columns are not those of this version; they differ in {odd}")
        return table

    def _joined(self, detail: pd.DataFrame) -> pd.DataFrame:
        rows = self.rows()
        shared = [column for column in rows.columns if column in detail.columns and column != "run"]
        return detail.merge(rows.drop(columns=shared), on="run", how="inner")


def _typed(lines: pd.DataFrame) -> pd.DataFrame:
    """Lines of text with a type for each column, inferred from these lines alone."""
    if lines.empty:
        return pd.DataFrame(columns=lines.columns)
    text = dict.fromkeys(("run", "class_name", "code_version", "torch_version", "error"), str)
    # "NA" may be the name of a class.
    table = pd.read_csv(io.StringIO(lines.to_csv(index=False)), dtype=text, keep_default_na=False, na_values=[""])
    return table.fillna({"error": ""})
