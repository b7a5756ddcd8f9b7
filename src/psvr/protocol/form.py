"""The form in which a rule runs: plain Python, or compiled if this file is imported through `psvr.compiled`.

`psvr.checked` is the compiled form with a bounds check on every access to a table: for custom rules.
"""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["COMPILED", "bundle", "rule", "survey"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

COMPILED = not __name__.startswith("psvr.protocol")

if COMPILED:
    from psvr.jit import jit, jit_no_alloc

    CHECKED = __name__.startswith("psvr.checked")

    def bundle(cls: type[T]) -> type[T]:
        return cls

    def rule(function: F) -> F:
        return jit(function, checked=True) if CHECKED else jit_no_alloc(function)

    def survey(function: F) -> F:
        return jit(function, checked=CHECKED)
else:

    def bundle(cls: type[T]) -> type[T]:
        """Turn a named tuple, which compiled rules need, into a class with slots, whose fields are found faster."""
        names: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]

        def init(self: Any, *values: Any) -> None:
            for name, value in zip(names, values, strict=True):
                setattr(self, name, value)

        body = {"__slots__": names, "__doc__": cls.__doc__, "__module__": cls.__module__, "__init__": init}
        return type(cls.__name__, (), body)

    def rule(function: F) -> F:
        """Mark a function as a rule of the protocol: it works on its arguments and creates no lists."""
        return function

    def survey(function: F) -> F:
        """Mark a function that examines whole networks and may create lists."""
        return function
