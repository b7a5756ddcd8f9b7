"""Settings of a node: file, then variables, then flags; wrong ones are refused with a line that says where they are."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.config.config import Config, link_of, load, settings
from psvr.node.config.kinds import host_port
from psvr.node.link.udp import GROUP4, GROUP6, Multicast, Peers

HOME = {"HOME": "/home/ann"}


@pytest.fixture(autouse=True)
def somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as an ordinary user, whoever runs the tests, and without settings from outside."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for variable in [v for v in os.environ if v.startswith(("PSVR_", "XDG_"))]:
        monkeypatch.delenv(variable)


def written(folder: Path, text: str) -> Path:
    file = folder / "node.toml"
    file.write_text(text)
    return file


def refusal(file: Path | None = None, environment: dict[str, str] | None = None, **flags: Any) -> str:
    with pytest.raises(BadInput) as error:
        load(file, {**HOME, **(environment or {})}, flags)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_the_later_is_the_stronger(tmp_path: Path) -> None:
    file = written(tmp_path, 'hello = 2\nlinks = 5\nport = 4000\npeers = ["a:1", "b:2"]\n')
    config = load(file, {**HOME, "PSVR_HELLO": "3", "PSVR_LINKS": "6"}, {"hello": "4.5", "open": True, "port": None})
    assert (config.hello, config.links, config.port, config.open) == (4.5, 6, 4000, True)
    assert config.peers == ("a:1", "b:2")


def test_every_setting_can_be_given_in_every_way(tmp_path: Path) -> None:
    texts = {
        "id": "7",
        "key_file": "/k",
        "interface": "lo",
        "group": "ff02::1",
        "port": "9",
        "state": "/s",
        "socket": "/sock",
        "trace": "/t",
        "trace_bytes": "5000",
        "trace_files": "3",
        "run": "field",
        "hello": "0.5",
        "lease": "9.0",
        "links": "4",
        "channels": "10",
        "shortcuts": "nontree",
        "open": "true",
        "log": "json",
        "log_level": "debug",
        "host": "profile=paper, rounds=1,detour=true, wait=2.5",
    }
    assert set(texts) == set(settings()) - {"listen", "peers", "ether"}
    plain = {"id", "port", "trace_bytes", "trace_files", "hello", "lease", "links", "channels", "open"}
    toml = "".join(f"{name} = {text if name in plain else repr(text)}\n" for name, text in list(texts.items())[:-1])
    toml += '[host]\nprofile = "paper"\nrounds = 1\ndetour = true\nwait = 2.5\n'
    by_file = load(written(tmp_path, toml), HOME, {})
    by_variable = load(None, {**HOME, **{f"PSVR_{name.upper()}": text for name, text in texts.items()}}, {})
    assert by_file == by_variable == load(None, HOME, texts)
    assert by_file.host == {"profile": "paper", "rounds": 1, "detour": True, "wait": 2.5}
    assert by_file.key_file == Path("/k") and by_file.open is True and by_file.hello == 0.5


def test_every_setting_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "node.md").read_text()
    cells = [row.split("|")[1] for row in page.splitlines() if row.startswith("| `")]
    assert set(settings()) <= set(re.findall(r"`(\w+)`", " ".join(cells)))


def test_where_things_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = load(None, HOME, {})
    assert plain.state == Path("/home/ann/.local/state/psvr") and plain.socket == plain.state / "socket"
    xdg = load(None, {**HOME, "XDG_STATE_HOME": "/var/ann", "XDG_RUNTIME_DIR": "/run/user/1000"}, {})
    assert (xdg.state, xdg.socket) == (Path("/var/ann/psvr"), Path("/run/user/1000/psvr/socket"))
    second = load(None, {**HOME, "XDG_RUNTIME_DIR": "/run/user/1000"}, {"state": "/tmp/second"})
    assert second.socket == Path("/tmp/second/socket"), "two nodes of one user do not share a socket"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert load(None, {"XDG_RUNTIME_DIR": "/run/user/0"}, {}).socket == Path("/var/lib/psvr/socket")


def test_names_of_files_are_relative_to_the_file_that_has_them(tmp_path: Path) -> None:
    config = load(written(tmp_path, 'key_file = "net.key"\nstate = "/var/x"\ntrace = "~/t"\n'), HOME, {})
    assert config.key_file == tmp_path / "net.key" and config.state == Path("/var/x")
    assert config.trace == Path.home() / "t"
    assert load(None, HOME, {"key_file": "net.key"}).key_file == Path("net.key")


def test_with_settings() -> None:
    config = Config(state=Path("/a")).with_settings({"state": "/b", "peers": ["x:1"]})
    assert (config.state, config.socket, config.peers) == (Path("/b"), Path("/b/socket"), ("x:1",))
    chosen = Config(socket=Path("/c")).with_settings({"state": "/b"})
    assert chosen.socket == Path("/c")
    with pytest.raises(BadInput, match=r"^helo: no such setting \(did you mean hello\?\)"):
        config.with_settings({"helo": 1})
    with pytest.raises(BadInput, match=r"^hello: must be a number"):
        Config(hello="often")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "toml, said",
    [
        ("hello = 'often'", 'hello: must be a number from 0.02 to 3600, not "often"'),
        ("hello = true", "hello: must be a number from 0.02 to 3600, not true"),
        ("hello = nan", "hello: must be a number from 0.02 to 3600, not nan"),
        ("hello = 0", "hello: must be a number"),
        ("lease = -1", "lease: must be 0, or a number from 0.1 to 86400, not -1"),
        ("links = 1.5", "links: must be a whole number from 1 to 255, not 1.5"),
        ("links = 0", "links: must be a whole number from 1 to 255, not 0"),
        ("id = -1", "id: must be a whole number from 0"),
        (f"id = {1 << 63}", "id: must be a whole number from 0"),
        ("port = 65536", "port: must be a whole number from 1 to 65535, not 65536"),
        ("peers = 'a:1'", "peers: must be a list of HOST:PORT"),
        ("peers = ['a']", 'peers: must be HOST:PORT, such as 192.168.1.5:7372 or [fe80::1%eth0]:7372, not "a"'),
        ("peers = ['a:0']", "peers: must be HOST:PORT"),
        ("listen = '::1:80'", "listen: must be HOST:PORT"),
        ("group = '10.0.0.1'", "group: must be a multicast address"),
        ("group = 'x'", "group: must be a multicast address"),
        ("log = 'xml'", 'log: must be one of text, json, not "xml"'),
        ("shortcuts = 3", "shortcuts: must be one of all, nontree, not 3"),
        ("open = 'yes'", 'open: must be true or false, not "yes"'),
        ("interface = ''", 'interface: must be a name, of 1 to 100 characters, not ""'),
        ("state = 7", "state: must be the name of a file or folder, not 7"),
        ("state = 'a\\u0000b'", "state: must be the name"),
        ("intreface = 'eth0'", "intreface: no such setting (did you mean interface?); there are id, key_file"),
        ("[node]\nhello = 1", "node: no such setting"),
        ("hello = ", "not TOML: "),
        ("hello = 1\nhello = 2", "not TOML: "),
        ("a = " + "[" * 9999, "lists or tables are nested too deeply"),
    ],
)
def test_wrong_in_a_file(tmp_path: Path, toml: str, said: str) -> None:
    file = written(tmp_path, toml.replace("'", '"'))
    assert refusal(file).startswith(f"{file}: {said}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.toml") == f"{tmp_path}/none.toml: No such file or directory"
    assert refusal(tmp_path) == f"{tmp_path}: Is a directory"
    (tmp_path / "odd").write_bytes(b"\xff\xfe")
    assert refusal(tmp_path / "odd") == f"{tmp_path}/odd: not UTF-8 text (byte 0)"


def test_wrong_in_variables_and_flags() -> None:
    assert refusal(None, {"PSVR_HELLO": "x"}) == 'PSVR_HELLO: must be a number from 0.02 to 3600, not "x"'
    assert refusal(None, {"PSVR_OPEN": ""}) == 'PSVR_OPEN: must be true or false, not ""'
    assert refusal(None, {"PSVR_PEERS": "a:1,b"}).startswith("PSVR_PEERS: must be HOST:PORT")
    assert refusal(None, {"PSVR_INTREFACE": "x"}) == "PSVR_INTREFACE: no such setting (did you mean PSVR_INTERFACE?)"
    assert refusal(trace_bytes="12k") == '--trace-bytes: must be a whole number from 1024 to 1099511627776, not "12k"'
    assert refusal(id="9" * 40).startswith("--id: must be a whole number")
    assert refusal(None, {"HOME": ""}).startswith("state: there is no home folder")
    assert refusal(socket="/" + "x" * 200).startswith("socket: must be at most 107 bytes long, not 201")


def test_variables_of_others_are_left_alone() -> None:
    others = {"PSVR_SERVICE_HOST": "x", "PSVR_KEY": "secret", "OTHER": "y"}
    assert load(None, {**HOME, **others}, {}) == load(None, HOME, {})


@pytest.mark.parametrize(
    "text, found",
    [
        ("a:1", ("a", 1)),
        ("1.2.3.4:65535", ("1.2.3.4", 65535)),
        ("[::1]:7", ("::1", 7)),
        ("[fe80::1%eth0]:7372", ("fe80::1%eth0", 7372)),
        ("a:65536", None),
        ("a", None),
        (":1", None),
        ("a:b", None),
        ("::1:5", None),
        ("[]:5", None),
        ("a b:5", None),
        ("a:5\n", None),
    ],
)
def test_addresses(text: str, found: tuple[str, int] | None) -> None:
    assert host_port(text) == found


def test_interface_and_peers_exclude_each_other() -> None:
    assert refusal(interface="eth0", peers="a:1").startswith("interface: must not be set together with peers")


def test_which_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.if_nameindex", lambda: [(1, "lo"), (2, "eth9")])
    alone = link_of(Config(), has_key=False)
    assert isinstance(alone, Multicast) and (alone.interface, alone.group, alone.at) == ("lo", GROUP4, "127.0.0.1")
    far = link_of(Config(interface="eth9", port=9), has_key=True)
    assert isinstance(far, Multicast) and (far.interface, far.port, far.group, far.at) == ("eth9", 9, GROUP6, None)
    chosen = link_of(Config(interface="eth9", group="239.1.2.3"), has_key=True)
    assert isinstance(chosen, Multicast) and chosen.group == "239.1.2.3"
    peers = link_of(Config(listen="0.0.0.0:5", peers=("a:1", "[::1]:2")), has_key=True)
    assert isinstance(peers, Peers) and (peers.at, peers.known) == (("0.0.0.0", 5), [("a", 1), ("::1", 2)])


@pytest.mark.parametrize(
    "peers, at",
    [
        (("10.0.0.1:1",), "0.0.0.0"),
        (("[fe80::1%e]:1",), "::"),
        (("127.0.0.1:1", "localhost:2"), "127.0.0.1"),
        (("[::1]:1",), "::1"),
        (("127.0.0.1:1", "there:2"), "0.0.0.0"),
    ],
)
def test_peers_say_where_to_listen(peers: tuple[str, ...], at: str) -> None:
    link = link_of(Config(peers=peers, port=99), has_key=True)
    assert isinstance(link, Peers) and link.at == (at, 99)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"listen": "0.0.0.0:5"}, "listen: without a key only addresses of this machine are used, not 0.0.0.0"),
        ({"listen": "127.0.0.1:5", "peers": ("10.0.0.1:1",)}, "peers: without a key only"),
        ({"peers": ("there:1",)}, "peers: without a key only addresses of this machine are used, not there"),
    ],
)
def test_without_a_key_all_stays_here(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as error:
        link_of(Config(**given), has_key=False)
    assert str(error.value).startswith(said) and "psvr keygen" in str(error.value)
    link_of(Config(**given), has_key=True)
    link_of(Config(**given, open=True), has_key=False)


def test_without_a_key_interfaces_of_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.if_nameindex", lambda: [(1, "lo"), (2, "eth0"), (3, "unseen")])
    for interface in ("eth0", "unseen"):
        with pytest.raises(BadInput, match=f"^interface: without a key only lo is used, not {interface}: "):
            link_of(Config(interface=interface), has_key=False)
    link_of(Config(interface="lo"), has_key=False)
