"""Systems of the paper's related work, one file each, written as the custom systems of users are.

After `register()` they are known by name; each is loaded when it is first named.  They import nothing but the protocol
and exact routing.  `docs/related-work.md` says what was taken from the literature, and what was left open or done
differently.
"""

import importlib
from collections.abc import Callable
from typing import Any

from psvr.protocol.systems import provide

MODULES = {
    "diffusion": "psvr.related.diffusion",
    "jaeger": "psvr.related.jaeger",
    "vr2015-ring": "psvr.related.vr2015",
}


def register() -> None:
    """Make all of them known by their names; doing so again changes nothing."""
    for name, module in MODULES.items():
        provide(name, module)


def survey_of(name: str) -> Callable[[Any, Any], bool] | None:
    """Return the function by which a system says of living nodes and their clocks whether its tables are right.

    None if it has no such function `legitimate`, or is none of these systems.
    """
    module = importlib.import_module(MODULES[name]) if name in MODULES else None
    return getattr(module, "legitimate", None)
