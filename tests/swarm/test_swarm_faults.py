"""Real processes that are killed, restarted and separated."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.sim.bound import healing_bound, lease_for
from psvr.swarm.members import Member
from psvr.swarm.relay import Impairments
from tests.support.swarm.swarming import PATIENCE, children, environment, runs, swarm, until

RING = {"kind": "ring", "n": 5}
TRAFFIC = [{"channel": "news", "subscribers": [1, 3], "every": 0.5}]


def test_a_swarm_heals_from_crash_restart_and_partition(tmp_path: Path) -> None:
    """With loss, delay, duplicates and reordering on every link."""
    made, figures = swarm(
        tmp_path,
        {
            "duration": 22,
            "warmup": 2,
            "topology": RING,
            "protocol": {"hello": 0.1},
            "traffic": TRAFFIC,
            "radio": {"model": "lossy", "loss": 0.05},
            "fault": [
                {"at": 4, "kind": "crash", "nodes": [0], "duration": 3},
                {"at": 11, "kind": "restart", "nodes": [3]},
                {"at": 16, "kind": "partition", "nodes": [0, 1], "duration": 2},
            ],
        },
        Impairments(loss=0.05, delay=(0.0, 0.003), duplicate=0.05, reorder=0.05),
    )
    assert figures["stable_at"] is not None and len(figures["recoveries"]) == 3
    bound = healing_bound(0.1, 8, 3, lease_for(5))
    assert all(r is not None and r < bound for r in figures["recoveries"])
    assert figures["duplicates"] == 0 and figures["delivered"] > 0
    assert {d.node for d in made.record.deliveries} == {1, 3}
    boots = [boot for v, boot in made.record.counts if v in (0, 3)]
    assert len(set(boots)) == 4, "two starts of each"
    assert all(member.process is None for member in made.members)


def process(folder: Path, *more: str) -> "subprocess.Popen[str]":
    file = folder / "long.toml"
    file.write_text(
        'duration = 300\ntopology = {kind = "line", n = 3}\nprotocol = {hello = 0.1}\n'
        '[[traffic]]\nchannel = "c"\nevery = 0.5\n'
    )
    return subprocess.Popen(
        [sys.executable, "-m", "psvr", "swarm", str(file), *more],
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_with_the_figures_up_to_then(tmp_path: Path, number: int) -> None:
    running = process(tmp_path, "--trace", str(tmp_path / "trace"))
    until(
        lambda: (
            list((tmp_path / "trace").glob("node-2-*"))
            and b"delivered" in b"".join(file.read_bytes() for file in (tmp_path / "trace").glob("node-*"))
        )
    )
    nodes = children(running.pid)
    running.send_signal(number)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130 and "delivered" in out and err == ""
    assert len(nodes) == 3 and not any(map(runs, nodes))


def test_nodes_die_with_a_swarm_that_is_killed(tmp_path: Path) -> None:
    running = process(tmp_path)
    until(lambda: len(children(running.pid)) == 3)
    nodes = children(running.pid)
    running.kill()
    running.communicate(timeout=PATIENCE)
    until(lambda: not any(map(runs, nodes)))


@pytest.mark.parametrize(
    "script, said",
    [("echo the last words >&2; exit 3", "exit code 3: the last words"), ("exit 0", "exit code 0: it said nothing")],
)
def test_a_node_that_ends_by_itself_is_shown_with_its_last_words(tmp_path: Path, script: str, said: str) -> None:
    member = Member(7, tmp_path / "7", ["sh", "-c", script], "")
    with pytest.raises(BadInput, match=f"^node 7: ended by itself with {said}"):
        asyncio.run(member.start(asyncio.Semaphore(1)))


def test_a_run_fails_when_a_node_ends_by_itself(tmp_path: Path) -> None:
    running = process(tmp_path)
    until(lambda: len(children(running.pid)) == 3)
    subprocess.run(["kill", "-9", str(children(running.pid)[0])], check=True)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2 and out == ""
    assert len(err.splitlines()) == 1 and "ended by itself with exit code -9" in err and "logs are in" in err
    folder = Path(err.rpartition("logs are in ")[2].strip().rstrip(")"))
    assert (folder / "0" / "log").exists()


def figures_of(text: str) -> dict[str, Any]:
    return dict(json.loads(text))


def may_make_namespaces() -> bool:
    """Root in a container has the tools, but may not be allowed to use them."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("nft"):
        return False
    name = f"psvr-test-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return made


def test_namespaces_where_there_is_root_and_one_line_where_there_is_none(tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text(
        'duration = 6\nwarmup = 3\ntopology = {kind = "line", n = 3}\nprotocol = {hello = 0.1}\n'
        'radio = {model = "lossy", loss = 0.05}\n'
        '[[traffic]]\nchannel = "c"\nsubscribers = [2]\nevery = 0.3\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "psvr", "swarm", str(file), "--netns", "--json"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    if may_make_namespaces():
        assert done.returncode == 0, done.stderr
        figures = figures_of(done.stdout)
        assert figures["delivered"] > 0 and figures["duplicates"] == 0 and set(figures["hops"]) == {"1", "2"}
        left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
        assert "psvr-swarm" not in left
    else:
        assert done.returncode == 2 and done.stderr.startswith("psvr: --netns: ") and done.stderr.count("\n") == 1
