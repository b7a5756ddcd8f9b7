"""The energy that the radios of a run have used: transmitting, receiving, listening."""

from typing import Any

import numpy as np

from psvr.graphs.csr import Floats

from .air import NOBODY, Air
from .devices import Device


def joules(air: Air, device: Device, power: float, n: int, now: int) -> dict[str, Floats]:
    """The joules used per node.  A radio that is on but neither sends nor receives is listening: nodes never sleep."""
    radios = air.radios[:n]
    on = radios["on_us"] + (now - radios["on_at"]) * radios["on"]
    sent = np.minimum(radios["sent_us"], on)
    received = radios["received_us"] + (now - radios["locked_at"]) * (radios["locked"] != NOBODY)
    per_us = device.volts * 1e-9  # mA · V · µs
    return {
        "transmit": sent * device.current(power) * per_us,
        "receive": received * device.receive * per_us,
        "listen": np.maximum(on - sent - received, 0) * device.listen * per_us,
    }


def energy(air: Air, device: Device, power: float, n: int, now: int, delivered: int) -> dict[str, Any]:
    """The same for the summary: joules of a node on average, of the node that used most, and per delivery."""
    parts = joules(air, device, power, n, now)
    whole = sum(parts.values(), np.zeros(n))
    return {
        **{name: float(part.mean()) for name, part in parts.items()},
        "node_mean": float(whole.mean()),
        "node_max": float(whole.max()),
        "per_delivery": float(whole.sum() / delivered) if delivered else None,
    }
