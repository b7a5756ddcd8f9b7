"""In which form a rule runs: as plain Python, or compiled where this file is imported through `psvr.compiled`."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["COMPILED", "rule"]

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = __name__.startswith("psvr.compiled")

if COMPILED:
    from psvr.jit import jit as rule
else:
    def rule(function: F) -> F:
        """Mark a function as a rule of the protocol."""
        return function
