"""What happens to a network and to its reference, one after the other."""

import numpy as np

from .twins import Twins


def story(system: str, seed: int, loss: float) -> Twins:
    """Loss, corrupt memory, a crash and a cut, to the compiled engine and to the reference."""
    rng = np.random.default_rng(seed)
    twins = Twins(
        {
            "seed": seed,
            "topology": {"kind": "gnp", "n": 8, "degree": 3.5},
            "radio": {"model": "lossy", "loss": loss, "retries": 1},
            "protocol": {"system": system, "lease": 4.0},
        }
    )
    twins.subscribe(1, "a")
    twins.subscribe(5, "a")
    twins.subscribe(5, "b")
    twins.advance(9)
    for v in rng.permutation(8)[:3]:
        twins.corrupt(int(v), rng)
    twins.advance(3)
    twins.publish(3, "a")
    twins.crash_and_cut()
    for v in range(8):
        twins.publish(v, "a")
        twins.publish(v, "b")
        twins.advance(0.3)
    return twins
