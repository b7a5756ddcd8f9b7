"""Systems of the literature: what they guarantee, in calm and in faulty networks."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from psvr.errors import BadInput
from psvr.protocol.constants import NAME_LIFE, SECOND
from psvr.protocol.systems import CUSTOM, load_provided
from psvr.related import MODULES
from psvr.routing.custom import load_systems
from psvr.routing.systems import SYSTEMS, route
from psvr.sim.network import Network
from tests.support.sim.related_networks import (
    GRID,
    LEASE,
    LIFE,
    PAUSE,
    REFRESH,
    entries,
    exploring,
    messages_of,
    network,
    published,
    random_network,
)
from tests.support.sim.settled_runs import deliver_exactly_once, drawn, settled
from tests.support.sim.sim_running import psvr_sim, refused
from tests.support.sim.stories import story

NETWORKS = 20


def rows_in_use(net: Network) -> int:
    return int((net.world.nodes["channel"] != 0).sum())


def test_jaeger_delivers_exactly_once_and_as_predicted() -> None:
    for seed in range(NETWORKS):
        net, rows, subscribers = drawn(seed, "jaeger")
        where, ids = settled(net), net.world.ids
        by_event = deliver_exactly_once(net, rows, subscribers)
        for v in range(net.plan.n):
            mine = sorted((int(r["node"]), int(r["peer"])) for r in by_event["sent"] if r["origin"] == ids[v])
            expected = route(where, "jaeger", v, subscribers).messages
            assert mine == sorted((int(ids[a]), int(ids[b])) for a, b in expected), (seed, v)


def test_diffusion_settles_to_reinforced_paths_that_are_shortest_ones() -> None:
    sent = shortest = 0
    for seed in range(NETWORKS):
        net, subscribers, v = random_network(seed, "diffusion")
        first = messages_of(net, v, subscribers)[0]
        exploring(net, v, subscribers)
        later = messages_of(net, v, subscribers, 8)
        assert len(set(later)) == 1 and later[0] < first, (seed, first, later)
        sent, shortest = sent + later[0], shortest + route(settled(net), "diffusion", v, subscribers).count
    assert shortest <= sent + NETWORKS / 4 and sent <= 1.1 * shortest, (sent, shortest)


def test_diffusion_reaches_everybody_whoever_publishes() -> None:
    """Publishers share gradients; what one of them reinforces must not cost another its subscribers."""
    for seed in range(6):
        net, subscribers, _ = random_network(seed, "diffusion")
        rng, sources = random.Random(seed), list(range(net.plan.n))
        for _ in range(6):
            for v in rng.sample(sources, 8):
                publication = net.publish(v, "c")
                net.run(rng.choice([0.02, 0.3, 2.0]))
                net.run(PAUSE)
                deliveries = net.world.deliveries[: net.world.tally["delivered"][0]]
                got = Counter(deliveries["node"][deliveries["publication"] == publication].tolist())
                assert got == Counter(subscribers), (seed, v)


def explored_grid() -> Network:
    """A grid in which node 0 subscribes and node 15 has just explored."""
    net = network(GRID, "diffusion")
    net.subscribe(0, "c")
    net.run_until_stable()
    net.run(30)
    exploring(net, 15, [0])
    return net


def test_diffusion_explores_again_and_finds_a_new_subscriber() -> None:
    net = explored_grid()
    net.subscribe(3, "c")
    net.run(LIFE)
    exploring(net, 15, [0, 3])
    assert max(messages_of(net, 15, [0, 3], 6)) <= 9


def test_diffusion_explores_once_in_a_lifetime() -> None:
    net = explored_grid()
    sent = messages_of(net, 15, [0], round((LIFE + REFRESH) / PAUSE))
    explored = [i for i, messages in enumerate(sent) if messages > 2 * min(sent)]
    assert explored and explored == list(range(explored[0], explored[-1] + 1)), sent
    assert LIFE - REFRESH <= explored[0] <= LIFE and len(explored) <= LEASE / 2 + 1, sent


def test_diffusion_passes_on_what_is_news_on_one_side_only() -> None:
    """On a line, those left of a subscriber must hear of the next one as well, though hers is the younger interest."""
    net = network({"kind": "line", "n": 40}, "diffusion")
    for v in (12, 30):
        net.subscribe(v, "c")
    net.run_until_stable()
    net.run(30)
    for v in (0, 5, 20, 39):
        messages_of(net, v, [12, 30])


def test_diffusion_tells_the_low_rate_to_whoever_is_not_needed() -> None:
    """With every gradient reinforced, a publication is flooded; it is answered at once, and the next is not."""
    for seed in range(4):
        net, subscribers, v = random_network(seed, "diffusion")
        exploring(net, v, subscribers)
        (before,) = messages_of(net, v, subscribers)
        high = entries(net)["ns"]
        high[high >= 0] |= 1
        assert messages_of(net, v, subscribers)[0] > 2 * before
        assert messages_of(net, v, subscribers)[0] <= before + 2


def test_diffusion_does_without_a_link_of_its_path() -> None:
    """A link fails, and nobody has noticed: the next publication takes another path, and so do those after it."""
    net = network(GRID, "diffusion")
    net.subscribe(0, "c")
    net.run_until_stable()
    net.run(30)
    exploring(net, 10, [0])
    assert messages_of(net, 10, [0]) == [4]
    cut = next_on_path(net, 10)
    net.cut([(10, u) for u in cut])
    messages_of(net, 10, [0])
    before = int(net.world.tally["published"][0])
    published(net, 10, 14)  # the link is given up, and one of them waits for the ring without it
    net.run(5)
    got = Counter(net.world.deliveries["publication"][: net.world.tally["delivered"][0]].tolist())
    assert all(got[p] == 1 for p in range(before, before + 14))
    assert next_on_path(net, 10) and not next_on_path(net, 10) & cut
    net.run(2 * LIFE + REFRESH)
    exploring(net, 10, [0])
    assert messages_of(net, 10, [0])[0] <= 6


def next_on_path(net: Network, v: int) -> set[int]:
    """To which neighbours a node sends what it publishes on its only channel."""
    return {
        int(link["id"])
        for row in entries(net)[v]
        for link, entry in zip(net.world.nodes[v]["link"], row)
        if link["keeps_me"] and entry["ns"] >= 0 and entry["ns"] % 2 == 1
    }


@pytest.mark.parametrize("system", MODULES)
def test_leases_expire_after_unsubscription(system: str) -> None:
    for seed in range(4):
        net, subscribers, v = random_network(seed, system)
        messages_of(net, v, subscribers, 3)
        for s in subscribers:
            net.unsubscribe(s, "c")
        net.run(LEASE)
        assert rows_in_use(net) > 0
        net.run(LIFE - LEASE + 2 * LEASE / 10 + 0.1)
        assert rows_in_use(net) == 0, seed
        around = (
            2 * net.plan.n - 3
        )  # where nobody is known, VR:2015 follows the ring, up to the position before its first
        assert published(net, v) == [(around if system == "vr2015-ring" else 0, Counter())]


def test_jaeger_removes_an_entry_in_two_phases() -> None:
    """It is marked after half of its life, goes on routing, and is removed if it is not renewed for the other half."""
    net = network({"kind": "line", "n": 4}, "jaeger")
    net.subscribe(3, "c")
    net.run_until_stable()
    net.run(30)
    net.unsubscribe(3, "c")
    seen = []
    for _ in range(round(LIFE + 2)):
        marked = bool((entries(net)["ns"][0] == 0).any())
        seen.append((published(net, 0)[0][0], marked))
    assert seen[0] == (3, False) and seen[-1] == (0, False), seen
    assert LIFE / 2 - 3 <= seen.count((3, True)) <= LIFE / 2 + 1, seen
    assert [messages for messages, _ in seen] == sorted((messages for messages, _ in seen), reverse=True)


@pytest.mark.parametrize("system", MODULES)
@pytest.mark.parametrize("seed", range(8))
def test_heals_from_arbitrary_memory(system: str, seed: int) -> None:
    """Everybody gets everything a lifetime after the lower layers have settled; later, it costs no more than it did.

    Hosts may have names of publications to come in their memory, which they forget a while after NAME_LIFE.
    """
    net, subscribers, v = random_network(seed, system)
    exploring(net, v, subscribers)
    (before,) = messages_of(net, v, subscribers)
    net.corrupt(range(net.plan.n))
    begun = net.now / SECOND
    net.run_until_stable(300)
    net.run(max(LIFE + REFRESH, 1.5 * NAME_LIFE / SECOND - (net.now / SECOND - begun)))
    exploring(net, v, subscribers)
    messages_of(net, v, subscribers)
    net.run(2 * LIFE + REFRESH)
    exploring(net, v, subscribers)
    after = messages_of(net, v, subscribers, 3)
    assert max(after) <= 1.3 * max(before, route(settled(net), system, v, subscribers).count) + 1, (before, after)


@pytest.mark.parametrize("system", MODULES)
def test_both_forms_are_equal_through_faults(system: str) -> None:
    delivered = 0
    for seed in range(3):
        twins = story(system, seed, 0.15)
        twins.compare()
        delivered += len(twins.reference.deliveries)
    assert delivered >= 20


@pytest.mark.parametrize("system", MODULES)
def test_a_system_is_loaded_when_it_is_named(system: str, calm: Path) -> None:
    assert system not in CUSTOM and system not in SYSTEMS
    figures = psvr_sim(calm, "--json", "--quiet", "--set", f"protocol.system={system}").json
    assert figures["delivered"] == figures["expected"] > 0
    assert psvr_sim(calm, "--json", "--quiet", "--system", system).json["fingerprint"] == figures["fingerprint"]
    assert system in CUSTOM and system in SYSTEMS


@pytest.mark.parametrize("system", ["difusion", "psvr.related.diffusion", "td", ""])
def test_an_unknown_name_is_refused_with_all_that_are_known(system: str, calm: Path) -> None:
    said = "must be one of psvr, vr2015, ring, shen, flood, diffusion, jaeger, vr2015-ring, not "
    hint = "(did you mean diffusion?)" if system == "difusion" else ""
    refused(psvr_sim(calm, "--set", f'protocol.system="{system}"'), said, hint)
    assert not set(MODULES) & set(CUSTOM)


def test_nothing_is_loaded_that_is_not_named(calm: Path) -> None:
    code = (
        "import sys; from psvr.cli import main; code = main(sys.argv[1:]); "
        "sys.exit(code or any(name.startswith('psvr.related.') for name in sys.modules))"
    )
    for words in (["sim", str(calm), "--quiet", "--system", "shen"], ["route", "--example", "small"]):
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_a_file_may_import_them_but_not_take_their_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    rule = "@custom_rule('{name}', like='shen')\ndef forward(me, now, pub, out): jaeger.forward(me, now, pub, out)\n"
    head = "from psvr.related import jaeger\nfrom psvr.protocol.systems import custom_rule\n"
    file.write_text(head + rule.format(name="diffusion"))
    with pytest.raises(BadInput, match="diffusion is a system that comes with psvr; give yours another name"):
        load_systems(file)
    file.write_text(head + rule.format(name="mine"))
    assert load_systems(file) == ["mine"]
    load_provided("jaeger")
    assert {"mine", "jaeger"} <= set(CUSTOM) and "jaeger" in SYSTEMS and "diffusion" not in CUSTOM
