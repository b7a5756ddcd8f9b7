"""`psvr node`, `pub`, `sub` and `status` as processes, over real sockets of this machine."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from psvr.node.secure.keys import new_key
from psvr.trace import read
from tests.support.node.node_process import (
    PATIENCE,
    PSVR,
    Printed,
    Process,
    environment,
    in_line,
    psvr,
    wait_for_ring,
    wait_for_subscriber,
)
from tests.support.ports import free_ports

Start = Callable[..., list[Process]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts nodes in a line, and waits until they have a ring."""
    started: list[Process] = []

    def begin(count: int, *arguments: str) -> list[Process]:
        nodes = in_line(tmp_path, count, *arguments)
        started.extend(nodes)
        for node in nodes:
            node.start(wait=False)
        wait_for_ring(nodes)
        return nodes

    yield begin
    for node in started:
        node.kill()


class Sub:
    """A `psvr sub` that runs."""

    def __init__(self, at: Process, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PSVR, "sub", "--socket", str(at.socket), *arguments],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )

    def end(self) -> Printed:
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        finally:
            self.process.kill()
        return Printed(self.process.returncode, out, err)


def test_three_nodes_in_a_line(start: Start) -> None:
    nodes = start(3)
    here, there = nodes[0], nodes[2]
    sub = Sub(there, "weather/north", "alarm", "--json", "--count", "5")
    wait_for_subscriber("alarm", there, nodes)
    assert psvr("pub", "alarm", "fire", "--socket", here.socket) == Printed(0, "", "")
    assert psvr("pub", "weather/north", "--socket", here.socket, stdin="rain\n\nschön\n") == Printed(0, "", "")
    lines = json.dumps({"base64": "/wA="}) + "\n"
    assert psvr("pub", "alarm", "--json", "--socket", here.socket, stdin=lines) == Printed(0, "", "")
    heard = sub.end()
    assert (heard.code, heard.err) == (0, "")
    told = sorted((json.loads(line) for line in heard.out.splitlines()), key=lambda message: message["sequence"])
    origin = here.status()["id"]
    assert [(m["channel"], m.get("data"), m.get("base64")) for m in told] == [
        ("alarm", "fire", None),
        ("weather/north", "rain", None),
        ("weather/north", "", None),
        ("weather/north", "schön", None),
        ("alarm", None, "/wA="),
    ]
    assert {(m["origin"], m["hops"]) for m in told} == {(origin, 2)}
    assert [m["sequence"] for m in told] == [1, 2, 3, 4, 5]


def test_many_lines_arrive_once_each(start: Start) -> None:
    nodes = start(2)
    sub = Sub(nodes[1], "a", "--count", "2000")
    wait_for_subscriber("a", nodes[1], nodes)
    done = psvr("pub", "a", "--socket", nodes[0].socket, stdin="".join(f"{i}\n" for i in range(2000)))
    assert done == Printed(0, "", "")
    assert sorted(map(int, sub.end().out.split())) == list(range(2000))


def test_a_network_with_a_key(tmp_path: Path, start: Start) -> None:
    key = tmp_path / "net.key"
    assert psvr("keygen", key).code == 0
    nodes = start(2, f"--key-file={key}")
    secret = key.read_text().strip().removeprefix("psvr-key-")
    for node in nodes:
        assert "key=" in node.log and "key=none" not in node.log and "no key" not in node.log
        assert secret not in node.log and secret[:8] not in node.log
    to_the_second = nodes[0].arguments[1]
    stranger = Process(tmp_path / "stranger", ["--listen=127.0.0.1:0", to_the_second, "--hello=0.1"])
    stranger.start()
    stranger.until(lambda: nodes[1].status()["counters"]["refused"] > 3)
    assert stranger.status()["neighbours"] == []
    assert "no key: frames are neither secret nor authenticated" in stranger.log
    stranger.kill()


