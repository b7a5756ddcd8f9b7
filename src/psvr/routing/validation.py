"""Checks of what a custom system returns: messages that the network can carry, in an order in which it can.

Built-in systems are not checked at run time; they have tests.
"""

from typing import Any

from psvr.errors import BadInput, describe_error, shown
from psvr.fields.checks import whole
from psvr.graphs.csr import linked

from .settled import Settled

Message = tuple[int, ...]


def checked_messages(system: Any, settled: Settled, publication: Any) -> list[Message]:
    """The messages of a system loaded from a file, checked; BadInput, on one line, if they are not valid."""
    try:
        found = system.messages(settled, publication)
    except MemoryError:
        raise
    except Exception as error:
        raise BadInput(f"system {system.name}{describe_error(error, system.file)}") from None
    if not isinstance(found, list):
        raise BadInput(f"system {system.name}: must return a list of messages, not {shown(found)}")
    have, messages = {publication.publisher}, []
    for i, message in enumerate(found):
        try:
            messages.append(checked_message(message, system.positions, settled, have))
        except BadInput as error:
            raise BadInput(f"system {system.name}: message {i}: {error}") from None
    return messages


def checked_message(message: Any, positions: bool, settled: Settled, have: set[int]) -> Message:
    """One message as whole numbers, checked; its receiver is added to those that have the publication."""
    what = ("from", "to", "end point") if positions else ("from", "to")
    if not isinstance(message, tuple) or len(message) != len(what):
        raise BadInput(f"must be a tuple ({', '.join(what)}), not {shown(message)}")
    most, kind = (settled.length - 1, "a position") if positions else (settled.graph.n - 1, "a node")
    numbers = tuple(whole(x, name, 0, most, kind) for x, name in zip(message, what))
    sender, receiver = (int(settled.ring[p]) for p in numbers[:2]) if positions else numbers
    if not linked(settled.graph.start, settled.graph.near, sender, receiver):
        raise BadInput(f"nodes {sender} and {receiver} are not linked")
    if sender not in have:
        raise BadInput(f"node {sender} sends a publication that it has not received")
    have.add(receiver)
    return numbers


def checked_count(system: Any, settled: Settled, messages: list[Message]) -> int:
    """The cost that a custom system states for its messages."""
    try:
        return whole(system.count(settled, messages), "count", 0, 2**31 - 1)
    except Exception as error:
        raise BadInput(f"system {system.name}{describe_error(error, system.file)}") from None
