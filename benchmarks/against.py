"""`oneof` and other people's code on the same candidate sets, side by side, one thread each.

    python -m benchmarks.against                                  # ours, on scikit-learn's tables
    python -m benchmarks.against --adapter my_adapters:Proden     # and yours, in turn with ours
    python -m benchmarks.against --dataset mnist --dataset usps   # image sets of `oneof data`, pixels as a table
    python -m benchmarks.against --keep                           # and keep our rows, for the page

Each item gets one question about half of the classes; question and answer become a candidate set, which is what
libraries for partial labels take. An adapter is a class whose instances have `fit(X, candidates)` and `predict(X)`, see
`Learner`; it is made anew, with the seed, for each run. Everything is printed; with `--keep` our rows go to
results/against.csv, from which `python -m benchmarks.pages` makes the table in docs/against.md.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split

import oneof
from benchmarks import pages
from oneof import Answers, OneOfClassifier, UniformQueries, datasets, respond
from oneof.files.atomic import replacing

TABLES: dict[str, Callable[..., Any]] = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
ROWS = pages.RESULTS / "against.csv"
Split = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]


class Learner(Protocol):
    """Code that takes part. X: float32 (n, features), not scaled. candidates: bool (n, k), the class is among them."""

    def fit(self, X: NDArray[np.float32], candidates: NDArray[np.bool_]) -> object:
        """Learn."""

    def predict(self, X: NDArray[np.float32]) -> NDArray[np.int64]:
        """The classes, 0 to k - 1, (n,)."""


class Ours:
    """`OneOfClassifier` with hidden layers and one of the objectives that candidate sets suffice for."""

    def __init__(self, objective: str, seed: int) -> None:
        self._model = OneOfClassifier(objective, backbone="mlp", holdout=0.0, random_state=seed)

    def fit(self, X: NDArray[np.float32], candidates: NDArray[np.bool_]) -> None:
        """Learn from the candidate sets as answers."""
        self._model.fit(X, Answers.from_candidates(candidates))

    def predict(self, X: NDArray[np.float32]) -> NDArray[np.int64]:
        """The classes."""
        return np.asarray(self._model.predict(X), dtype=np.int64)


OURS = ("likelihood", "proden", "pll-avg")


def split(name: str, seed: int) -> Split:
    """Training and test items with their classes: 70 to 30 for a table, the official parts of an image set."""
    if name in TABLES:
        X, y = TABLES[name](return_X_y=True)
        parts = train_test_split(X.astype(np.float32), y, test_size=0.3, random_state=seed, stratify=y)
        return parts[0], parts[2], parts[1], parts[3]
    if name not in datasets.names():
        raise SystemExit(f"--dataset {name}: expected one of {', '.join([*TABLES, *datasets.names()])}")
    training, test = (datasets.load(name, part) for part in ("train", "test"))
    flat = [part.images.reshape(len(part), -1).astype(np.float32) for part in (training, test)]
    return flat[0], training.labels, flat[1], test.labels


def run(name: str, label: str, make: Callable[[int], Learner], seed: int) -> dict[str, Any]:
    """One learner on one data set: a tidy row. CPU seconds of learning alone."""
    X, y, unseen, truth = split(name, seed)
    classes = int(y.max()) + 1
    queries = UniformQueries(classes, max(1, classes // 2))
    subsets = queries.draw(len(y), np.random.default_rng(seed))
    candidates = Answers(subsets, respond(subsets, y)).consistent
    learner = make(seed)
    started = time.process_time()
    learner.fit(X, candidates)
    seconds = time.process_time() - started
    right = _classes(learner.predict(unseen), label, len(truth), classes) == truth
    return {
        "dataset": name,
        "classes": classes,
        "size": queries.size,
        "train_items": len(y),
        "test_items": len(truth),
        "learner": label,
        "seed": seed,
        "test_accuracy": round(100 * float(right.mean()), 4),
        "cpu_seconds": round(seconds, 2),
        "code_version": oneof.__version__,
        "torch_version": torch.__version__,
    }


def _classes(predicted: object, label: str, items: int, classes: int) -> NDArray[np.int64]:
    """What a learner predicted, if these are classes; anything else would count as wrong without a word."""
    found = np.asarray(predicted)
    if found.shape != (items,) or found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= classes:
        raise SystemExit(
            f"{label}: predict must give {items} classes, whole numbers from 0 to {classes - 1}; it gave an array of "
            f"{found.dtype}, shape {found.shape}, such as {found.ravel()[:3].tolist()}"
        )
    return found.astype(np.int64)


def adapter(where: str) -> tuple[str, Callable[[int], Learner]]:
    """A learner from "module:Class"; the class is called with the seed."""
    module, _, name = where.partition(":")
    sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SystemExit(f"--adapter {where}: expected module:Class that can be imported ({error})") from error
    try:
        made = found(0)
    except TypeError as error:
        raise SystemExit(
            f"--adapter {where}: the class is called with a seed, {name}(0), and that failed: {error}"
        ) from error
    if missing := [method for method in ("fit", "predict") if not hasattr(made, method)]:
        raise SystemExit(f"--adapter {where}: {name} has no {' and no '.join(missing)}")
    return where, found


def table(rows: pd.DataFrame) -> str:
    """Mean accuracy and CPU seconds of each learner on each data set, in markdown."""
    lines = []
    for (name, learner), group in rows.groupby(["dataset", "learner"], sort=False):
        first, accuracy = group.iloc[0], group["test_accuracy"]
        spread = f" ± {accuracy.std():.2f}" if len(group) > 1 else ""
        lines.append(
            {
                "data set": name,
                "classes": first["classes"],
                "asked": first["size"],
                "items": first["train_items"],
                "learner": learner,
                "test accuracy (%)": f"{accuracy.mean():.2f}{spread}",
                "CPU seconds": f"{group['cpu_seconds'].mean():.1f}",
                "seeds": len(group),
            }
        )
    return pages.table(pd.DataFrame(lines))


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    return {"table": table(pd.read_csv(ROWS))}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and keep our rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", action="append", help=f"default: {', '.join(TABLES)}")
    parser.add_argument("--adapter", action="append", default=[], help="module:Class, may be given several times")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="store our rows in results/against.csv, seed by seed")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    ours = [(f"oneof {name}", lambda seed, name=name: Ours(name, seed)) for name in OURS]
    theirs = [adapter(where) for where in options.adapter]
    rows = []
    for name in options.dataset or TABLES:
        for seed in range(options.seeds):
            for label, make in (*ours, *theirs):
                rows.append(run(name, label, make, seed))
                print(f"{name} seed {seed} {label}: {rows[-1]['test_accuracy']:.2f} %", file=sys.stderr, flush=True)
    found = pd.DataFrame(rows)
    print(table(found))
    if options.keep:
        keep(found[found["learner"].str.startswith("oneof ")])


def keep(rows: pd.DataFrame) -> None:
    """Add rows to those on disk; a row of the same data set, learner and seed is replaced in its place."""
    before = pd.read_csv(ROWS) if ROWS.exists() else rows.iloc[:0]
    names = ["dataset", "learner", "seed"]
    joined = pd.concat([before, rows]).groupby(names, sort=False, as_index=False).last()[list(rows.columns)]
    with replacing(ROWS) as part:
        joined.to_csv(part, index=False)


if __name__ == "__main__":
    main()
