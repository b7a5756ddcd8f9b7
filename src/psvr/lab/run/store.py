"""Results in Parquet files: each appears whole or not at all, and records where it comes from."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from psvr.atomic import atomic_write
from psvr.errors import BadInput

from .provenance import Origin, origin
from .reading import readable

NOT_WHOLE = "is not a whole Parquet file; remove it, and the same command runs its trials again"
PREFIX = b"psvr."
VERIFIED = {"parquet.page.verify-checksum.enabled": "true"}


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def write_table(table: pa.Table, file: Path, notes: dict[str, str]) -> Path:
    """Write a table with its provenance, and return the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    marked = table.replace_schema_metadata({PREFIX + k.encode(): v.encode() for k, v in notes.items()})
    with atomic_write(file) as half:
        pq.write_table(marked, half, compression="zstd", write_page_checksum=True)
    return file


def write(rows: pa.Table, folder: Path, notes: dict[str, str]) -> Path:
    """Store rows in a file whose name follows from their trials and systems."""
    names = zip(rows.column("trial").to_pylist(), rows.column("system").to_pylist())
    digest = hashlib.blake2b(repr(sorted(names)).encode(), digest_size=8).hexdigest()
    return write_table(rows, folder / f"part-{digest}.parquet", notes)


def remove_partial(folder: Path) -> None:
    """Remove what a killed run was writing; nobody else writes here."""
    for half in folder.glob(".half-*"):
        half.unlink(missing_ok=True)


def schemas_of(files: Iterable[Path]) -> dict[Path, pa.Schema]:
    """Return the schema of every file, with its notes."""
    found = {}
    for file in files:
        with readable(file, NOT_WHOLE):
            found[file] = pq.read_schema(file)
    return found


def notes_of(schema: pa.Schema) -> dict[str, str]:
    """Return the provenance in the schema of a file."""
    return {k[len(PREFIX) :].decode(): v.decode() for k, v in (schema.metadata or {}).items() if k.startswith(PREFIX)}


def origin_of(folder: Path) -> Origin:
    """Return where the rows of a study come from."""
    return origin([notes_of(schema) for schema in schemas_of(parts(folder)).values()])


def finished(folder: Path) -> pa.Table:
    """Return which trials were run under which systems, and by which code."""
    empty = pa.table({name: pa.array([], pa.string()) for name in ("trial", "system", "code")})
    tables = [empty]
    for file, schema in schemas_of(parts(folder)).items():
        with readable(file, NOT_WHOLE):
            table = pq.read_table(file, columns=["trial", "system"], page_checksum_verification=True)
        code = pa.array([notes_of(schema).get("code", "")] * len(table), pa.string())
        tables.append(table.cast(empty.schema.remove(2)).append_column("code", code))
    return pa.concat_tables(tables)


def read(spark: SparkSession, folder: Path, schema: pa.Schema) -> DataFrame:
    """Return all stored rows with the columns of this schema; files of an earlier form of the study may have others."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for file, found in schemas_of(parts(folder)).items():
        groups[found.remove_metadata().to_string()].append(file)
    frames = [spark.createDataFrame([], from_arrow_schema(schema))]
    frames += [
        with_schema(spark.read.options(**VERIFIED).parquet(*map(str, files)), schema) for files in groups.values()
    ]
    return reduce(DataFrame.unionByName, frames).dropDuplicates(["trial", "system"])


def with_schema(rows: DataFrame, schema: pa.Schema) -> DataFrame:
    """Return rows with the columns of this schema, null where they have none."""
    types = from_arrow_schema(schema)
    return rows.select(
        [
            (F.col(f.name) if f.name in rows.columns else F.lit(None)).cast(f.dataType).alias(f.name)
            for f in types.fields
        ]
    )


def find_damage(folder: Path) -> BadInput | None:
    """Return which file cannot be read and why, after Spark failed to read; None if all can be read."""
    for file in parts(folder):
        try:
            with readable(file, NOT_WHOLE):
                pq.read_table(file, page_checksum_verification=True)
        except BadInput as error:
            return error
    return None


def other_code(done: pa.Table, code: str) -> dict[str, int]:
    """Return the number of trials that were finished by each other code."""
    pairs = {(t, c) for t, c in zip(done.column("trial").to_pylist(), done.column("code").to_pylist())}
    return dict(Counter(c for _, c in pairs if c != code))
