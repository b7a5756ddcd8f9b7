"""Lines of JSON to rows; lines that are not rows are set apart, each with its reason."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.json as pj

from psvr.trace.columns import TraceError, one_line
from psvr.trace.line_files import PARSING, PLAIN, check

from .pieces import Text

KEPT = 1 << 16  # bytes of a bad line that are kept
SEVERAL = "a line must be one JSON object"


@dataclass(frozen=True)
class Bad:
    """A line that is no row, or a whole file: then without a line."""

    offset: int
    line: bytes
    reason: str


def parse(text: Text) -> Iterator[pa.Table | Bad]:
    """Yield the rows of some lines in their order, and what is wrong with each that is none."""
    try:
        yield rows_of(text.lines)
    except (ValueError, pa.ArrowException) as problem:
        middle = half(text.lines)
        if middle == 0:
            yield Bad(text.begin, text.lines[:KEPT].rstrip(b"\r\n"), reason_of(problem))
            return
        yield from parse(Text(text.begin, text.lines[:middle]))
        yield from parse(Text(text.begin + middle, text.lines[middle:]))


def half(lines: bytes) -> int:
    """Where the line ends that is in the middle, or 0 if there is only one."""
    last = len(lines) - 1
    end = lines.rfind(b"\n", 0, max(len(lines) // 2, 1)) + 1
    return end or lines.find(b"\n", 0, last) + 1


def rows_of(lines: bytes) -> pa.Table:
    """Parse lines that are all good; a line must be one row, so that it does not matter where files are cut."""
    if not lines.strip():
        return PLAIN.empty_table()
    reading = pj.ReadOptions(use_threads=False, block_size=len(lines) + 1)
    table = pj.read_json(io.BytesIO(lines), read_options=reading, parse_options=PARSING)
    check(table)
    if table.num_rows != lines.count(b"\n") and table.num_rows != sum(1 for line in lines.split(b"\n") if line.strip()):
        raise TraceError(SEVERAL)
    return table


def reason_of(problem: BaseException) -> str:
    """What is wrong, without the number of a line that is always the first."""
    text = one_line(problem)
    return text.partition(": ")[2] if text.startswith("JSON parse error: ") else text
