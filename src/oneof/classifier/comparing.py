"""Candidates for a choice (encoders, networks) side by side: how accurate each is, and a table of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.evaluation import estimate_accuracy


def held_out_accuracy(classes: NDArray[np.int64], rows: NDArray[np.int64], answers: Answers) -> float:
    """Label-free accuracy of the classes, (m,), that a model predicted for these rows, (m,), without their answers.

    nan where no answer can judge, since none of the questions was drawn at random.

    >>> answers = Answers([[True, False], [True, False], [False, True]], [True, False, True])
    >>> held_out_accuracy(np.array([0, 1]), np.array([0, 1]), answers)
    1.0
    """
    predictions = np.zeros(int(answers.items.max(initial=-1)) + 1, dtype=np.int64)
    predictions[rows] = classes
    try:  # without the check of the law: questions that were not quite uniform favour no candidate
        return estimate_accuracy(predictions, answers[np.isin(answers.items, rows)], check=False).value
    except ValueError:
        return float("nan")


def describe(table: list[dict[str, Any]]) -> str:
    """A line for each candidate, the chosen one marked. table: rows with its name under `network` or `encoder`.

    >>> print(describe([{"network": "linear", "chosen": True, "log_likelihood": -0.5, "accuracy": 0.8125}]))
    * linear               label-free accuracy 0.812, log-likelihood -0.5000
    """
    lines = []
    for row in table:
        figures = f"label-free accuracy {row['accuracy']:.3f}, log-likelihood {row['log_likelihood']:.4f}"
        lines.append(f"{'*' if row['chosen'] else ' '} {row.get('network') or row['encoder']:<20} {figures}")
    return "\n".join(lines)
