"""Every error in a scenario is one line that names the key and says what is allowed."""

import math
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psvr.errors import BadInput
from psvr.sim.plan import plan
from psvr.sim.scenario import Fault, Radio, Scenario, Topology, Traffic, parse

GEOMETRIC = {"kind": "geometric", "n": 50, "degree": 8}
LINE = {"kind": "line", "n": 10}


def refused(mapping: dict[str, Any], *parts: str, **more: Any) -> str:
    """The error of parsing, or else of planning; one line that holds all parts."""
    with pytest.raises(BadInput) as caught:
        plan(parse(mapping, **more))
    text = str(caught.value)
    assert len(text.splitlines()) == 1 and text.isprintable() and len(text) < 300
    for part in parts:
        assert part in text
    return text


TOP: list[tuple[dict[str, Any], str]] = [
    ({"topology": None}, "topology: must be a table, not null"),
    ({"topology": 3}, "topology: must be a table, not 3"),
    ({"topology": [LINE]}, "topology: must be a table, not a list of 1"),
    ({"topolgy": LINE}, "topolgy: unknown key (did you mean topology?); allowed are seed, duration, warmup, topology"),
    ({"zzz": 1}, "zzz: unknown key; allowed are seed, "),
    ({"a\nb": 1}, "a?b: unknown key; allowed are "),
    ({cast(str, 7): 1}, "7: unknown key; allowed are "),
    ({"seed": -1}, "seed: must be a whole number from 0 to 9223372036854775807, not -1"),
    ({"seed": 1.0}, "seed: must be a whole number"),
    ({"seed": "7"}, "seed: must be a whole number from 0 to 922"),
    ({"seed": True}, "seed: must be a whole number from 0 to 9223372036854775807, not true"),
    ({"seed": 1 << 63}, "seed: must be a whole number"),
    ({"seed": 16**9000}, ", not a huge number"),
    ({"duration": 0}, "duration: must be a number from 1e-06 to 1000000000, not 0"),
    ({"duration": -5.0}, "duration: must be a number"),
    ({"duration": "10"}, "duration: must be a number from"),
    ({"duration": True}, "duration: must be a number from 1e-06 to 1000000000, not true"),
    ({"duration": math.nan}, "duration: must be a number from 1e-06 to 1000000000, not nan"),
    ({"duration": math.inf}, "duration: must be a number from 1e-06 to 1000000000, not inf"),
    ({"duration": 10**400}, "duration: must be a number from 1e-06 to 1000000000, not a huge number"),
    ({"warmup": -1}, "warmup: must be a number from 0 to 1000000000, not -1"),
    ({"warmup": -math.inf}, "warmup: must be a number from 0 to 1000000000, not -inf"),
    ({"warmup": 601}, "warmup: must be at most 600, the duration of the run, not 601"),
    ({"radio": []}, "radio: must be a table, not a list of 0"),
    ({"traffic": {"channel": "a"}}, "traffic: must be a list of tables, each under [[traffic]], not an object"),
    ({"traffic": "all"}, 'traffic: must be a list of tables, each under [[traffic]], not "all"'),
    ({"fault": [3]}, "fault.0: must be a table, not 3"),
    ({"subscribe": [{}]}, "subscribe.0.at: missing; must be a number from 0 to 1000000000"),
]

