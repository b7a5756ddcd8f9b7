"""A node that subscribes to thousands of channels, and others with whom it shares the links."""

from psvr.node.core.host import Options
from psvr.node.core.transport import MAX_SUBS
from psvr.protocol import constants as k
from psvr.protocol.layout import Capacity
from tests.support.node.virtual import Virtual

CHANNELS, RATE = 3000, 40_000  # bytes per second


def test_publications_go_on_beside_thousands_of_subscriptions() -> None:
    """SUBs for all of them take as long as their lease on these links: nothing else starves, nothing is lost."""
    net = Virtual([(0, 1), (1, 2)], 3, rate=RATE, hello=1, options={"lease": 1.2})
    assert net.hosts[0].subscribe("news", net.now) and net.hosts[2].subscribe("orders", net.now)
    net.run(20)
    for i in range(CHANNELS):
        assert net.hosts[2].subscribe(f"channel {i}", net.now)
    made = []
    for _ in range(20):
        net.run(1)
        made += [(0, net.publish(1, "news")), (0, net.publish(2, "news")), (2, net.publish(0, "orders"))]
    net.run(4)
    for v in (0, 2):
        assert sorted(name for _, _, name in net.got[v]) == sorted(name for to, name in made if to == v)
    assert sum(channel != k.NO_CHANNEL for channel in net.hosts[0].me.channel) == CHANNELS + 1


def test_all_subscriptions_that_a_node_may_have_can_wait() -> None:
    """Those that are left out would be the same each time."""
    assert MAX_SUBS * Capacity().batch >= Options().channels
