"""Scenarios: everything that decides a run, as a TOML file or as the same in Python objects.

`load` reads a file, `parse` a dictionary of the same form; `docs/scenarios.md` explains every key.  Times are in
seconds; nodes are numbered from 0 to n − 1, whatever their ids.
"""

from .loading import load, parse, to_toml
from .radio import Mobility, Radio
from .tables import Fault, Host, Protocol, Scenario, Subscribe, Topology, Traffic

__all__ = [
    "Fault",
    "Host",
    "Mobility",
    "Protocol",
    "Radio",
    "Scenario",
    "Subscribe",
    "Topology",
    "Traffic",
    "load",
    "parse",
    "to_toml",
]
