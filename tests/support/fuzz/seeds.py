"""Initial inputs: what three nodes send each other until they have a ring, and a few publications."""

import random
from functools import cache

from psvr.node.core import envelope, naming
from psvr.node.secure.seal import Seal

from .world import HONEST, KEYS, World

MAX_SEEDS = 300  # of each kind
DRAWN = ("sessions", "transport", "thief", "open")  # these interpret any bytes as decisions


@cache
def recorded() -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Datagrams, their bodies, and the frames in those."""
    world = World()
    for name, size in (("a", 5), ("b", 100), ("c", 4000)):
        world.honest.host.publish(name, bytes(size), world.time)
        world.step(200_000)
    opener = Seal(KEYS, HONEST)
    opened = [opener.open(datagram) for datagram in world.said]
    bodies = [it.plain for it in opened if it is not None]
    frames = [
        item.body for body in bodies for item in envelope.items(body) if item.kind in (envelope.HELLO, envelope.FRAME)
    ]
    world.close()
    return [*dict.fromkeys(world.said)], [*dict.fromkeys(bodies)], [*dict.fromkeys(frames)]


def seeds_of(target: str) -> list[bytes]:
    datagrams, bodies, frames = recorded()
    if target in DRAWN:
        rng = random.Random(1)
        return [rng.randbytes(length) for length in (8, 20, 50, 100, 200, 400, 800) for _ in range(10)]
    if target == "naming":
        return [naming.pack(name, bytes(5)) for name in ("a", "ä", "", "x" * 1024)]
    return {"frames": frames, "envelope": bodies, "garbage": bodies}.get(target, datagrams)[-MAX_SEEDS:]
