"""The items of a project as arrays that a classifier learns from."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.schema import items, sources
from oneof.files.atomic import replacing
from oneof.items.pictures import Unreadable, read_picture

LARGEST_SIDE = 64
"""Pictures are scaled down to this many pixels at the longer side: enough to learn from, small enough to keep."""

MOST_WORDS = 20_000


@dataclass(frozen=True)
class Content:
    """All items. ids: (n,), in the database. x: (n, c, h, w) pictures or a sparse (n, d) matrix of word weights.

    content_hashes: (n,). vectorizer: how texts became numbers; None for pictures. skipped: pictures that cannot be
    read any more, with the reason; they are not among the rows.
    """

    ids: np.ndarray[Any, np.dtype[np.int64]]
    content_hashes: list[str]
    x: Any
    vectorizer: Any = None
    skipped: tuple[str, ...] = ()

    def save_vectorizer(self, path: Path) -> None:
        """Write the words and their weights, as plain JSON, beside a model of texts."""
        if self.vectorizer is None:
            return
        words = {str(word): int(column) for word, column in self.vectorizer.vocabulary_.items()}
        with replacing(path) as part:
            part.write_text(json.dumps({"vocabulary": words, "idf": self.vectorizer.idf_.tolist()}), encoding="utf-8")


def load_content(connection: Connection) -> Content:
    """Read every item of the project, apart from those that were taken out or that cannot be read any more."""
    rows = connection.execute(
        select(items.c.id, items.c.name, items.c.kind, items.c.text, items.c.content_hash, sources.c.root)
        .outerjoin(sources, sources.c.id == items.c.source_id)
        .where(items.c.removed_at.is_(None))
        .order_by(items.c.id)
    ).all()
    kinds = {row.kind for row in rows}
    if len(kinds) != 1:
        raise ProjectError(f"one kind of item is expected for training, found {' and '.join(sorted(kinds)) or 'none'}")
    ids = np.array([row.id for row in rows], dtype=np.int64)
    hashes = [row.content_hash for row in rows]
    if kinds == {"image"}:
        paths = [Path(row.root, row.name) for row in rows]
        x, problems = load_pictures(paths)
        good = [number for number in range(len(paths)) if number not in problems]
        skipped = tuple(f"{paths[number]}: {reason}" for number, reason in problems.items())
        return Content(ids[good], [hashes[number] for number in good], x, skipped=skipped)
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(max_features=MOST_WORDS, sublinear_tf=True, dtype=np.float32)
    try:
        return Content(ids, hashes, vectorizer.fit_transform([row.text for row in rows]), vectorizer)
    except ValueError as error:
        raise ProjectError(f"the texts cannot be turned into numbers: {error}") from None


def load_pictures(paths: list[Path]) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], dict[int, str]]:
    """Pictures as bytes (n, c, h, w), upright, of the first one's size or smaller; c is 1 if all are grey.

    Beside them, by their place in `paths`, those that cannot be read, with the reason; n counts the others.
    """
    size: tuple[int, int] | None = None
    grey = True
    arrays = []
    problems: dict[int, str] = {}
    for number, path in enumerate(paths):
        try:
            picture = read_picture(path)
        except Unreadable as error:
            problems[number] = str(error)
            continue
        grey = grey and picture.mode == "L"
        pixels = picture.convert("RGB")
        if size is None:
            scale = min(1.0, LARGEST_SIDE / max(pixels.size))
            size = (max(1, round(pixels.width * scale)), max(1, round(pixels.height * scale)))
        arrays.append(np.asarray(pixels if pixels.size == size else pixels.resize(size)))
    if not arrays:
        raise ProjectError("none of the pictures can be read; has their folder been moved?")
    stacked = np.stack(arrays).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stacked[:, :1] if grey else stacked), problems
