"""The items of a project as encoders take them: texts, or files of pictures."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, select

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.schema import items, sources
from oneof.items.hashing import BYTES
from oneof.items.loading import Items
from oneof.items.pictures import Pictures


@dataclass(frozen=True)
class Content:
    """n items. ids: (n,), in the database. names, content_hashes: of each. raw: texts or pictures, by row number.

    skipped: pictures that cannot be read any more, with the reason; they are not among the n.
    """

    ids: NDArray[np.int64]
    names: tuple[str, ...]
    content_hashes: list[str]
    raw: Items
    skipped: tuple[str, ...] = ()

    def keep(self, taken: Items) -> "Content":
        """The content without the rows that an encoder could not read; taken: what it could."""
        rows = np.asarray(taken.ids).astype(np.int64)
        gone = tuple(
            f"{self.names[int(row)]}: {why.split(': ', 1)[-1]}"
            for row, why in zip(taken.missing, taken.left_out, strict=True)
        )
        return replace(
            self,
            ids=self.ids[rows],
            names=tuple(self.names[row] for row in rows),
            content_hashes=[self.content_hashes[row] for row in rows],
            raw=Items(self.raw.x[rows], range(len(rows)), kind=self.raw.kind),
            skipped=(*self.skipped, *gone),
        )

    def hashes(self, rows: Any) -> NDArray[np.uint8]:
        """The hashes of these rows as `oneof.items.hashing.content_hashes` gives them, without reading any file."""
        known = b"".join(bytes.fromhex(self.content_hashes[row])[:BYTES] for row in rows)
        return np.frombuffer(known, dtype=np.uint8).reshape(-1, BYTES)


def load_content(connection: Connection, *wanted: ColumnElement[bool]) -> Content:
    """The items of the project that meet the conditions `wanted`, without those that were taken out."""
    rows = connection.execute(
        select(items.c.id, items.c.name, items.c.kind, items.c.text, items.c.content_hash, sources.c.root)
        .outerjoin(sources, sources.c.id == items.c.source_id)
        .where(items.c.removed_at.is_(None), *wanted)
        .order_by(items.c.id)
    ).all()
    kinds = {row.kind for row in rows}
    if "audio" in kinds:
        raise ProjectError(
            "sounds have no encoder here. Export the answers (`oneof annotate export`), make a table of numbers from "
            "the sounds with a network of your own, and `oneof train NUMBERS.csv answers.csv --out MODEL`"
        )
    if len(kinds) != 1:
        raise ProjectError(f"one kind of item is expected for training, found {' and '.join(sorted(kinds)) or 'none'}")
    skipped: tuple[str, ...] = ()
    x: Any
    if kinds == {"image"}:
        there = [row for row in rows if Path(row.root, row.name).is_file()]
        lost = {row.id for row in rows} - {row.id for row in there}
        skipped = tuple(f"{Path(row.root, row.name)}: not a file" for row in rows if row.id in lost)
        if not there:
            raise ProjectError("none of the pictures can be read; has their folder been moved?")
        rows, x = there, Pictures([Path(row.root, row.name) for row in there])
    else:
        x = np.empty(len(rows), dtype=object)
        x[:] = [row.text for row in rows]
    return Content(
        np.array([row.id for row in rows], dtype=np.int64),
        tuple(row.name for row in rows),
        [row.content_hash for row in rows],
        Items(x, range(len(rows)), kind="pictures" if kinds == {"image"} else "texts"),
        skipped,
    )
