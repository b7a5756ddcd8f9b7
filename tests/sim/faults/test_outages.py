"""Which links are cut and which nodes are down, against a naive count over the whole past."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from psvr.sim.faults.outages import Outages
from psvr.sim.plan.faults import FaultEvent

LINKS = [(0, 1), (1, 2), (2, 3)]
KINDS = ("crash", "restart", "cut", "heal", "partition", "corrupt", "jam")


def fault(kind: str, things: list[int]) -> FaultEvent:
    """The nodes with these numbers, or the links, in reverse direction."""
    on_links = kind in ("cut", "heal", "partition")
    links = [LINKS[i][::-1] for i in things] if on_links else []
    return FaultEvent(0, kind, np.array([] if on_links else things, np.int32), np.array(links).reshape(-1, 2), -1, -1)


@st.composite
def stories(draw: Any) -> list[tuple[FaultEvent, bool]]:
    """Faults that begin, and the ends (True) of some of them, at any later time."""
    told: list[tuple[FaultEvent, bool]] = []
    for _ in range(draw(st.integers(1, 12))):
        event = fault(draw(st.sampled_from(KINDS)), draw(st.lists(st.integers(0, 2), min_size=1, unique=True)))
        told.append((event, False))
        open_ones = [e for e, ends in told if not ends and (e, True) not in told]
        for e in draw(st.lists(st.sampled_from(open_ones), unique_by=id, max_size=2)):
            told.append((e, True))
    return told


def held(past: list[tuple[FaultEvent, bool]], thing: Any, by: tuple[str, ...], freed_by: str) -> bool:
    """Whether a fault holds the thing: it has begun and not ended, and nothing has freed the thing since."""

    def meant(event: FaultEvent) -> bool:
        return thing in (
            [tuple(sorted(link)) for link in event.links.tolist()] if isinstance(thing, tuple) else event.nodes.tolist()
        )

    for i, (event, ends) in enumerate(past):
        later = past[i + 1 :]
        if (
            not ends
            and event.kind in by
            and meant(event)
            and (event, True) not in later
            and not any(other.kind == freed_by and meant(other) and not over for other, over in later)
        ):
            return True
    return False


@given(stories())
def test_things_are_held_as_a_naive_count_says(told: list[tuple[FaultEvent, bool]]) -> None:
    outages, cut, down = Outages(), set[Any](), set[int]()
    for i, (event, ends) in enumerate(told):
        change = outages.end(event) if ends else outages.begin(event, event.links.tolist())
        assert not cut & set(change.cut) and cut >= set(change.healed), "only what changes is told"
        assert not down & set(change.died) and (down >= set(change.started) or event.kind == "restart")
        cut = (cut | set(change.cut)) - set(change.healed)
        down = (down | set(change.died)) - set(change.started)
        past = told[: i + 1]
        assert cut == {link for link in LINKS if held(past, link, ("cut", "partition"), "heal")}
        assert down == {v for v in range(3) if held(past, v, ("crash",), "restart")}
        assert cut == set(outages.links.holders) and down == set(outages.nodes.holders)
        if event.kind == "restart" and not ends:
            assert list(change.started) == event.nodes.tolist(), "the living as well"
