"""A link fails while it carries a publication: the second-best link takes over."""

import pytest

from psvr.protocol.ring import has_ring
from tests.support.node.virtual import Virtual


@pytest.mark.parametrize("cut, hops", [(False, 2), (True, 3)])
def test_a_detour_is_as_many_hops_as_it_has(cut: bool, hops: int) -> None:
    """On the ring 0 1 0 2 3 2, node 1 reaches 3 by way of 2, or by way of 0 and then 2."""
    net, heard = Virtual([(0, 1), (0, 2), (1, 2), (2, 3)], 4), []
    net.hosts[3].subscribe("c", net.now)
    net.run(15)
    assert [[p for p in h.me.position if p >= 0] for h in net.hosts] == [[0, 2], [1], [3, 5], [4]]
    net.hosts[3].deliver = lambda name, data, pub: heard.append(pub.hops)
    if cut:
        net.near[1].discard(2)
        net.near[2].discard(1)
    net.publish(1)
    net.run(5)
    assert heard == [hops] and all(has_ring(h.me) for h in net.hosts)
    sent = [row["peer"] for v, event, row in net.rows if v == 1 and event == "sent"]
    assert sent == ([2, 0] if cut else [2])
