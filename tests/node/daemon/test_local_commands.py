"""`psvr pub`, `sub` and `status` in this process: what they request from a node, and how they print its answers."""

import base64
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from psvr.cli import main
from tests.support.node.fake_node import fake_node


def typed(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text)))


def pub(path: Path, *arguments: str) -> int:
    return main(["pub", *arguments, "--socket", str(path)])


def test_one_message_is_published_as_it_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake_node(tmp_path / "s") as node:
        for data in ("21.5", "", "two\nlines", "ä"):
            assert pub(node.path, "weather", data) == 0
        assert node.published == [("weather", data) for data in ("21.5", "", "two\nlines", "ä")]
    assert capsys.readouterr() == ("", "")


def test_every_line_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, b"one\n\n three \xff\nlast")
    with fake_node(tmp_path / "s") as node:
        assert pub(node.path, "a") == 0
        told = ("base64", base64.b64encode(b" three \xff").decode())
        assert node.published == [("a", "one"), ("a", ""), ("a", told), ("a", "last")]


def test_many_lines_all_arrive_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than may wait for their answers."""
    typed(monkeypatch, b"".join(b"%d\n" % i for i in range(500)))
    with fake_node(tmp_path / "s") as node:
        assert pub(node.path, "a") == 0
        assert node.published == [("a", str(i)) for i in range(500)]


def test_lines_of_json_may_name_their_channel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"channel": "a", "data": "1"}, {"data": "2"}, {"channel": "b", "base64": "AAA=", "other": 5}]
    typed(monkeypatch, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    with fake_node(tmp_path / "s") as node:
        assert pub(node.path, "--json", "c") == 0
        assert node.published == [("a", "1"), ("c", "2"), ("b", ("base64", "AAA="))]
        assert set(node.asked[2]) == {"op", "channel", "base64"}


@pytest.mark.parametrize(
    "text, said, before",
    [
        (
            b'{"channel": "a", "data": "1"}\nnonsense\n{"channel": "a", "data": "3"}\n',
            "line 2: must be a line of JSON",
            1,
        ),
        (b'{"channel": "refused", "data": "1"}\n', "line 1: the channel is refused", 1),
        (b"[]\n", "line 1: must be an object of JSON", 0),
    ],
)
def test_a_wrong_line_is_named_and_those_before_it_are_published(
    text: bytes,
    said: str,
    before: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed(monkeypatch, text)
    with fake_node(tmp_path / "s") as node:
        assert pub(node.path, "--json") == 2
        assert len(node.published) == before
    assert capsys.readouterr().err == f"psvr: {said}\n"


def test_the_longest_line_and_one_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, b"x" * 65_536 + b"\n" + b"y" * 65_536)
    with fake_node(tmp_path / "s") as node:
        assert pub(node.path, "a") == 0
        assert [len(data) for _, data in node.published] == [65_536, 65_536]
        typed(monkeypatch, b"ok\n" + b"x" * 65_537 + b"\n")
        assert pub(node.path, "a") == 2
        assert node.published[-1] == ("a", "ok")
    assert capsys.readouterr().err == "psvr: line 2: is too long to be published: must be at most 65,536 bytes\n"


@pytest.mark.parametrize(
    "arguments, said",
    [([], "CHANNEL: must be given, or --json"), (["--json", "a", "b"], "DATA: must not be given with --json")],
)
def test_what_is_published_must_be_clear(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pub(tmp_path / "nobody", *arguments) == 2
    assert capsys.readouterr().err.startswith(f"psvr: {said}")


def message(channel: str, data: bytes, sequence: int = 1) -> dict[str, Any]:
    try:
        held = {"data": data.decode()}
    except UnicodeDecodeError:
        held = {"base64": base64.b64encode(data).decode()}
    return {"channel": channel, **held, "origin": 7, "boot": 8, "sequence": sequence, "hops": 2}


MESSAGES = [
    message("a", b"one"),
    message("b", "zwei ü\tü".encode(), 2),
    message("a", b"\xff\x1b[31m\n", 3),
    message("a", b"never printed", 4),
]


@pytest.mark.parametrize(
    "channels, printed",
    [
        (["a"], ["one", "zwei ü\tü", "\\xff\\x1b[31m\\n"]),
        (["a", "a"], ["one", "zwei ü\tü", "\\xff\\x1b[31m\\n"]),
        (["a", "b"], ["a\tone", "b\tzwei ü\tü", "a\t\\xff\\x1b[31m\\n"]),
    ],
)
def test_messages_are_lines_that_steer_no_terminal(
    channels: list[str], printed: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with fake_node(tmp_path / "s", messages=MESSAGES) as node:
        assert main(["sub", *channels, "--count", "3", "--socket", str(node.path)]) == 0
        assert node.asked == [{"op": "subscribe", "channels": channels}]
    assert capsys.readouterr().out.splitlines() == printed


def test_messages_as_json_are_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake_node(tmp_path / "s", messages=MESSAGES) as node:
        assert main(["sub", "a", "--json", "--count", "3", "--socket", str(node.path)]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == MESSAGES[:3]


@pytest.mark.parametrize("count", ["0", "-1", "x", "1.5", "", "00"])
def test_a_count_is_a_number(count: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sub", "a", f"--count={count}", "--socket", str(tmp_path / "s")]) == 2
    assert capsys.readouterr().err == f"psvr: --count: must be a whole number from 1, not {count!r}\n"


def test_a_sub_whose_node_goes_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake_node(tmp_path / "s", messages=MESSAGES[:1]) as node:
        assert main(["sub", "a", "--socket", str(node.path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "one\n" and printed.err.startswith("psvr: the connection to the node has ended")


STATUS: dict[str, Any] = {
    "id": 7,
    "boot": 3,
    "tree": {"root": 1, "parent": 4, "distance": 2, "children": [9, 12], "nodes": 1003},
    "ring": {"id": 5, "length": 2004, "positions": [3, 8]},
    "tables": {"channels": 1200, "lease": 12.5},
    "subscriptions": ["a", "b\n"],
    "outbox": {"waiting": 1, "kept": 2000, "stuck": 3},
    "counters": {"published": 1000, "given_up": 2},
    "transmissions": {"hello": 5},
    "bytes": {"hello": 2500},
    "dropped": {"no ring": 3},
    "losing": {},
    "neighbours": [
        {
            "id": 12,
            "quality": 0.5,
            "heard": 0.755,
            "hears_me": 1.0,
            "round_trip": None,
            "silent": 0.04,
            "two_way": False,
            "tree": False,
        },
        {
            "id": 4,
            "quality": 0.99,
            "heard": 0.99,
            "hears_me": 1.0,
            "round_trip": 0.0123,
            "silent": 0.26,
            "two_way": True,
            "tree": True,
        },
    ],
}


def test_a_status_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake_node(tmp_path / "s", STATUS) as node:
        assert main(["status", "--socket", str(node.path)]) == 0
    assert (
        capsys.readouterr().out
        == """\
