"""zenoh: two peers with a connection; peers do not route, so more hops are a line of routers between two clients."""

import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from tests.support.ports import free_ports

from .form import CHANNEL, Arrived, Plan, Send, Spec, Variant

VARIANTS = (Variant("zenoh, reliable, blocking", "zeno"),)


def missing() -> str | None:
    try:
        import zenoh  # noqa: F401
    except ImportError:
        return "pip install eclipse-zenoh"
    return None


def plan(variant: Variant, hops: int, folder: Path) -> Plan:
    at = [f"tcp/127.0.0.1:{port}" for port in free_ports(max(hops - 1, 1), socket.SOCK_STREAM)]
    if hops == 1:
        return Plan({"mode": "peer", "connect": at}, {"mode": "peer", "listen": at}, "TCP between peers")
    routers: list[Spec] = [
        {"mode": "router", "listen": [here], "connect": at[i + 1 : i + 2]} for i, here in enumerate(at)
    ]
    return Plan(
        {"mode": "client", "connect": at[:1]},
        {"mode": "client", "connect": at[-1:]},
        "TCP between routers and two clients",
        relays=routers[::-1],
    )


@contextmanager
def session(spec: Spec) -> Iterator[Any]:
    import zenoh

    config = zenoh.Config()
    config.insert_json5("mode", json.dumps(spec["mode"]))
    for key in ("listen", "connect"):
        config.insert_json5(f"{key}/endpoints", json.dumps(spec.get(key, [])))
    for kind in ("multicast", "gossip"):
        config.insert_json5(f"scouting/{kind}/enabled", "false")
    with zenoh.open(config) as opened:
        yield opened


@asynccontextmanager
async def publisher(spec: Spec) -> AsyncIterator[Send]:
    import zenoh

    with session(spec) as opened:
        to = opened.declare_publisher(
            CHANNEL, congestion_control=zenoh.CongestionControl.BLOCK, reliability=zenoh.Reliability.RELIABLE
        )

        async def send(data: bytes) -> None:
            to.put(data)

        yield send


@asynccontextmanager
async def subscriber(spec: Spec, arrived: Arrived) -> AsyncIterator[None]:
    with session(spec) as opened:
        opened.declare_subscriber(CHANNEL, lambda sample: arrived(sample.payload.to_bytes()))
        yield


@asynccontextmanager
async def relay(spec: Spec) -> AsyncIterator[None]:
    with session(spec):
        yield