TOPOLOGY: list[tuple[dict[str, Any], str]] = [
    ({}, "topology.kind: missing; must be one of gnp, geometric, grid, line, ring, edges"),
    (
        {"kind": "star", "n": 5},
        'topology.kind: must be one of gnp, geometric, grid, line, ring, edges, places, not "star"',
    ),
    ({"kind": 5}, "topology.kind: must be one of"),
    ({"kind": True}, "topology.kind: must be one of"),
    ({"kind": ["line"]}, "topology.kind: must be one of"),
    ({**LINE, "degre": 4}, "topology.degre: unknown key (did you mean degree?); allowed are kind, n, degree, p, range"),
    ({"kind": "line"}, "topology.n: missing; must be a whole number from 1 to 10000000"),
    ({"kind": "geometric", "degree": 8}, "topology.n: missing"),
    ({"kind": "gnp", "p": 0.5}, "topology.n: missing"),
    ({"kind": "line", "n": 0}, "topology.n: must be a whole number from 1 to 10000000, not 0"),
    ({"kind": "line", "n": 10_000_001}, "topology.n: must be a whole number from 1 to 10000000, not 10000001"),
    ({"kind": "line", "n": 10.0}, "topology.n: must be a whole number from 1 to 10000000, not 10.0"),
    ({"kind": "line", "n": True}, "topology.n: "),
    ({"kind": "line", "n": "10"}, "topology.n: "),
    ({"kind": "line", "n": math.nan}, "topology.n: must be a whole number from 1 to 10000000, not nan"),
    ({"kind": "ring", "n": 2}, "topology.n: must be at least 3 for a ring, not 2"),
    (
        {**LINE, "degree": 2},
        'topology.degree: does not apply to kind = "line"; allowed are n, spacing, kind, ids, connected',
    ),
    ({**LINE, "edges": [[0, 1]]}, 'topology.edges: does not apply to kind = "line"'),
    ({**GEOMETRIC, "p": 0.1}, 'topology.p: does not apply to kind = "geometric"; allowed are n, degree, range, area'),
    ({**GEOMETRIC, "rows": 3}, 'topology.rows: does not apply to kind = "geometric"'),
    ({**GEOMETRIC, "file": "x"}, 'topology.file: does not apply to kind = "geometric"'),
    ({"kind": "gnp", "n": 9, "range": 5}, 'topology.range: does not apply to kind = "gnp"'),
    ({"kind": "edges", "n": 9, "degree": 5}, 'topology.degree: does not apply to kind = "edges"'),
    ({"kind": "gnp", "n": 9}, 'topology.degree, p: must be degree, or p for kind = "gnp", not none of them'),
    ({"kind": "gnp", "n": 9, "degree": 3, "p": 0.4}, "topology.degree, p: must be degree, or p"),
    ({"kind": "geometric", "n": 9}, "topology.degree, range, area: must be degree, or degree and area, or degree and "),
    ({"kind": "geometric", "n": 9, "range": 5}, 'or range and area for kind = "geometric", not range'),
    ({"kind": "geometric", "n": 9, "area": 5}, 'or range and area for kind = "geometric", not area'),
    ({**GEOMETRIC, "range": 50, "area": 100}, "not degree and range and area"),
    ({"kind": "grid"}, 'topology.n, rows, columns: must be rows and columns, or n for kind = "grid", not none of them'),
    ({"kind": "grid", "rows": 3}, "topology.n, rows, columns: must be rows and columns, or n"),
    ({"kind": "grid", "n": 9, "rows": 3, "columns": 3}, "not n and rows and columns"),
    ({"kind": "grid", "n": 10}, "topology.n: must be a square such as 9 for a grid, not 10"),
    ({"kind": "grid", "rows": 0, "columns": 3}, "topology.rows: must be a whole number from 1 to 10000000, not 0"),
    (
        {"kind": "grid", "rows": 10_000, "columns": 10_000},
        "topology.rows, columns: must make at most 10000000 nodes, n",
    ),
    ({"kind": "gnp", "n": 50, "degree": 50}, "topology.degree: must be a number above 0, at most 49, not 50"),
    ({"kind": "geometric", "n": 50, "degree": 49.5}, "topology.degree: must be a number above 0, at most 49, not 49.5"),
    ({"kind": "gnp", "n": 50, "degree": 0}, "topology.degree: must be a number above 0, at most 10000000, not 0"),
    (
        {"kind": "geometric", "n": 50, "degree": -3},
        "topology.degree: must be a number above 0, at most 10000000, not -3",
    ),
    ({"kind": "geometric", "n": 50, "degree": math.inf}, "topology.degree: "),
    ({"kind": "geometric", "n": 50, "degree": math.nan}, "topology.degree: "),
    (
        {"kind": "geometric", "n": 50, "degree": "8"},
        'topology.degree: must be a number above 0, at most 10000000, not "8"',
    ),
    ({"kind": "gnp", "n": 1, "degree": 1}, "topology.n: must be at least 2 for a network with a degree, not 1"),
    (
        {"kind": "gnp", "n": 500, "degree": 1.5},
        "topology.degree: must be large enough to connect 500 nodes, about 6.2 ",
    ),
    ({"kind": "gnp", "n": 50, "degree": 0.5}, "or more, not 0.5; or set connected = false"),
    (
        {"kind": "gnp", "n": 500, "p": 0.001},
        "topology.p: must be large enough to connect 500 nodes, about 0.012 or more",
    ),
    (
        {"kind": "geometric", "n": 500, "degree": 3},
        "topology.degree: must be large enough to connect 500 nodes, about 6 ",
    ),
    ({"kind": "geometric", "n": 500, "range": 3, "area": 1000}, "topology.range: must be large enough to connect 500 "),
    ({"kind": "gnp", "n": 50, "p": 0}, "topology.p: must be a number above 0, at most 1, not 0"),
    ({"kind": "gnp", "n": 50, "p": 1.1}, "topology.p: must be a number above 0, at most 1, not 1.1"),
    (
        {"kind": "gnp", "n": 1_000_000, "degree": 900_000},
        "topology.degree: must make at most 100000000 links, not about",
    ),
    ({"kind": "gnp", "n": 1_000_000, "p": 0.5}, "topology.p: must make at most 100000000 links, not about 2.5e+11"),
    (
        {"kind": "geometric", "n": 1_000_000, "range": 500, "area": 600},
        "topology.range: must make at most 100000000 li",
    ),
    (
        {"kind": "geometric", "n": 9, "range": 0, "area": 5},
        "topology.range: must be a number above 0, at most 1000000000, not 0",
    ),
    ({**GEOMETRIC, "area": 0}, "topology.area: must be a number above 0, at most 1000000000, not 0"),
    ({**GEOMETRIC, "area": "big"}, 'topology.area: must be a number above 0, or [width, height], not "big"'),
    ({**GEOMETRIC, "area": True}, "topology.area: must be a number above 0, or [width, height], not true"),
    ({**GEOMETRIC, "area": [5]}, "topology.area: must be a number above 0, or [width, height], not a list of 1"),
    ({**GEOMETRIC, "area": [5, 0]}, "topology.area[1]: must be a number above 0, at most 1000000000, not 0"),
    ({**GEOMETRIC, "area": [math.nan, 5]}, "topology.area[0]: must be a number above 0, at most 1000000000, not nan"),
    ({**GEOMETRIC, "ids": "name"}, 'topology.ids: must be one of index, random, not "name"'),
    ({**GEOMETRIC, "connected": "yes"}, 'topology.connected: must be true or false, not "yes"'),
    ({**GEOMETRIC, "connected": 1}, "topology.connected: must be true or false, not 1"),
    ({"kind": "edges"}, 'topology.n, edges, file: must be edges, or file, or n and edges, or n and file for kind = "e'),
    ({"kind": "edges", "n": 3}, "topology.n, edges, file: must be edges"),
    ({"kind": "edges", "edges": [[0, 1]], "file": "x"}, "not edges and file"),
    ({"kind": "edges", "edges": 3}, "topology.edges: must be a list of links [[u, v], …], not 3"),
    ({"kind": "edges", "edges": "01"}, 'topology.edges: must be a list of links [[u, v], …], not "01"'),
    ({"kind": "edges", "edges": [3]}, "topology.edges[0]: must be two nodes [u, v], not 3"),
    ({"kind": "edges", "edges": ["01"]}, 'topology.edges[0]: must be two nodes [u, v], not "01"'),
    ({"kind": "edges", "edges": [[0, 1], [0, 1, 2]]}, "topology.edges[1]: must be two nodes [u, v], not a list of 3"),
    ({"kind": "edges", "edges": [[0, 1], [1, 2.0]]}, "topology.edges[1]: must be two nodes from 0 to 9999999, not 2.0"),
    ({"kind": "edges", "edges": [[0, True]]}, "topology.edges[0]: must be two nodes from 0 to 9999999, not true"),
    ({"kind": "edges", "edges": [[0, -1]]}, "topology.edges[0]: must be two nodes from 0 to 9999999, not -1"),
    ({"kind": "edges", "edges": [[0, 10**7]]}, "topology.edges[0]: must be two nodes from 0 to 9999999, not 10000000"),
    ({"kind": "edges", "edges": [[0, 1], [1, 1]]}, "topology.edges[1]: must link two different nodes, not 1 to itself"),
    ({"kind": "edges", "edges": [[0, 1], [1, 0]]}, "topology.edges[1]: must list each link once, but 0 and 1 are"),
    (
        {"kind": "edges", "n": 2, "edges": [[0, 1], [1, 2]]},
        "topology.edges[1]: must link nodes from 0 to 1, not 1 and 2",
    ),
    (
        {"kind": "edges", "n": 4, "edges": [[0, 1], [2, 3]]},
        "topology.edges: must connect all nodes, but 0 and 2 are not",
    ),
    ({"kind": "edges", "n": 3, "edges": [[0, 1]]}, "but 0 and 2 are not; or set connected = false"),
    ({"kind": "edges", "file": ""}, "topology.file: must be the name of a file"),
    ({"kind": "edges", "file": 3}, "topology.file: must be the name of a file"),
    ({"kind": "edges", "file": "missing.txt"}, "topology.file: missing.txt: No such file or directory"),
]

