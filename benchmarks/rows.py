"""Rows of benchmarks on disk, added one run at a time, so that a run that was stopped goes on where it was."""

from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from oneof.files.atomic import replacing


def has_row(path: Path, **values: Any) -> bool:
    """Whether the file has a row with these values."""
    if not path.is_file():
        return False
    rows = pd.read_csv(path, dtype=str)
    return bool((rows[list(values)] == pd.Series(values).astype(str)).all(axis=1).any())


def append_rows(path: Path, rows: pd.DataFrame, float_format: str | None = None) -> None:
    """Add rows to the file; the lines that are there stay exactly as they are."""
    new = _as_text(StringIO(rows.to_csv(index=False, float_format=float_format)))
    known = [_as_text(path)] if path.is_file() else []
    with replacing(path) as part:
        pd.concat([*known, new]).to_csv(part, index=False)


def _as_text(source: Path | StringIO) -> pd.DataFrame:
    return pd.read_csv(source, dtype=str, keep_default_na=False)
