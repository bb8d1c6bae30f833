"""The current model in detail, without labels: each class, which classes it mixes up, and its calibration.

The same answers judge here as in `judging`, but guesses do not count: the share of wrong guesses is known for all
classes together, not for each. Each interval is for one look, and there are many intervals: the notes say how many of
them can be expected to miss by chance.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from oneof import class_report, estimate_calibration, estimate_confusion
from oneof.annotation.asking.decoys import CURRENT_MODEL
from oneof.annotation.learning.judging import Bench, gather
from oneof.annotation.project.folder import Project

MIXED_UP = 10
"""Pairs of classes that are named as mixed up, at most."""

TELLING = 2.0
"""A mix-up is named if it is at least this many standard errors away from zero."""


def model_report(connection: Connection, project: Project) -> dict[str, Any] | None:
    """Figures of the current model, ready for JSON; None before the first model. If a part is None, `why` says why.

    classes: a row for each class, as `oneof.class_report` gives it. confusion: classes, value and error (rows the
    truth, columns the prediction). mixed_up: the largest entries off the diagonal that are not chance. calibration: a
    row for each bin of confidence. notes: about each part.
    """
    model = connection.execute(CURRENT_MODEL).first()
    if model is None:
        return None
    bench = gather(connection, project, model)
    found: dict[str, Any] = {"version": model.id, "answers": len(bench.plain)}
    found |= {"classes": None, "confusion": None, "mixed_up": [], "calibration": None, "notes": {}, "why": {}}
    if not len(bench.plain):
        return found | {"why": dict.fromkeys(("classes", "confusion", "calibration"), "no answers judge it yet")}
    for part in (_classes, _confusion, _calibration):
        name = part.__name__[1:]
        try:
            found |= part(bench, found["notes"])
        except ValueError as error:
            found["why"][name] = str(error)
    return found


def _classes(bench: Bench, notes: dict[str, str]) -> dict[str, Any]:
    table = class_report(bench.labels, bench.plain)
    notes["classes"] = str(table.attrs["note"])
    return {"classes": [_plain(row) for row in table.to_dict(orient="records")]}


def _confusion(bench: Bench, notes: dict[str, str]) -> dict[str, Any]:
    found = estimate_confusion(bench.labels, bench.plain)
    notes["confusion"] = found.note
    off = np.where(np.eye(len(found.classes), dtype=np.bool_), 0.0, found.value)
    off[off <= TELLING * found.error] = 0.0
    worst = np.argsort(-off, axis=None, kind="stable")[:MIXED_UP]
    pairs = [divmod(int(place), len(found.classes)) for place in worst]
    mixed_up = [
        {
            "truth": found.classes[truth],
            "predicted": found.classes[guess],
            "share": float(off[truth, guess]),
            "error": float(found.error[truth, guess]),
        }
        for truth, guess in pairs
        if off[truth, guess] > 0
    ]
    table = {"classes": list(found.classes), "value": found.value.tolist(), "error": found.error.tolist()}
    return {"confusion": table, "mixed_up": mixed_up}


def _calibration(bench: Bench, notes: dict[str, str]) -> dict[str, Any]:
    if np.isnan(bench.confidences).any():
        raise ValueError("the model was trained before its confidence was kept; train again")
    table = estimate_calibration(_spread(bench), bench.plain)
    notes["calibration"] = str(table.attrs["note"])
    return {"calibration": [_plain(row) for row in table.to_dict(orient="records")]}


def _spread(bench: Bench) -> NDArray[np.float64]:
    """Probabilities (items, k): the stored confidence for the label, and what is left shared equally by the others."""
    k = bench.plain.classes
    sure = np.clip(bench.confidences, (1 + 1e-9) / k, 1)
    spread = np.tile(((1 - sure) / (k - 1))[:, None], (1, k))
    spread[np.arange(len(sure)), bench.labels] = sure
    return spread


def _plain(row: dict[Any, Any]) -> dict[str, Any]:
    """The row with None in place of NaN, which JSON cannot hold."""
    return {str(name): None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()}
