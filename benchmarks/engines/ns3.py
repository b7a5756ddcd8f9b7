"""The workload as C++ programs on ns-3, compiled here if ns-3 is installed."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.compiling import compiled
from psvr.graphs.graph import Graph

from . import workload as k

SOURCES = Path(__file__).parent / "cpp"
MODULES = {"devices": ("network", "core"), "core": ("core",)}
DEFAULT, FASTEST = "MapScheduler", "PriorityQueueScheduler"
PROGRAMS = {
    "ns-3, nodes and devices": ["devices", DEFAULT],
    "ns-3, nodes and devices, its fastest scheduler": ["devices", FASTEST],
    "ns-3, event core only, an event per reception": ["core", "reception", DEFAULT],
    "ns-3, event core only, an event per reception, fastest scheduler": ["core", "reception", FASTEST],
    "ns-3, event core only, an event per frame, fastest scheduler": ["core", "frame", FASTEST],
}


def programs(folder: Path, graph: Graph, seconds: int) -> dict[str, Callable[[], tuple[float, k.Counts]]]:
    """Functions that each run one program and return the seconds of the run alone, and its counts."""
    for name, modules in MODULES.items():
        compiled(SOURCES / f"{name}.cc", folder / name, modules)
    network = folder / "network.txt"
    k.write(graph, network)

    def job(program: str, *arguments: str) -> Callable[[], tuple[float, k.Counts]]:
        command = [str(folder / program), str(network), str(seconds), *arguments]
        return lambda: read(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    return {name: job(*arguments) for name, arguments in PROGRAMS.items()}


def read(output: str) -> tuple[float, k.Counts]:
    seconds, *counts = output.split()
    return float(seconds), k.Counts(*map(int, counts))
