"""The simulator: whole networks on one machine, every node running the rules of `psvr.protocol`, compiled.

net = Network(parse({"topology": {"kind": "geometric", "n": 50, "degree": 8}}))
net.run_until_stable()
net.subscribe(5, "news")
net.publish(0, "news")
net.run(10)
print(summarize(net)["delivery_ratio"])
"""

from typing import TYPE_CHECKING

from psvr.lazy import exports

if TYPE_CHECKING:
    from . import tables
    from .bound import healing_bound
    from .drawing import draw
    from .network import Network
    from .running import run_to_end
    from .scenario import Scenario, load, parse, to_toml
    from .summary import in_words, summarize

__all__ = [
    "Network",
    "Scenario",
    "draw",
    "healing_bound",
    "in_words",
    "load",
    "parse",
    "run_to_end",
    "summarize",
    "tables",
    "to_toml",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "bound": ["healing_bound"],
        "drawing": ["draw"],
        "network": ["Network"],
        "running": ["run_to_end"],
        "scenario": ["Scenario", "load", "parse", "to_toml"],
        "summary": ["in_words", "summarize"],
        "tables": ["tables"],
    },
)
