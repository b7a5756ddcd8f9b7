"""Systems of one's own, by name: like a built-in one, but for the rules that a file of the user gives.

    @own_rule("tree-steps", like="psvr")
    def forward(me, now, pub, out):
        ...

The name of the function says which rule it takes the place of; `RULES` lists them.  A node follows such a system by
its settings: `system` is the one it is like, and `own` the row, of `ROWS`, that the host asked for.
"""

import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, TypeVar

from psvr.errors import BadInput

from . import constants as k

F = TypeVar("F", bound=Callable[..., Any])

RULES = {               # what may be replaced, and what it is called with
    "forward": ("me", "now", "pub", "out"),                     # where a PUB goes on to
    "detour": ("me", "now", "pub", "at", "avoid", "out"),       # and where, when that link failed
    "write_sub": ("me", "now", "part", "out"),                  # the next SUB to send …
    "hear_sub": ("me", "now", "sub", "out"),                    # … and what it teaches
    "clean": ("me", "now"),                                     # what is forgotten in time
}
OF_SUBS, SILENT = ("write_sub", "hear_sub", "clean"), ("ring", "flood")


@dataclass(frozen=True, eq=False)
class Own:
    """A system of one's own."""

    name: str
    like: str
    rules: dict[str, Callable[..., Any]] = field(default_factory=dict)


OWN: dict[str, Own] = {}
ROWS: list[Own | None] = [None]         # row 0 is nobody's
lock = threading.Lock()


def known() -> tuple[str, ...]:
    """All systems that nodes can run."""
    return (*k.SYSTEMS, *OWN)


def own_rule(name: str, *, like: str) -> Callable[[F], F]:
    """Let a function take the place of the rule of its name, in a system that is else like a built-in one."""
    if not isinstance(name, str) or name in k.SYSTEMS:
        raise BadInput(f"own_rule: must have a system's name that is not {', '.join(k.SYSTEMS)}, not {name!r}")
    if like not in k.SYSTEMS:
        raise BadInput(f"own_rule: like must be one of {', '.join(k.SYSTEMS)}, not {like!r}")

    def register(function: F) -> F:
        rule = getattr(function, "__name__", "")
        if not isinstance(function, FunctionType) or inspect.isgeneratorfunction(function) or rule not in RULES:
            raise BadInput(f"own_rule: must mark a function called {', '.join(RULES)}, not {rule or function!r}")
        if tuple(inspect.signature(function).parameters) != RULES[rule]:
            raise BadInput(f"own_rule: must be {rule}({', '.join(RULES[rule])})")
        if rule in OF_SUBS and like in SILENT:
            raise BadInput(f"own_rule: {rule} needs a system with SUBs to be like, and {like} has none")
        before = OWN.get(name, Own(name, like))
        if before.like != like:
            raise BadInput(f"own_rule: {name} is like {before.like}, and cannot be like {like} too")
        if rule in before.rules:
            raise BadInput(f"own_rule: {name} has {rule} already")
        OWN[name] = Own(name, like, {**before.rules, rule: function})
        return function
    return register


def new_row(own: Own) -> int:
    """A number by which nodes can follow a system of one's own, for `settings.own`."""
    with lock:
        if len(ROWS) >= k.OWN_MOST:
            raise BadInput(f"system {own.name}: {k.OWN_MOST - 1} systems were run before it; start a new process")
        ROWS.append(own)
        return len(ROWS) - 1


def given(row: int, column: int) -> bool:
    """The system of this row has a rule of its own for the `column`-th of RULES."""
    own = ROWS[row] if row < len(ROWS) else None
    return own is not None and list(RULES)[column] in own.rules


def call(row: int, column: int, arguments: tuple[Any, ...]) -> Any:
    own = ROWS[row]
    assert own is not None
    return own.rules[list(RULES)[column]](*arguments)
