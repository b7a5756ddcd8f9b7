"""Files and overrides that are refused, in one line each."""

from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.sim.scenario import load, parse

LINE = {"kind": "line", "n": 10}


def refused(mapping: dict[str, Any], *parts: str, **more: Any) -> None:
    with pytest.raises(BadInput) as caught:
        parse(mapping, **more)
    told(caught.value, *parts)


def told(error: BadInput, *parts: str) -> None:
    """Refused in one line, which contains all of these."""
    assert len(str(error).splitlines()) == 1 and len(str(error)) < 300
    for part in parts:
        assert part in str(error)


FILES = [
    (b"seed = 1\ntopology = {kind = }\n", "not TOML", "line 2"),
    (b"seed = 1\nseed = 2\n", "not TOML", "line 2"),
    (b"[topology]\nkind = line\n", "not TOML", "line 2"),
    (b"\xff", "not UTF-8 text (byte 0)"),
    (b"seed = " + b"9" * 5000, "not TOML"),
    (b"x = " + b"[" * 5000, "nested too deeply"),
    (b"x = " + b"[" * 420 + b"]" * 420, ""),
    (b"", "topology: missing; must be a table"),
    (
        b"duration = nan\n[topology]\nkind = 'line'\nn = 4",
        "duration: must be a number from 1e-06 to 1000000000, not nan",
    ),
    (b"seed = 2020-01-01\n[topology]\nkind = 'line'\nn = 4", "seed: must be a whole number"),
]


@pytest.mark.parametrize("row", FILES, ids=range(len(FILES)))
def test_files(tmp_path: Path, row: tuple[Any, ...]) -> None:
    file = tmp_path / "scenario.toml"
    file.write_bytes(row[0])
    with pytest.raises(BadInput) as caught:
        load(file)
    told(caught.value, *row[1:])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.toml: No such file or directory"):
        load(tmp_path / "none.toml")
    with pytest.raises(BadInput, match="directory"):
        load(str(tmp_path))
    with pytest.raises(BadInput, match="not the name of a file"):
        load("a\0b")


LINK_FILES = [
    (b"0 1\n1\n", 'topology.file: line 2: must be two nodes from 0 to 9999999, not "1"'),
    (b"0 1\n\n# x\n1 2 3\n", 'topology.file: line 4: must be two nodes from 0 to 9999999, not "1 2 3"'),
    (b"0 x\n", "topology.file: line 1: must be two nodes"),
    (b"0 -1\n", "topology.file: line 1: must be two nodes"),
    (b"0 1.0\n", "topology.file: line 1: must be two nodes"),
    ("0 ²\n".encode(), "topology.file: line 1: must be two n"),
    (b"0 10000000\n", "topology.file: line 1: must be two nodes"),
    (b"0 " + b"9" * 5000, "topology.file: line 1: must be"),
    (b"0 1\n3 3\n", "topology.file: line 2: must link two different nodes, not 3 to itself"),
    (b"0 1\n1 2\n2 1\n", "topology.file: line 3: must be a new link, but 2 and 1 are linked in line 2"),
    (b"\xff\xfe", "not UTF-8 text"),
    (b"0 1\n2 3\n", "topology.edges: must connect all nodes, but 0 and 2 are not"),
]


@pytest.mark.parametrize(("content", "text"), LINK_FILES, ids=range(len(LINK_FILES)))
def test_files_of_links(tmp_path: Path, content: bytes, text: str) -> None:
    (tmp_path / "links.txt").write_bytes(content)
    refused({"topology": {"kind": "edges", "file": "links.txt"}}, text, folder=tmp_path)
    refused({"topology": {"kind": "edges", "file": "."}}, "topology.file: ", "directory", folder=tmp_path)


OVERRIDES = [
    ("topology.n", "topology.n: must be KEY=VALUE, such as topology.n=200"),
    ("=5", "=5: must be KEY=VALUE"),
    ("topology..n=5", "topology..n=5: must be KEY=VALUE"),
    ("topology.m=5", "topology.m: unknown key"),
    ("topologie.n=5", "topologie: unknown key (did you mean topology?)"),
    ("seed.n=5", "seed.n: must be a key of a table"),
    ("seed.n.m=5", "seed.n: must be a key of a table"),
    ("fault.1.at=5", "fault.1: must be the number of an entry, from 0 to 0"),
    ("fault.x.at=5", "fault.x: must be the number of an entry, from 0 to 0"),
    ("fault.99999999999999999999.at=5", "must be the number of an entry"),
    ("traffic.0.churn=5", "traffic.0: must be the number of an entry, but there are none"),
    ("fault.0.at=900", "fault.0.at: must be at most 600"),
    ("fault.0.att=9", "fault.0.att: unknown key (did you mean at"),
    ("fault.0=", 'fault.0: must be a value as in TOML, not ""'),
    ("topology.n=[1", 'topology.n: must be a value as in TOML, not "[1"'),
    ("topology.n=1 2", 'topology.n: must be a value as in TOML, not "1 2"'),
    ("topology.n=1\nseed=2", "topology.n: must be a value as in TOML"),
    ("topology.n=ten", 'topology.n: must be a whole number from 1 to 10000000, not "ten"'),
    ("topology.p=", "topology.p: is not there and cannot be removed; a value must follow ="),
    ("topology.n=", "topology.n: missing"),
    ("duration=inf", "duration: must be a number"),
    ("topology.n=" + "[" * 5000, "topology.n: must be a value as in TOML"),
]


@pytest.mark.parametrize(("override", "text"), OVERRIDES, ids=range(len(OVERRIDES)))
def test_overrides(override: str, text: str) -> None:
    fault = {"at": 5, "kind": "corrupt", "nodes": "all"}
    refused({"seed": 3, "topology": LINE, "fault": [fault]}, text, overrides=[override])
