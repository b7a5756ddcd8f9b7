"""In which form a rule runs: as plain Python, or compiled where this file is imported through `psvr.compiled`.

`psvr.checked` is the compiled form once more, with a look at every place in a table: for rules of one's own.
"""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["COMPILED", "rule", "survey"]

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not __name__.startswith("psvr.protocol")

if COMPILED:
    from psvr.jit import in_place, jit

    CHECKED = __name__.startswith("psvr.checked")

    def rule(function: F) -> F:
        return jit(function, checked=True) if CHECKED else in_place(function)

    def survey(function: F) -> F:
        return jit(function, checked=CHECKED)
else:
    def rule(function: F) -> F:
        """Mark a function as a rule of the protocol: it works on what it is handed, and makes no lists."""
        return function

    def survey(function: F) -> F:
        """Mark a function that looks at whole networks, and may make lists."""
        return function