RADIO: list[tuple[dict[str, Any], str]] = [
    ({"model": "wifi"}, 'radio.model: must be one of ideal, lossy, ieee802154, not "wifi"'),
    ({"los": 0.1}, "radio.los: unknown key (did you mean loss?); allowed are model, loss, retries, bitrate"),
    ({"loss": 0.1}, 'radio.loss: must be 0 for model = "ideal", not 0.1; or use "lossy"'),
    ({"model": "lossy", "loss": 1}, "radio.loss: must be a number from 0, below 1, not 1"),
    ({"model": "lossy", "loss": -0.1}, "radio.loss: must be a number from 0, below 1, not -0.1"),
    ({"model": "lossy", "loss": math.nan}, "radio.loss: "),
    ({"model": "lossy", "loss": "1%"}, "radio.loss: "),
    ({"model": "lossy", "loss": False}, "radio.loss: must be a number from 0, below 1, not false"),
    ({"retries": -1}, "radio.retries: must be a whole number from 0 to 255, not -1"),
    ({"retries": 2.5}, "radio.retries: must be a whole number from 0 to 255, not 2.5"),
    ({"bitrate": 0}, "radio.bitrate: must be a whole number from 1 to 1000000000000, not 0"),
    ({"bitrate": 250e3}, "radio.bitrate: must be a whole number from 1 to 1000000000000, not 250000.0"),
]

