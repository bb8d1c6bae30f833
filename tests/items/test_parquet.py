"""Items in Parquet: some rows at a time, in memory or on disk."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oneof.items import allocating, parquet
from oneof.items.parquet import read_parquet


@pytest.fixture(autouse=True)
def few_rows_at_a_time(monkeypatch):
    monkeypatch.setattr(parquet, "ROWS_READ", 4)


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("kind", ["uint8", "float16", "float32", "float64", "int32"])
def test_a_column_of_lists(kind, in_memory, tmp_path, monkeypatch):
    if not in_memory:
        monkeypatch.setattr(allocating, "IN_MEMORY", 0)
    x = np.random.default_rng(0).integers(0, 200, (11, 3)).astype(kind)
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 3)
    for lists in (fixed, fixed.cast(pa.list_(fixed.type.value_type))):
        pq.write_table(pa.table({"id": np.arange(11), "x": lists}), tmp_path / "x.parquet", row_group_size=5)
        found, ids = read_parquet(tmp_path / "x.parquet")
        assert found.dtype == (kind if kind in ("uint8", "float16", "float32") else np.float32)
        assert isinstance(found, np.memmap) != in_memory
        np.testing.assert_array_equal(found, x)
        assert ids.tolist() == list(range(11))


def test_lists_of_lists_are_images(tmp_path):
    x = np.arange(6 * 2 * 3 * 4, dtype=np.uint8).reshape(6, 2, 3, 4)
    pq.write_table(pa.table({"id": list("abcdef"), "x": x.tolist()}), tmp_path / "x.parquet")
    found, ids = read_parquet(tmp_path / "x.parquet")
    np.testing.assert_array_equal(found, x)
    assert "".join(ids) == "abcdef"


def test_columns_of_numbers_without_the_index(tmp_path):
    frame = pd.DataFrame({"u": range(9), "id": [f"n{i}" for i in range(9)], "v": np.linspace(0, 1, 9)})
    frame.index = range(3, 21, 2)
    frame.rename_axis("when").to_parquet(tmp_path / "x.parquet")
    found, ids = read_parquet(tmp_path / "x.parquet")
    np.testing.assert_array_equal(found, frame[["u", "v"]].to_numpy(dtype=np.float32))
    assert ids.tolist() == frame["id"].tolist()


def test_no_rows(tmp_path):
    pq.write_table(pa.table({"id": pa.array([], pa.int64()), "x": pa.array([], pa.float32())}), tmp_path / "x.parquet")
    found, ids = read_parquet(tmp_path / "x.parquet")
    assert (found.shape, len(ids)) == ((0, 1), 0)


ROWS = range(6)
BAD = [
    ({"x": [1.0] * 6}, "column id is missing, found x"),
    ({"id": ROWS}, "there are no features beside the column id"),
    ({"id": ROWS, "x": [1, 2, 3, 4, 5, None]}, "row 5, column x: the value is missing"),
    ({"id": ROWS, "x": ["1", "2", "3", "4", "5", "6"]}, "row 0, column x: value '1', expected a number"),
    ({"id": ROWS, "x": [[1, 2]] * 5 + [[1]]}, r"row 5, column x: a list of 1, expected 2"),
    ({"id": ROWS, "x": [[1, 2]] * 4 + [[1]] * 2}, r"row 4, column x: has \(1,\) values, \(2,\) in the rows before"),
    ({"id": ROWS, "x": [[1, 2]] * 5 + [[1, None]]}, "row 5, column x: the value is missing"),
    ({"id": ROWS, "x": [[1, 2]] * 5 + [None]}, "row 5, column x: the value is missing"),
    ({"id": ROWS, "x": [[[1], [2]]] * 5 + [[[1], [2, 3]]]}, r"row 5, column x: a list of 2, expected 1"),
    ({"id": ROWS, "x": [["a"]] * 6}, "row 0, column x: value 'a', expected a number"),
    ({"id": ["a", None, "c", "d", "e", "f"], "x": ROWS}, "row 1, column id: is empty"),
    ({"id": ROWS, "x": [[1]] * 6, "y": ROWS}, "one column of lists or columns of numbers, not x, y"),
]


@pytest.mark.parametrize(("columns", "message"), BAD)
def test_bad_tables(columns, message, tmp_path):
    pq.write_table(pa.table({name: list(column) for name, column in columns.items()}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=message) as caught:
        read_parquet(tmp_path / "x.parquet")
    assert str(caught.value).startswith(str(tmp_path / "x.parquet"))
