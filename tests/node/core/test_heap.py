"""The heap of a node that serves clients: large buffers must not split it."""

import platform
import subprocess
import sys

import pytest

CODE = """
import ctypes, sys
from psvr.node.daemon.serving import fix_mmap_threshold
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena o s mapped h u f used free keep".split()]
info = ctypes.CDLL(None).mallinfo2
info.restype = Info
if sys.argv[1] == "fixed":
    assert fix_mmap_threshold()
before = info().mapped
first = [bytes(1 << 18) for _ in range(100)]
del first
held = [bytes(1 << 18) for _ in range(100)]
print(info().mapped - before)
"""


def mapped(how: str) -> int:
    """Of a hundred buffers of 256 KB, allocated after as many others were freed: how many are mapped?"""
    done = subprocess.run([sys.executable, "-c", CODE, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the threshold is a setting of glibc")
def test_large_buffers_stay_out_of_the_heap() -> None:
    assert mapped("fixed") > 50 and mapped("as it is") == 0
