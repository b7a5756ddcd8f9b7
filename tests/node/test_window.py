"""Nothing is handed over twice, and what its origin repeats still arrives in a busy network."""

from virtual import Virtual

from psvr.node.naming import AGE_MOST, age_of, aged, name_of, pack, payload_of
from psvr.node.window import FORGOTTEN, Window
from psvr.protocol import constants as k


def test_a_name_is_new_once() -> None:
    window = Window()
    assert [window.is_new((1, 1, 1), again, now) for again, now in ((False, 0), (False, 5), (True, 9))] == [
        True, False, False]
    assert window.is_new((1, 2, 1), True, 9), "of another boot"
    assert window.repeated == 2


def test_a_repetition_older_than_the_window_is_refused() -> None:
    window = Window(most=3)
    for i in range(4):
        assert window.is_new((1, 1, i), False, i)
    assert not window.is_new((1, 1, 0), True, 10), "it has left the window, and may have been delivered"
    assert window.is_new((1, 1, 4), False, 10), "what is no repetition cannot be refused"
    assert window.is_new((2, 1, 1), True, 10 + k.REPEAT_LIFE), "the window is longer than a repetition can be old"


def test_a_window_is_long_enough_at_the_very_moment_when_no_repetition_can_be_older() -> None:
    first = 1000 * k.REPEAT_LIFE                # nodes have run for long
    for late, let_in in ((k.REPEAT_LIFE - 1, False), (k.REPEAT_LIFE, True)):
        window = Window(most=2)
        for i, now in enumerate((first, first + 7)):
            assert window.is_new((1, 1, i), True, now), "it is not full yet"
        assert window.is_new((2, 1, 1), True, first + late) == let_in
        assert window.repeated == (not let_in)


def test_what_is_long_past_is_forgotten_and_nothing_sooner() -> None:
    window = Window()
    assert window.is_new((1, 1, 1), False, 5)
    assert window.is_new((1, 1, 2), False, 5 + FORGOTTEN) and not window.is_new((1, 1, 1), True, 5 + FORGOTTEN)
    assert window.is_new((1, 1, 3), False, 6 + FORGOTTEN) and window.is_new((1, 1, 1), True, 6 + FORGOTTEN)


def test_memory_is_bounded() -> None:
    window = Window(most=10)
    for i in range(1000):
        window.is_new((1, 1, i), False, i)
    assert len(window.seen) == 10
    window.is_new((1, 1, 1000), False, 1000 + FORGOTTEN)
    assert len(window.seen) == 1, "what is long past needs no room"


def test_repetitions_arrive_though_many_others_came_in_between() -> None:
    """The window of the rules has 64 places: when those are filled within 25 s, it takes no repetition at all."""
    net = Virtual([(0, 1), (1, 2), (2, 0)], 3)
    assert net.hosts[2].subscribe("news", net.now)
    net.run(5)
    for i in range(100):
        net.publish(0, "news", b"%d" % i)
        net.run(0.05)
    assert len(net.got[2]) == 100
    net.hosts[2].window.seen.popitem()          # as if the last one had been lost on its way
    net.got[2].pop()
    net.hosts[0].outbox.ring_is_gone()          # so it is repeated
    net.run(2)
    assert [data for _, data, _ in net.got[2]] == [b"%d" % i for i in range(100)]


def test_a_node_that_starts_again_leaves_what_is_older_than_itself_alone() -> None:
    net = Virtual([(0, 1), (1, 2), (2, 0)], 3)
    assert net.hosts[2].subscribe("news", net.now)
    net.run(5)
    net.publish(0, "news", b"old")
    net.run(1)
    net.boot(2)
    assert net.hosts[2].subscribe("news", net.now)
    net.publish(0, "news", b"new")
    net.run(15)
    net.hosts[0].outbox.ring_is_gone()          # so both are repeated
    net.run(2)
    assert [data for _, data, _ in net.got[2]] == [b"old", b"new"]
    assert net.hosts[2].window.repeated >= 1


def test_the_age_travels_with_the_data() -> None:
    data = pack("news", b"payload")
    assert (age_of(data), age_of(aged(data, 7_654_321)), age_of(aged(data, 1 << 60))) == (0, 7_654_000, AGE_MOST * 1000)
    for held in (data, aged(data, 7_654_321)):
        assert (name_of(held), payload_of(held)) == ("news", b"payload")
