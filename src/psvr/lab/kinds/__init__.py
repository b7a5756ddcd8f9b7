"""Kinds of trial: what a trial does with its parameters.

A kind is a module: three come with psvr, and `trial.py` in the folder of a study is a fourth, called `own`.
"""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from psvr.errors import BadInput
from psvr.lab.code import module_of
from psvr.related import register

if TYPE_CHECKING:
    import pyarrow as pa

register()

NAMES = ("settled", "simulated", "stabilizing", "own")
OWN = "trial.py"
Values = dict[str, Any]  # parameters, the tables of a scenario, or results, by their names


class Kind(Protocol):
    """The same arguments give the same results everywhere: no clock, and no randomness other than from the seed."""

    RESULTS: "pa.Schema"

    def resolve(self, parameters: Values) -> Values | None:
        """Return parameters with words turned into numbers, or None to leave out a combination that does not fit."""

    def cost(self, parameters: Values, scenario: Values | None) -> float:
        """Return roughly the seconds on one core for one system."""

    def run(self, parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
        """Return the results under each of the systems, in their order."""


def kind(name: str, files: Sequence[tuple[str, str]] = ()) -> Kind:
    """Return the module of a kind; `files` are names and texts of the study's own Python files."""
    if name != "own":
        return importlib.import_module(f"psvr.lab.kinds.{name}")
    text = dict(files).get(OWN)
    if text is None:
        raise BadInput(f'kind = "own": the folder of the study must have a {OWN}')
    module = module_of(OWN, text)
    missing = [part for part in ("RESULTS", "resolve", "cost", "run") if not hasattr(module, part)]
    if missing:
        raise BadInput(f"{OWN}: must have {', '.join(missing)}")
    return module


def known_systems(name: str) -> tuple[str, ...] | None:
    """Return the systems that trials of a kind can be run under, or None if only the kind knows."""
    if name == "settled":
        from psvr.routing.systems import names

        return names()
    if name in ("simulated", "stabilizing"):
        from psvr.protocol.systems import known

        return known()
    return None
