"""Tables (.csv .tsv .jsonl .parquet) of items, or of facts about items, read whole into a data frame."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oneof.files.spreadsheets import csv_format

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: Path) -> "pd.DataFrame":
    """The table; ids in a csv file stay as they are written, such as 007.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "table.csv"
    >>> _ = path.write_text("id; height\\n007; 1,5\\n")
    >>> read_table(path).to_dict("records")
    [{'id': '007', 'height': 1.5}]
    """
    import pandas as pd

    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            return pd.read_parquet(path)
        if suffix == ".jsonl":
            return pd.read_json(path, lines=True, dtype=False)
        written = csv_format(path)
        table = pd.read_csv(
            path, dtype={"id": str}, sep=written.separator, encoding=written.encoding, skipinitialspace=True
        )
    except (ValueError, OSError) as error:
        raise ValueError(f"{path}: not a table: {error}") from None
    table = table.rename(columns=str.strip)
    return _without_decimal_commas(table) if written.separator == ";" else table


def refuse_repeated_ids(path: Path, ids: "pd.Series[Any]", place: str = "line", first: int = 2) -> None:
    """Raise for the first id that a table has twice. place, first: the word for a row, and the number of the first."""
    repeated = ids.duplicated()
    if repeated.any():
        row = int(np.argmax(repeated))
        twice = f"{str(ids.iloc[row])!r} appears twice, expected unique ids"
        raise ValueError(f"{path}, {place} {row + first}, column id: {twice}")


def _without_decimal_commas(table: "pd.DataFrame") -> "pd.DataFrame":
    """Spreadsheets that separate by semicolons write 1,5 where others write 1.5."""
    import pandas as pd

    for name in table.columns.drop("id", errors="ignore"):
        if table[name].dtype.kind not in "biuf":
            numbers = pd.to_numeric(table[name].str.replace(",", ".", regex=False), errors="coerce")
            if numbers.notna().equals(table[name].notna()):
                table[name] = numbers
    return table
