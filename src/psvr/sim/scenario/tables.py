"""The tables of a scenario as dataclasses: their keys, what each may be, and its default."""

from dataclasses import dataclass
from typing import Annotated, Any

from psvr.errors import BadInput, did_you_mean, shown
from psvr.fields.kinds import Choice, Number, Rows, Sizes, Switch, Text, Whole
from psvr.fields.tables import Table, Tables, to_plain
from psvr.protocol import constants as k
from psvr.protocol.host.profiles import PROFILES
from psvr.protocol.layout import Capacity
from psvr.protocol.systems import known, load_provided
from psvr.protocol.wire.messages import WIDTHS
from psvr.related import register
from psvr.sim.faults.memory import KINDS

from .radio import DEFAULT, MAX_METRES, MAX_PER_MINUTE, MAX_SECONDS, MIN_SECONDS, STILL, Mobility, Radio
from .selection import MAX_NODES, Links, Nodes, Pair, Pairs, SomeLinks, SomeNodes

register()

TIME = Number(0, MAX_SECONDS)
WIDTH = Choice(WIDTHS)
HELD = Number(0, k.MAX_HELD / k.SECOND)


@dataclass(frozen=True)
class SystemName:
    """A built-in system, or a custom one whose rules have been loaded."""

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(known())}"

    def read(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or value not in known():
            hint = did_you_mean(value, known()) if isinstance(value, str) else ""
            raise BadInput(
                f"{key}: must be {self.allowed}, not {shown(value)}{hint}; one of your own is loaded from a file"
            )
        load_provided(value)
        return value


@dataclass(frozen=True, kw_only=True)
class Topology:
    """Who is in reach of whom.  `topology` says which keys belong to which kind."""

    kind: Annotated[str, Choice(("gnp", "geometric", "grid", "line", "ring", "edges", "places"))]
    n: Annotated[int | None, Whole(1, MAX_NODES)] = None
    degree: Annotated[float | None, Number(0, MAX_NODES, above=True)] = None
    p: Annotated[float | None, Number(0, 1, above=True)] = None
    range: Annotated[float | None, Number(0, MAX_METRES, above=True)] = None
    area: Annotated[float | tuple[float, ...] | None, Sizes(("width", "height"), MAX_METRES, True, 2)] = None
    rows: Annotated[int | None, Whole(1, MAX_NODES)] = None
    columns: Annotated[int | None, Whole(1, MAX_NODES)] = None
    spacing: Annotated[float | None, Number(0, MAX_METRES, above=True)] = None
    edges: Annotated[tuple[Pair, ...] | None, Pairs()] = None
    places: Annotated[tuple[tuple[float, ...], ...] | None, Rows(("x", "y"), MAX_METRES)] = None
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
    depth: Annotated[int | None, Whole(1, k.MAX_DISTANCE)] = None
    frame: Annotated[int, Whole(1, 65535)] = k.FRAME
    channels: Annotated[int, Whole(1, 65535)] = Capacity().channels
    id_bytes: Annotated[int | None, WIDTH] = None
    position_bytes: Annotated[int | None, WIDTH] = None


@dataclass(frozen=True, kw_only=True)
class Host:
    """What hosts do besides the protocol: a profile, and single policies that differ from it."""

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
    every: Annotated[float, Number(MIN_SECONDS, MAX_SECONDS)] = 20.0
    start: Annotated[float, TIME] = 0.0
    stop: Annotated[float | None, TIME] = None
    payload: Annotated[int, Whole(0, 65535)] = 16
    churn: Annotated[float, Number(0, MAX_PER_MINUTE)] = 0.0


@dataclass(frozen=True, kw_only=True)
class Subscribe:
    """One change of a subscription."""

    at: Annotated[float, TIME]
    node: Annotated[int, Whole(0, MAX_NODES - 1)]
    channel: Annotated[str, Text(200)]
    on: Annotated[bool, Switch()] = True


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something that goes wrong, or is repaired.  `consistency` says which keys belong to which kind."""

    at: Annotated[float, TIME]
    kind: Annotated[str, Choice(("corrupt", "crash", "restart", "cut", "heal", "partition", "jam"))]
    nodes: Annotated[Nodes | None, SomeNodes(1)] = None
    links: Annotated[Links | None, SomeLinks()] = None
    duration: Annotated[float | None, Number(MIN_SECONDS, MAX_SECONDS)] = None
    rate: Annotated[float | None, Number(0, MAX_PER_MINUTE, above=True)] = None
    area: Annotated[tuple[float, ...] | None, Sizes(("x", "y", "radius"), MAX_METRES, False, 1)] = None
    memory: Annotated[str | None, Choice(KINDS)] = None


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Everything that decides a run."""

    seed: Annotated[int, Whole(0, 2**63 - 1)] = 1
    duration: Annotated[float, Number(MIN_SECONDS, MAX_SECONDS)] = 600.0
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
        """All keys except absent ones, in the form that `parse` takes."""
        return to_plain(self)  # type: ignore[no-any-return]