node 7, boot 3
tree: parent 4, 2 hops from the root 1; children: 9, 12; 1,003 nodes from here down
ring: 2,004 positions, here 3, 8
tables: 1,200 channels, lease 12.5 s
subscriptions: a, b\\n
outbox: 1 wait for the network, 2,000 kept in case they must be repeated, 3 held until there is a way
counters: published 1,000, given up 2
transmissions: hello 5 of 2,500 bytes
dropped 3: no ring
neighbour  quality  heard  hears me  round trip  silent
        4      99%    99%      100%     12.3 ms   0.3 s  in the tree
       12      50%    76%      100%               0.0 s  one way
"""
    )


def test_a_status_of_a_node_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = {
        **STATUS,
        "tree": {"root": 7, "parent": None, "distance": 0, "children": [], "nodes": 1},
        "ring": {"id": None, "length": 0, "positions": []},
        "neighbours": [],
        "subscriptions": [],
        "dropped": {},
        "losing": {},
    }
    with fake_node(tmp_path / "s", alone) as node:
        assert main(["status", "--socket", str(node.path)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert main(["status", "--json", "--socket", str(node.path)]) == 0
    assert json.loads(capsys.readouterr().out) == alone
    assert lines[1:3] == ["tree: this node is the root; children: none; 1 node from here down", "ring: none as yet"]
    assert "subscriptions: none" in lines and lines[-1] == "neighbours: none"


def test_what_is_missing_can_be_installed_and_a_mistake_of_ours_is_no_such_thing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ""

    def absent(options: Any) -> None:
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

    monkeypatch.setattr("psvr.cli.keygen.run", absent)
    missing = "cryptography.hazmat"
    assert main(["keygen"]) == 2
    assert capsys.readouterr().err == "psvr: this command needs cryptography: pip install 'psvr[node]'\n"
    missing = "psvr.misspelt"
    with pytest.raises(ModuleNotFoundError):
        main(["keygen"])
