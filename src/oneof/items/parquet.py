"""Items in a Parquet file, which may be larger than memory: read some rows at a time into one array.

Features are numeric columns, or one column of lists of numbers that all have the same length (lists of lists for
images).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from oneof.items.allocating import allocate

ROWS_READ = 1 << 13


def read_parquet(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """The features (n, d) or (n, ...), and the column `id` (n,), of whole numbers or of texts.

    Lists of uint8, float16 and float32 stay what they are, all other numbers become float32.
    """
    try:
        # By default the whole file is fetched ahead, or at least a whole column of a row group at once.
        with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
            return _Reader(path, file).read()
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path}: not a table: {error}") from None


class _Reader:
    """Goes through a file, and knows at which row it is, for errors."""

    def __init__(self, path: Path, file: pq.ParquetFile) -> None:
        self.path, self.file, self.first = path, file, 0
        schema = file.schema_arrow
        if "id" not in schema.names:
            raise ValueError(f"{path}: column id is missing, found {', '.join(schema.names)}")
        indices = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
        self.features = [name for name in schema.names if name != "id" and name not in indices]
        if not self.features:
            raise ValueError(f"{path}: there are no features beside the column id")
        lists = [name for name in self.features if _is_list(schema.field(name).type)]
        if lists and len(self.features) > 1:
            other = next(name for name in self.features if name != lists[0])
            raise ValueError(f"{path}: features are one column of lists or columns of numbers, not {lists[0]}, {other}")

    def read(self) -> tuple[NDArray[Any], NDArray[Any]]:
        rows = self.file.metadata.num_rows
        x, ids = None, []
        for batch in self.file.iter_batches(ROWS_READ, columns=["id", *self.features]):
            values = self._values(batch)
            x = allocate((rows, *values.shape[1:]), values.dtype) if x is None else x
            if values.shape[1:] != x.shape[1:]:
                self._refuse(0, self.features[0], f"has {values.shape[1:]} values, {x.shape[1:]} in the rows before")
            x[self.first : self.first + len(values)] = values
            ids.append(self._ids(batch.column("id")))
            self.first += len(values)
        if x is None:
            x = np.zeros((0, len(self.features)), dtype=np.float32)
        return x, np.concatenate(ids or [np.zeros(0, dtype=np.int64)])

    def _values(self, batch: pa.RecordBatch) -> NDArray[Any]:
        if _is_list(batch.column(self.features[0]).type):
            values = self._numbers(batch.column(self.features[0]), self.features[0], per_row=1)
            kept = values.dtype in (np.uint8, np.float16, np.float32)
            return values if kept else values.astype(np.float32)
        columns = [self._numbers(batch.column(name), name, per_row=1) for name in self.features]
        return np.stack([column.astype(np.float32) for column in columns], axis=1)

    def _numbers(self, column: pa.Array, name: str, per_row: int) -> NDArray[Any]:
        """The numbers of a column (n,), or of lists (n, length, ...). per_row: how many values a row has."""
        if column.null_count:
            place = int(np.flatnonzero(np.asarray(column.is_null()))[0])
            self._refuse(place // per_row, name, "the value is missing, expected a number")
        if _is_list(column.type):
            lengths = np.asarray(pc.list_value_length(column))
            odd = np.flatnonzero(lengths != lengths[0])
            if len(odd):
                problem = f"a list of {lengths[odd[0]]}, expected {lengths[0]} as in the rows before"
                self._refuse(int(odd[0]) // per_row, name, problem)
            size = int(lengths[0])
            inner = self._numbers(pc.list_flatten(column), name, per_row * max(1, size))
            return inner.reshape(len(column), size, *inner.shape[1:])
        kinds = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating)
        if not any(kind(column.type) for kind in kinds):
            self._refuse(0, name, f"value {column[0].as_py()!r}, expected a number")
        return np.asarray(column.to_numpy(zero_copy_only=False))

    def _ids(self, column: pa.Array) -> NDArray[Any]:
        if column.null_count:
            self._refuse(int(np.flatnonzero(np.asarray(column.is_null()))[0]), "id", "is empty")
        if pa.types.is_integer(column.type):
            return np.asarray(column.to_numpy(zero_copy_only=False))
        return np.asarray(column.to_pandas().astype(str).to_numpy(dtype=str))

    def _refuse(self, row: int, column: str, message: str) -> None:
        raise ValueError(f"{self.path}, row {self.first + row}, column {column}: {message}")


def _is_list(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))
