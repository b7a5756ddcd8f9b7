"""What hosts do beyond the paper, as named sets of settings: `paper` has none of it, `full` everything."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import constants as k
from ..records import Settings


class Policy(NamedTuple):
    """The meaning of one setting, its range, and its value in each profile, as people write it."""

    full: float | bool
    paper: float | bool
    low: float  # of a number; in seconds, if `full` is a float
    high: float
    meaning: str


HELD = k.MAX_HELD / k.SECOND
POLICIES = {
    "wait": Policy(k.KEEP / k.SECOND, 0.0, 0, HELD, "seconds that a publication waits for a ring"),
    "repeat": Policy(
        k.KEEP / k.SECOND, 0.0, 0, HELD, "seconds in which its origin publishes it again if its ring was lost"
    ),
    "doubt": Policy(True, False, 0, 1, "it is also repeated if it was sent before subscribers were known"),
    "custody": Policy(
        k.KEEP / k.SECOND, 0.0, 0, HELD, "seconds that a node keeps what is stuck there, and tries again"
    ),
    "detour": Policy(True, False, 0, 1, "when a link fails, the second-best neighbour is tried"),
    "rounds": Policy(k.ROUNDS, 0, 0, 100, "how often all attempts on a link are made again, a second later"),
    "memory": Policy(True, False, 0, 1, "nothing is handed to an application twice"),
    "reminders": Policy(
        k.REMINDERS,
        0,
        0,
        100,
        "how often a change of tree or ring is repeated to tree neighbours that do not act on it",
    ),
    "sub_acks": Policy(True, False, 0, 1, "SUBs go to each tree neighbour, which acknowledges them"),
    "sub_copies": Policy(
        k.SUB_COPIES, 1, 1, 10, "without `sub_acks`: how often each SUB is broadcast at most, more often on worse links"
    ),
    "bursts": Policy(k.BURSTS, 1, 1, 3, "how often subscriptions are announced on a new ring"),
    "relay_pause": Policy(
        k.RELAY_PAUSE / k.SECOND, k.RELAY_PAUSE / k.SECOND, 0, 60, "seconds in which the same SUB is relayed only once"
    ),
    "write_back": Policy(k.WRITE_BACK, k.WRITE_BACK_PAPER, 1, 1000, "T_w/back, in leases"),
    "cleans": Policy(k.CLEANS, k.CLEANS, 1, 1000, "T_clean is a lease divided by this"),
}
PROFILES = ("full", "paper")


def policies(profile: str = "full", **chosen: Any) -> dict[str, int]:
    """Return the settings of a profile, replaced by those that are chosen, if not None."""
    found = {}
    for name, policy in POLICIES.items():
        value = chosen.get(name)
        found[name] = as_setting(policy, getattr(policy, profile) if value is None else value)
    return found


def as_setting(policy: Policy, value: float | bool) -> int:
    """Return a value as the record `Settings` has it: times in µs."""
    return round(value * k.SECOND) if isinstance(policy.full, float) else int(value)


def apply(settings: Settings, found: Mapping[str, int]) -> None:
    """Write what `policies` has returned."""
    for name, value in found.items():
        setattr(settings, name, value)
