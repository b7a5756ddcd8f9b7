"""Helpers over Arrow tables that all measures share: grouping on one core, keys, and tables as bytes."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

KEY = ("origin", "boot", "sequence")  # a publication, within a run
Array = NDArray[Any]


def grouped(table: pa.Table, keys: Sequence[str], **totals: str) -> pa.Table:
    """One row per combination of keys, nulls being a value too; columns are summed up as said: time="min", n="sum"."""
    found = table.group_by(list(keys), use_threads=False).aggregate(list(totals.items()))
    return found.select([*keys, *(f"{name}_{how}" for name, how in totals.items())]).rename_columns([*keys, *totals])


def counted(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """One row per combination of keys, and how many rows had it as `n`."""
    found = table.group_by(list(keys), use_threads=False).aggregate([([], "count_all")])
    return found.select([*keys, "count_all"]).rename_columns([*keys, "n"])


def where(table: pa.Table, mask: Array) -> pa.Table:
    return table.filter(pa.array(mask))


def array(table: pa.Table, name: str, null: int = 0) -> Array:
    """A column of numbers as an array, with a number for nulls."""
    column = table.column(name)
    if column.null_count:
        column = pc.fill_null(column, pa.scalar(null, column.type))
    values: Array = column.to_numpy()
    return values


def valid(table: pa.Table, *names: str) -> NDArray[np.bool_]:
    """Which rows have a value in all of these columns."""
    found = np.ones(table.num_rows, np.bool_)
    for name in names:
        if table.column(name).null_count:
            found &= table.column(name).is_valid().to_numpy()
    return found


def dense(keys: Sequence[str], *tables: pa.Table) -> list[Array]:
    """Numbers from 0 for the rows of several tables, the same where all keys are equal; a null is a value, too."""
    ends = np.cumsum([table.num_rows for table in tables])[:-1]
    rows = pa.concat_tables(table.select(list(keys)) for table in tables)
    found = np.zeros(rows.num_rows, np.int64)
    for name in keys:
        encoded = encode(rows.column(name))
        found = found * (len(encoded.dictionary) or 1) + encoded.indices.to_numpy(zero_copy_only=False)
        found = encode(pa.chunked_array([found])).indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return np.split(found, ends)


def encode(column: pa.ChunkedArray) -> pa.DictionaryArray:
    found = pc.dictionary_encode(column, null_encoding="encode").combine_chunks()
    if isinstance(found, pa.ChunkedArray):
        return found.chunk(0) if found.num_chunks else pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), [])
    return found


def codes(*columns: pa.ChunkedArray) -> tuple[list[Array], pa.Array]:
    """Numbers from 0 for the values of several columns, the same for equal values; and the values."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    joined = pa.concat_arrays(chunks) if chunks else pa.array([], pa.int64())
    encoded = joined.dictionary_encode()
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(encoded.indices.to_numpy(zero_copy_only=False), ends), encoded.dictionary


def buckets(table: pa.Table, keys: Sequence[str], number: int) -> Array:
    """A bucket for each row, the same for equal keys."""
    mixed = np.zeros(table.num_rows, np.uint64)
    for name in keys:
        mixed ^= hashed(table, name)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(number)).astype(np.int64)


def hashed(table: pa.Table, name: str) -> Array:
    """A number for each value of a column, whatever its type; nulls have that of 0."""
    if pa.types.is_string(table.schema.field(name).type):
        [places], words = codes(table.column(name).fill_null(""))
        known = np.array([crc32(word.encode()) for word in words.to_pylist()] or [0], np.uint64)
        return known[places]
    return array(table, name).astype(np.int64).view(np.uint64)


def to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def from_bytes(data: bytes) -> pa.Table:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()
