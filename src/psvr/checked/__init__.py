"""The rules of `psvr.protocol`, compiled so that every place in a table is looked at: what rules of one's own call.

A wrong index in a file of the user must end with an error that says so, not with memory of other nodes overwritten.
The files are those of `psvr.protocol` once more, as in `psvr.compiled`.
"""

from pathlib import Path

__path__ = [str(Path(__file__).resolve().parent.parent / "protocol")]
