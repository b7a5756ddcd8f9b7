"""Custom systems, by name: each is like a built-in one, except for the rules given in a file of the user.

    @custom_rule("tree-steps", like="psvr")
    def forward(me, now, pub, out):
        ...

The name of the function says which rule it replaces; `RULES` lists them.  A node follows such a system by its
settings: `system` is the built-in system that it is like, and `custom` the row of `ROWS` that `new_row` returned.

Packages above may come with custom systems, too: they `provide` their names, and a system is loaded when it is first
named.
"""

import importlib
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, TypeVar

from psvr.errors import BadInput

from . import constants as k

F = TypeVar("F", bound=Callable[..., Any])

RULES = {  # what may be replaced, and the parameters of each
    "forward": ("me", "now", "pub", "out"),  # where a PUB goes next
    "detour": ("me", "now", "pub", "at", "avoid", "out"),  # … and where when that link failed
    "write_sub": ("me", "now", "part", "out"),  # the next SUB to send …
    "hear_sub": ("me", "now", "sub", "out"),  # … and what it teaches
    "clean": ("me", "now"),  # what is forgotten over time
}
SUB_RULES, WITHOUT_SUBS = ("write_sub", "hear_sub", "clean"), ("ring", "flood")


@dataclass(frozen=True, eq=False)
class CustomSystem:
    """A system of the user."""

    name: str
    like: str
    rules: dict[str, Callable[..., Any]] = field(default_factory=dict)


CUSTOM: dict[str, CustomSystem] = {}
PROVIDED: dict[str, str] = {}  # systems that are loaded on demand, by name → the module that registers them
ROWS: list[CustomSystem | None] = [None]  # row 0 belongs to nobody
lock = threading.Lock()


def known() -> tuple[str, ...]:
    """The names of all systems that nodes can run."""
    return tuple(dict.fromkeys((*k.SYSTEMS, *PROVIDED, *CUSTOM)))


def provide(name: str, module: str) -> None:
    """Make a system known by its name; importing the module registers it."""
    PROVIDED[name] = module


def load_provided(name: str) -> None:
    """Import the module of this system if it is one that is loaded on demand."""
    if name in PROVIDED:
        importlib.import_module(PROVIDED[name])


def is_taken(name: str, module: str) -> bool:
    """Return whether the name belongs to a system that is loaded on demand, from another module than this one."""
    return PROVIDED.get(name, module) != module


def custom_rule(name: str, *, like: str) -> Callable[[F], F]:
    """Make a function replace the rule of the same name, in a system that is otherwise like a built-in one."""
    if not isinstance(name, str) or name in k.SYSTEMS:
        raise BadInput(f"custom_rule: the name must be a text other than {', '.join(k.SYSTEMS)}, not {name!r}")
    if like not in k.SYSTEMS:
        raise BadInput(f"custom_rule: like must be one of {', '.join(k.SYSTEMS)}, not {like!r}")

    def register(function: F) -> F:
        rule = getattr(function, "__name__", "")
        if not isinstance(function, FunctionType) or inspect.isgeneratorfunction(function) or rule not in RULES:
            raise BadInput(f"custom_rule: must mark a function called {', '.join(RULES)}, not {rule or function!r}")
        if tuple(inspect.signature(function).parameters) != RULES[rule]:
            raise BadInput(f"custom_rule: must be {rule}({', '.join(RULES[rule])})")
        if rule in SUB_RULES and like in WITHOUT_SUBS:
            raise BadInput(f"custom_rule: {rule} cannot be replaced in a system like {like}, which has no SUBs")
        if is_taken(name, function.__module__):
            raise BadInput(f"custom_rule: {name} is a system that comes with psvr; give yours another name")
        before = CUSTOM.get(name, CustomSystem(name, like))
        if before.like != like:
            raise BadInput(f"custom_rule: {name} is like {before.like}, and cannot be like {like} too")
        if rule in before.rules:
            raise BadInput(f"custom_rule: {name} already has the rule {rule}")
        CUSTOM[name] = CustomSystem(name, like, {**before.rules, rule: function})
        return function

    return register


own_rule = custom_rule  # the former name, until 0.2


def new_row(custom: CustomSystem) -> int:
    """Return a number for `settings.custom`, by which nodes can follow a custom system."""
    with lock:
        if len(ROWS) >= k.MAX_CUSTOM:
            raise BadInput(f"system {custom.name}: {k.MAX_CUSTOM - 1} systems were run before it; start a new process")
        ROWS.append(custom)
        return len(ROWS) - 1


def given(row: int, column: int) -> bool:
    """Return whether the system of this row replaces the `column`-th of RULES."""
    custom = ROWS[row] if row < len(ROWS) else None
    return custom is not None and list(RULES)[column] in custom.rules


def call(row: int, column: int, arguments: tuple[Any, ...]) -> Any:
    """Call the `column`-th of RULES as the system of this row has it, and return what it returns."""
    custom = ROWS[row]
    assert custom is not None
    return custom.rules[list(RULES)[column]](*arguments)
