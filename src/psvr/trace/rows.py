"""What hosts fill: an array of rows, numbers only, so that compiled code can write them."""

import numpy as np

NONE = -1  # no value, in all fields but time, node and event

ROW = np.dtype(
    [(name, "<i8") for name in ("time", "node", "peer", "origin", "detail")]
    + [
        (name, "<i4")
        for name in ("event", "channel", "boot", "sequence", "from_", "to", "ep", "hops", "bytes", "reason")
    ]
)
