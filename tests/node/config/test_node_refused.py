"""User errors with `psvr node`, `pub`, `sub` and `status`: one line each, and exit code 2."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from psvr.cli import main
from psvr.errors import BadInput
from psvr.node.daemon.client import Client
from psvr.node.daemon.serving import NEWCOMER_HELLOS
from psvr.node.secure.keys import new_key
from tests.support.node.node_process import PATIENCE, Printed, Process, in_line, psvr


def printed(done: "subprocess.CompletedProcess[str]") -> Printed:
    return Printed(done.returncode, done.stdout, done.stderr)


def refused(done: Printed, said: str) -> None:
    assert done.code == 2 and done.out == ""
    assert done.err.count("\n") == 1 and done.err.startswith("psvr") and said in done.err, done.err


@pytest.mark.parametrize(
    "stdin, said",
    [
        ('{"data": "x"}\n', "line 1: channel: must be a name"),
        ("{}\nnonsense\n", "line 1: channel: must be a name"),
        ('{"channel": "a", "data": "x"}\nnonsense\n', "line 2: must be a line of JSON"),
        ('{"channel": "a", "data": "x"}\n' * 100 + '{"channel": "a"}\n' * 100, "line 101: must have data, or base64"),
        ('{"channel": "", "data": "x"}\n', "line 1: channel: must be a name of one character or more"),
    ],
)
def test_pub_names_the_line_that_is_wrong(alone: Process, stdin: str, said: str) -> None:
    refused(psvr("pub", "--json", "--socket", alone.socket, stdin=stdin), said)
    assert alone.status()["counters"]["published"] == stdin.count('"channel": "a", "data"')


def test_pub_refuses_what_is_too_long(alone: Process) -> None:
    refused(psvr("pub", "a", "--socket", alone.socket, stdin=b"ok\n" + b"x" * 70_000), "line 2: is too long")
    refused(psvr("pub", "a", "x" * 70_000, "--socket", alone.socket), "data: must be at most 65,536 bytes, not 70,000")
    refused(psvr("pub", "", "x", "--socket", alone.socket), "channel: must be a name of one character or more")
    assert psvr("pub", "a", "--socket", alone.socket, stdin=b"\xff\xfe\n" + b"x" * 65_536).code == 0
    assert alone.status()["counters"]["published"] == 3


def test_two_nodes_that_want_the_same(alone: Process, tmp_path: Path) -> None:
    refused(psvr("node", "--state", alone.folder), "another node is running with this state folder")
    refused(psvr("node", "--state", tmp_path / "b", "--socket", alone.socket), "a node is already running here")
    assert alone.status(), "the first is not hurt"


def test_two_nodes_with_one_id(tmp_path: Path) -> None:
    first, second = in_line(tmp_path, 2, "--id=5")
    second.arguments.append("--hello=2")  # so that it is the newcomer for a while
    try:
        first.start()
        time.sleep(NEWCOMER_HELLOS * 0.1)
        second.start(wait=False)
        assert second.process is not None and second.process.wait(PATIENCE) == 2
        assert second.log.splitlines()[-1].startswith("psvr: id: another node has the id 5, too")
        assert first.status()["id"] == 5, "who was there before stays"
    finally:
        first.kill()
        second.kill()


def test_a_node_that_does_not_answer(alone: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psvr.node.daemon.client.TIMEOUT", 0.2)
    alone.send(signal.SIGSTOP)
    with pytest.raises(BadInput, match=r"^the node has not answered for 0\.2 s"), Client(alone.socket) as client:
        client.status()


@pytest.mark.parametrize(
    "line, missing, extras",
    [
        ("node --key-file good.key --listen 127.0.0.1:0", "cryptography", "node"),
        ("swarm scenario.toml", "cryptography", "sim,node"),
        ("swarm scenario.toml", "numpy", "sim,node"),
    ],
)
def test_what_is_missing_can_be_installed(here: Path, line: str, missing: str, extras: str) -> None:
    (here / "scenario.toml").write_text('topology = {kind = "ring", n = 5}\n')
    code = f"import sys; sys.modules['{missing}'] = None; import psvr.cli; sys.exit(psvr.cli.main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *line.split()], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    refused(printed(done), f"this command needs {missing}: pip install 'psvr[{extras}]'")


def test_standard_streams_that_are_closed(alone: Process) -> None:
    closed = subprocess.run(
        f"{sys.executable} -m psvr pub a --socket {alone.socket} <&-",
        shell=True,
        text=True,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    refused(printed(closed), "standard input: is closed; give DATA")
    full = subprocess.run(
        f"{sys.executable} -m psvr status --socket {alone.socket} >/dev/full",
        shell=True,
        text=True,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    refused(printed(full), "cannot write the result: No space left on device")


@pytest.mark.parametrize(
    "line",
    [
        "sub c",
        "status",
        "keygen",
        "keygen --show good.key",
        "node --listen 127.0.0.1:0",
        "pub c x",
        "lab list",
        "route --example small",
        "--version",
        "--help",
        "nonsense",
    ],
)
def test_standard_output_that_is_closed(here: Path, line: str) -> None:
    closed = subprocess.run(
        f"{sys.executable} -m psvr {line} >&-",
        shell=True,
        text=True,
        stderr=subprocess.PIPE,
        check=False,
        timeout=PATIENCE,
    )
    assert closed.returncode == 2
    assert closed.stderr == "psvr: standard output is closed; send it to a file or /dev/null\n"
    assert not (here / "state").exists()


def test_standard_error_that_is_closed(here: Path) -> None:
    for line, code in (("pub c x >&- 2>&-", 2), ("keygen --show absent 2>&-", 2), ("keygen --show good.key 2>&-", 0)):
        closed = subprocess.run(
            f"{sys.executable} -m psvr {line}", shell=True, capture_output=True, check=False, timeout=PATIENCE
        )
        assert closed.returncode == code and (closed.stdout == b"") == (code == 2), closed


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        refused(
            psvr("node", "--state", tmp_path, f"--listen=127.0.0.1:{port}"),
            f"listen: cannot use 127.0.0.1 port {port}: Address already in use",
        )


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with files that cannot be used."""
    monkeypatch.chdir(tmp_path)
    for variable in [v for v in os.environ if v.startswith("PSVR_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("PSVR_STATE", "state")
    monkeypatch.setattr("psvr.cli.local.WAIT", 0.0)
    (tmp_path / "bad.toml").write_text("hello = \n")
    (tmp_path / "typo.toml").write_text("helo = 1\n")
    (tmp_path / "file").write_text("")
    for name, text, mode in (
        ("short.key", "psvr-key-abcd\n", 0o600),
        ("open.key", new_key() + "\n", 0o644),
        ("none.key", "# nothing\n", 0o600),
        ("good.key", new_key() + "\n", 0o600),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "id").write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    "line, said",
    [
        ("node --interface nope", "interface: there is no 'nope' here; there are lo"),
        ("node --interface lo --group ff02::1", "interface: multicast on 'lo', port 7372: Network is unreachable"),
        ("node --interface lo --peers a:1", "interface: must not be set together with peers"),
        ("node --listen 192.0.2.1:5 --key-file good.key", "listen: cannot use 192.0.2.1 port 5: Cannot assign"),
        ("node --listen 192.0.2.1:5", "listen: without a key only addresses of this machine are used, not 192.0.2.1"),
        ("node --listen x.invalid:5 --open", "listen: 'x.invalid' is no address that can be used here"),
        (
            "node --peers nosuchhost.invalid:5",
            "peers: without a key only addresses of this machine are used, not nosuch",
        ),
        (
            "node --listen 127.0.0.1:0 --peers 192.0.2.1:5",
            "peers: without a key only addresses of this machine are used",
        ),
        ("node --peers nosuchhost.invalid:5 --open", "peers: 'nosuchhost.invalid' is no address that can be used here"),
        ("node --listen 5", '--listen: must be HOST:PORT, such as 192.168.1.5:7372 or [fe80::1%eth0]:7372, not "5"'),
        ("node --peers a:1 --peers b", "--peers: must be HOST:PORT"),
        ("node --config bad.toml", "bad.toml: not TOML: "),
        ("node --config typo.toml", "typo.toml: helo: no such setting (did you mean hello?)"),
        ("node --config none.toml", "none.toml: No such file or directory"),
        ("node --peers=", "--peers: must be HOST:PORT, not empty"),
        ("node --config=", '--config: must be the name of a file or folder, not ""'),
        ("node --key-file short.key", "short.key: line 1: too short for a key"),
        ("node --key-file open.key", "open.key: others can read or write this key; run: chmod 600 open.key"),
        ("node --key-file none.key", "none.key: holds no key"),
        ("node --key-file absent", "absent: there is no such file"),
        ("node --state file", "file: cannot be used as state folder"),
        ("node --state damaged", "damaged/id: is damaged"),
        ("node --socket file --listen 127.0.0.1:0", "socket: file is there and is no socket"),
        ("node --trace file --listen 127.0.0.1:0", "trace: file cannot be written"),
        ("node --hello 0", "--hello: must be a number from 0.02 to 3600, not 0.0"),
        ("node --id -1", "--id: must be a whole number from 0"),
        ("node --links many", '--links: must be a whole number from 1 to 255, not "many"'),
        ("node --log xml", '--log: must be one of text, json, not "xml"'),
        ("node --colour red", "unrecognized arguments: --colour red"),
        ("node extra", "unrecognized arguments: extra"),
        ("pub a x", "no node is running here (nobody listens at state/socket); start one with psvr node"),
        ("pub", "CHANNEL: must be given, or --json"),
        ("pub a b --json", "DATA: must not be given with --json"),
        ("pub a x --socket file", "no node is running here"),
        ("sub a --socket nowhere", "no node is running here (nobody listens at nowhere)"),
        ("sub", "the following arguments are required: CHANNEL"),
        ("sub a --count 0", "--count: must be a whole number from 1, not '0'"),
        ("sub a --count x", "--count: must be a whole number from 1, not 'x'"),
        ("status", "no node is running here"),
        ("status --config bad.toml", "bad.toml: not TOML"),
        ("status --config=", '--config: must be the name of a file or folder, not ""'),
    ],
)
def test_bad_input_is_one_line(here: Path, capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    try:
        code: Any = main(line.split())
    except SystemExit as exit:
        code = exit.code
    printed = capsys.readouterr()
    refused(Printed(code, printed.out, printed.err), said)
    assert not (here / "state" / "socket").exists()


def test_a_wrong_variable_is_one_line(tmp_path: Path) -> None:
    refused(psvr("node", PSVR_STATE=str(tmp_path), PSVR_HELLO="x"), "PSVR_HELLO: must be a number")
    refused(psvr("node", PSVR_STATE=str(tmp_path), PSVR_KEY="x"), "PSVR_KEY: not a key")
