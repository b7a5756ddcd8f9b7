"""A folder of traces as one table."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow.fs import LocalFileSystem

from .arrow import schema
from .columns import COLUMNS, VERSION, TraceError, one_line
from .files import LINES, PARTS, finished, from_metadata
from .line_files import read_json_lines

FORMAT = ds.ParquetFileFormat(
    default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
)


def read(folder: str | Path, columns: Sequence[str] | None = None, filter: pc.Expression | None = None) -> pa.Table:
    """The rows of all runs, or those for which an expression holds, such as `pc.field("event") == "sent"`."""
    check_query(columns, filter)
    source = dataset(folder)
    try:
        table = source.to_table(columns=None if columns is None else list(columns), filter=filter)
        table.validate(full=True)
    except (pa.ArrowException, OSError) as problem:
        raise TraceError(f"{damaged(Path(folder))}: must be a whole trace: {one_line(problem)}") from None
    return table.unify_dictionaries()


def dataset(folder: str | Path) -> ds.Dataset:
    """The rows of all runs, to be scanned piece by piece where memory is short; lines of JSON are loaded at once."""
    parts, lines = files(Path(folder))
    fragments = [fragment(file) for file in parts]
    for part in fragments:
        provenance(part)
    finished_parts = ds.FileSystemDataset(fragments, schema(), FORMAT, LocalFileSystem())
    if not lines:
        return finished_parts
    return ds.dataset([finished_parts, ds.dataset(pa.concat_tables(read_json_lines(file) for file in lines))])


def runs(folder: str | Path) -> dict[str, dict[str, str]]:
    """The provenance of each run of a folder; empty for a run in lines of JSON, which carry none."""
    parts, lines = files(Path(folder))
    found: dict[str, dict[str, str]] = {}
    for file in parts:
        metadata = provenance(fragment(file))
        found.setdefault(metadata.pop("run"), metadata)
    for file in lines:
        for run in read_json_lines(file)["run"].unique().to_pylist():
            found.setdefault(run, {})
    return found


def files(folder: Path) -> tuple[list[Path], list[Path]]:
    """The finished Parquet files of a folder, and its files of JSON lines."""
    parts, lines = finished(folder, PARTS), finished(folder, LINES)
    if not parts and not lines:
        raise TraceError(f"{folder}: must be a folder with a trace, but no finished file of one is in it")
    return parts, lines


def fragment(file: Path) -> ds.ParquetFileFragment:
    return FORMAT.make_fragment(str(file), LocalFileSystem())


def provenance(part: ds.ParquetFileFragment) -> dict[str, str]:
    """What a file says about its run; TraceError if it is not a trace."""
    try:
        found = part.physical_schema
    except (pa.ArrowException, OSError) as problem:
        raise TraceError(f"{part.path}: must be a whole Parquet file: {one_line(problem)}") from None
    metadata = from_metadata(found.metadata)
    if metadata.get("schema", VERSION) != VERSION:
        raise TraceError(f"{part.path}: must be a trace of schema {VERSION}, not {metadata['schema']}")
    if "run" not in metadata or not found.equals(schema()):
        raise TraceError(f"{part.path}: must be a trace, but is some other Parquet file")
    return metadata


def check_query(columns: Sequence[str] | None, filter: pc.Expression | None) -> None:
    """Check that columns and filter fit the schema: what fails after this is due to a file."""
    for name in columns or ():
        if name not in COLUMNS:
            raise TraceError(f"columns: must be from {', '.join(COLUMNS)}, not {name!r}")
    try:
        ds.dataset(schema().empty_table()).to_table(filter=filter)
    except (pa.ArrowException, TypeError) as problem:
        raise TraceError(f"filter: must be an expression over the columns: {one_line(problem)}") from None


def damaged(folder: Path) -> Path:
    """The first file that cannot be read in full, or the folder."""
    for file in finished(folder, PARTS):
        try:
            fragment(file).to_table().validate(full=True)
        except (pa.ArrowException, OSError):
            return file
    return folder
