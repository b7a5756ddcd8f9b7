"""The targets of `python -m benchmarks fuzz` with a few thousand inputs each, the same every time."""

import random

import pytest

from psvr.node.core import envelope
from psvr.node.secure.sessions import CHALLENGE
from psvr.protocol.wire import messages
from tests.support.fuzz import bounds, forge
from tests.support.fuzz.draw import Draw
from tests.support.fuzz.mutation import loop
from tests.support.fuzz.seeds import seeds_of
from tests.support.fuzz.targets import TARGETS
from tests.support.fuzz.world import KEYS, THIEF, World

INPUTS = {
    "frames": 4000,
    "envelope": 4000,
    "naming": 4000,
    "seal": 3000,
    "sessions": 1000,
    "transport": 2000,
    "stranger": 2000,
    "garbage": 1000,
    "thief": 400,
    "open": 300,
}


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_does_harm(target: str) -> None:
    assert loop(TARGETS[target](), seeds_of(target), INPUTS[target]).runs == INPUTS[target]


def delivered(world: World) -> bool:
    """What an honest node publishes still reaches the node under attack."""
    before = world.victim.inbox.delivered
    world.honest.host.publish("a", b"x", world.time)
    world.step(300_000)
    return world.victim.inbox.delivered == before + 1


def test_strangers_stop_nothing() -> None:
    world, rng = World(KEYS), random.Random(1)
    said = list(world.said)
    assert delivered(world)
    for i in range(3000):
        world.step(1000, rng.choice(said) if i % 2 else rng.randbytes(100))
    assert delivered(world)
    world.close()


def test_the_thief_is_believed_and_what_it_forges_arrives() -> None:
    """Otherwise the target would fuzz a node that does not listen."""
    world = World(KEYS)
    pub = forge.pub(Draw(b""), world.facts())
    before = world.victim.inbox.delivered
    for ring in (2, 0):
        number = world.victim.transport.peers[THIEF].newest + 1
        head = bytes((messages.VERSION << 4 | messages.PUB, 2 << 6 | 1 << 4 | ring))
        world.step(1, world.thief.seal.seal(envelope.frame(number, head + pub)))
    assert world.victim.reporter.counts["received"] == 1 and world.victim.inbox.delivered == before + 1
    world.close()


def test_parts_of_somebody_who_is_no_neighbour_are_not_kept() -> None:
    world = World(KEYS)
    part = envelope.part(world.victim.transport.peers[THIEF].newest + 1, 0, 2, b"x")
    world.step(1, world.thief.seal.seal(part))
    assert len(world.victim.transport.peers[THIEF].partial_frames) == 1
    world.thief.seal.id = 9
    world.thief.seal.rekey(KEYS)
    mine = world.victim.sessions.echoes()[0]
    world.step(1, world.thief.seal.seal(envelope.echo([bytes(CHALLENGE), mine]) + part))
    assert world.victim.transport.peers[9].partial_frames == {}
    world.close()


def test_growth_is_found() -> None:
    world = World(None)
    bounds.check(bounds.of_node(world.victim))
    world.victim.transport.peers[THIEF].seen = 1 << 5000
    with pytest.raises(bounds.Grown, match="numbers known: 5001 instead of 4096 at most"):
        bounds.check(bounds.of_node(world.victim))
    world.close()
