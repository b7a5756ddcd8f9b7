"""The rules of `psvr.protocol`, compiled: the same files, imported again under this name.

`psvr.protocol.tree` and `psvr.compiled.tree` come from one file.  The first runs as it stands, on plain objects; in the
second, `psvr.protocol.form` turns every `@rule` into a compiled function over numpy records of the same layout.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

__path__ = [str(Path(__file__).resolve().parent.parent / "protocol")]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
