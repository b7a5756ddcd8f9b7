"""The settings of a node: from a TOML file, PSVR_* variables and flags, each overriding those before it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from psvr.errors import BadInput, did_you_mean
from psvr.fields.kinds import Choice, Number, Switch, Text, TextKind, Whole
from psvr.fields.tables import annotations
from psvr.files import read_toml
from psvr.node.daemon.logs import LEVELS
from psvr.node.link.base import Link
from psvr.node.link.choice import ether_for, link_for
from psvr.node.link.udp import PORT
from psvr.node.secure.keys import VARIABLE as KEY_VARIABLE
from psvr.protocol import constants as k

from .kinds import EtherAddress, FilePath, Group, HostPort, HostPorts, Policies

PREFIX = "PSVR_"
ROOT_STATE = Path("/var/lib/psvr")
NAME = Text(100, "a name")
MAX_SOCKET_BYTES = 107  # longest name of a Unix socket that the system allows


def default_state(environment: Mapping[str, str] = os.environ) -> Path:
    """The state folder of this user."""
    if os.geteuid() == 0:
        return ROOT_STATE
    home = environment.get("XDG_STATE_HOME", "")
    if home.startswith("/"):
        return Path(home, "psvr")
    if not environment.get("HOME"):
        raise BadInput("state: there is no home folder here; say where the node may keep its id")
    return Path(environment["HOME"], ".local", "state", "psvr")


def default_socket(state: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """In the state folder; for a user's default node in the runtime folder, which is emptied by a restart."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and os.geteuid() != 0 and state == default_state(environment):
        return Path(runtime, "psvr", "socket")
    return state / "socket"


@dataclass(frozen=True)
class Config:
    """The settings by name.  Every value is checked when it is set."""

    id: Annotated[int | None, Whole(0, (1 << 63) - 1), "id of the node (default: drawn once and kept)"] = None
    key_file: Annotated[Path | None, FilePath(), "file with the key of the network, from psvr keygen"] = None
    interface: Annotated[str | None, NAME, "find neighbours by multicast on this interface"] = None
    group: Annotated[str | None, Group(), "multicast group (default: one of IPv6; on lo, of IPv4)"] = None
    port: Annotated[int, Whole(1, 65535), "port of the multicast group, and to listen at for peers"] = PORT
    listen: Annotated[str | None, HostPort(0), "HOST:PORT at which peers reach this node"] = None
    peers: Annotated[tuple[str, ...], HostPorts(), "addresses of neighbours, HOST:PORT separated by commas"] = ()
    ether: Annotated[str | None, EtherAddress(), "neighbours through the ether of psvr swarm, HOST:PORT/NUMBER"] = None
    state: Annotated[Path, FilePath(), "folder in which the node keeps its id"] = field(default_factory=default_state)
    socket: Annotated[Path, FilePath(), "socket for psvr pub, sub and status"] = Path()
    trace: Annotated[Path | None, FilePath(), "write the trace to this folder, as JSON lines"] = None
    trace_bytes: Annotated[int, Whole(1024, 1 << 40), "maximum bytes of a trace file"] = 16 << 20
    trace_files: Annotated[int, Whole(1, 100_000), "number of trace files that are kept"] = 8
    run: Annotated[str, NAME, "name of the run in the trace, the same on all nodes"] = "live"
    hello: Annotated[float, Number(0.02, 3600), "seconds between two HELLOs, the same on all nodes"] = 1.0
    lease: Annotated[
        float,
        Number(0.1, 86_400, or_zero=True),
        "seconds that a subscription outlives its last SUB; 0: derived from the length of the ring",
    ] = 0.0
    links: Annotated[int, Whole(1, 255), "number of neighbours that are kept"] = k.LINKS
    channels: Annotated[int, Whole(1, 1 << 24), "number of channels that the node can know"] = 65_536
    shortcuts: Annotated[str, Choice(k.SHORTCUTS), "which links serve as shortcuts around the ring"] = "all"
    host: Annotated[dict[str, Any], Policies(), "policies beyond the paper, such as profile=paper,custody=5"] = field(
        default_factory=dict
    )
    open: Annotated[bool, Switch(), "run without a key even where others can listen and send"] = False
    log: Annotated[str, Choice(("text", "json")), "format of the log"] = "text"
    log_level: Annotated[str, Choice(LEVELS), "lowest level that is logged"] = "info"

    def __post_init__(self) -> None:
        for name, (kind, _) in settings().items():
            value = getattr(self, name)
            if value is not None or name not in OPTIONAL:
                object.__setattr__(self, name, kind.read(value, name))
        if self.socket == Path():
            object.__setattr__(self, "socket", default_socket(self.state))
        self.check_together()

    def check_together(self) -> None:
        if self.interface and (self.peers or self.listen):
            raise BadInput("interface: must not be set together with peers or listen: it is multicast, or known peers")
        if self.ether and (self.interface or self.peers or self.listen):
            raise BadInput("ether: must not be set together with interface, peers or listen")
        if len(os.fsencode(self.socket)) > MAX_SOCKET_BYTES:
            raise BadInput(
                f"socket: must be at most {MAX_SOCKET_BYTES} bytes long, not {len(os.fsencode(self.socket))}: "
                "set a shorter one"
            )

    def with_settings(self, changed: Mapping[str, Any]) -> "Config":
        """A copy with some values changed; a socket that was not set follows the state folder."""
        for name in changed:
            check_known(name, name, settings())
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.socket == default_socket(self.state):
            del values["socket"]
        return Config(**{**values, **changed})


