"""A root that is back is followed at once, although the network knows that it has died."""

import time
from dataclasses import replace

import pytest

from psvr.node import node
from psvr.node.config.config import Config
from psvr.protocol import constants as k
from tests.support.node.virtual import Virtual


def roots_after(beat: int) -> list[int]:
    """The root that all follow 14 periods after the old root is back; it was dead for 16."""
    net = Virtual([(0, 1), (1, 2), (2, 3), (3, 0)], 4)
    net.run(6)
    assert [host.me.root for host in net.hosts] == [0] * 4
    net.alive[0] = False
    net.run(3.2)
    assert [host.me.root for host in net.hosts[1:]] == [1] * 3
    net.options = replace(net.options, beat=beat)
    net.boot(0)
    net.run(2.8)
    return [host.me.root for host in net.hosts]


def test_a_root_with_a_newer_number_is_followed_at_once() -> None:
    assert roots_after(1000) == [0] * 4


def test_one_with_an_old_number_is_not() -> None:
    assert roots_after(0) == [0, 1, 1, 1]


def test_the_clock_gives_a_newer_number_at_each_start(monkeypatch: pytest.MonkeyPatch) -> None:
    for hello in (0.1, 1.0, 7.0):
        times = iter((1.7e9, 1.7e9 + 10 * hello))
        monkeypatch.setattr(time, "time", times.__next__)
        first, later = (node.options(Config(hello=hello)).beat for _ in range(2))
        assert 0 <= first < k.SEQ_TRUSTED and later - first in (9, 10, 11)
