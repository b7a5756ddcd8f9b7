"""Numbers and bytes drawn from a fuzzer's input, so that mutations change the meaning, not only the encoding."""

from collections.abc import Sequence

RIGHT, KNOWN, NEAR, EXTREME = 10, 12, 13, 15  # of 16: how often a field has such a value; the rest is noise


class Draw:
    """Reads from the front; past the end there are zeros."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        return max(len(self.data) - self.at, 0)

    def raw(self, length: int) -> bytes:
        piece = self.data[self.at : self.at + length]
        self.at += length
        return piece.ljust(length, b"\0")

    def below(self, limit: int) -> int:
        return int.from_bytes(self.raw(1 if limit <= 256 else 2), "big") % limit

    def number(self, width: int, known: Sequence[int]) -> int:
        """Mostly the first known value, the right one; otherwise another, one next to it, an extreme, or noise."""
        how, top = self.below(16), (1 << 8 * width) - 1
        if how < RIGHT:
            return known[0] & top
        if how < KNOWN:
            return known[self.below(len(known))] & top
        if how < NEAR:
            return (known[self.below(len(known))] + self.below(5) - 2) & top
        if how < EXTREME:
            return extremes(width)[self.below(8)]
        return int.from_bytes(self.raw(width), "big")


def extremes(width: int) -> tuple[int, ...]:
    half, top = 1 << 8 * width - 1, (1 << 8 * width) - 1
    return 0, 1, top, top - 1, half, half - 1, top >> 2, (top >> 2) + 1