OPTIONAL = {f.name for f in fields(Config) if f.default is None}


@cache
def settings() -> dict[str, tuple[TextKind, str]]:
    """Every setting: what values it takes, and what it is for."""
    return annotations(Config)


def check_known(name: str, where: str, names: Mapping[str, Any]) -> None:
    if name not in names:
        raise BadInput(f"{where}: no such setting{did_you_mean(name, names)}; there are {', '.join(names)}")


def load(file: Path | None, environment: Mapping[str, str], flags: Mapping[str, Any]) -> Config:
    """The configuration of a command.  Flags are keyed by setting; None means that a flag was not given."""
    values = {**from_file(file), **from_environment(environment)}
    for name, value in flags.items():
        if value is not None:
            kind, where = settings()[name][0], "--" + name.replace("_", "-")
            values[name] = kind.from_text(value, where) if isinstance(value, str) else kind.read(value, where)
    values.setdefault("state", default_state(environment))
    values.setdefault("socket", default_socket(values["state"], environment))
    return Config(**values)


def from_file(file: Path | None) -> dict[str, Any]:
    """The settings in a file; file names in it are relative to its folder."""
    values: dict[str, Any] = {}
    for name, value in read_toml(file, str(file)).items() if file else ():
        where = f"{file}: {name}"
        check_known(name, where, settings())
        values[name] = settings()[name][0].read(value, where)
        if isinstance(values[name], Path) and file:
            values[name] = file.parent / values[name]
    return values


def from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """PSVR_HELLO sets `hello`.  Unknown variables are ignored, unless they look like a misspelt setting."""
    values = {}
    for variable, text in environment.items():
        name = variable.removeprefix(PREFIX).lower()
        if not variable.startswith(PREFIX) or variable == KEY_VARIABLE:
            continue
        if name in settings():
            values[name] = settings()[name][0].from_text(text, variable)
        elif did_you_mean(name, settings()):
            variables = [PREFIX + name.upper() for name in settings()]
            raise BadInput(f"{variable}: no such setting{did_you_mean(variable, variables)}")
    return values


def link_of(config: Config, has_key: bool) -> Link:
    """The link that the settings ask for; without a key, one that stays on this machine."""
    private = not has_key and not config.open
    if config.ether:
        return ether_for(config.ether, private)
    return link_for(config.interface, config.group, config.port, config.listen, config.peers, private)
