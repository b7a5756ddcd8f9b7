"""How far a study is, on one line of a terminal, or as a line now and then in a log."""

import sys
import time
from typing import TextIO

EVERY = 0.2             # seconds between two looks at a terminal …
SELDOM = 10.0           # … and between two lines of a log
BAR = 24


class Progress:
    """Trials done, rate, and time left, which follows from what was estimated and what it took."""

    def __init__(self, name: str, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.name, self.quiet, self.stream = name, quiet, stream or sys.stderr
        self.terminal = self.stream.isatty()
        self.began = self.shown = time.monotonic()
        self.done = self.all = self.before = 0
        self.cost = self.whole_cost = 0.0

    def start(self, done: int, all: int, cost: float) -> None:
        self.done = self.before = done
        self.all, self.cost, self.whole_cost = all, 0.0, cost
        self.began, self.shown = time.monotonic(), 0.0
        self.show()

    def add(self, trials: int, cost: float) -> None:
        self.done += trials
        self.cost += cost
        self.show()

    def text(self) -> str:
        spent = time.monotonic() - self.began
        share = self.cost / self.whole_cost if self.whole_cost else 1.0
        bar = "█" * round(BAR * share) + "░" * (BAR - round(BAR * share))
        rate = (self.done - self.before) / spent if spent > 0 else 0.0
        left = f", {spoken(spent * (1 - share) / share)} left" if 0 < share < 1 and spent > 2 else ""
        return f"{self.name:<12} {bar} {self.done:,} of {self.all:,} trials, {rate:,.1f}/s{left}"

    def show(self, last: bool = False) -> None:
        now = time.monotonic()
        if self.quiet or not (last or now - self.shown > (EVERY if self.terminal else SELDOM)):
            return
        self.shown = now
        self.stream.write(f"\r\033[K{self.text()}" if self.terminal else f"{self.text()}\n")
        self.stream.flush()

    def finish(self) -> None:
        self.show(last=True)
        if self.terminal and not self.quiet:
            self.stream.write("\n")
            self.stream.flush()

    def say(self, text: str) -> None:
        """A line beside the progress."""
        if not self.quiet:
            self.stream.write(f"{chr(13)}{chr(27)}[K{text}\n" if self.terminal else f"{text}\n")
            self.stream.flush()


def spoken(seconds: float) -> str:
    """A time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
