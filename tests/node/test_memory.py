"""The memory that a node reports is enough to tell whether it is correct."""

import json

from psvr.node.core.snapshot import from_plain, to_plain
from psvr.protocol.invariants import ground_of, problems
from psvr.protocol.wire.names import channel_hash
from tests.support.network import Network

EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)]


def settled() -> Network:
    net = Network(EDGES, 5)
    net.subscribe(2)
    net.subscribe(4)
    net.run(40)
    return net


def test_a_settled_network_is_found_right_from_what_it_tells() -> None:
    told = [json.loads(json.dumps(to_plain(me))) for me in settled().node]
    assert problems([from_plain(one, 8) for one in told], ground_of(5, EDGES), [0] * 5) == []


def test_what_is_wrong_is_found_too() -> None:
    told = [to_plain(me) for me in settled().node]
    told[3]["row"] = []
    told[1]["position"][0] += 1
    told[2]["link"][0][0][1] = 0
    found = {p.property for p in problems([from_plain(one, 8) for one in told], ground_of(5, EDGES), [0] * 5)}
    assert {"positions", "tables"} <= found


def test_it_comes_back_as_it_was() -> None:
    for me in settled().node:
        assert to_plain(from_plain(to_plain(me), 8)) == to_plain(me)


def test_however_much_a_node_knows_all_of_it_comes_back() -> None:
    """Many channels, and a link that only one side keeps."""
    me = settled().node[1]
    channels = [channel_hash(f"channel {i}") for i in range(500)]
    told = to_plain(me)
    told["wants"], told["link"][0][0][1] = sorted(channels[:30]), 0
    told["row"] = sorted([channel, list(range(len(told["position"])))] for channel in channels)
    again = from_plain(told, 8)
    back = to_plain(again)
    back["wants"].sort()
    back["row"].sort()
    assert back == told and len(again.position) == len(again.link[0].position)
