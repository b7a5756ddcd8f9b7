"""`psvr pub`, `sub` and `status` with a node that is late, is slow to read, or goes away."""

import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from psvr.errors import BadInput
from psvr.node.daemon import client
from psvr.node.daemon.client import GONE, HUNG_UP, Client
from tests.support.node.node_process import PATIENCE, PSVR, Printed, Process, environment, psvr


def test_a_sub_that_was_stopped_gets_all_of_it(alone: Process) -> None:
    messages = [f"{i:04}" + 60_000 * "x" for i in range(200)]
    with subprocess.Popen(
        [*PSVR, "sub", "a", "--count", "200", "--socket", str(alone.socket)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as sub:
        alone.until(lambda: alone.status()["subscriptions"] == ["a"])
        sub.send_signal(signal.SIGSTOP)
        assert psvr("pub", "a", "--socket", alone.socket, stdin="\n".join(messages)) == Printed(0, "", "")
        status = alone.status()
        sub.send_signal(signal.SIGCONT)
        out, err = sub.communicate(timeout=PATIENCE)
    assert (sub.returncode, err) == (0, "") and out.splitlines() == messages
    assert status["counters"]["delivered"] == 200 and status["dropped"] == {}


def test_commands_wait_for_a_node_that_is_being_started(tmp_path: Path) -> None:
    node = Process(tmp_path / "late", ["--listen=127.0.0.1:0"])
    with subprocess.Popen(
        [*PSVR, "status", "--socket", str(node.socket)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as status:
        try:
            node.start()
            out, err = status.communicate(timeout=PATIENCE)
        finally:
            node.kill()
    assert (status.returncode, err) == (0, "") and "this node is the root" in out


@pytest.mark.parametrize("stays, said", [(True, HUNG_UP), (False, GONE)])
def test_why_a_connection_ended(tmp_path: Path, stays: bool, said: str) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def hang_up() -> None:
            taken = server.accept()[0]
            taken.recv(100)
            if not stays:
                server.close()
            taken.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(BadInput) as refused, Client(path) as it:
            it.status()
        thread.join()
    assert str(refused.value) == said


def test_a_node_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT", 0.05)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        with Client(tmp_path / "socket") as it, pytest.raises(BadInput, match=r"^the node has not answered for 0\.05"):
            it.status()


def test_a_node_that_is_not_there_or_somebody_else_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[float] = []
    monkeypatch.setattr(time, "sleep", tries.append)
    with pytest.raises(BadInput, match=r"^no node is running here \(nobody listens at .*/none\); start"):
        Client(tmp_path / "none", wait=0.01)
    assert tries, "it was looked for more than once"
    before = len(os.listdir("/proc/self/fd"))
    tries.clear()

    def denied(*given: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "connect", denied)
    with pytest.raises(BadInput, match=r"^.*/none: this node belongs to somebody else$"):
        Client(tmp_path / "none", wait=60)
    assert tries == [] and len(os.listdir("/proc/self/fd")) == before, "to wait would be in vain"
