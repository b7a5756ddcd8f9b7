"""Which publications were here before.

While those of the last 25 s do not fit, it lets no repetition through: better none than one that was here before.
"""

from collections import OrderedDict

from psvr.protocol import constants as k

REMEMBERED = 65_536
FORGOTTEN = 300 * k.SECOND          # nothing is on its way for so long

Name = tuple[int, int, int]         # origin, boot, sequence


class Window:
    def __init__(self, most: int = REMEMBERED) -> None:
        self.most, self.repeated = most, 0
        self.seen: OrderedDict[Name, int] = OrderedDict()       # → when, in µs

    def is_new(self, name: Name, again: bool, now: int) -> bool:
        """It is not in the window; now it is.  A repetition must not be older than the window."""
        if name in self.seen or (again and self.is_short(now)):
            self.repeated += 1
            return False
        self.seen[name] = now
        while len(self.seen) > self.most or now - next(iter(self.seen.values())) > FORGOTTEN:
            self.seen.popitem(last=False)
        return True

    def is_short(self, now: int) -> bool:
        """It is full of what is younger than a repetition can be."""
        return len(self.seen) >= self.most and now - next(iter(self.seen.values())) < k.REPEAT_LIFE