def has_logged(node: Process, text: str, times: int) -> bool:
    return node.log.count(text) == times


def test_other_keys_without_a_restart(tmp_path: Path, start: Start) -> None:
    key = tmp_path / "net.key"
    psvr("keygen", key)
    nodes = start(2, f"--key-file={key}")
    boots = [node.status()["boot"] for node in nodes]
    for done, step in enumerate(("add", "switch", "drop")):
        assert psvr("keygen", "--rotate", step, key).code == 0
        for node in nodes:
            node.send(signal.SIGHUP)
            node.until(partial(has_logged, node, "other keys", done + 1))
    sub = Sub(nodes[1], "a", "--count", "1")
    wait_for_subscriber("a", nodes[1], nodes)
    psvr("pub", "a", "with the new key", "--socket", nodes[0].socket)
    assert sub.end().out == "with the new key\n"
    assert [node.status()["boot"] for node in nodes] == boots
    assert all("neighbour lost" not in node.log for node in nodes)
    key.write_text("nonsense\n")
    nodes[0].send(signal.SIGHUP)
    nodes[0].until(lambda: has_logged(nodes[0], "the keys stay as they were", 1))


def test_nodes_of_one_machine_find_each_other_without_settings(tmp_path: Path) -> None:
    port = free_ports(1)[0]
    nodes = [Process(tmp_path / name, ["--hello=0.1", f"--port={port}"]) for name in "ab"]
    try:
        for node in nodes:
            node.start()
        wait_for_ring(nodes)
    finally:
        for node in nodes:
            node.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_clean_stop(alone: Process, number: int) -> None:
    sub = Sub(alone, "a")
    alone.until(lambda: alone.status()["subscriptions"] == ["a"])
    assert alone.end(number) == 0
    assert not alone.socket.exists()
    assert sub.end() == Printed(2, "", "psvr: the node has stopped\n")
    first, *_, last = (line.split(maxsplit=2)[2] for line in alone.log.splitlines() if "no key" not in line)
    assert first.startswith("node started id=") and 'link="0 peers, listening at' in first and "key=none" in first
    assert last == "stops"


@pytest.mark.parametrize("key", [{}, {"PSVR_KEY": new_key()}])
def test_nothing_to_be_read_again(tmp_path: Path, key: dict[str, str]) -> None:
    node = Process(tmp_path / "n", ["--listen=127.0.0.1:0"], key)
    try:
        node.start()
        node.send(signal.SIGHUP)
        node.until(lambda: "there is no key file to be read again" in node.log)
        assert node.status() and node.end() == 0
        assert not node.socket.exists()
    finally:
        node.kill()


def test_a_restart_after_a_crash(start: Start) -> None:
    nodes = start(2)
    before = nodes[0].status()
    nodes[0].end(signal.SIGKILL)
    assert nodes[0].socket.exists()
    nodes[0].start()
    wait_for_ring(nodes)
    after = nodes[0].status()
    assert after["id"] == before["id"] and after["boot"] != before["boot"]
    sub = Sub(nodes[1], "a", "--count", "1")
    wait_for_subscriber("a", nodes[1], nodes)
    psvr("pub", "a", "again", "--socket", nodes[0].socket)
    assert sub.end().out == "again\n"


def test_the_trace_is_one_table(tmp_path: Path, start: Start) -> None:
    nodes = start(2, f"--trace={tmp_path / 'trace'}", "--run=field", "--trace-bytes=4096")
    sub = Sub(nodes[1], "a", "--count", "30")
    wait_for_subscriber("a", nodes[1], nodes)
    psvr("pub", "a", "--socket", nodes[0].socket, stdin="x\n" * 30)
    sub.end()
    ids = [node.status()["id"] for node in nodes]
    rows = read(tmp_path / "trace").to_pylist()
    assert {row["run"] for row in rows} == {"field"} and {row["clock"] for row in rows} == {"unix"}
    published = [row["sequence"] for row in rows if row["event"] == "published" and row["node"] == ids[0]]
    delivered = [row["sequence"] for row in rows if row["event"] == "delivered" and row["node"] == ids[1]]
    assert published == sorted(delivered) == list(range(1, 31))
    assert len(list((tmp_path / "trace").iterdir())) > 2


