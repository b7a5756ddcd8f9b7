"""Reading what live nodes wrote line by line."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.json as pj

from .arrow import schema
from .columns import COLUMNS, REQUIRED, TraceError, one_line
from .lines import WORDS

PLAIN = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
PARSING = pj.ParseOptions(explicit_schema=PLAIN, unexpected_field_behavior="error")


def read_json_lines(file: str | Path) -> pa.Table:
    """The rows of one file.  A last line without its end is still being written, and not read."""
    try:
        text = Path(file).read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        table = pj.read_json(io.BytesIO(whole), parse_options=PARSING) if whole.strip() else PLAIN.empty_table()
        check(table)
        return table.cast(schema())
    except (OSError, ValueError, pa.ArrowException) as problem:
        raise TraceError(f"{file}: must be a trace in JSON lines: {one_line(problem)}") from None


def check(table: pa.Table) -> None:
    """Refuse rows without a required value, or with a word that the schema does not have."""
    table.validate(full=True)
    for name in REQUIRED:
        if table[name].null_count:
            raise TraceError(f"a line has no {name}")
    for name, words in WORDS.items():
        for value in table[name].unique().to_pylist():
            if value not in words:
                raise TraceError(f"{name} must be one of {', '.join(words)}, not {value!r}")
