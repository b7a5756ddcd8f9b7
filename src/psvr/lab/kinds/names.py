"""Systems as studies name them: a system, and variants of it that meet the same trials.

`psvr/nontree` is a system with its set of shortcuts, and `psvr/all/paper` one with a profile of hosts as well; what is
left out is the default: `psvr` is `psvr/all` under the profile of the scenario, which is `full` if it has none.
"""

from typing import NamedTuple

from psvr.errors import BadInput, did_you_mean, shown
from psvr.protocol.host.profiles import PROFILES
from psvr.routing.kernels.shortcuts import SETS
from psvr.routing.systems import is_known, names


class Variant(NamedTuple):
    """A system as a study names it."""

    system: str
    shortcuts: str
    profile: str  # empty: that of the scenario


def variant_of(name: str) -> Variant:
    """Return the parts of a name; whether there is such a system is checked where it runs."""
    system, *parts = name.split("/")
    shortcuts = [part for part in parts if part in SETS]
    profiles = [part for part in parts if part in PROFILES]
    if len(shortcuts) > 1 or len(profiles) > 1 or len(shortcuts) + len(profiles) < len(parts):
        raise BadInput(
            f"system {shown(name)}: after / may come one of {', '.join(SETS)}, then one of {', '.join(PROFILES)}"
        )
    return Variant(system, *(shortcuts or SETS[:1]), *(profiles or [""]))


def without_profile(name: str) -> str:
    """Return the name without its profile of hosts."""
    return "/".join(part for part in name.split("/") if part not in PROFILES)


def settled_name(name: str) -> tuple[str, str]:
    """Return system and shortcuts of a system that routes in settled networks, which have no hosts."""
    system, shortcuts, profile = variant_of(name)
    if not is_known(system):
        raise BadInput(f"system {shown(name)}: unknown{did_you_mean(system, names())}; there are {', '.join(names())}")
    if profile:
        raise BadInput(f"system {shown(name)}: in a settled network there are no hosts, so it has no profile")
    return system, shortcuts
