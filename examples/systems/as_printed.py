"""The paper's pseudo-code as printed, and with each of its slips alone, as systems: `docs/errata.md` explains them.

A publication that never ends is cut off after 1,000 messages.
"""

from functools import partial

from psvr.routing.as_printed import MOST_MESSAGES, READINGS, messages
from psvr.routing.systems import system

for name, reading in READINGS.items():
    text = f"{reading.text}; cut off at {MOST_MESSAGES:,} messages"
    system(name, positions=True, text=text)(partial(messages, reading=reading))
