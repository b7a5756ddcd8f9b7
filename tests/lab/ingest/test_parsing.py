"""Good lines become rows wherever they stand; each bad one is set apart with its place and the reason."""

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.lab.ingest.contents import Content
from psvr.lab.ingest.offsets import Range
from psvr.lab.ingest.parsing import KEPT, Bad, parse
from psvr.lab.ingest.pieces import Gone, Text, cut, lines_of
from tests.support.lab.traces import line, lines

GOOD = [line(i, channel="nä\nme").encode() for i in range(3)]
BAD = {
    b"{": "Missing a name for object member",
    b"nonsense": "Invalid value",
    b"\0\0\0": "The document is empty",
    b"\xff\xfe": "Invalid value",
    b"[1]": "",
    b"{}": "a line has no run",
    GOOD[0].strip() + GOOD[1].strip(): "a line must be one JSON object",
    GOOD[0].strip()[:30]: "Missing",
    GOOD[0].strip().replace(b"sent", b"thought"): "event must be one of",
    GOOD[0].strip().replace(b'"unix"', b"null"): "a line has no clock",
    GOOD[0].strip().replace(b'"node":1', b'"node":1.5'): "",
    GOOD[0].strip().replace(b'"node":1', b'"node":99999999999999999999'): "",
    GOOD[0].strip().replace(b'"node":1', b'"hops":3000000000,"node":1'): "",
    GOOD[0].strip().replace(b'"node":1', b'"colour":1,"node":1'): "unexpected field",
    GOOD[0].strip().replace(b"n\xc3", b"n\xff"): "",
}


def parsed(text: bytes) -> tuple[list[int], list[Bad]]:
    found = list(parse(Text(0, text)))
    rows = [time for t in found if isinstance(t, pa.Table) for time in t["time"].to_pylist()]
    return rows, [bad for bad in found if isinstance(bad, Bad)]


@pytest.mark.parametrize("bad, reason", BAD.items(), ids=range(len(BAD)))
def test_a_bad_line_is_set_apart_and_named(bad: bytes, reason: str) -> None:
    alone, amid = parsed(bad + b"\n"), parsed(GOOD[0] + GOOD[1] + bad + b"\n" + GOOD[2])
    assert alone[0] == [] and [b.line for b in alone[1]] == [bad]
    assert reason in alone[1][0].reason and alone[1][0].reason and "\n" not in alone[1][0].reason
    assert len(amid[0]) == 3 and amid[1] == [Bad(len(GOOD[0] + GOOD[1]), bad, alone[1][0].reason)]


@given(st.lists(st.sampled_from([*GOOD, *(bad + b"\n" for bad in BAD), b"\n", b" \r\n"]), max_size=12))
def test_any_mixture_is_read_line_by_line(mixture: list[bytes]) -> None:
    rows, bad = parsed(b"".join(mixture))
    assert len(rows) == sum(text in GOOD for text in mixture)
    places = [sum(map(len, mixture[:i])) for i, text in enumerate(mixture) if text.rstrip(b"\n") in BAD]
    assert [b.offset for b in bad] == places


def test_a_line_spread_over_two_is_two_bad_ones() -> None:
    """Whether it would be read must not depend on where a file is cut."""
    rows, bad = parsed(GOOD[0].replace(b',"node"', b',\n"node"') + GOOD[1])
    assert len(rows) == 1 and len(bad) == 2


def test_a_huge_line_is_kept_in_part() -> None:
    rows, bad = parsed(b"x" * (3 << 20) + b"\n" + GOOD[0])
    assert len(rows) == 1 and len(bad) == 1 and len(bad[0].line) == KEPT


def content(text: bytes) -> Content:
    return Content(len(text), 0, lambda low, high: text[low:high])


@given(st.lists(st.integers(0, 40), max_size=30), st.data())
def test_every_line_is_in_one_piece(lengths: list[int], data: st.DataObject) -> None:
    text = b"".join(b"%d" % (i % 10) * n + b"\n" for i, n in enumerate(lengths))
    places = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text)), max_size=6))})
    found = [t.lines for a, b in pairwise(places) for t in lines_of(content(text), a, b)]
    assert b"".join(found) == text and all(part.endswith(b"\n") for part in found)


def test_blocks_end_with_lines() -> None:
    text = lines(0, 60_000).encode()  # more than one block
    found = list(lines_of(content(text), 0, len(text)))
    assert len(found) > 1 and b"".join(t.lines for t in found) == text
    assert [t.begin for t in found[1:]] == [found[0].begin + len(found[0].lines)]


def test_a_file_that_was_cut_says_where() -> None:
    text = lines(0, 10).encode()
    got = []
    with pytest.raises(Gone) as gone:
        for found in lines_of(content(text[:-5]), 0, len(text)):
            got.append(found.lines)
    assert b"".join(got) == lines(0, 9).encode() and gone.value.at == len(b"".join(got))


def test_pieces_are_shared_out_by_bytes() -> None:
    ranges = [Range("a.jsonl", "a", 0, 100 << 20), *(Range(f"{i}.jsonl", str(i), 5, 10) for i in range(1000))]
    bundles = cut([*ranges, Range("b.parquet", "b", 0, 90 << 20)], 4)
    sizes = [sum(piece.end - piece.begin for piece in bundle) for bundle in bundles]
    assert sum(sizes) == (190 << 20) + 5000 and len(bundles) < 10
    assert [len(b) for b in bundles if any(p.name == "b.parquet" for p in b)] and sizes[0] == 32 << 20
    assert len(cut(ranges[1:], 4)) == 1
    assert cut([], 4) == []
