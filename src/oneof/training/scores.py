"""The scores of the finished trials of a search, in a small file, so that an interrupted search can be resumed."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oneof.files.atomic import replacing

Setting = dict[str, float]


class Scores:
    """A score for each setting; None if the training diverged. Kept in the file `path`, or in memory if that is None.

    origin: values that must be the same in the file if the search is resumed.

    >>> scores = Scores(None, {}, resume=False)
    >>> scores.add({"learning_rate": 0.1}, 0.75)
    >>> {"learning_rate": 0.1} in scores, {"learning_rate": 0.2} in scores
    (True, False)
    """

    def __init__(self, path: Path | None, origin: dict[str, Any], *, resume: bool) -> None:
        self._path, self._origin = path, json.loads(json.dumps(origin))
        self._scores: dict[str, float | None] = {}
        if resume and path is not None and path.exists():
            self._scores = self._read(path)

    def add(self, setting: Setting, score: float | None) -> None:
        """Add the score of a trial."""
        self._scores[_key(setting)] = score
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self._path) as part:
                part.write_text(json.dumps({"origin": self._origin, "scores": self._scores}), encoding="utf-8")

    def __contains__(self, setting: Setting) -> bool:
        return _key(setting) in self._scores

    def best(self, settings: list[Setting]) -> int | None:
        """The number of the setting with the highest score, the first of equals; None if all diverged."""
        return first_best(self._scores.get(_key(setting)) for setting in settings)

    def _read(self, path: Path) -> dict[str, float | None]:
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            origin, scores = kept["origin"], dict(kept["scores"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: not the scores of a search; start again without --resume") from error
        for what, value in self._origin.items():
            if origin.get(what) != value:
                raise ValueError(f"{path}: the scores are of another {what}; resume with the same or start again")
        return scores


def first_best(scores: Iterable[float | None]) -> int | None:
    """The place of the highest score, the first of equals; None if there is none. None in `scores` means no score.

    >>> first_best([None, 0.5, 0.7, 0.7])
    2
    """
    ranked = [(score, -place) for place, score in enumerate(scores) if score is not None]
    return -max(ranked)[1] if ranked else None


def _key(setting: Setting) -> str:
    return json.dumps(setting, sort_keys=True)
