"""The bounds of every setting from both sides, and the defaults that the documentation promises."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.config.config import Config, link_of, load
from psvr.node.link.udp import Multicast, Peers
from psvr.protocol.host.profiles import POLICIES
from psvr.sim.scenario import parse

PAGE = (Path(__file__).parents[3] / "docs" / "node.md").read_text()


@pytest.fixture(autouse=True)
def somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for variable in [v for v in os.environ if v.startswith(("PSVR_", "XDG_"))]:
        monkeypatch.delenv(variable)


def documented() -> dict[str, str]:
    """The defaults by setting; a row may describe two of them."""
    table = PAGE.split("## Settings")[1].split("\n\n    ")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]*?) ?\|", table, re.M)
    return {
        name: default
        for names, defaults in rows
        for name, default in zip(re.findall(r"\w+", names), defaults.split(", ") if "," in names else [defaults])
    }


def test_defaults_are_those_of_the_page() -> None:
    told, config = documented(), Config()
    for name in ("port", "hello", "lease", "links", "channels", "trace_files"):
        assert getattr(config, name) == float(told[name]), name
    for name in ("run", "shortcuts", "log", "log_level"):
        assert f"`{getattr(config, name)}`" == told[name], name
    assert told["trace_bytes"] == f"{config.trace_bytes >> 20} MiB" and told["open"] == str(config.open).lower()
    assert [name for name, default in told.items() if not default] == ["key_file", "listen", "peers", "ether", "trace"]
    for name in ("key_file", "listen", "ether", "trace", "id", "interface", "group"):
        assert getattr(config, name) is None, name
    assert config.peers == ()
    link = link_of(config, has_key=False)
    assert isinstance(link, Multicast) and told["interface"] == f"`{link.interface}`"
    assert f"on `lo` `{link.group}`" in told["group"]


@pytest.mark.parametrize(
    "name, least, most, below, above",
    [
        ("id", 0, 2**63 - 1, -1, 2**63),
        ("port", 1, 65535, 0, 65536),
        ("links", 1, 255, 0, 256),
        ("channels", 1, 2**24, 0, 2**24 + 1),
        ("trace_files", 1, 100_000, 0, 100_001),
        ("trace_bytes", 1024, 2**40, 1023, 2**40 + 1),
        ("hello", 0.02, 3600, 0.019, 3600.1),
        ("lease", 0.1, 86_400, 0.09, 86_400.1),
        ("interface", "x", "x" * 100, "", "x" * 101),
        ("run", "x", "x" * 100, "", "x" * 101),
    ],
)
def test_bounds_belong_to_what_is_allowed(name: str, least: Any, most: Any, below: Any, above: Any) -> None:
    for value in (least, most):
        assert getattr(Config(**{name: value}), name) == value
        assert getattr(load(None, {"HOME": "/h", f"PSVR_{name.upper()}": str(value)}, {}), name) == value
    wrongs: list[Any] = [below, above, [least]]
    for wrong in wrongs:
        with pytest.raises(BadInput, match=f"^{name}: must be "):
            Config(**{name: wrong})


@pytest.mark.parametrize(
    "name, wrong",
    [
        ("interface", "a\nb"),
        ("interface", b"lo"),
        ("interface", ["lo"]),
        ("run", 5),
        ("state", ""),
        ("state", b"/s"),
        ("trace", "a\0b"),
        ("group", 5),
        ("group", b"\xff\x02" + bytes(14)),
        ("listen", 5),
        ("listen", "a:65536"),
        ("peers", "a:1"),
        ("peers", [5]),
        ("peers", {"a:1"}),
        ("peers", None),
        ("open", 1),
        ("open", None),
        ("hello", True),
        ("hello", None),
        ("hello", float("inf")),
        ("links", True),
        ("links", "5"),
        ("log", None),
        ("ether", "a:1"),
        ("ether", "/3"),
        ("ether", b"a:1/3"),
    ],
)
def test_values_of_another_kind_are_refused_in_one_line(name: str, wrong: Any) -> None:
    with pytest.raises(BadInput, match=f"^{name}: must be ") as refusal:
        Config(**{name: wrong})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text, said",
    [
        ("paper", "PSVR_HOST: must be a profile, full or paper, and single policies"),
        ("profile=best", "PSVR_HOST: profile: must be one of full, paper"),
        ("custody=-1", "PSVR_HOST: custody: must be a number"),
        ("custody=121", "PSVR_HOST: custody: must be a number from 0 to 120"),
        ("rounds=1.5", "PSVR_HOST: rounds: must be a whole"),
        ("detour=2", "PSVR_HOST: detour: must be true or false"),
        ("bursts=4", "PSVR_HOST: bursts: must be a whole number from 1 to 3"),
        ("custdy=1", 'PSVR_HOST: "custdy" is no policy (did you mean custody?)'),
        ("", "PSVR_HOST: must be a profile"),
    ],
)
def test_what_is_no_policy(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refusal:
        load(None, {"HOME": "/h", "PSVR_HOST": text}, {})
    assert str(refusal.value).startswith(said) and "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_has_the_bounds_of_scenarios(name: str) -> None:
    policy = POLICIES[name]
    for value in (policy.full, policy.paper, type(policy.full)(policy.low), type(policy.full)(policy.high)):
        assert Config(host={name: value}).host == {name: value}
        assert getattr(parse({"topology": {"kind": "line", "n": 2}, "host": {name: value}}).host, name) == value
    for wrong in (-1, policy.high + 1, "x"):
        with pytest.raises(BadInput, match=name):
            Config(host={name: wrong})
        with pytest.raises(BadInput, match=name):
            parse({"topology": {"kind": "line", "n": 2}, "host": {name: wrong}})


@pytest.mark.parametrize("text, value", [("true", True), ("TRUE", True), ("1", True), ("false", False), ("0", False)])
def test_switches_as_text(text: str, value: bool) -> None:
    assert load(None, {"HOME": "/h", "PSVR_OPEN": text}, {}).open is value


def test_no_lease_is_a_lease_of_zero() -> None:
    assert Config(lease=0).lease == 0.0
    with pytest.raises(BadInput, match="hello: must be a number from"):
        Config(hello=0)


def test_lists_as_text() -> None:
    assert load(None, {"HOME": "/h", "PSVR_PEERS": " a:1 , ,b:2,"}, {}).peers == ("a:1", "b:2")
    assert load(None, {"HOME": "/h", "PSVR_PEERS": ""}, {}).peers == ()


def test_any_free_port_can_be_listened_to_but_no_peer_is_there() -> None:
    assert Config(listen="127.0.0.1:0").listen == "127.0.0.1:0"
    with pytest.raises(BadInput, match=r"^peers: must be HOST:PORT"):
        Config(peers=("127.0.0.1:0",))


def test_a_home_that_nobody_knows() -> None:
    with pytest.raises(BadInput, match=r"^state: the home folder is not known, write the name without ~$"):
        Config(state="~nobody-of-this-name/x")  # type: ignore[arg-type]


LINKS = {"interface": "lo", "listen": "127.0.0.1:5", "peers": ("127.0.0.1:6",), "ether": "127.0.0.1:5000/3"}


@pytest.mark.parametrize(
    "one, other",
    [("interface", "listen"), ("interface", "peers"), ("ether", "interface"), ("ether", "listen"), ("ether", "peers")],
)
def test_ways_that_exclude_each_other(one: str, other: str) -> None:
    with pytest.raises(BadInput, match=f"^{one}: must not be set together with .*{other}"):
        Config(**{one: LINKS[one], other: LINKS[other]})  # type: ignore[arg-type]
    assert Config(listen=LINKS["listen"], peers=LINKS["peers"])  # type: ignore[arg-type]


def test_the_longest_name_of_a_socket() -> None:
    assert Config(socket=Path("/" + "x" * 106)).socket == Path("/" + "x" * 106)
    for name in ("/" + "x" * 107, "/" + "ü" * 54):
        with pytest.raises(BadInput, match=r"^socket: must be at most 107 bytes long, not 10[89]: set a shorter one"):
            Config(socket=Path(name))


def test_on_this_machine_a_group_of_either_version_stays_here() -> None:
    for group, at in ((None, "127.0.0.1"), ("239.1.2.3", "127.0.0.1"), ("ff02::7", "::1")):
        link = link_of(Config(group=group), has_key=False)
        assert isinstance(link, Multicast) and link.at == at and (group is None or link.group == group)


def test_without_a_key_addresses_of_this_machine_are_enough() -> None:
    for given in ({"listen": "127.0.0.1:5", "peers": ("127.9.9.9:1", "localhost:2")}, {"peers": ("[::1]:5",)}):
        assert isinstance(link_of(Config(**given), has_key=False), Peers)


def test_an_interface_that_is_not_there_is_said_to_be_missing_rather_than_to_want_a_key() -> None:
    assert isinstance(link_of(Config(interface="nowhere0"), has_key=False), Multicast)


@pytest.mark.parametrize(
    "flags, own", [("0x8", True), ("0x9", True), ("0x10049", True), ("0x1003", False), ("0x10", False)]
)
def test_what_the_system_says_of_an_interface(flags: str, own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.if_nameindex", lambda: [(1, "some0")])
    monkeypatch.setattr(Path, "read_text", lambda path: flags if path == Path("/sys/class/net/some0/flags") else "")
    link = Config(interface="some0")
    if own:
        assert link_of(link, has_key=False)
    else:
        with pytest.raises(BadInput, match=r"^interface: without a key only lo is used, not some0"):
            link_of(link, has_key=False)
