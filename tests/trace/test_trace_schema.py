"""The schema is public: names, order and types are a promise."""

import subprocess
import sys

import pyarrow as pa
import pytest

import psvr.trace as trace


def test_columns_their_order_and_types() -> None:
    text = pa.dictionary(pa.int32(), pa.string())
    expected = [
        ("run", text),
        ("time", pa.int64()),
        ("clock", text),
        ("node", pa.int64()),
        ("event", text),
        ("peer", pa.int64()),
        ("channel", text),
        ("origin", pa.int64()),
        ("boot", pa.int32()),
        ("sequence", pa.int32()),
        ("from", pa.int32()),
        ("to", pa.int32()),
        ("end_point", pa.int32()),
        ("hops", pa.int32()),
        ("bytes", pa.int32()),
        ("reason", text),
        ("detail", text),
    ]
    assert [(field.name, field.type) for field in trace.schema()] == expected
    assert [field.name for field in trace.schema() if not field.nullable] == ["run", "time", "clock", "node", "event"]


def test_events_and_their_order() -> None:
    assert trace.EVENTS == (
        "published",
        "sent",
        "received",
        "delivered",
        "dropped",
        "subscribed",
        "unsubscribed",
        "parent changed",
        "ring changed",
        "table changed",
        "fault",
    )


def test_rows_are_numbers_without_gaps() -> None:
    long = ("time", "node", "peer", "origin", "detail")
    short = ("event", "channel", "boot", "sequence", "from_", "to", "ep", "hops", "bytes", "reason")
    assert trace.ROW.names == long + short
    assert {name: trace.ROW[name].str for name in trace.ROW.names} == dict.fromkeys(long, "<i8") | dict.fromkeys(
        short, "<i4"
    )
    assert trace.ROW.itemsize == 80


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_import_needs_neither_numpy_nor_pyarrow() -> None:
    done = python(
        "import sys; sys.modules.update(numpy=None, pyarrow=None); import psvr.trace as t;"
        "print(t.json_line(dict(run='r', time=1, clock='unix', node=2, event='sent')), end='')"
    )
    assert done.stdout == '{"run":"r","time":1,"clock":"unix","node":2,"event":"sent"}\n', done.stderr


def test_a_missing_pyarrow_is_named() -> None:
    done = python("import sys; sys.modules['pyarrow'] = None; import psvr.trace; psvr.trace.Writer('x', 'y')")
    assert done.returncode == 1 and "ModuleNotFoundError" in done.stderr and "pyarrow" in done.stderr


def test_unknown_names_are_no_part_of_it() -> None:
    with pytest.raises(AttributeError, match="no attribute 'reader'"):
        trace.reader  # noqa: B018
    assert all(hasattr(trace, name) for name in trace.__all__)
