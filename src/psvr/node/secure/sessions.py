"""Which datagrams are new, without storing anything across restarts.

Every boot of a node has a random salt and counts its datagrams.  Every HELLO carries a challenge, a new one each time,
and echoes the latest challenges that its sender has heard from others.  Whoever echoes a challenge of mine was alive
after I made it.  Everything else follows from that:

- A boot is *proven*, and its datagrams are processed, once one of them echoes a challenge of mine.  That datagram was
  made after I booted, and so was everything with a higher counter: lower counters are refused forever.
- Another boot of the same node takes its place only by echoing a challenge that I made after I had proven the present
  boot.  A boot that was dead by then never heard such a challenge, so its recorded datagrams, however long they were
  held back, neither displace the living boot nor are processed again.
- A proven boot is forgotten for want of room only when it has been silent for longer than my challenges are valid.  A
  new proof then has a higher counter than everything I have processed, so the counters seen need not be remembered.

All that replayed datagrams can achieve is that challenges are echoed for which nobody waits any more.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from hashlib import blake2s
from heapq import nsmallest
from itertools import islice

WINDOW = 1024  # counters within which order does not matter
SEEN_ALL = (1 << WINDOW) - 1
RECENT_ROUNDS = 64  # HELLOs of mine for which a challenge is valid; whoever was silent for longer is not echoed
MAX_PROVEN_ECHOES = 64
MAX_ECHOES = 80  # more, so that a few newcomers are echoed however many are proven
CHALLENGE = 8  # bytes


class Verdict(IntEnum):
    FRESH = 0  # to be processed
    REPEATED = 1  # this counter was seen, or is too old to tell
    UNPROVEN = 2  # this boot has not shown yet that it has heard my present boot
    OWN = 3  # my own datagram came back
    DOUBLE = 4  # another node, alive now, has my id


FRESH, REPEATED, UNPROVEN, OWN, DOUBLE = Verdict


class Boot:
    """What is known of one boot of another node."""

    __slots__ = ("challenge", "echoed", "floor", "greeted", "heard", "salt", "seen", "top")

    def __init__(self, salt: bytes) -> None:
        self.salt = salt
        self.challenge = b""  # of its latest HELLO
        self.greeted = 0  # the counter of that HELLO
        self.heard = 0  # my round when it was last heard
        self.echoed = 0  # my round when it was last echoed
        self.top = 0  # the highest counter seen
        self.seen = SEEN_ALL  # bit i: counter top − i was seen, or came before the proof
        self.floor = 0  # my round when it was proven

    def greet(self, counter: int, echoes: Sequence[bytes], round: int) -> None:
        self.heard = round
        if echoes and len(echoes[0]) == CHALLENGE and counter > self.greeted:
            self.challenge, self.greeted = echoes[0], counter

    def is_new(self, counter: int) -> bool:
        """Whether this counter is seen for the first time; marks it as seen."""
        ahead = counter - self.top
        if ahead > 0:
            self.seen = (self.seen << ahead | 1) & SEEN_ALL if ahead < WINDOW else 1
            self.top = counter
            return True
        if ahead <= -WINDOW or self.seen >> -ahead & 1:
            return False
        self.seen |= 1 << -ahead
        return True


class Sessions:
    """What one boot of a node remembers of others, bounded by `max_boots` proven boots and as many others.

    There is no clock: age is counted in rounds, one for each HELLO of mine, however often those are sent.
    """

    def __init__(self, me: int, salt: bytes, max_boots: int = 256) -> None:
        self.me, self.salt, self.max_boots = me, salt, max_boots
        self.proven: dict[int, Boot] = {}  # by id
        self.unproven: dict[bytes, Boot] = {}  # by salt, the one heard most recently last
        self.round = 0  # of HELLOs
        self.mine: dict[bytes, int] = {}  # my latest challenges, and their rounds
        self.double_found = 0  # my round when a double was last found

    def validate(self, id: int, salt: bytes, counter: int, echoes: Sequence[bytes]) -> Verdict:
        """What to do with a genuine datagram; `echoes` is what its sender's method `echoes` returned, for a HELLO."""
        boot = self.proven.get(id)
        if boot is not None and boot.salt == salt:
            if not boot.is_new(counter):
                return REPEATED
            boot.greet(counter, echoes, self.round)
            return FRESH
        if id == self.me and salt == self.salt:
            return OWN
        return self.prove(id, self.note(salt, counter, echoes), counter, echoes)

    def note(self, salt: bytes, counter: int, echoes: Sequence[bytes]) -> Boot:
        """Record that a boot that is not proven was heard."""
        boot = self.unproven.pop(salt, None) or Boot(salt)
        boot.greet(counter, echoes, self.round)
        if boot.challenge:  # else there is nothing to echo
            if len(self.unproven) >= self.max_boots:
                del self.unproven[next(iter(self.unproven))]
            self.unproven[salt] = boot
        return boot

    def prove(self, id: int, boot: Boot, counter: int, echoes: Sequence[bytes]) -> Verdict:
        present = self.proven.get(id)
        floor = self.double_found if id == self.me else present.floor if present else 0
        if max((self.mine.get(it, 0) for it in islice(echoes, 1, None)), default=0) <= floor:
            return UNPROVEN
        if id == self.me:
            self.double_found = self.round
            return DOUBLE
        if present is None and not self.has_room():
            return UNPROVEN
        self.unproven.pop(boot.salt, None)
        boot.top, boot.floor = counter, self.round
        self.proven[id] = boot
        return FRESH

    def has_room(self) -> bool:
        """Whether one more boot can be proven; if need be, those that have long been silent are forgotten."""
        if len(self.proven) < self.max_boots:
            return True
        silent = [id for id, boot in self.proven.items() if self.round - boot.heard > RECENT_ROUNDS]
        for id in silent:
            del self.proven[id]
        return bool(silent)

    def echoes(self) -> list[bytes]:
        """For the next HELLO: a challenge of mine, then those of others, each of eight bytes.

        If there are too many, those echoed longest ago come first.
        """
        self.round += 1
        mine = blake2s(self.round.to_bytes(8, "big"), key=self.salt, digest_size=CHALLENGE).digest()
        self.mine[mine] = self.round
        if len(self.mine) > RECENT_ROUNDS:
            del self.mine[next(iter(self.mine))]
        while self.unproven and self.round - self.unproven[first := next(iter(self.unproven))].heard > RECENT_ROUNDS:
            del self.unproven[first]
        recent = (boot for boot in self.proven.values() if self.round - boot.heard <= RECENT_ROUNDS)
        known = self.next_challenges(recent, MAX_PROVEN_ECHOES)
        return [mine, *known, *self.next_challenges(self.unproven.values(), MAX_ECHOES - len(known))]

    def next_challenges(self, boots: Iterable[Boot], limit: int) -> list[bytes]:
        chosen = nsmallest(limit, boots, key=lambda boot: boot.echoed)
        for boot in chosen:
            boot.echoed = self.round
        return [boot.challenge for boot in chosen]
