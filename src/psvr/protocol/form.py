"""In which form a rule runs: as plain Python, or compiled where this file is imported through `psvr.compiled`.

`psvr.checked` is the compiled form once more, with a look at every place in a table: for rules of one's own.
"""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["COMPILED", "bundle", "rule", "survey"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

COMPILED = not __name__.startswith("psvr.protocol")

if COMPILED:
    from psvr.jit import in_place, jit

    CHECKED = __name__.startswith("psvr.checked")

    def bundle(cls: type[T]) -> type[T]:
        return cls

    def rule(function: F) -> F:
        return jit(function, checked=True) if CHECKED else in_place(function)

    def survey(function: F) -> F:
        return jit(function, checked=CHECKED)
else:
    def bundle(cls: type[T]) -> type[T]:
        """Make a record of a named tuple, which compiled rules need: fields of a record are found faster."""
        names: tuple[str, ...] = cls._fields     # type: ignore[attr-defined]

        def init(self: Any, *values: Any) -> None:
            for name, value in zip(names, values, strict=True):
                setattr(self, name, value)
        body = {"__slots__": names, "__doc__": cls.__doc__, "__module__": cls.__module__, "__init__": init}
        return type(cls.__name__, (), body)

    def rule(function: F) -> F:
        """Mark a function as a rule of the protocol: it works on what it is handed, and makes no lists."""
        return function

    def survey(function: F) -> F:
        """Mark a function that looks at whole networks, and may make lists."""
        return function
