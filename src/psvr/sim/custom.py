"""Custom systems in the simulator: their rules are compiled, and placed where the rules of the protocol call them.

A custom rule is written against the plain functions of `psvr.protocol`.  Its compiled form is the same code with its
names bound to those of `psvr.checked`.  Compiled code is cached under a digest of all functions and numbers of the
file, so a file that has changed never runs with old code.
"""

import dis
import functools
import hashlib
import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from numba import from_dtype, types

from psvr.addresses import set_address
from psvr.errors import BadInput, one_line
from psvr.jit import jit
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity, dtype
from psvr.protocol.records import Node, Outcome, Pub, Sub
from psvr.protocol.systems import CUSTOM, RULES, CustomSystem, new_row
from psvr.sim.engine.world import World

TAKES: dict[str, tuple[type, ...]] = {
    "forward": (Node, int, Pub, Outcome),
    "detour": (Node, int, Pub, int, int, Outcome),
    "write_sub": (Node, int, int, Sub),
    "hear_sub": (Node, int, Sub, Sub),
    "clean": (Node, int),
}
ANSWERS = ("write_sub", "hear_sub")  # these return a whole number
PLAIN = (int, float, str, bool, type(None))
MAX_MESSAGES = 50  # of a publication, per node; `ring` needs 2
SHOWN = 160  # characters of a message from numba


def settings_of(name: str, capacity: Capacity) -> tuple[int, int]:
    """The values of `settings.system` and `settings.custom` for a system, built in or custom."""
    if name in k.SYSTEMS:
        return k.SYSTEMS.index(name), 0
    return k.SYSTEMS.index(CUSTOM[name].like), row_of(CUSTOM[name], capacity)


@functools.cache
def row_of(system: CustomSystem, capacity: Capacity) -> int:
    """The row of the address table that holds the rules for nodes of this capacity; compiles them on first use."""
    compiled = {name: compile_rule(system, name, capacity) for name in system.rules}
    row = new_row(system)
    for name, result in compiled.items():
        set_address(row, list(RULES).index(name), result)
    return row


def compile_rule(system: CustomSystem, name: str, capacity: Capacity) -> Any:
    """The compiled form of a rule, whose address goes into the table; BadInput if it cannot be compiled."""
    takes = tuple(types.int64 if kind is int else from_dtype(dtype(kind, capacity)) for kind in TAKES[name])
    answer = types.int64 if name in ANSWERS else types.none
    try:
        form = compiled_form(system.rules[name])
        form.compile(answer(*takes))
    except BadInput as error:
        raise BadInput(f"system {system.name}: {name}: {error}") from None
    except Exception as error:  # numba raises many kinds, some of them from bugs of its own
        raise BadInput(f"system {system.name}: {name} cannot be compiled: {numba_message(error)}") from None
    return form.overloads[takes]


def numba_message(error: Exception) -> str:
    """The one line of numba's long message that says what is wrong, and where."""
    if isinstance(error, KeyError):
        return f"a record has no field {error}"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith(("Failed in nopython", "File ", "- ", "During:", "<source"))]
    place = re.findall(r'^File "(?:[^"]*/)?([^"/]*)", line (\d+)', "\n".join(lines), re.M)
    what = re.sub(r"Record\(\[.*", "a record …", kept[0]) if kept else type(error).__name__
    return (f"{place[-1][0]}, line {place[-1][1]}: " if place else "") + what[:SHOWN]


FORMS: dict[Any, Any] = {}  # function → its compiled form, which must stay alive: its address is in the table


def compiled_form(function: Any) -> Any:
    """A function of the user's file, compiled together with everything that it refers to."""
    if function not in FORMS:
        home, twin = function.__globals__, twin_of(function)
        again = FunctionType(
            function.__code__, twin.__dict__, function.__name__, function.__defaults__, function.__closure__
        )
        again.__module__ = twin.__name__
        FORMS[function] = jit(again, checked=True)  # before its names are bound: it may call itself
        try:
            for name in names_in(function.__code__) & set(home):
                setattr(twin, name, form_of(name, home[name], home))
        except BaseException:
            del FORMS[function]
            raise
    return FORMS[function]


def twin_of(function: Any) -> ModuleType:
    """The module in which the compiled forms of a file find each other; its name has a digest of all they depend on."""
    name = f"{function.__module__}_{digest_of(function.__globals__)}"
    return sys.modules.setdefault(name, ModuleType(name))


def digest_of(home: dict[str, Any]) -> str:
    """A digest of the functions and numbers at the top level of a file, as they are now."""
    parts: list[Any] = []
    for name, value in sorted(home.items()):
        if isinstance(value, FunctionType) and value.__globals__ is home:
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            parts.append((name, content(value.__code__), value.__defaults__, cells))
        elif is_number(value) and not name.startswith("__"):
            parts.append((name, value))
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def content(code: CodeType) -> tuple[Any, ...]:
    """What a function does, regardless of where it is defined."""
    inner = [content(part) if isinstance(part, CodeType) else part for part in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, inner


def form_of(name: str, value: Any, home: dict[str, Any]) -> Any:
    """What takes the place of a value of the file in compiled code."""
    if is_number(value) or isinstance(value, BuiltinFunctionType):
        return value
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "") or ""
    if module == "math":
        return value
    if module.startswith("psvr.protocol"):
        checked = importlib.import_module(module.replace("psvr.protocol", "psvr.checked", 1))
        return checked if isinstance(value, ModuleType) else getattr(checked, value.__name__)
    if isinstance(value, FunctionType) and value.__globals__ is home:
        return compiled_form(value)
    raise BadInput(f"{name} cannot be used; rules use numbers, functions of their own file and of psvr.protocol, math")


def is_number(value: Any) -> bool:
    """Whether a value is a constant that compiled code can contain: a number, a text, None, or a tuple of them."""
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(is_number, value)))


def names_in(code: CodeType) -> set[str]:
    """The top-level names of the file that a function refers to."""
    inner = [names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}.union(*inner)


def check_messages(name: str, world: World) -> None:
    """Refuse custom rules that send in circles: twice as much each time, they would soon use up the memory."""
    limit = MAX_MESSAGES * (len(world.ids) + 10)
    if name not in k.SYSTEMS and int(world.publications["messages"].max()) > limit:
        raise BadInput(f"system {name}: sent a publication more than {limit} times; its rules must come to an end")


@contextmanager
def attributing_errors(name: str) -> Iterator[None]:
    """Report whatever goes wrong while nodes run a custom system as an error in its rules."""
    if name in k.SYSTEMS:
        yield
        return
    try:
        yield
    except (BadInput, MemoryError):
        raise
    except Exception as error:
        text = one_line(f"{type(error).__name__}: {error}")
        raise BadInput(f"system {name}: its rules failed: {text}") from None