PROTOCOL: list[tuple[dict[str, Any], str]] = [
    (
        {"system": "td"},
        'protocol.system: must be one of psvr, vr2015, ring, shen, flood, diffusion, jaeger, vr2015-ring, not "td"',
    ),
    ({"shortcuts": "some"}, 'protocol.shortcuts: must be one of all, nontree, not "some"'),
    ({"shortcuts": True}, "protocol.shortcuts: must be one of all, nontree, not true"),
    ({"links": 0}, "protocol.links: must be a whole number from 1 to 255, not 0"),
    ({"links": 256}, "protocol.links: must be a whole number from 1 to 255, not 256"),
    ({"hello": 0}, "protocol.hello: must be a number from 0.01 to 3600, not 0"),
    ({"hello": -1}, "protocol.hello: "),
    ({"hello": math.inf}, "protocol.hello: "),
    ({"lease": 0}, "protocol.lease: must be a number from 0.01 to 1000000, not 0"),
    ({"lease": "long"}, "protocol.lease: "),
    ({"lease": math.nan}, "protocol.lease: "),
    ({"depth": 0}, "protocol.depth: must be a whole number from 1 to 65535, not 0"),
    ({"depth": 65536}, "protocol.depth: must be a whole number from 1 to 65535, not 65536"),
    ({"frame": 0}, "protocol.frame: must be a whole number from 1 to 65535, not 0"),
    ({"frame": 44}, "protocol.frame: must be at least 45 bytes, so that a HELLO fits, not 44"),
    ({"frame": 80, "id_bytes": 8, "position_bytes": 8}, "protocol.frame: must be at least 93 bytes"),
    ({"channels": 0}, "protocol.channels: must be a whole number from 1 to 65535, not 0"),
    ({"id_bytes": 3}, "protocol.id_bytes: must be one of 2, 4, 8, not 3"),
    ({"id_bytes": 2.0}, "protocol.id_bytes: must be one of 2, 4, 8, not 2.0"),
    ({"position_bytes": "4"}, 'protocol.position_bytes: must be one of 2, 4, 8, not "4"'),
    (
        {"C_N": 8},
        "protocol.C_N: unknown key; allowed are system, shortcuts, links, hello, lease, depth, frame, channels",
    ),
]