def test_logs_as_json(tmp_path: Path) -> None:
    node = Process(tmp_path / "j", ["--listen=127.0.0.1:0", "--log=json"])
    node.start()
    assert node.end() == 0
    told = [json.loads(line) for line in node.log.splitlines()]
    assert [t["level"] for t in told][:2] == ["warning", "info"] and told[1]["id"] > 0


def test_status(alone: Process, start: Start) -> None:
    done = psvr("status", "--socket", alone.socket)
    assert done.code == 0 and done.err == ""
    assert "this node is the root" in done.out and "neighbours: none" in done.out
    nodes = start(3)
    middle = psvr("status", "--socket", nodes[1].socket)
    ids = [node.status()["id"] for node in nodes]
    table = middle.out[middle.out.index("neighbour ") :].splitlines()
    assert [int(row.split()[0]) for row in table[1:]] == sorted([ids[0], ids[2]])
    assert all(row.endswith("in the tree") for row in table[1:])
    assert "ring: 4 positions" in middle.out
    told = json.loads(psvr("status", "--json", "--socket", nodes[1].socket).out)
    assert told["id"] == ids[1] and len(told["neighbours"]) == 2


def test_the_configuration_says_where_the_socket_is(alone: Process, tmp_path: Path) -> None:
    file = tmp_path / "node.toml"
    file.write_text('state = "alone"\n')
    by_file = psvr("status", "--json", "--config", file)
    by_variable = psvr("status", "--json", PSVR_STATE=str(alone.folder))
    assert json.loads(by_file.out)["id"] == json.loads(by_variable.out)["id"] == alone.status()["id"]


def test_a_message_is_one_line_and_steers_no_terminal(alone: Process) -> None:
    sub = Sub(alone, "a", "b", "--count", "3")
    alone.until(lambda: alone.status()["subscriptions"] == ["a", "b"])
    lines = [
        {"channel": "a", "data": "one\ntwo\x1b[2J\ttab\u2028"},
        {"channel": "b", "base64": "/0E="},
        {"channel": "a", "data": "plain ü"},
    ]
    psvr("pub", "--json", "--socket", alone.socket, stdin="".join(json.dumps(line) + "\n" for line in lines))
    assert sorted(sub.end().out.split("\n")) == sorted(
        ["a\tone\\ntwo\\x1b[2J\ttab\\u2028", "b\t\\xffA", "a\tplain ü", ""]
    )


def test_a_sub_whose_reader_goes_away(alone: Process) -> None:
    sub = Sub(alone, "a")
    alone.until(lambda: alone.status()["subscriptions"] == ["a"])
    assert sub.process.stdout is not None
    sub.process.stdout.close()
    psvr("pub", "a", "--socket", alone.socket, stdin="x\ny\n")
    assert sub.process.wait(PATIENCE) == 141
    alone.until(lambda: alone.status()["subscriptions"] == [])


def test_a_node_is_light(alone: Process) -> None:
    """Neither numpy nor cryptography, and less than 60 MB."""
    assert alone.process is not None
    resident = next(
        line for line in Path(f"/proc/{alone.process.pid}/status").read_text().splitlines() if line.startswith("VmRSS")
    )
    assert int(resident.split()[1]) < 60 * 1024
    code = (
        "import sys, psvr; assert 'psvr.node' not in sys.modules; psvr.Node, psvr.Message, psvr.Dropped; "
        "import psvr.cli.node; print(set(sys.modules) & {'numpy', 'cryptography', 'pyarrow', 'numba'})"
    )
    assert subprocess.run([*PSVR[:1], "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
