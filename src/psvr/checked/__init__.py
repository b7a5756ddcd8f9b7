"""The rules of `psvr.protocol`, compiled with a bounds check on every access to a table: what custom rules call.

A wrong index in a file of the user must lead to an error that says so, not to overwritten memory of other nodes.  The
files are those of `psvr.protocol`, imported once more, as in `psvr.compiled`.
"""

from pathlib import Path

__path__ = [str(Path(__file__).resolve().parent.parent / "protocol")]
