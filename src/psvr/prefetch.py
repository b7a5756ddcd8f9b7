"""Prefetching of memory that is needed soon, so that it arrives while something else is being done."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from psvr.jit import jit_internal

LINE = 64  # bytes that are fetched at a time
TO_READ, KEEP, DATA = 0, 3, 1


@intrinsic  # type: ignore[untyped-decorator]
def line(typing: Any, record: Any, offset: Any) -> Any:
    """Prefetch the cache line with the byte at this offset from a record.  Nothing is read, so any offset is safe."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.gep(builder.bitcast(values[0], byte), [values[1]])
        ask = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        )
        builder.call(ask, [place, number(TO_READ), number(KEEP), number(DATA)])
        return context.get_dummy_value()

    return types.void(record, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def distance(typing: Any, first: Any, last: Any) -> Any:
    """The number of bytes from one record to the end of another."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        begin, end = (builder.ptrtoint(value, ir.IntType(64)) for value in values)
        return builder.add(builder.sub(end, begin), end.type(last.size))

    return types.int64(first, last), generate


@jit_internal
def prefetch(first: Any, last: Any) -> None:
    """Prefetch everything from one record to the end of another."""
    for at in range(0, distance(first, last), LINE):
        line(first, at)
