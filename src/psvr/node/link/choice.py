"""Which link the settings ask for, and whether it is confined to this machine."""

import ipaddress
import socket
from pathlib import Path

from psvr.errors import BadInput
from psvr.node.config.kinds import ether_address, host_port

from .base import Link
from .ether import Ether
from .udp import GROUP4, GROUP6, Multicast, Peers

LOOPBACK = "lo"
IS_LOOPBACK = 0x8  # flag of an interface
HOW_TO_OPEN = "make a key with psvr keygen and set key_file, or set open = true if everyone may read and write"


def link_for(
    interface: str | None, group: str | None, port: int, listen: str | None, peers: tuple[str, ...], private: bool
) -> Link:
    """Multicast on an interface, or peers by address; with neither, multicast among the nodes of this machine."""
    if not listen and not peers:
        interface = interface or LOOPBACK
        if private and not is_own_interface(interface):
            raise BadInput(f"interface: without a key only {LOOPBACK} is used, not {interface}: {HOW_TO_OPEN}")
        return multicast(interface, group, port)
    known = [parsed(peer) for peer in peers]
    at = parsed(listen) if listen else (any_address([host for host, _ in known]), port)
    for key, host in (*(("peers", host) for host, _ in known), ("listen", at[0])):
        if private and not is_own_address(host):
            raise BadInput(f"{key}: without a key only addresses of this machine are used, not {host}: {HOW_TO_OPEN}")
    return Peers(at, known)


def ether_for(text: str, private: bool) -> Ether:
    found = ether_address(text)
    assert found is not None, text  # checked when it was set
    if private and not is_own_address(found[0][0]):
        raise BadInput(
            f"ether: without a key only addresses of this machine are used, not {found[0][0]}: {HOW_TO_OPEN}"
        )
    return Ether(*found)


def multicast(interface: str, group: str | None, port: int) -> Multicast:
    """On loopback nothing is accepted from other machines, and IPv4 is used because it works there."""
    if not is_own_interface(interface):
        return Multicast(interface, port, group or GROUP6)
    group = group or GROUP4
    return Multicast(interface, port, group, "::1" if ":" in group else "127.0.0.1")


def parsed(text: str) -> tuple[str, int]:
    found = host_port(text)
    assert found is not None, text  # checked when it was set
    return found


def any_address(hosts: list[str]) -> str:
    """The address to listen at for these hosts: any, or loopback if they are all on this machine."""
    version = 6 if ":" in hosts[0] else 4
    if all(is_own_address(host) for host in hosts):
        return "::1" if version == 6 else "127.0.0.1"
    return "::" if version == 6 else "0.0.0.0"


def is_own_address(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_own_interface(name: str) -> bool:
    """Whether it is a loopback interface; true also of one that does not exist, which the link reports at its start."""
    if name not in {known for _, known in socket.if_nameindex()}:
        return True
    try:
        return bool(int(Path("/sys/class/net", name, "flags").read_text(), 16) & IS_LOOPBACK)
    except (OSError, ValueError):
        return name == LOOPBACK
