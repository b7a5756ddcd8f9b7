"""Kinds of trial: what is done with the parameters of a trial.

A kind is a module: two come with psvr, and `trial.py` in the folder of a study is a third, called `own`.
"""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from psvr.errors import BadInput

from ..files import module_of

if TYPE_CHECKING:
    import pyarrow as pa

NAMES = ("settled", "simulated", "own")
OWN = "trial.py"


class Kind(Protocol):
    """The same arguments give the same results anywhere: no clock, no randomness but the seed's."""

    RESULTS: "pa.Schema"

    def resolve(self, parameters: dict[str, Any]) -> dict[str, Any] | None:
        """Parameters with words turned into numbers; None: they do not go together and are left out."""

    def cost(self, parameters: dict[str, Any], scenario: dict[str, Any] | None) -> float:
        """Seconds on one core, roughly, for one system."""

    def run(self, parameters: dict[str, Any], scenario: dict[str, Any] | None, seed: int,
            systems: list[str]) -> list[dict[str, Any]]:
        """Results under each of the systems, in their order."""


def kind(name: str, files: Sequence[tuple[str, str]] = ()) -> Kind:
    """The module of a kind; `files` are names and texts of the study's own Python files."""
    if name != "own":
        return importlib.import_module(f"psvr.lab.kinds.{name}")
    text = dict(files).get(OWN)
    if text is None:
        raise BadInput(f'kind = "own": the folder of the study must have a {OWN}')
    module = module_of(OWN, text)
    missing = [what for what in ("RESULTS", "resolve", "cost", "run") if not hasattr(module, what)]
    if missing:
        raise BadInput(f"{OWN}: must have {', '.join(missing)}")
    return module


def known_systems(name: str) -> tuple[str, ...] | None:
    """The systems that trials of a kind can be run under; None: the kind alone knows."""
    if name == "settled":
        from psvr.routing.systems import SYSTEMS
        return tuple(SYSTEMS)
    if name == "simulated":
        from psvr.protocol.systems import known
        return known()
    return None
