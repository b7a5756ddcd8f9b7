"""Child processes that do not outlive the one that started them."""

import ctypes
import signal
import sys

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def die_with_parent() -> None:
    """Called in a child: the kernel kills it as soon as its parent ends, however that ends; on Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
