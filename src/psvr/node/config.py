"""All that can be set of a node: by a TOML file, then PSVR_* variables, then flags, the later the stronger."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from psvr.errors import BadInput, did_you_mean
from psvr.protocol import constants as k

from .keys import VARIABLE as KEY_VARIABLE
from .link import Link
from .logs import LEVELS
from .settings import (
    Choice,
    EtherPlace,
    Group,
    HostPort,
    HostPorts,
    Kind,
    Name,
    Number,
    Place,
    Policies,
    Switch,
    Whole,
)
from .udp import PORT
from .ways import ether_for, link_for

PREFIX = "PSVR_"
ROOT_STATE = Path("/var/lib/psvr")
LONGEST_SOCKET = 107            # bytes that the system allows for its name


def default_state(environment: Mapping[str, str] = os.environ) -> Path:
    if os.geteuid() == 0:
        return ROOT_STATE
    home = environment.get("XDG_STATE_HOME", "")
    if home.startswith("/"):
        return Path(home, "psvr")
    if not environment.get("HOME"):
        raise BadInput("state: there is no home folder here; say where the node may keep its id")
    return Path(environment["HOME"], ".local", "state", "psvr")


def default_socket(state: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Beside the state, but for a user's only node there is a better place, which is empty after a restart."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and os.geteuid() != 0 and state == default_state(environment):
        return Path(runtime, "psvr", "socket")
    return state / "socket"


@dataclass(frozen=True)
class Config:
    """Settings by name.  Whatever is wrong with a value is said when it is set."""

    id: Annotated[int | None, Whole(0, (1 << 63) - 1), "id of the node (else drawn once and kept)"] = None
    key_file: Annotated[Path | None, Place(), "file with the key of the network, from psvr keygen"] = None
    interface: Annotated[str | None, Name(), "find neighbours by multicast on this interface"] = None
    group: Annotated[str | None, Group(), "multicast group (else one of IPv6, and of IPv4 on lo)"] = None
    port: Annotated[int, Whole(1, 65535), "port of the multicast group, and where peers are listened to"] = PORT
    listen: Annotated[str | None, HostPort(0), "HOST:PORT at which peers reach this node"] = None
    peers: Annotated[tuple[str, ...], HostPorts(), "neighbours by address, HOST:PORT with commas between"] = ()
    ether: Annotated[str | None, EtherPlace(), "neighbours through the ether of psvr swarm, HOST:PORT/NUMBER"] = None
    state: Annotated[Path, Place(), "folder in which the node keeps its id"] = field(default_factory=default_state)
    socket: Annotated[Path, Place(), "socket for psvr pub, sub and status"] = Path()
    trace: Annotated[Path | None, Place(), "write what happens into this folder, as JSON lines"] = None
    trace_bytes: Annotated[int, Whole(1024, 1 << 40), "bytes of a file of the trace"] = 16 << 20
    trace_files: Annotated[int, Whole(1, 100_000), "files of the trace that are kept"] = 8
    run: Annotated[str, Name(), "name of the run in the trace, the same at all nodes"] = "live"
    hello: Annotated[float, Number(0.02, 3600), "seconds between two HELLOs, the same at all nodes"] = 1.0
    lease: Annotated[float, Number(0.1, 86_400, or_zero=True),
                     "seconds that a subscription outlives its last SUB; 0: from the length of the ring"] = 0.0
    links: Annotated[int, Whole(1, 255), "neighbours that are kept"] = k.LINKS
    channels: Annotated[int, Whole(1, 1 << 24), "channels that the node can know"] = 65_536
    shortcuts: Annotated[str, Choice(k.SHORTCUTS), "which links shorten the way around the ring"] = "all"
    host: Annotated[dict[str, Any], Policies(),
                    "what is done beyond the paper, such as profile=paper,custody=5"] = field(default_factory=dict)
    open: Annotated[bool, Switch(), "run without a key also where others can listen and talk"] = False
    log: Annotated[str, Choice(("text", "json")), "form of the log"] = "text"
    log_level: Annotated[str, Choice(LEVELS), "least level that is logged"] = "info"

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
        if len(os.fsencode(self.socket)) > LONGEST_SOCKET:
            raise BadInput(f"socket: must be at most {LONGEST_SOCKET} bytes long, not {len(os.fsencode(self.socket))}: "
                           "set a shorter one")

    def with_settings(self, changed: Mapping[str, Any]) -> "Config":
        """A copy with other values; a socket that was not chosen goes where the state goes."""
        for name in changed:
            known(name, name, settings())
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.socket == default_socket(self.state):
            del values["socket"]
        return Config(**{**values, **changed})


OPTIONAL = {f.name for f in fields(Config) if f.default is None}


@cache
def settings() -> dict[str, tuple[Kind, str]]:
    """Every setting: what it may be, and what it is for."""
    hints = get_type_hints(Config, include_extras=True)
    return {name: get_args(hint)[1:3] for name, hint in hints.items() if get_origin(hint) is Annotated}


def known(name: str, where: str, names: Mapping[str, Any]) -> None:
    if name not in names:
        raise BadInput(f"{where}: no such setting{did_you_mean(name, names)}; there are {', '.join(names)}")


def load(file: Path | None, environment: Mapping[str, str], flags: Mapping[str, Any]) -> Config:
    """The configuration of a command; flags are by setting, and those that are None were not given."""
    values = {**from_file(file), **from_environment(environment)}
    for name, value in flags.items():
        if value is not None:
            kind, where = settings()[name][0], "--" + name.replace("_", "-")
            values[name] = kind.from_text(value, where) if isinstance(value, str) else kind.read(value, where)
    values.setdefault("state", default_state(environment))
    values.setdefault("socket", default_socket(values["state"], environment))
    return Config(**values)


def from_file(file: Path | None) -> dict[str, Any]:
    """What a file sets; names of files in it are relative to its folder."""
    values: dict[str, Any] = {}
    for name, value in read_toml(file).items() if file else ():
        where = f"{file}: {name}"
        known(name, where, settings())
        values[name] = settings()[name][0].read(value, where)
        if isinstance(values[name], Path) and file:
            values[name] = file.parent / values[name]
    return values


def read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise BadInput(f"{file}: lists or tables are nested too deeply") from None
    except ValueError as error:
        raise BadInput(f"{file}: not TOML: {error}") from None


def from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """PSVR_HELLO sets `hello`.  Other variables may be anybody's, unless they look like a slip of the pen."""
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
    """The way to neighbours that the settings ask for; without a key, one that stays on this machine."""
    private = not has_key and not config.open
    if config.ether:
        return ether_for(config.ether, private)
    return link_for(config.interface, config.group, config.port, config.listen, config.peers, private)
