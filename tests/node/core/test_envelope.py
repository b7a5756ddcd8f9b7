"""Items of a datagram: what was put in comes out, and reading ends at the first malformed item."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.node.core.envelope import (
    ACK,
    ECHO,
    FRAME,
    HELLO,
    PART,
    WAIT,
    Item,
    answer,
    challenges,
    echo,
    frame,
    hello,
    items,
    numbers,
    part,
)

NUMBER = st.integers(0, 2**32 - 1)
GOOD = st.one_of(
    st.binary(max_size=50).map(lambda body: (hello(body), Item(HELLO, 0, 0, 1, body))),
    st.tuples(NUMBER, st.binary(min_size=1, max_size=50)).map(lambda it: (frame(*it), Item(FRAME, it[0], 0, 1, it[1]))),
    st.tuples(NUMBER, st.integers(0, 99), st.binary(min_size=1, max_size=50)).map(
        lambda it: (part(it[0], it[1], 100, it[2]), Item(PART, it[0], it[1], 100, it[2]))
    ),
    st.lists(NUMBER, max_size=5).map(
        lambda them: (answer(WAIT, them), Item(WAIT, 0, 0, 1, b"".join(n.to_bytes(4, "big") for n in them)))
    ),
)
AFTER = hello(b"after it")


@given(st.lists(GOOD, max_size=6))
def test_items_come_out_as_they_were_put_in(made: list[tuple[bytes, Item]]) -> None:
    assert list(items(b"".join(packed for packed, _ in made))) == [item for _, item in made]


@given(st.lists(GOOD, min_size=1, max_size=4), st.data())
def test_of_a_datagram_that_was_cut_whole_items_are_read(made: list[tuple[bytes, Item]], data: st.DataObject) -> None:
    whole = b"".join(packed for packed, _ in made)
    ends = [len(b"".join(packed for packed, _ in made[:i])) for i in range(1, len(made) + 1)]
    cut = data.draw(st.integers(0, len(whole)))
    assert list(items(whole[:cut])) == [item for (_, item), end in zip(made, ends) if end <= cut]


def test_an_empty_item_at_the_end_is_an_item() -> None:
    assert list(items(answer(ACK, []))) == [Item(ACK, 0, 0, 1, b"")]
    assert list(items(hello(b"a") + hello(b""))) == [Item(HELLO, 0, 0, 1, b"a"), Item(HELLO, 0, 0, 1, b"")]


@pytest.mark.parametrize(
    "bad",
    [
        frame(5, b""),
        bytes([FRAME, 0, 3]) + bytes(3),
        part(5, 0, 1, b""),  # no frame in it
        part(5, 3, 3, b"x"),
        part(5, 4, 3, b"x"),
        part(5, 0, 0, b"x"),  # not one of so many
        bytes([6]) + part(5, 0, 1, b"x")[1:],
        bytes([255, 0, 0]),  # of an unknown kind
        bytes([HELLO, 0, 200]) + bytes(30),
    ],
)  # longer than the rest
def test_nothing_behind_a_malformed_item_is_read(bad: bytes) -> None:
    assert [item.body for item in items(hello(b"before it") + bad + AFTER)] == [b"before it"]


def test_numbers_and_challenges_are_whole_or_not_read() -> None:
    assert numbers(answer(ACK, [1, 2**32 - 1])[3:]) == (1, 2**32 - 1)
    assert numbers(b"\0\0\0\7\0\0\0") == (7,) and numbers(b"") == numbers(b"\0\0\0") == ()
    both = [b"12345678", b"abcdefgh"]
    (item,) = items(echo(both))
    assert item.kind == ECHO and challenges(item.body) == both
    assert challenges(item.body[:-1]) == both[:1] and challenges(item.body[:7]) == challenges(b"") == []
