"""What hosts do beyond the paper, as named sets of settings: `paper` has nothing of it, `full` has all."""

from typing import Any

from . import constants as k
from .records import Settings

FULL = {
    "wait": k.KEEP, "repeat": k.KEEP, "custody": k.KEEP, "doubt": 1, "detour": 1, "rounds": k.ROUNDS, "memory": 1,
    "sub_copies": k.SUB_COPIES, "sub_acks": 1, "write_back": k.WRITE_BACK, "cleans": k.CLEANS, "bursts": k.BURSTS,
    "relay_pause": k.RELAY_PAUSE}
PAPER = {
    "wait": 0, "repeat": 0, "custody": 0, "doubt": 0, "detour": 0, "rounds": 0, "memory": 0,
    "sub_copies": 1, "sub_acks": 0, "write_back": k.WRITE_BACK_PAPER, "cleans": k.CLEANS, "bursts": 1,
    "relay_pause": k.RELAY_PAUSE}
PROFILES = {"full": FULL, "paper": PAPER}
TIMES = ("wait", "repeat", "custody", "relay_pause")        # in seconds where people write them


def policies(profile: str, **chosen: Any) -> dict[str, int]:
    """The settings of a profile, with those that are chosen beside it: seconds, numbers, and true or false."""
    picked = {name: round(value * k.SECOND) if name in TIMES else int(value) for name, value in chosen.items()
              if value is not None}
    return {**PROFILES[profile], **picked}


def apply(settings: Settings, found: dict[str, int]) -> None:
    for name, value in found.items():
        setattr(settings, name, value)
