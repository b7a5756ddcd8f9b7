"""The heap of a node that serves clients: large buffers must not split it."""

import platform
import subprocess
import sys

CODE = """
import ctypes, sys
from psvr.node.heap import compact
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena o s mapped h u f used free keep".split()]
info = ctypes.CDLL(None).mallinfo2
info.restype = Info
if sys.argv[1] == "fixed":
    assert compact()
before = info().mapped
bytes(1 << 18)
held = bytes(1 << 18)
print(info().mapped - before)
"""


def mapped(how: str) -> int:
    """Of two buffers of 256 KB, the first of which is gone: is the second one mapped?"""
    done = subprocess.run([sys.executable, "-c", CODE, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


def test_large_buffers_stay_out_of_the_heap() -> None:
    if platform.libc_ver()[0] == "glibc":
        assert mapped("fixed") == 1 and mapped("as it is") == 0
