"""Publications that went no further here: noted at once, counted when that can no longer be made good.

Its origin may send a publication again until it is 20 s old, when a ring was lost with it.  So what is lost here is
counted 25 s later, each publication once, unless it is sent again from here in the meantime.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from psvr.protocol import constants as k
from psvr.protocol.records import Pub

Name = tuple[int, int, int]         # origin, boot, sequence

MOST = 16_384               # publications: of more that are noted the oldest are counted at once


class Loss(NamedTuple):
    """A publication, and why it, or a part of it, went no further."""

    pub: Pub
    channel: str
    reason: str
    peer: int | None
    when: int               # µs


class Losses:
    def __init__(self, tell: Callable[[Loss], None]) -> None:
        self.tell = tell
        self.noted: OrderedDict[Name, Loss] = OrderedDict()     # the oldest first
        self.sent_again: OrderedDict[Name, int] = OrderedDict() # → when last
        self.counted: OrderedDict[Name, int] = OrderedDict()

    def note(self, loss: Loss, begun: int) -> None:
        """Unless it was sent again after what failed here had begun."""
        name = name_of(loss.pub)
        if name in self.noted or name in self.counted or self.sent_again.get(name, begun) > begun:
            return
        self.noted[name] = loss
        if len(self.noted) > MOST:
            self.count(*self.noted.popitem(last=False))

    def again(self, pub: Pub, now: int) -> None:
        """It is sent again from here."""
        name = name_of(pub)
        self.noted.pop(name, None)
        remember(self.sent_again, name, now)

    def count(self, name: Name, loss: Loss) -> None:
        remember(self.counted, name, loss.when)
        self.tell(loss)

    def next_due(self) -> int | None:
        return next(iter(self.noted.values())).when + k.REPEAT_LIFE if self.noted else None

    def look(self, now: int) -> None:
        """Count those of which nothing was heard for long enough."""
        while self.noted and next(iter(self.noted.values())).when + k.REPEAT_LIFE <= now:
            self.count(*self.noted.popitem(last=False))

    def end(self) -> None:
        """The node stops: count all."""
        while self.noted:
            self.count(*self.noted.popitem(last=False))

    def reasons(self) -> dict[str, int]:
        """Of those that are noted, and not counted yet."""
        return dict(Counter(loss.reason for loss in self.noted.values()))


def name_of(pub: Pub) -> Name:
    return pub.origin, pub.boot, pub.number


def remember(table: OrderedDict[Name, int], name: Name, when: int) -> None:
    table[name] = when
    table.move_to_end(name)
    if len(table) > MOST:
        table.popitem(last=False)
