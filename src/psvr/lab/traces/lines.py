"""Lines of JSON, read block by block, so that memory does not depend on the length of a file."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.json as pj

from psvr.trace.arrow import schema
from psvr.trace.columns import TraceError, one_line
from psvr.trace.line_files import PARSING, PLAIN, check
from psvr.trace.lines import json_line

BLOCK = 8 << 20  # bytes


def blocks(file: Path, size: int = BLOCK) -> Iterator[tuple[int, pa.Table]]:
    """The number of the first line of each block, from 1, and its rows.  A last line without its end is left out."""
    line, rest = 1, b""
    with file.open("rb") as source:
        while block := source.read(size):
            text = rest + block
            end = text.rfind(b"\n") + 1
            rest = text[end:]
            if end:
                yield line, parsed(text[:end], line)
                line += text.count(b"\n", 0, end)


def parsed(text: bytes, line: int) -> pa.Table:
    """The rows of whole lines; TraceError names the first bad one, given the number of the first."""
    try:
        return parse(text)
    except (ValueError, pa.ArrowException):
        number, why = first_bad(text.splitlines(keepends=True), line)
        raise TraceError(f"line {number}: {why}") from None


def parse(text: bytes) -> pa.Table:
    if not text.strip():
        return schema().empty_table()
    options = pj.ReadOptions(use_threads=False, block_size=len(text) + 1)
    table = pj.read_json(io.BytesIO(text), options, PARSING)
    check(table)
    return table.select(PLAIN.names).cast(schema())


def first_bad(lines: list[bytes], line: int) -> tuple[int, str]:
    """The number of the first line that cannot be parsed, found by halving, and what is wrong with it."""
    while len(lines) > 1:
        half = len(lines) // 2
        try:
            parse(b"".join(lines[:half]))
        except (ValueError, pa.ArrowException):
            lines = lines[:half]
        else:
            lines, line = lines[half:], line + half
    return line, wrong(lines[0])


def wrong(line: bytes) -> str:
    """What is wrong with a line, in the words of our own checks if they see it, else in those of the parser."""
    try:
        row = json.loads(line.decode())
        if not isinstance(row, dict):
            return "must be an object of JSON"
        json_line(row)
        parse(line)
    except json.JSONDecodeError:
        return "must be a whole object of JSON"
    except UnicodeDecodeError:
        return "must be Unicode text"
    except (ValueError, pa.ArrowException) as problem:
        return one_line(problem)
    return "cannot be read together with the lines beside it"
