"""MQTT: paho-mqtt clients and mosquitto; more than one hop is a line of brokers, each with a bridge to the next."""

import asyncio
import shutil
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.ports import free_ports

from .form import CHANNEL, QUEUED, Arrived, Plan, Send, Spec, Variant

VARIANTS = (
    Variant("mosquitto, paho, QoS 1", "mqtt", {"qos": 1}),
    Variant("mosquitto, paho, QoS 0", "mqtt", {"qos": 0}),
)
SBIN = "/usr/sbin"  # where Debian installs the broker; not in every user's path
PATIENCE = 20  # seconds for a connection


def broker() -> str | None:
    return shutil.which("mosquitto") or shutil.which("mosquitto", path=SBIN)


def missing() -> str | None:
    try:
        import paho.mqtt.client  # noqa: F401
    except ImportError:
        return "pip install paho-mqtt"
    return None if broker() else "apt-get install mosquitto"


def plan(variant: Variant, hops: int, folder: Path) -> Plan:
    ports, qos = free_ports(hops, socket.SOCK_STREAM), variant.options["qos"]
    commands = []
    for i, port in enumerate(ports):
        file = folder / f"{i}.conf"
        file.write_text(configuration(port, ports[i + 1] if i + 1 < hops else None, qos))
        commands.append([broker() or "", "-c", str(file)])
    first, last = ({"port": port, "qos": qos} for port in (ports[0], ports[-1]))
    return Plan(first, last, "TCP, a broker per hop", commands=commands)


def configuration(port: int, onward: int | None, qos: int) -> str:
    """Defaults, except that full queues drop nothing, and small packets do not wait for larger ones."""
    lines = [
        f"listener {port} 127.0.0.1",
        "allow_anonymous true",
        "persistence false",
        "log_dest none",
        "max_queued_messages 0",
        "set_tcp_nodelay true",
    ]
    if onward is not None:
        lines += [
            f"connection to-{onward}",
            f"address 127.0.0.1:{onward}",
            f"topic # out {qos}",
            "restart_timeout 1",
            "notifications false",
        ]
    return "\n".join(lines) + "\n"


def at_once(client: Any, data: Any, sock: socket.socket) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


async def connected(spec: Spec, **callbacks: Any) -> Any:
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    client = Client(CallbackAPIVersion.VERSION2)
    for name, callback in {"on_socket_open": at_once, **callbacks}.items():
        setattr(client, name, callback)
    for _ in range(PATIENCE * 10):
        try:
            client.connect("127.0.0.1", spec["port"])
            break
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)
    client.loop_start()
    return client


@asynccontextmanager
async def publisher(spec: Spec) -> AsyncIterator[Send]:
    """paho queues without a bound, so at most `QUEUED` wait here; its own 20 of them are in flight with QoS 1."""
    room = threading.Semaphore(QUEUED)
    client = await connected(spec, on_publish=lambda *_: room.release())

    async def send(data: bytes) -> None:
        room.acquire()
        client.publish(CHANNEL, data, spec["qos"])

    yield send
    client.disconnect()
    client.loop_stop()


@asynccontextmanager
async def subscriber(spec: Spec, arrived: Arrived) -> AsyncIterator[None]:
    client = await connected(
        spec,
        on_connect=lambda client, *_: client.subscribe(CHANNEL, spec["qos"]),
        on_message=lambda client, data, message: arrived(message.payload),
    )
    yield
    client.disconnect()
    client.loop_stop()
