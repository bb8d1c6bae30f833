from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oneof import Answers, estimate_accuracy
from oneof.evaluation import StreamingAccuracy


@pytest.mark.parametrize("anytime", [False, True])
def test_batches_give_what_all_at_once_gives(simulate: Callable[..., Any], anytime: bool) -> None:
    _, predictions, answers = next(simulate(1, 10, 3, 0.9, 600))
    skipped = np.arange(600) % 50 == 0
    answers = answers.replace(skipped=skipped)
    metric = StreamingAccuracy()
    for start in range(0, 600, 150):
        part = slice(start, start + 150)
        metric.update(predictions[part], answers[part].replace(items=np.arange(150)))
    found = metric.compute(anytime=anytime)
    assert found == pytest.approx(estimate_accuracy(predictions, answers, anytime=anytime))
    assert found.notes
    metric.reset()
    with pytest.raises(ValueError, match="no answers yet"):
        metric.compute()


def test_estimated_rates_are_refused() -> None:
    answers = Answers([[True, False]], [True], flip_yes=0.1, known_yes=10)
    with pytest.raises(ValueError, match="all answers at once"):
        StreamingAccuracy().update([0], answers)
