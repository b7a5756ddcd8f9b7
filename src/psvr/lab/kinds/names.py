"""Systems as studies name them: `psvr/nontree` is a system and its set of shortcuts; `psvr` alone is `psvr/all`."""

from psvr.errors import BadInput, did_you_mean, shown
from psvr.routing.kernels.shortcuts import SETS
from psvr.routing.systems import is_known, names


def system_name(name: str) -> tuple[str, str]:
    """Return system and shortcuts; whether there is such a system is checked where it runs."""
    system, slash, shortcuts = name.partition("/")
    if slash and shortcuts not in SETS:
        raise BadInput(f"system {shown(name)}: after / must come one of {', '.join(SETS)}")
    return system, shortcuts or SETS[0]


def settled_name(name: str) -> tuple[str, str]:
    """Return the same, for a system that routes in settled networks."""
    system, shortcuts = system_name(name)
    if not is_known(system):
        raise BadInput(f"system {shown(name)}: unknown{did_you_mean(system, names())}; there are {', '.join(names())}")
    return system, shortcuts
