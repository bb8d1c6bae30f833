"""The accuracy as answers come in, like a metric of torchmetrics: `update` with every batch, `compute` to look."""

import numpy as np
from numpy.typing import ArrayLike

from oneof.answers import Answers
from oneof.evaluation.accuracy import accuracy_by_counts, judges_of
from oneof.evaluation.agreement import Agreements, Floats
from oneof.evaluation.estimate import Estimate


class StreamingAccuracy:
    """The accuracy of a model from answers that come in batches; only counts are kept.

    No item may be in two batches; of several answers about one item only the first is used.

    >>> from oneof import UniformQueries, respond
    >>> metric, rng = StreamingAccuracy(), np.random.default_rng(0)
    >>> for _ in range(10):
    ...     labels = rng.integers(10, size=200)
    ...     subsets = UniformQueries(10, 3).draw(200, rng)
    ...     metric.update(labels, Answers(subsets, respond(subsets, labels)))
    >>> print(metric.compute())
    1.0000 [0.9921, 1.0000] from 2000 answers (anytime)
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._counts: dict[tuple[float, float], Floats] = {}
        self._notes: dict[str, None] = {}

    def update(
        self, predictions: ArrayLike, answers: Answers, *, trained_on: ArrayLike | None = None, check: bool = True
    ) -> None:
        """Count a batch of answers. Arguments: see `estimate_accuracy`; flip rates must be known, not estimated."""
        if answers.known_yes is not None or answers.known_no is not None:
            raise ValueError("flip rates that are estimates need all answers at once: use estimate_accuracy")
        judges = judges_of(predictions, answers, 0.95, check=check, trained_on=trained_on).first_of_each_item()
        batch = Agreements.count(*judges.rates(), judges.agrees, judges.unknown)
        for right, wrong, *sums in zip(batch.right, batch.wrong, batch.agreed, batch.unknown, batch.n, strict=True):
            kind = float(right), float(wrong)
            self._counts[kind] = self._counts.get(kind, np.zeros(3)) + np.array(sums)
        self._notes |= dict.fromkeys(judges.notes)

    def compute(self, confidence: float = 0.95, *, anytime: bool = True) -> Estimate:
        """The accuracy by all answers so far. anytime=False gives a narrower interval that holds for one look only."""
        if not self._counts:
            raise ValueError("there are no answers yet: update first")
        rates, sums = np.array(list(self._counts)), np.array(list(self._counts.values()))
        counts = Agreements(rates[:, 0], rates[:, 1], *sums.T)
        found = accuracy_by_counts(counts, confidence, anytime=anytime)
        return Estimate(*found, found.kind, tuple(self._notes)).within(0.0, 1.0)
