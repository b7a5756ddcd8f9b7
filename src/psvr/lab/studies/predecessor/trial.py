"""One network at rest, in which one more node subscribes, or one subscriber leaves: what SUBs cost, and routes then."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from psvr.errors import BadInput, shown
from psvr.fields.checks import real, whole
from psvr.lab.kinds import Values, simulated
from psvr.lab.kinds.template import same_tree, scenario_of
from psvr.results.deliveries import SECOND
from psvr.sim.network import Network
from psvr.sim.plan import Plan, plan
from psvr.trace import EVENTS, FRAMES

Wants = dict[int, list[str]]  # the channels of each subscriber
Positions = npt.NDArray[np.int64]

EVENT = ("joins", "leaves")
RESULTS = pa.schema(
    {
        **dict.fromkeys(("nodes", "links", "length"), pa.int64()),
        # Of a node that subscribes: SUBs with which it and all others announce it once …
        "subs": pa.int64(),
        "apart": pa.int64(),  # … and all of those if each of its channels was the only one in the network
        "factor": pa.float64(),  # how many of these for one of those
        "heard": pa.float64(),  # how often nodes get the SUB, of those that do …
        "heard_most": pa.int64(),  # … and the node that gets it most often
        "reached_percent": pa.float64(),  # other subscribers that get it
        "learnt_ms": pa.float64(),  # until the last table is right
        "range_percent": pa.float64(),  # positions of others in [u, w), where u is the subscriber before the new one, w
        "range_wrong": pa.int64(),  # entries that changed outside of it, or did not change in it
        # Of a subscriber that leaves: messages per publication before, at most since, and in the end.
        **dict.fromkeys(("before", "peak", "rest", "longer_percent", "missed_percent"), pa.float64()),
        "failure": pa.string(),
    }
)
PUBLISHERS = 3
STEPS = 8  # publications of each publisher within a lease …
LEASES = 3  # … for this long after T_w/back, in which the next SUBs come
QUIET, PER_HOP = 2.0, 0.05  # seconds until a SUB has been everywhere, and what each position adds
SUB, RECEIVED, TABLE_CHANGED = FRAMES.index("SUB"), EVENTS.index("received"), EVENTS.index("table changed")
COMPILED_AS, variant = simulated.COMPILED_AS, simulated.variant


def resolve(parameters: Values) -> Values | None:
    if parameters.get("event") not in EVENT:
        raise BadInput(f"event: must be one of {', '.join(EVENT)}, not {shown(parameters.get('event'))}")
    n, s = whole(parameters.get("n"), "n", 2, 10_000), whole(parameters.get("s"), "s", 0, 10_000)
    whole(parameters.get("channels"), "channels", 1, 16)
    real(parameters.get("shared"), "shared", 0, 1, above=True)
    if parameters["event"] == "leaves" and s < 2:
        raise BadInput("s: must be at least 2 where one subscriber leaves, so that others stay")
    return parameters if s + PUBLISHERS < n else None


def cost(parameters: Values, scenario: Values | None) -> float:
    networks = 1 if parameters["event"] == "leaves" else min(parameters["channels"], 1 + parameters["s"]) + 1
    return float(0.01 + 1.5e-3 * parameters["n"] * networks)


def run(parameters: Values, scenario: Values | None, seed: int, systems: list[str]) -> list[Values]:
    trial = Trial(parameters, scenario or {}, seed)
    measured = trial.joins if parameters["event"] == "joins" else trial.leaves
    return [measured(system) for system in systems]


class Trial:
    """Who takes part in it: the same nodes on the same tree under every system."""

    def __init__(self, parameters: dict[str, Any], scenario: dict[str, Any], seed: int) -> None:
        self.parameters, self.scenario, self.seed = parameters, scenario, seed
        self.drawn: Plan = plan(scenario_of(scenario, parameters, seed, "ring"))
        rng, s = np.random.default_rng([seed, 1]), parameters["s"]
        self.channels = [f"c{i}" for i in range(parameters["channels"])]
        self.new, *order = rng.permutation(self.drawn.n).tolist()
        self.wants: Wants = {v: self.some_of(rng) for v in order[:s]}
        self.publishers = order[s : s + PUBLISHERS]

    def some_of(self, rng: np.random.Generator) -> list[str]:
        """Return a random set of channels, at least one."""
        chosen = rng.random(len(self.channels)) < self.parameters["shared"]
        chosen[rng.integers(len(self.channels))] |= not chosen.any()
        return [c for c, is_chosen in zip(self.channels, chosen) if is_chosen]

    def network(self, system: str, watch: "Watch | None" = None) -> Network:
        """Return the network with its tree and ring, where this system has just begun and nobody subscribes."""
        forming = scenario_of(self.scenario, self.parameters, self.seed, "ring")
        net = Network(forming, self.drawn, "all", watch.take) if watch else Network(forming, self.drawn)
        net.run(same_tree(self.scenario, self.parameters))
        net.start_system(scenario_of(self.scenario, self.parameters, self.seed, system))
        return net

    def joins(self, system: str) -> dict[str, Any]:
        """Return what it takes until all know that one more node subscribes."""
        found = self.announced(system, self.channels)
        alone: dict[tuple[int, ...], int] = {}
        for channel in self.channels:
            others = tuple(v for v, wanted in self.wants.items() if channel in wanted)
            if others not in alone:
                alone[others] = found["subs"] if len(self.channels) == 1 else self.announced(system, [channel])["subs"]
            found["apart"] = found.get("apart", 0) + alone[others]
        return {**dict.fromkeys(RESULTS.names), **found, "factor": found["apart"] / found["subs"]}

    def announced(self, system: str, channels: list[str]) -> dict[str, Any]:
        """Let the new node subscribe to these channels, in a network in which there are no others."""
        watch = Watch()
        net = self.network(system, watch)
        subscribe(net, {v: [c for c in wanted if c in channels] for v, wanted in self.wants.items()})
        quiet = QUIET + PER_HOP * 2 * net.plan.n
        net.run(quiet)
        ring, before, sent = ring_of(net), next_subscribers(net, channels[0]), int(net.world.tally["sub_sent"][0])
        watch.begin(net.now)
        subscribe(net, {self.new: channels})
        net.run(quiet)
        wrong = net.problems()
        changed = next_subscribers(net, channels[0]) != before
        others = [v for v, wanted in self.wants.items() if channels[0] in wanted]
        concerned, mine = in_range(ring, self.new, others), ring == self.new
        return {
            "nodes": net.plan.n,
            "links": len(net.plan.near) // 2,
            "length": len(ring),
            "subs": int(net.world.tally["sub_sent"][0]) - sent,
            **(watch.heard(self.new, others) if len(channels) == 1 else {}),
            "learnt_ms": 1000 * watch.last_change,
            "range_percent": 100 * float(concerned[~mine].mean()),
            "range_wrong": int((changed != concerned)[~mine].sum()),
            "failure": f"{wrong[0]}, {quiet:g} s after node {self.new} has subscribed" if wrong else None,
        }

    def leaves(self, system: str) -> dict[str, Any]:
        """Return how many messages publications take before and after one of the subscribers has left."""
        net = self.network(system)
        subscribe(net, self.wants)
        settings = net.world.nodes["settings"][0]
        lease = int(settings["lease"]) / SECOND
        net.run(LEASES * lease)
        first = self.published(net, lease, STEPS)
        leaving, *staying = self.wants
        net.unsubscribe(leaving, self.channels[0])
        later = self.published(net, lease, STEPS * (int(settings["write_back"]) + LEASES))
        net.run(QUIET + PER_HOP * 2 * net.plan.n)
        before, after = messages_of(net, first), messages_of(net, later)
        return {
            **dict.fromkeys(RESULTS.names),
            "nodes": net.plan.n,
            "links": len(net.plan.near) // 2,
            "length": len(ring_of(net)),
            "before": float(before.mean()),
            "peak": float(after.max()),
            "rest": float(after[-STEPS:].mean()),
            "longer_percent": float(100 * (after.max() - before.max()) / before.max()),
            "missed_percent": missed(net, later, staying),
        }

    def published(self, net: Network, lease: float, steps: int) -> npt.NDArray[np.int64]:
        """Let each publisher publish so many times, STEPS times within a lease; return the publications, by time."""
        found = []
        for _ in range(steps):
            found.append([net.publish(v, self.channels[0]) for v in self.publishers])
            net.run(lease / STEPS)
        return np.array(found)


class Watch:
    """What the trace says about SUBs and tables since `begin`."""

    def begin(self, now: int) -> None:
        self.start, self.last_change, self.receptions = now, 0.0, Counter[int]()

    def __init__(self) -> None:
        self.begin(0)

    def take(self, rows: Any) -> None:
        """Count SUBs that a node has not discarded, and note when a table last changed."""
        rows = rows[rows["time"] >= self.start]
        subs = rows[(rows["event"] == RECEIVED) & (rows["detail"] == SUB) & (rows["reason"] < 0)]
        self.receptions.update(subs["node"].tolist())
        changes = rows["time"][rows["event"] == TABLE_CHANGED]
        if changes.size:
            self.last_change = float(changes.max() - self.start) / SECOND

    def heard(self, new: int, subscribers: list[int]) -> dict[str, Any]:
        """Return how often other nodes than the new one got its SUB."""
        times = [count for v, count in self.receptions.items() if v != new]
        reached = [100.0 * (v in self.receptions) for v in subscribers]
        return {
            "heard": float(np.mean(times)) if times else None,
            "heard_most": max(times, default=None),
            "reached_percent": float(np.mean(reached)) if reached else None,
        }


def subscribe(net: Network, wants: Wants) -> None:
    for v, channels in wants.items():
        for channel in channels:
            net.subscribe(v, channel)


def ring_of(net: Network) -> Positions:
    """Return the node at each position."""
    position = net.world.nodes["position"]
    node, place = (position >= 0).nonzero()
    ring = np.full(int(net.world.nodes["length"][0]), -1)
    ring[position[node, place]] = node
    return ring


def next_subscribers(net: Network, channel: str) -> Positions:
    """Return what RS says at each position, −1 where it says nothing."""
    index, nodes = net.channel(channel), net.world.nodes
    node, row = (nodes["channel"] == net.world.hashes[index]).nonzero()
    position, entry = nodes["position"][node], nodes["row"]["entry"]["ns"][node, row]
    found = np.full(int(nodes["length"][0]), -1)
    found[position[position >= 0]] = entry[position >= 0]
    return found


def in_range(ring: Positions, new: int, subscribers: Iterable[int]) -> npt.NDArray[np.bool_]:
    """Return for each position whether the new subscriber is the first one after it, its own node aside."""
    wanted = {new, *subscribers}
    found = np.zeros(len(ring), bool)
    for p in range(len(ring)):
        following = (ring[(p + step) % len(ring)] for step in range(1, len(ring)))
        found[p] = next((v for v in following if v in wanted and v != ring[p]), None) == new
    return found


def messages_of(net: Network, publications: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the messages that a publication took at each time, the mean over publishers."""
    return np.asarray(net.world.publications["messages"][publications].mean(axis=1), dtype=np.float64)


def missed(net: Network, publications: npt.NDArray[np.int64], subscribers: list[int]) -> float:
    """Return how much these subscribers did not get, in percent."""
    deliveries = net.world.deliveries[: net.world.tally["delivered"][0]]
    chosen = np.isin(deliveries["publication"], publications) & np.isin(deliveries["node"], subscribers)
    got = len({*zip(deliveries["publication"][chosen].tolist(), deliveries["node"][chosen].tolist())})
    return 100 - 100 * got / (publications.size * len(subscribers))
