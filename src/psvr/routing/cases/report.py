"""One publication under every system: what `psvr route` prints, as text or JSON, and draws."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psvr.errors import BadInput
from psvr.protocol.positions import covers
from psvr.routing.settled import Settled
from psvr.routing.systems import SYSTEMS, Route, is_known, names, route

from .case import Case
from .expected import OF_ROUTE, difference

STEINER_SUBSCRIBERS = 10
STEINER_NODES = 200  # above this the exact optimum takes longer than everything else together


@dataclass(frozen=True)
class Step:
    """One message, the hop at which it travels, and the nodes between which it does."""

    hop: int
    sender: int
    receiver: int
    message: tuple[int, ...]
    cause: int | None  # the index of the step that triggered it; None for the publisher's own


@dataclass(frozen=True)
class Report:
    """A case and what came of it: the route of one system, and what every system needs."""

    case: Case
    settled: Settled
    system: str
    shortcuts: str
    steps: list[Step]  # of the chosen system
    hops: dict[int, int]
    next_subscriber: NDArray[np.int32]
    counts: dict[str, int | None]  # None: not computed
    longest: dict[str, int]  # hops to the subscriber that waits longest

    @property
    def on_ring(self) -> bool:
        return SYSTEMS[self.system].positions


@dataclass(frozen=True)
class Comparison:
    """How the fields that a case expects compare with the results."""

    agreed: list[str]
    wrong: list[str]  # a line for each field
    skipped: list[str]  # they apply to another system or other shortcuts


def make_report(case: Case, system: str = "psvr", shortcuts: str | None = None) -> Report:
    """Route the publication of a case under every system; the report shows the route of the one that is named."""
    if not is_known(system):
        raise BadInput(f"--system: must be one of {', '.join(names())}, not {system}")
    used = shortcuts or case.shortcuts or "all"
    settled = Settled(case.graph, case.root, case.parent)
    check_start(case, settled)
    routes = {name: routed(case, settled, name, used) for name in SYSTEMS}
    chosen = routes[system]
    if chosen is None:
        raise BadInput(
            f"--system: {system} is computed for at most {STEINER_NODES} nodes and {STEINER_SUBSCRIBERS} subscribers"
        )
    return Report(
        case,
        settled,
        system,
        used,
        steps_of(chosen, settled, SYSTEMS[system].positions),
        chosen.hops,
        settled.next_subscriber(case.subscribers),
        counts={name: r.count if r else None for name, r in routes.items()},
        longest={name: max(r.hops.values(), default=0) for name, r in routes.items() if r},
    )


def check_start(case: Case, settled: Settled) -> None:
    own = settled.positions(case.publisher).tolist()
    if case.start is not None and case.start not in own:
        listed = ", ".join(map(str, own[:20]))
        allowed = f"one of the publisher's positions, {listed}" if own else "left out where there is no ring"
        raise BadInput(f"start: must be {allowed}, not {case.start}")


def routed(case: Case, settled: Settled, system: str, shortcuts: str) -> Route | None:
    """The route under a system; None where the optimum would take too long to compute."""
    others = len(set(case.subscribers) - {case.publisher})
    if system == "steiner" and (others > STEINER_SUBSCRIBERS or case.graph.n > STEINER_NODES):
        return None
    start = case.start if system == "vr2015" else None
    return route(settled, system, case.publisher, case.subscribers, shortcuts=shortcuts, start=start)


def steps_of(route: Route, settled: Settled, positions: bool) -> list[Step]:
    """A step for every message, one hop after the message that triggered it."""
    ring = settled.ring.tolist()
    steps: list[Step] = []
    arrived: dict[int, list[int]] = {}
    for i, message in enumerate(route.messages):
        sender, receiver = (ring[message[0]], ring[message[1]]) if positions else (message[0], message[1])
        earlier = arrived.get(sender, [])
        cause = covering(message, earlier, steps, len(ring)) if positions else next(iter(earlier), None)
        hop = 1 if cause is None else steps[cause].hop + 1
        arrived.setdefault(receiver, []).append(i)
        steps.append(Step(hop, sender, receiver, message, cause))
    return steps


def covering(message: tuple[int, ...], earlier: list[int], steps: list[Step], length: int) -> int | None:
    """The last of the messages that reached the sender whose interval contains the position it sends from."""
    for i in reversed(earlier):
        if covers(steps[i].message[1], steps[i].message[2], message[0], length):
            return i
    return None


def compare(report: Report) -> Comparison:
    """Compare the results; messages and hops only for psvr with the case's own shortcuts, the rest for any route."""
    case = report.case
    same = report.system == "psvr" and case.shortcuts in (None, report.shortcuts)
    expected = {name: value for name, value in case.expected.items() if same or name not in OF_ROUTE}
    found = results(report)
    wrong = {name: difference(name, expected[name], found[name]) for name in expected if expected[name] != found[name]}
    return Comparison(
        agreed=[name for name in expected if name not in wrong],
        wrong=[f"{name}: {text}" for name, text in wrong.items()],
        skipped=[name for name in case.expected if name not in expected],
    )


def results(report: Report) -> dict[str, Any]:
    """The results, as the fields of the case format."""
    return {
        "ring": report.settled.ring.tolist(),
        "next_subscriber": [None if s < 0 else s for s in report.next_subscriber.tolist()],
        "messages": sorted(list(step.message) for step in report.steps),
        "hops": {str(v): hops for v, hops in sorted(report.hops.items())},
    }


def as_json(report: Report) -> dict[str, Any]:
    return {"system": report.system, "shortcuts": report.shortcuts, **results(report), "counts": report.counts}
