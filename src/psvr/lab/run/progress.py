"""The progress of a study, on one line of a terminal, or as a line now and then in a log."""

import sys
import time
from typing import TextIO

TERMINAL_INTERVAL = 0.2  # seconds between two updates of a terminal
LOG_INTERVAL = 10.0  # seconds between two lines of a log
BAR_WIDTH = 24


class Progress:
    """Trials done, rate, and time left, which is derived from estimated costs and the time spent so far."""

    def __init__(self, name: str, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.name, self.quiet, self.stream = name, quiet, stream or sys.stderr
        self.terminal = self.stream.isatty()
        self.began = self.shown = time.monotonic()
        self.done = self.total = self.before = 0
        self.cost = self.total_cost = 0.0

    def start(self, done: int, total: int, cost: float) -> None:
        self.done = self.before = done
        self.total, self.cost, self.total_cost = total, 0.0, cost
        self.began, self.shown = time.monotonic(), 0.0
        self.show()

    def add(self, trials: int, cost: float) -> None:
        self.done += trials
        self.cost += cost
        self.show()

    def text(self) -> str:
        spent = time.monotonic() - self.began
        share = self.cost / self.total_cost if self.total_cost else 1.0
        bar = "█" * round(BAR_WIDTH * share) + "░" * (BAR_WIDTH - round(BAR_WIDTH * share))
        rate = (self.done - self.before) / spent if spent > 0 else 0.0
        left = f", {format_duration(spent * (1 - share) / share)} left" if 0 < share < 1 and spent > 2 else ""
        return f"{self.name:<12} {bar} {self.done:,} of {self.total:,} trials, {rate:,.1f}/s{left}"

    def show(self, last: bool = False) -> None:
        now = time.monotonic()
        if self.quiet or not (last or now - self.shown > (TERMINAL_INTERVAL if self.terminal else LOG_INTERVAL)):
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
        """Write a line above the progress."""
        if not self.quiet:
            self.stream.write(f"{chr(13)}{chr(27)}[K{text}\n" if self.terminal else f"{text}\n")
            self.stream.flush()


def format_duration(seconds: float) -> str:
    """Return a duration in words, such as 5 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
