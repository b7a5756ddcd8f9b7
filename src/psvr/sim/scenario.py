"""Scenarios: everything that decides a run, as a TOML file or as the same in Python objects.

`load` reads a file, `parse` a dictionary of the same form; `docs/scenarios.md` explains every key.  Times are seconds,
nodes are numbers from 0 to n − 1, whatever their ids.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from psvr.errors import BadInput, shown
from psvr.files import read_toml
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity
from psvr.protocol.profiles import PROFILES
from psvr.protocol.systems import known
from psvr.protocol.wire import WIDTHS

from . import consistent, topology
from .files import read_links, read_rows
from .memory import KINDS
from .overrides import overridden
from .radio.devices import from_file
from .radio.keys import DEFAULT, METRES, PER_MINUTE, STILL, Mobility, Radio
from .schema import Choice, Number, Switch, Table, Tables, Text, Whole, read_table, to_plain, to_text
from .selection import MOST_NODES, Links, Nodes, Pair, Pairs, Rows, Sizes, SomeLinks, SomeNodes

LONGEST = 1e9               # seconds, some thirty years: µs up to here are exact as floats
FASTEST = 1e-6              # seconds: a µs is the smallest step of time
TIME = Number(0, LONGEST)
WIDTH = Choice(WIDTHS)
HELD = Number(0, k.HELD_MOST / k.SECOND)


@dataclass(frozen=True)
class SystemName:
    """A built-in system, or one whose rules were loaded."""

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(known())}"

    def read(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or value not in known():
            raise BadInput(f"{key}: must be {self.allowed}, not {shown(value)}; one of your own is loaded from a file")
        return value


@dataclass(frozen=True, kw_only=True)
class Topology:
    """Who is in reach of whom.  Which keys belong to which kind is in `consistent`."""

    kind: Annotated[str, Choice(("gnp", "geometric", "grid", "line", "ring", "edges", "places"))]
    n: Annotated[int | None, Whole(1, MOST_NODES)] = None
    degree: Annotated[float | None, Number(0, MOST_NODES, above=True)] = None
    p: Annotated[float | None, Number(0, 1, above=True)] = None
    range: Annotated[float | None, Number(0, METRES, above=True)] = None
    area: Annotated[float | tuple[float, ...] | None, Sizes(("width", "height"), METRES, True, 2)] = None
    rows: Annotated[int | None, Whole(1, MOST_NODES)] = None
    columns: Annotated[int | None, Whole(1, MOST_NODES)] = None
    spacing: Annotated[float | None, Number(0, METRES, above=True)] = None
    edges: Annotated[tuple[Pair, ...] | None, Pairs()] = None
    places: Annotated[tuple[tuple[float, ...], ...] | None, Rows(("x", "y"), METRES)] = None
    file: Annotated[str | None, Text(4096, "the name of a file")] = None
    ids: Annotated[str, Choice(("index", "random"))] = "index"
    connected: Annotated[bool, Switch()] = True


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """Settings of all nodes."""

    system: Annotated[str, SystemName()] = "psvr"
    shortcuts: Annotated[str, Choice(k.SHORTCUTS)] = "all"
    links: Annotated[int, Whole(1, 255)] = k.LINKS
    hello: Annotated[float, Number(0.01, 3600)] = k.HELLO_PERIOD / k.SECOND
    lease: Annotated[float | None, Number(0.01, 1e6)] = None
    depth: Annotated[int | None, Whole(1, k.DISTANCE_MOST)] = None
    frame: Annotated[int, Whole(1, 65535)] = k.FRAME
    channels: Annotated[int, Whole(1, 65535)] = Capacity().channels
    id_bytes: Annotated[int | None, WIDTH] = None
    position_bytes: Annotated[int | None, WIDTH] = None


@dataclass(frozen=True, kw_only=True)
class Host:
    """What hosts do around the protocol: a profile, and single policies that differ from it."""

    profile: Annotated[str, Choice(PROFILES)] = "full"
    wait: Annotated[float | None, HELD] = None
    repeat: Annotated[float | None, HELD] = None
    custody: Annotated[float | None, HELD] = None
    doubt: Annotated[bool | None, Switch()] = None
    detour: Annotated[bool | None, Switch()] = None
    rounds: Annotated[int | None, Whole(0, 100)] = None
    memory: Annotated[bool | None, Switch()] = None
    reminders: Annotated[int | None, Whole(0, 100)] = None
    sub_copies: Annotated[int | None, Whole(1, 10)] = None
    sub_acks: Annotated[bool | None, Switch()] = None
    write_back: Annotated[int | None, Whole(1, 1000)] = None
    cleans: Annotated[int | None, Whole(1, 1000)] = None
    bursts: Annotated[int | None, Whole(1, 3)] = None
    relay_pause: Annotated[float | None, Number(0, 60)] = None


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Who subscribes to a channel, and who publishes on it, how often."""

    channel: Annotated[str, Text(200)]
    subscribers: Annotated[Nodes, SomeNodes()] = "all"
    publishers: Annotated[Nodes, SomeNodes()] = "all"
    every: Annotated[float, Number(FASTEST, LONGEST)] = 20.0
    start: Annotated[float, TIME] = 0.0
    stop: Annotated[float | None, TIME] = None
    payload: Annotated[int, Whole(0, 65535)] = 16
    churn: Annotated[float, Number(0, PER_MINUTE)] = 0.0


