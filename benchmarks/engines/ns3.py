"""The workload as C++ programs on ns-3, compiled here if ns-3 is installed."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from psvr.graphs.graph import Graph

from . import workload as k

SOURCES = Path(__file__).parent / "cpp"
LIBRARIES = {"devices": ["-lns3-network", "-lns3-core"], "core": ["-lns3-core"]}
OPTIONS = ["-std=c++17", "-O3", "-march=native"]  # for this processor, as numba does
INSTALL = "apt-get install libns3-dev g++ (Debian, Ubuntu)"
DEFAULT, FASTEST = "MapScheduler", "PriorityQueueScheduler"
PROGRAMS = {
    "ns-3, nodes and devices": ["devices", DEFAULT],
    "ns-3, nodes and devices, its fastest scheduler": ["devices", FASTEST],
    "ns-3, event core only, an event per reception": ["core", "reception", DEFAULT],
    "ns-3, event core only, an event per reception, fastest scheduler": ["core", "reception", FASTEST],
    "ns-3, event core only, an event per frame, fastest scheduler": ["core", "frame", FASTEST],
}


class Missing(Exception):
    """The programs cannot be compiled here; the text says why, and what to install."""


def build(folder: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        raise Missing(f"there is no g++; {INSTALL}")
    for name, libraries in LIBRARIES.items():
        command = [compiler, *OPTIONS, str(SOURCES / f"{name}.cc"), "-o", str(folder / name), *libraries]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line or "cannot find" in line]
            raise Missing(f"{(errors or ['g++ failed'])[0]}; {INSTALL}")


def programs(folder: Path, graph: Graph, seconds: int) -> dict[str, Callable[[], tuple[float, k.Counts]]]:
    """Functions that each run one program and return the seconds of the run alone, and its counts."""
    build(folder)
    network = folder / "network.txt"
    k.write(graph, network)

    def job(program: str, *arguments: str) -> Callable[[], tuple[float, k.Counts]]:
        command = [str(folder / program), str(network), str(seconds), *arguments]
        return lambda: read(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    return {name: job(*arguments) for name, arguments in PROGRAMS.items()}


def read(output: str) -> tuple[float, k.Counts]:
    seconds, *counts = output.split()
    return float(seconds), k.Counts(*map(int, counts))
