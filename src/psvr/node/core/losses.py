"""Publications that got no further than this node: noted at once, counted when that can no longer be made good.

If a ring is lost with a publication on it, the origin may send it again until it is 20 s old.  So a loss is counted
25 s later, once per publication, unless the publication is sent again from here in the meantime.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from psvr.protocol import constants as k
from psvr.protocol.records import Pub

Name = tuple[int, int, int]  # origin, boot, sequence

MAX_NOTED = 16_384  # publications noted; beyond that the oldest are counted at once


class Loss(NamedTuple):
    """A publication, and why it, or a part of its task, went no further."""

    pub: Pub
    channel: str
    reason: str
    peer: int | None
    when: int  # µs


class Losses:
    def __init__(self, report: Callable[[Loss], None]) -> None:
        self.report = report
        self.noted: OrderedDict[Name, Loss] = OrderedDict()  # oldest first
        self.sent_again: OrderedDict[Name, int] = OrderedDict()  # when last
        self.counted: OrderedDict[Name, int] = OrderedDict()

    def note(self, loss: Loss, begun: int) -> None:
        """Note a loss, unless the publication was sent again after the attempt that failed had begun."""
        name = name_of(loss.pub)
        if name in self.noted or name in self.counted or self.sent_again.get(name, begun) > begun:
            return
        self.noted[name] = loss
        if len(self.noted) > MAX_NOTED:
            self.count(*self.noted.popitem(last=False))

    def again(self, pub: Pub, now: int) -> None:
        """Record that a publication is sent again from here."""
        name = name_of(pub)
        self.noted.pop(name, None)
        remember(self.sent_again, name, now)

    def count(self, name: Name, loss: Loss) -> None:
        remember(self.counted, name, loss.when)
        self.report(loss)

    def next_due(self) -> int | None:
        return next(iter(self.noted.values())).when + k.REPEAT_LIFE if self.noted else None

    def count_overdue(self, now: int) -> None:
        """Count the losses that are old enough."""
        while self.noted and next(iter(self.noted.values())).when + k.REPEAT_LIFE <= now:
            self.count(*self.noted.popitem(last=False))

    def end(self) -> None:
        """Count all, as the node stops."""
        while self.noted:
            self.count(*self.noted.popitem(last=False))

    def reasons(self) -> dict[str, int]:
        """How many are noted and not counted yet, by reason."""
        return dict(Counter(loss.reason for loss in self.noted.values()))


def name_of(pub: Pub) -> Name:
    return pub.origin, pub.boot, pub.number


def remember(table: OrderedDict[Name, int], name: Name, when: int) -> None:
    table[name] = when
    table.move_to_end(name)
    if len(table) > MAX_NOTED:
        table.popitem(last=False)
