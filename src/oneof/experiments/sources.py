"""The numbers that claims are about, from our rows or from the paper's tables, by the same methods.

Every method gives a series with one entry per seed, empty where nothing was run. The paper publishes means, so that it
has one entry; and it publishes accuracies only, so that the series of what its figures show is empty.
"""

from collections.abc import Hashable
from functools import cached_property
from typing import Protocol

import pandas as pd

from oneof.experiments.methods import CORRECTIONS
from oneof.experiments.paper_numbers import paper_table
from oneof.experiments.protocol import STANDARD_BATCH
from oneof.experiments.store import Evidence

NOTHING = pd.Series(dtype=float)
KEYS = ["dataset", "p_yes", "method", "batch_size"]


class Source(Protocol):
    """The numbers that a claim may need."""

    def accuracy(self, dataset: str, p_yes: float, method: str, batch_size: int = STANDARD_BATCH) -> pd.Series:
        """The test accuracy in per cent."""

    def negative_share(self, dataset: str, p_yes: float, method: str, batch_size: int = STANDARD_BATCH) -> pd.Series:
        """The share of the training batches whose raw risk was negative, in per cent."""

    def lowest_risk(self, dataset: str, p_yes: float, method: str) -> pd.Series:
        """The lowest mean of an epoch of the raw risk."""

    def hardest_share(self, dataset: str, p_yes: float, method: str, classes: int) -> pd.Series:
        """The share of all errors that the `classes` classes with most errors make, in per cent."""

    def corrected(self, dataset: str, p_yes: float, batch_size: int = STANDARD_BATCH) -> bool:
        """Whether a correction had anything to correct: a batch whose raw risk was negative."""


class Published:
    """The paper's tables.

    >>> float(Published().accuracy("KMNIST", 0.7, "GCE-URE", 1024).iloc[0])
    69.17
    """

    @cached_property
    def _accuracies(self) -> dict[Hashable, float]:
        standard = [paper_table(number).assign(batch_size=STANDARD_BATCH) for number in (2, 3, 5)]
        table = pd.concat([*standard, paper_table(6)], ignore_index=True)
        # Table VI repeats the cells of Tables II and III at the standard batch size.
        return table.drop_duplicates(KEYS).set_index(KEYS)["accuracy_mean"].to_dict()

    def accuracy(self, dataset: str, p_yes: float, method: str, batch_size: int = STANDARD_BATCH) -> pd.Series:
        """The published mean."""
        key = (dataset, p_yes, method, batch_size)
        return pd.Series([self._accuracies[key]]) if key in self._accuracies else NOTHING

    def _not_published(self, *cell: object) -> pd.Series:
        return NOTHING

    # Figures 2, 4 and 6 show these; no table has them.
    negative_share = lowest_risk = hardest_share = _not_published

    def corrected(self, dataset: str, p_yes: float, batch_size: int = STANDARD_BATCH) -> bool:
        """True: the paper's corrections acted wherever it reports them."""
        return True


class Ours:
    """The runs of one preset."""

    def __init__(self, evidence: Evidence) -> None:
        # Grouped into cells once, as every claim needs many of them.
        self._rows, self._histories, self._classes = (
            {key: group.set_index("seed") for key, group in table.groupby(KEYS)}
            for table in (evidence.rows, evidence.histories, evidence.per_class)
        )

    def accuracy(self, dataset: str, p_yes: float, method: str, batch_size: int = STANDARD_BATCH) -> pd.Series:
        """The accuracy of each seed."""
        runs = self._rows.get((dataset, p_yes, method, batch_size))
        return NOTHING if runs is None else runs["test_accuracy"]

    def negative_share(self, dataset: str, p_yes: float, method: str, batch_size: int = STANDARD_BATCH) -> pd.Series:
        """The share of each seed."""
        runs = self._rows.get((dataset, p_yes, method, batch_size))
        return NOTHING if runs is None else 100 * runs["negative_share"]

    def lowest_risk(self, dataset: str, p_yes: float, method: str) -> pd.Series:
        """The lowest epoch of each seed."""
        epochs = self._histories.get((dataset, p_yes, method, STANDARD_BATCH))
        return NOTHING if epochs is None else epochs["raw"].groupby(level=0).min()

    def hardest_share(self, dataset: str, p_yes: float, method: str, classes: int) -> pd.Series:
        """The share of each seed; the classes are those with most errors over all seeds."""
        chosen = self._classes.get((dataset, p_yes, method, STANDARD_BATCH))
        if chosen is None:
            return NOTHING
        errors = chosen.assign(errors=chosen["items"] * (100 - chosen["accuracy"]))
        hardest = errors.groupby("class_name")["errors"].sum().nlargest(classes).index
        of_hardest = errors[errors["class_name"].isin(hardest)]
        return 100 * of_hardest["errors"].groupby(level=0).sum() / errors["errors"].groupby(level=0).sum()

    def corrected(self, dataset: str, p_yes: float, batch_size: int = STANDARD_BATCH) -> bool:
        """Whether a run of the three objectives had a batch whose raw risk was negative."""
        return any((self.negative_share(dataset, p_yes, name, batch_size) > 0).any() for name in CORRECTIONS)
