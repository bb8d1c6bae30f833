"""Tables as data frames."""

import pandas as pd
import pytest

from oneof.items.tables import read_table, refuse_repeated_ids


def test_semicolons_and_decimal_commas(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\ufeffid;height;wide\na;1,5;2\nb;-0,25;3\n", encoding="utf-8")
    assert read_table(path).to_dict("list") == {"id": ["a", "b"], "height": [1.5, -0.25], "wide": [2, 3]}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_what_is_not_a_table_is_named(suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"\xff{")
    with pytest.raises(ValueError, match=f"x{suffix}: not a table"):
        read_table(path)


def test_repeated_ids_are_refused(tmp_path):
    refuse_repeated_ids(tmp_path, pd.Series(["a", "b"]))
    with pytest.raises(ValueError, match="line 4, column id: 'a' appears twice"):
        refuse_repeated_ids(tmp_path, pd.Series(["a", "b", "a"]))
