"""Nodes joined by the kernel: each has a namespace and a virtual Ethernet pair on a bridge with a filter.

The filter is an nftables table: a set of pairs of interfaces that may hear each other, and a share that is dropped.
All names contain the id of the process that made them, so that the next swarm finds and removes what a killed one left.
"""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterable

from psvr.errors import BadInput

INSIDE = "psvr0"  # the interface of a node, in its namespace
PARTS = 10_000  # resolution of the loss


class Namespaces:
    """A medium for members, which use multicast on their own interfaces."""

    def __init__(self, loss: float = 0.0) -> None:
        if os.geteuid() != 0:
            raise BadInput("--netns: must be run as root; without it, nodes are joined in user space")
        for tool, package in (("ip", "iproute2"), ("nft", "nftables")):
            if shutil.which(tool) is None:
                raise BadInput(f"--netns: needs the command {tool}, from the package {package}")
        self.loss, self.count, self.mark = loss, 0, os.getpid()
        self.claimed: socket.socket | None = None

    async def start(self, members: int) -> None:
        """Create the namespaces, without any connection between them yet."""
        remove_leftovers()
        self.claimed, self.count = claim(self.mark), members
        if self.claimed is None:
            raise BadInput("--netns: this process has a swarm in namespaces already")
        bridge = f"pv{self.mark}"
        ip(f"link add {bridge} type bridge mcast_snooping 0", f"link set {bridge} up")
        for v in range(members):
            name, port = self.space(v), self.port(v)
            ip(
                f"netns add {name}",
                f"link add {port} type veth peer name {INSIDE} netns {name}",
                f"link set {port} master {bridge} up",
            )
            ip(
                "link set lo up",
                f"link set {INSIDE} addrgenmode none",
                f"link set {INSIDE} up",
                f"addr add fe80::{v + 1:x}/64 dev {INSIDE} nodad",
                space=name,
            )
        filter_with(self.table())

    def space(self, v: int) -> str:
        return f"psvr-swarm-{self.mark}-{v}"

    def port(self, v: int) -> str:
        return f"pv{self.mark}n{v}"

    def table(self) -> str:
        """The rules of the filter, which leave other bridges of this machine alone."""
        drop = f"iifname . oifname @links numgen random mod {PARTS} < {round(self.loss * PARTS)} drop"
        return (
            f"table bridge psvr_swarm_{self.mark} {{\n set links {{ type ifname . ifname; }}\n"
            " chain forward {\n  type filter hook forward priority 0; policy accept;\n"
            f"  {drop if self.loss else ''}\n  iifname . oifname @links accept\n"
            f'  iifname "pv{self.mark}n*" drop\n }}\n}}\n'
        )

    def prefix(self, v: int) -> list[str]:
        return ["ip", "netns", "exec", self.space(v)]

    def flags(self, v: int) -> list[str]:
        return ["--interface", INSIDE]

    def connect(self, links: Iterable[tuple[int, int]]) -> None:
        """Change all links in one step, so that nothing slips through in between."""
        name = f"bridge psvr_swarm_{self.mark} links"
        pairs = [f'"{self.port(a)}" . "{self.port(b)}"' for u, v in links for a, b in ((u, v), (v, u))]
        filter_with(f"flush set {name}\n" + (f"add element {name} {{ {', '.join(pairs)} }}\n" if pairs else ""))

    def close(self) -> None:
        if self.claimed is not None:
            remove(self.mark)
            self.claimed.close()
            self.claimed = None


def claim(mark: int) -> socket.socket | None:
    """Reserve a kernel name that vanishes with the process; None if it is taken."""
    held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        held.bind(f"\0psvr-swarm-{mark}")
    except OSError:
        held.close()
        return None
    return held


def remove_leftovers() -> None:
    """Remove what killed swarms could not remove themselves."""
    for mark in marks():
        held = claim(mark)
        if held is not None:
            remove(mark)
            held.close()


def marks() -> set[int]:
    found = re.findall(r"^psvr-swarm-([0-9]+)-[0-9]+\b", tool(["ip", "netns", "list"]), re.MULTILINE)
    found += re.findall(r"^[0-9]+: pv([0-9]+)(?:n[0-9]+)?[@:]", tool(["ip", "-o", "link"]), re.MULTILINE)
    found += re.findall(r"psvr_swarm_([0-9]+)", tool(["nft", "list", "tables", "bridge"]))
    return set(map(int, found))


def remove(mark: int) -> None:
    """Remove whatever exists of a swarm; interfaces vanish with their namespaces."""
    names = re.findall(rf"^(psvr-swarm-{mark}-[0-9]+)\b", tool(["ip", "netns", "list"]), re.MULTILINE)
    attempt(["ip", "-force", "-batch", "-"], "".join(f"netns del {name}\n" for name in names))
    attempt(["ip", "link", "del", f"pv{mark}"])
    attempt(["nft", "delete", "table", "bridge", f"psvr_swarm_{mark}"])


def ip(*lines: str, space: str | None = None) -> None:
    tool(["ip", *(["-n", space] if space else []), "-batch", "-"], "".join(f"{line}\n" for line in lines))


def filter_with(rules: str) -> None:
    tool(["nft", "-f", "-"], rules)


def attempt(command: list[str], given: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


def tool(command: list[str], given: str = "") -> str:
    done = attempt(command, given)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise BadInput(f"--netns: {command[0]} failed: {lines[0] if lines else f'exit code {done.returncode}'}")
    return done.stdout