TRAFFIC: list[tuple[dict[str, Any], str]] = [
    ({"channel": None}, "traffic.0.channel: must be one line of text, of 1 to 200 characters, not null"),
    ({"channel": ""}, 'traffic.0.channel: must be one line of text, of 1 to 200 characters, not ""'),
    ({"channel": "a\nb"}, "traffic.0.channel: "),
    ({"channel": 3}, "traffic.0.channel: "),
    ({"channel": "x" * 201}, "traffic.0.channel: "),
    ({"channel": "\ud800"}, "traffic.0.channel: "),
    ({"chanel": "a"}, "traffic.0.chanel: unknown key (did you mean channel?)"),
    ({"subscribers": 11}, "traffic.0.subscribers: must be at most 10, the number of nodes, not 11"),
    ({"subscribers": -1}, 'traffic.0.subscribers: must be a count of 0 or more, a list of nodes, or "all", not -1'),
    ({"subscribers": 2.0}, 'traffic.0.subscribers: must be a count of 0 or more, a list of nodes, or "all", not 2.0'),
    ({"subscribers": True}, "traffic.0.subscribers: must be a count"),
    ({"subscribers": "some"}, 'traffic.0.subscribers: must be a count of 0 or more, a list of nodes, or "all", not'),
    (
        {"subscribers": {}},
        'traffic.0.subscribers: must be a count of 0 or more, a list of nodes, or "all", not an object',
    ),
    ({"subscribers": 10**30}, "traffic.0.subscribers: must be a count from 0 to 10000000, not 1000000000000000000"),
    ({"subscribers": [1, 10]}, "traffic.0.subscribers[1]: must be a node from 0 to 9, not 10"),
    ({"subscribers": [1, -1]}, "traffic.0.subscribers[1]: must be a node from 0 to 9999999, not -1"),
    ({"subscribers": [1, "2"]}, "traffic.0.subscribers[1]: must be a node"),
    ({"subscribers": [1, 2.0]}, "traffic.0.subscribers[1]: must be a node"),
    ({"subscribers": [1, False]}, "traffic.0.subscribers[1]: must be a node"),
    ({"subscribers": [1, 2, 1]}, "traffic.0.subscribers[2]: must be listed once, but 1 is listed before"),
    ({"publishers": 11}, "traffic.0.publishers: must be at most 10"),
    ({"publishers": [10]}, "traffic.0.publishers[0]: must be a node from 0 to 9, not 10"),
    ({"every": 0}, "traffic.0.every: must be a number from 1e-06 to 1000000000, not 0"),
    ({"every": -20}, "traffic.0.every: "),
    ({"every": math.inf}, "traffic.0.every: "),
    ({"every": "20s"}, "traffic.0.every: "),
    ({"start": -1}, "traffic.0.start: must be a number from 0 to 1000000000, not -1"),
    ({"start": 700}, "traffic.0.start: must be at most 600, the duration of the run, not 700"),
    ({"stop": 700}, "traffic.0.stop: must be at most 600, the duration of the run, not 700"),
    ({"start": 50, "stop": 50}, "traffic.0.stop: must be more than start, 50, not 50"),
    ({"payload": -1}, "traffic.0.payload: must be a whole number from 0 to 65535, not -1"),
    ({"payload": 1.5}, "traffic.0.payload: "),
    ({"payload": 83}, "traffic.0.payload: must be at most 82 bytes, so that a publication fits a frame of 116, not 83"),
    ({"churn": -1}, "traffic.0.churn: must be a number from 0 to 1000000, not -1"),
    ({"churn": math.nan}, "traffic.0.churn: "),
    ({"churn": "often"}, "traffic.0.churn: "),
    ({"churn": 200_000}, "traffic.0.churn: must be at most 100000 per minute, 1000000 in all, not 200000"),
]

