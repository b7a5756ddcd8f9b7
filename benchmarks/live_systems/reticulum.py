"""Reticulum: a line of instances with transport on UDP interfaces; a Channel, which acknowledges, over a Link."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.ports import free_ports

from .form import Arrived, Plan, Send, Spec, Variant

VARIANTS = (Variant("Reticulum, Channel over Link", "reticulum"),)
APPLICATION, ASPECT = "bench", "live"
KIND = 0x0101  # of our messages on the Channel
ANNOUNCE = 2.0  # seconds between two announcements, until there is a Link
PAUSE = 0.0005  # seconds until a full window is checked again: the Channel has no callback for room
HEAD = """[reticulum]
enable_transport = Yes
share_instance = No
panic_on_interface_error = Yes
[logging]
loglevel = 1
[interfaces]
"""
INTERFACE = """[[{name}]]
type = UDPInterface
enabled = Yes
listen_ip = 127.0.0.1
listen_port = {here}
forward_ip = 127.0.0.1
forward_port = {there}
"""


def missing() -> str | None:
    try:
        import RNS  # noqa: F401
    except ImportError:
        return "pip install rns"
    return None


def plan(variant: Variant, hops: int, folder: Path) -> Plan:
    ports = free_ports(2 * hops)
    line: list[Spec] = []
    for i in range(hops + 1):
        text = HEAD
        if i > 0:
            text += INTERFACE.format(name="before", here=ports[2 * i - 1], there=ports[2 * i - 2])
        if i < hops:
            text += INTERFACE.format(name="after", here=ports[2 * i], there=ports[2 * i + 1])
        home = folder / str(i)
        home.mkdir()
        (home / "config").write_text(text)
        line.append({"home": str(home)})
    return Plan(line[0], line[-1], "UDP between instances", relays=line[1:-1])


def message_type() -> Any:
    from RNS import MessageBase

    class Bytes(MessageBase):  # type: ignore[misc]
        MSGTYPE = KIND

        def __init__(self, data: bytes = b"") -> None:
            self.data = data

        def pack(self) -> bytes:
            return self.data

        def unpack(self, raw: bytes) -> None:
            self.data = raw

    return Bytes


class FirstAnnounced:
    """Waits until the service we look for is announced."""

    aspect_filter = f"{APPLICATION}.{ASPECT}"

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.found: asyncio.Future[Any] = self.loop.create_future()

    def received_announce(self, destination_hash: bytes, announced_identity: Any, app_data: bytes | None) -> None:
        self.loop.call_soon_threadsafe(self.note, announced_identity)

    def note(self, identity: Any) -> None:
        if not self.found.done():
            self.found.set_result(identity)


async def linked() -> Any:
    """An open Link to whoever announces itself first."""
    import RNS

    handler = FirstAnnounced()
    RNS.Transport.register_announce_handler(handler)
    identity = await handler.found
    to = RNS.Destination(identity, RNS.Destination.OUT, RNS.Destination.SINGLE, APPLICATION, ASPECT)
    link = RNS.Link(to)
    while link.status != RNS.Link.ACTIVE:
        await asyncio.sleep(0.05)
    return link


@asynccontextmanager
async def publisher(spec: Spec) -> AsyncIterator[Send]:
    import RNS

    RNS.Reticulum(spec["home"])
    channel, kind = (await linked()).get_channel(), message_type()
    channel.register_message_type(kind)

    async def send(data: bytes) -> None:
        while not channel.is_ready_to_send():
            await asyncio.sleep(PAUSE)
        channel.send(kind(data))

    yield send


@asynccontextmanager
async def subscriber(spec: Spec, arrived: Arrived) -> AsyncIterator[None]:
    import RNS

    RNS.Reticulum(spec["home"])
    at = RNS.Destination(RNS.Identity(), RNS.Destination.IN, RNS.Destination.SINGLE, APPLICATION, ASPECT)
    kind, links = message_type(), []

    def take(message: Any) -> bool:
        arrived(message.data)
        return True

    def open_channel(link: Any) -> None:
        channel = link.get_channel()
        channel.register_message_type(kind)
        channel.add_message_handler(take)
        links.append(link)

    async def announce() -> None:
        while not links:
            at.announce()
            await asyncio.sleep(ANNOUNCE)

    at.set_link_established_callback(open_channel)
    task = asyncio.create_task(announce())
    yield
    task.cancel()


@asynccontextmanager
async def relay(spec: Spec) -> AsyncIterator[None]:
    import RNS

    RNS.Reticulum(spec["home"])
    yield
