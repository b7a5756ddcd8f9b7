"""The results that a case expects, and how the actual ones differ."""

from typing import Any

from psvr.errors import BadInput, shortened, shown
from psvr.fields.checks import whole

from .reading import array

FIELDS = ("ring", "next_subscriber", "messages", "hops")
OF_ROUTE = ("messages", "hops")  # these apply to one system and one set of shortcuts
MAX_NUMBER = 2**31 - 1


def read_expected(case: dict[str, Any]) -> dict[str, Any]:
    """The expected fields of a case, with their form checked; `difference` compares their content."""
    readers = {"ring": read_ring, "next_subscriber": read_next, "messages": read_messages, "hops": read_hops}
    return {name: reader(case[name]) for name, reader in readers.items() if name in case}


def read_ring(value: Any) -> list[int]:
    return [whole(v, f"ring[{p}]", 0, MAX_NUMBER) for p, v in enumerate(array(value, "ring", "nodes"))]


def read_next(value: Any) -> list[int | None]:
    listed = array(value, "next_subscriber", "positions or null")
    return [s if s is None else whole(s, f"next_subscriber[{p}]", 0, MAX_NUMBER) for p, s in enumerate(listed)]


def read_messages(value: Any) -> list[list[int]]:
    listed = array(value, "messages", "[from, to, ep]")
    for i, message in enumerate(listed):
        if not isinstance(message, list) or len(message) != 3 or any(type(p) is not int for p in message):
            raise BadInput(f"messages[{i}]: must be three positions [from, to, ep], not {shown(message)}")
    return sorted(listed)


def read_hops(value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        raise BadInput(f"hops: must be an object of node: hops, not {shown(value)}")
    return {str(v): whole(hops, f"hops.{shown(v)}", 0, MAX_NUMBER) for v, hops in value.items()}


def difference(name: str, expected: Any, found: Any) -> str:
    """A short description of how a field differs from what was expected."""
    if name == "hops":
        return difference_of_hops(expected, found)
    if name == "messages":
        return difference_of_messages(expected, found)
    if len(expected) != len(found):
        return f"{len(expected)} positions were expected, but the ring has {len(found)}"
    p = next(i for i, (e, f) in enumerate(zip(expected, found)) if e != f)
    return f"at position {p} {shown(expected[p])} was expected, but it is {shown(found[p])}"


def difference_of_messages(expected: list[list[int]], found: list[list[int]]) -> str:
    wanted, sent = {tuple(m) for m in expected}, {tuple(m) for m in found}
    missing, surplus = sorted(wanted - sent), sorted(sent - wanted)
    parts = [f"{text} {listing(some)}" for text, some in (("never sent:", missing), ("not expected:", surplus)) if some]
    return "; ".join(parts) or f"{len(expected)} were expected, {len(found)} were sent, some of them twice"


def difference_of_hops(expected: dict[str, int], found: dict[str, int]) -> str:
    v = next(v for v in [*expected, *found] if expected.get(v) != found.get(v))
    return f"node {v}: {hops_text(expected.get(v))} expected, but it is {hops_text(found.get(v))}"


def hops_text(hops: int | None) -> str:
    return "none" if hops is None else f"{hops} hop{'' if hops == 1 else 's'}"


def listing(messages: list[tuple[int, ...]], limit: int = 4) -> str:
    text = " ".join(f"({', '.join(shortened(str(p)) for p in m)})" for m in messages[:limit])
    return text if len(messages) <= limit else f"{text} and {len(messages) - limit} more"