@dataclass(frozen=True, kw_only=True)
class Subscribe:
    """One change of a subscription."""

    at: Annotated[float, TIME]
    node: Annotated[int, Whole(0, MOST_NODES - 1)]
    channel: Annotated[str, Text(200)]
    on: Annotated[bool, Switch()] = True


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something that goes wrong, or is mended.  Which keys belong to which kind is in `consistent`."""

    at: Annotated[float, TIME]
    kind: Annotated[str, Choice(("corrupt", "crash", "restart", "cut", "heal", "partition", "jam"))]
    nodes: Annotated[Nodes | None, SomeNodes(1)] = None
    links: Annotated[Links | None, SomeLinks()] = None
    duration: Annotated[float | None, Number(FASTEST, LONGEST)] = None
    rate: Annotated[float | None, Number(0, PER_MINUTE, above=True)] = None
    area: Annotated[tuple[float, ...] | None, Sizes(("x", "y", "radius"), METRES, False, 1)] = None
    memory: Annotated[str | None, Choice(KINDS)] = None


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Everything that decides a run."""

    seed: Annotated[int, Whole(0, 2**63 - 1)] = 1
    duration: Annotated[float, Number(FASTEST, LONGEST)] = 600.0
    warmup: Annotated[float, TIME] = 0.0
    topology: Annotated[Topology, Table(Topology)]
    radio: Annotated[Radio, Table(Radio)] = DEFAULT
    mobility: Annotated[Mobility, Table(Mobility)] = STILL
    protocol: Annotated[Protocol, Table(Protocol)] = Protocol()
    host: Annotated[Host, Table(Host)] = Host()
    traffic: Annotated[tuple[Traffic, ...], Tables(Traffic)] = ()
    subscribe: Annotated[tuple[Subscribe, ...], Tables(Subscribe)] = ()
    fault: Annotated[tuple[Fault, ...], Tables(Fault)] = ()

    def to_dict(self) -> dict[str, Any]:
        """All keys but those that are absent, as `parse` takes them."""
        return to_plain(self)  # type: ignore[no-any-return]


def load(path: str | Path, overrides: Iterable[str] = ()) -> Scenario:
    """The scenario in a file, with keys overridden as by `topology.n=200`; files it names are looked for beside it."""
    return parse(read_toml(Path(path), str(path)), Path(path).parent, overrides)


def parse(mapping: Mapping[str, Any], folder: str | Path | None = None, overrides: Iterable[str] = ()) -> Scenario:
    """The scenario that a dictionary describes, checked as a whole; files it names are looked for in the folder."""
    scenario = read_table(Scenario, overridden(mapping, overrides), "")
    topology.check_keys(scenario.topology, scenario.radio.wireless)
    scenario = spelt_out(scenario, Path(folder or "."))
    consistent.check(scenario)
    return scenario


def spelt_out(s: Scenario, folder: Path) -> Scenario:
    """What stands in files stands in the scenario itself from here on: no file decides later."""
    t, r, m = s.topology, s.radio, s.mobility
    if t.file is not None and t.kind == "edges":
        t = replace(t, edges=read_links(folder / t.file, "topology.file"), file=None)
    elif t.file is not None:
        places = read_rows(folder / t.file, "topology.file", ("x", "y"))
        t = replace(t, places=Rows(("x", "y"), METRES).read(places, "topology.file"), file=None)
    if isinstance(r.device, str) and r.device.endswith(".toml"):
        r = replace(r, device=from_file(folder / r.device))
    if m.file is not None and m.knots is not None:
        raise BadInput("mobility.file, knots: must be one of the two, not both")
    if m.file is not None and m.model == "trace":
        names = ("time", "node", "x", "y")
        knots = Rows(names, METRES).read(read_rows(folder / m.file, "mobility.file", names), "mobility.file")
        m = replace(m, knots=knots, file=None)
    t = replace(t, n=topology.size(t)) if t.kind in ("edges", "places") and t.n is None else t
    return replace(s, topology=t, radio=r, mobility=m)


def to_toml(scenario: Scenario) -> str:
    """A scenario as a file that gives the same scenario again."""
    single, tables = [], []
    for name, value in scenario.to_dict().items():
        if isinstance(value, dict):
            tables += section(f"[{name}]", value)
        elif isinstance(value, list):
            tables += [line for entry in value for line in section(f"[[{name}]]", entry)]
        else:
            single.append(f"{name} = {to_text(value)}")
    return "\n".join([*single, *tables, ""])


def section(title: str, table: dict[str, Any]) -> list[str]:
    return ["", title, *(f"{name} = {to_text(value)}" for name, value in table.items())]
