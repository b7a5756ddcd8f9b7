"""What hosts do beyond the paper, as named sets of settings: `paper` has nothing of it, `full` has all."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from . import constants as k
from .records import Settings


class Policy(NamedTuple):
    """What one setting is for, what it may be, and what it is in each profile, as people write it."""

    full: float | bool
    paper: float | bool
    least: float                # of a number; seconds, if `full` is one with a point
    most: float
    meaning: str


HELD = k.HELD_MOST / k.SECOND
POLICIES = {
    "wait": Policy(k.KEEP / k.SECOND, 0.0, 0, HELD, "seconds that a publication waits for a ring"),
    "repeat": Policy(k.KEEP / k.SECOND, 0.0, 0, HELD,
                     "seconds for which its origin publishes it again when its ring was lost"),
    "doubt": Policy(True, False, 0, 1, "it is also repeated if it went out before subscribers were known"),
    "custody": Policy(k.KEEP / k.SECOND, 0.0, 0, HELD,
                      "seconds that a node keeps what is stuck there, and tries again"),
    "detour": Policy(True, False, 0, 1, "when a link fails, the second-best neighbour is tried"),
    "rounds": Policy(k.ROUNDS, 0, 0, 100, "how often all tries on a link are made again, a second later"),
    "memory": Policy(True, False, 0, 1, "nothing is handed to an application twice"),
    "reminders": Policy(k.REMINDERS, 0, 0, 100,
                        "how often a change of tree or ring is said again to tree neighbours that do not act upon it"),
    "sub_acks": Policy(True, False, 0, 1, "SUBs go to each tree neighbour, who acknowledges them"),
    "sub_copies": Policy(k.SUB_COPIES, 1, 1, 10,
                         "where they do not, each is broadcast at most so often, the more the worse links are"),
    "bursts": Policy(k.BURSTS, 1, 1, 3, "how often subscriptions are announced on a new ring"),
    "relay_pause": Policy(k.RELAY_PAUSE / k.SECOND, k.RELAY_PAUSE / k.SECOND, 0, 60,
                          "seconds in which the same SUB is relayed once"),
    "write_back": Policy(k.WRITE_BACK, k.WRITE_BACK_PAPER, 1, 1000, "T_w/back, in leases"),
    "cleans": Policy(k.CLEANS, k.CLEANS, 1, 1000, "T_clean is a lease divided by this"),
}
PROFILES = ("full", "paper")


def policies(profile: str = "full", **chosen: Any) -> dict[str, int]:
    """The settings of a profile, with those that are chosen beside it; None is none."""
    found = {}
    for name, policy in POLICIES.items():
        value = chosen.get(name)
        found[name] = in_settings(policy, getattr(policy, profile) if value is None else value)
    return found


def in_settings(policy: Policy, value: float | bool) -> int:
    return round(value * k.SECOND) if isinstance(policy.full, float) else int(value)


def apply(settings: Settings, found: Mapping[str, int]) -> None:
    for name, value in found.items():
        setattr(settings, name, value)