SUBSCRIBE: list[tuple[dict[str, Any], str]] = [
    ({"at": -1}, "subscribe.0.at: must be a number from 0 to 1000000000, not -1"),
    ({"at": 601}, "subscribe.0.at: must be at most 600, the duration of the run, not 601"),
    ({"at": None}, "subscribe.0.at: "),
    ({"at": math.nan}, "subscribe.0.at: "),
    ({"node": 10}, "subscribe.0.node: must be a node from 0 to 9, not 10"),
    ({"node": -1}, "subscribe.0.node: "),
    ({"node": [1]}, "subscribe.0.node: "),
    ({"node": "all"}, "subscribe.0.node: "),
    ({"channel": 1}, "subscribe.0.channel: "),
    ({"on": 1}, "subscribe.0.on: must be true or false, not 1"),
    ({"off": True}, "subscribe.0.off: unknown key"),
]

FAULT: list[tuple[dict[str, Any], str]] = [
    ({"kind": "explode"}, 'fault.0.kind: must be one of corrupt, crash, restart, cut, heal, partition, jam, not "expl'),
    ({"at": -1}, "fault.0.at: must be a number from 0 to 1000000000, not -1"),
    ({"at": 600.5}, "fault.0.at: must be at most 600, the duration of the run, not 600.5"),
    ({"at": math.inf}, "fault.0.at: "),
    ({"at": "noon"}, "fault.0.at: "),
    ({"at": True}, "fault.0.at: "),
    ({"nodes": None}, 'fault.0.nodes: must be a count of 1 or more, a list of nodes, or "all", not null'),
    ({"nodes": 0}, 'fault.0.nodes: must be a count of 1 or more, a list of nodes, or "all", not 0'),
    ({"nodes": []}, 'fault.0.nodes: must be a count of 1 or more, a list of nodes, or "all", not a list of 0'),
    ({"nodes": 51}, "fault.0.nodes: must be at most 50, the number of nodes, not 51"),
    ({"nodes": [3, 50]}, "fault.0.nodes[1]: must be a node from 0 to 49, not 50"),
    ({"nodes": [3, 3]}, "fault.0.nodes[1]: must be listed once, but 3 is listed before"),
    ({"nodes": "some"}, "fault.0.nodes: must be a count"),
    ({"nodes": 1.5}, "fault.0.nodes: must be a count"),
    (
        {"kind": "corrupt", "duration": 5},
        'fault.0.duration: does not apply to kind = "corrupt" without a rate; allowed',
    ),
    ({"kind": "restart", "duration": 5}, 'fault.0.duration: does not apply to kind = "restart" without a rate'),
    ({"kind": "corrupt", "links": 5}, 'fault.0.links: does not apply to kind = "corrupt"; allowed are at, kind, rate'),
    ({"kind": "restart", "area": [1, 2, 3]}, 'fault.0.area: does not apply to kind = "restart"'),
    ({"kind": "cut", "nodes": [1]}, 'fault.0.nodes: does not apply to kind = "cut"; allowed are at, kind, rate, links'),
    ({"kind": "heal", "nodes": "all"}, 'fault.0.nodes: does not apply to kind = "heal"'),
    ({"kind": "crash", "nodes": 3, "area": [1, 2, 3]}, "fault.0.nodes, area: must be one of the two, not both"),
    ({"kind": "partition", "nodes": "all"}, "fault.0.nodes: must leave out some of the 50 nodes"),
    ({"kind": "partition", "nodes": 50}, "fault.0.nodes: must leave out some of the 50 nodes"),
    ({"kind": "partition", "nodes": list(range(50))}, "fault.0.nodes: must leave out some of the 50 nodes"),
    ({"kind": "jam", "duration": 0}, "fault.0.duration: must be a number from 1e-06 to 1000000000, not 0"),
    ({"kind": "jam", "duration": -1}, "fault.0.duration: "),
    ({"kind": "jam", "duration": math.nan}, "fault.0.duration: "),
    ({"rate": 0}, "fault.0.rate: must be a number above 0, at most 1000000, not 0"),
    ({"rate": -2}, "fault.0.rate: "),
    ({"rate": math.inf}, "fault.0.rate: "),
    ({"rate": "often"}, "fault.0.rate: "),
    ({"rate": 50_000}, "fault.0.rate: must be at most 10084 per minute, 100000 in all, not 50000"),
    ({"lasts": 5}, "fault.0.lasts: unknown key"),
    ({"durations": 5}, "fault.0.durations: unknown key (did you mean dur"),
]

