"""Calls through a table of addresses: how compiled rules call custom rules that are compiled later, or never.

Compiled code refers to the table by a symbol, which every process binds to its own table.  So a user's file is
compiled on its own: its callers stay as they are in the cache, and a process can load another file at any time.
"""

import ctypes
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from psvr.protocol.constants import MAX_CUSTOM

ROWS, COLUMNS = MAX_CUSTOM, 8
SYMBOL = "psvr_custom_rules"
TABLE = (ctypes.c_int64 * (ROWS * COLUMNS))()

llvm.add_symbol(SYMBOL, ctypes.addressof(TABLE))


def set_address(row: int, column: int, compiled: Any) -> None:
    """Put the address of a compiled function (numba's result of one compilation) into the table."""
    TABLE[COLUMNS * row + column] = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def address(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Code that reads the table; the first two values are row and column."""
    row, column = (context.cast(builder, values[i], signature.args[i], types.int64) for i in range(2))
    table = context.get_c_value(builder, ir.ArrayType(ir.IntType(64), ROWS * COLUMNS), SYMBOL)
    place = builder.add(builder.mul(row, row.type(COLUMNS)), column)
    return builder.load(builder.gep(table, [row.type(0), place]))


@intrinsic  # type: ignore[untyped-decorator]
def given(typing: Any, row: Any, column: Any) -> Any:
    """Whether there is a function at this row and column."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = address(context, builder, signature, values)
        return builder.icmp_unsigned("!=", found, found.type(0))

    return types.boolean(row, column), generate


def make_caller(result: Any) -> Any:
    """An intrinsic that calls a function of the table by row, column and a tuple of arguments; errors propagate."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing: Any, row: Any, column: Any, arguments: Any) -> Any:
        wanted = [types.int64 if isinstance(kind, types.Integer) else kind for kind in arguments]

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            handed = [
                context.cast(builder, builder.extract_value(values[2], i), kind, wanted[i])
                for i, kind in enumerate(arguments)
            ]
            function = builder.inttoptr(
                address(context, builder, signature, values),
                context.call_conv.get_function_type(result, wanted).as_pointer(),
            )
            status, value = context.call_conv.call_function(builder, function, result, wanted, handed)
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return result(row, column, arguments), generate

    return call


act, ask = make_caller(types.none), make_caller(types.int64)