AIMED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "corrupt"}, 'fault.0.nodes: missing; must be a count, a list, or "all"; or give an area'),
    ({"kind": "restart"}, 'fault.0.nodes: missing; must be a count, a list, or "all"'),
    ({"kind": "partition"}, 'fault.0.nodes: missing; must be a count, a list, or "all"; or give an area'),
    ({"kind": "cut"}, 'fault.0.links: missing; must be a count, a list, or "all"'),
    ({"kind": "heal"}, 'fault.0.links: missing; must be a count, a list, or "all"'),
    ({"kind": "cut", "links": 0}, 'fault.0.links: must be a count of 1 or more, a list of links [[u, v], …], or "all"'),
    ({"kind": "cut", "links": []}, "fault.0.links: must be a count of 1 or more"),
    ({"kind": "cut", "links": True}, "fault.0.links: must be a count of 1 or more"),
    ({"kind": "cut", "links": "most"}, "fault.0.links: must be a count of 1 or more"),
    ({"kind": "cut", "links": [1, 2]}, "fault.0.links[0]: must be two nodes [u, v], not 1"),
    ({"kind": "cut", "links": [[1, 1]]}, "fault.0.links[0]: must link two different nodes, not 1 to itself"),
    ({"kind": "cut", "links": [[1, 50]]}, "fault.0.links[0]: must be nodes from 0 to 49, not 50"),
    (
        {"kind": "cut", "links": [[1, 2], [2, 1]]},
        "fault.0.links[1]: must be listed once, but [1, 2] is listed before",
    ),
    ({"kind": "cut", "links": 100_000}, "fault.0.links: must be at most "),
    ({"kind": "jam", "area": 5}, "fault.0.area: must be [x, y, radius], not 5"),
    ({"kind": "jam", "area": [1, 2]}, "fault.0.area: must be [x, y, radius], not [1, 2]"),
    ({"kind": "jam", "area": [1, 2, 0]}, "fault.0.area[2]: must be a number above 0, at most 1000000000, not 0"),
    ({"kind": "jam", "area": [-1, 2, 3]}, "fault.0.area[0]: must be a number from 0 to 1000000000, not -1"),
    ({"kind": "jam", "area": [1, math.nan, 3]}, "fault.0.area[1]: must be a number from 0 to 1000000000, not nan"),
    ({"kind": "jam", "area": [1, "2", 3]}, 'fault.0.area[1]: must be a number from 0 to 1000000000, not "2"'),
    ({"kind": "jam", "area": [5000, 5000, 1]}, "fault.0.area: must hold from 1 to 50 of the 50 nodes, not 0"),
    ({"kind": "partition", "area": [500, 500, 5000]}, "fault.0.area: must hold from 1 to 49 of the 50 nodes, not 50"),
]


def named(rows: list[tuple[dict[str, Any], str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("keys", "text"), rows, ids=[f"{i}-{text[:30]}" for i, (_, text) in enumerate(rows)])


@named(TOP)
def test_top_level(keys: dict[str, Any], text: str) -> None:
    refused({"topology": LINE, **keys}, text)


def test_a_topology_is_needed() -> None:
    refused({}, "topology: missing; must be a table")


@named(TOPOLOGY)
def test_topology(keys: dict[str, Any], text: str) -> None:
    refused({"topology": keys}, text)


@named(RADIO)
def test_radio(keys: dict[str, Any], text: str) -> None:
    refused({"topology": LINE, "radio": keys}, text)


@named(PROTOCOL)
def test_protocol(keys: dict[str, Any], text: str) -> None:
    refused({"topology": LINE, "protocol": keys}, text)


@named(TRAFFIC)
def test_traffic(keys: dict[str, Any], text: str) -> None:
    refused({"topology": LINE, "traffic": [{"channel": "a", **keys}]}, text)


def test_traffic_needs_a_channel() -> None:
    refused({"topology": LINE, "traffic": [{}]}, "traffic.0.channel: missing; must be one line of text")
    refused({"topology": LINE, "traffic": [{"channel": "a"}, {}]}, "traffic.1.channel: missing")


@named(SUBSCRIBE)
def test_subscribe(keys: dict[str, Any], text: str) -> None:
    refused({"topology": LINE, "subscribe": [{"at": 5, "node": 3, "channel": "a", **keys}]}, text)


@named(FAULT)
def test_fault(keys: dict[str, Any], text: str) -> None:
    targets = {} if keys.keys() & {"nodes"} or keys.get("kind") in ("cut", "heal") else {"nodes": 1}
    refused({"topology": GEOMETRIC, "fault": [{"at": 5, "kind": "corrupt", **targets, **keys}]}, text)


@named(AIMED)
def test_fault_without_nodes(keys: dict[str, Any], text: str) -> None:
    refused({"topology": GEOMETRIC, "fault": [{"at": 5, **keys}]}, text)


def test_faults_that_the_topology_does_not_have() -> None:
    cut = {"at": 5, "kind": "cut", "links": [[3, 4], [4, 6]]}
    refused({"topology": LINE, "fault": [cut]}, "fault.0.links[1]: must be a link of the network, but 4 and 6 are not")
    jam = {"at": 5, "kind": "jam", "area": [1, 2, 3]}
    refused({"topology": LINE, "fault": [cut, jam]}, "fault.1.area: must be left out, no node has a place; use nodes")
    alone = {"at": 5, "kind": "cut", "rate": 60}
    refused({"topology": {"kind": "line", "n": 1}, "fault": [alone]}, "fault.0.kind: must be one for nodes, not cut")


def test_ids_and_positions_that_do_not_fit() -> None:
    wide = {"kind": "grid", "rows": 200, "columns": 200}
    refused(
        {"topology": wide, "protocol": {"position_bytes": 2}}, "protocol.position_bytes: must be wide enough for 79998"
    )
    random = {**LINE, "ids": "random"}
    refused({"topology": random, "protocol": {"id_bytes": 2}}, "protocol.id_bytes: must be wide enough for 2147483647")


def test_more_channels_than_a_node_can_hold() -> None:
    traffic = [{"channel": name, "subscribers": [2] if name != "c" else [3], "publishers": 0} for name in "abc"]
    mapping = {"topology": LINE, "protocol": {"channels": 1}, "traffic": traffic}
    refused(mapping, "protocol.channels: must be at least 2, since node 2 subscribes to so many, not 1")
    leaves = [{"at": 5, "node": 2, "channel": "a", "on": False}, {"at": 5, "node": 2, "channel": "d"}]
    assert plan(parse({**mapping, "protocol": {"channels": 2}, "subscribe": leaves})).n == 10


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        (Scenario(topology=Topology(kind="star", n=3)), "topology.kind: must be one of"),
        (Scenario(topology=Topology(kind="line", n=3), duration=-1), "duration: must be a number"),
        (Scenario(topology=Topology(kind="line", n=3), radio=Radio(loss=0.5)), "radio.loss: must be 0"),
        (Scenario(topology=Topology(kind="line", n=3), traffic=(Traffic(channel="a", subscribers=4),)), "at most 3"),
        (
            Scenario(topology=Topology(kind="line", n=3), fault=(Fault(at=1, kind="crash", nodes=(3,)),)),
            "fault.0.nodes[0]: ",
        ),
    ],
)
def test_objects_made_by_hand(scenario: Scenario, text: str) -> None:
    with pytest.raises(BadInput) as caught:
        plan(scenario)
    assert text in str(caught.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(
        [
            "seed",
            "duration",
            "warmup",
            "topology.kind",
            "topology.n",
            "topology.area",
            "topology.edges",
            "topology.ids",
            "radio",
            "radio.model",
            "radio.loss",
            "protocol.links",
            "protocol.id_bytes",
            "traffic",
            "traffic.0.subscribers",
            "traffic.0.channel",
            "fault.0.nodes",
            "fault.0.links",
            "fault.0.area",
            "fault.0.kind",
            "subscribe",
            "x",
        ]
    ),
    VALUES,
)
def test_any_value_is_taken_or_refused_in_one_line(path: str, value: Any) -> None:
    mapping: dict[str, Any] = {
        "topology": dict(LINE),
        "traffic": [{"channel": "a"}],
        "radio": {},
        "protocol": {},
        "fault": [{"at": 1, "kind": "jam", "nodes": 1}],
    }
    table: Any = mapping
    *above, last = path.split(".")
    for part in above:
        table = table[int(part) if part.isdigit() else part]
    table[last] = value
    try:
        parse(mapping)
    except BadInput as error:
        assert len(str(error).splitlines()) == 1 and str(error).startswith(path.split(".")[0])
