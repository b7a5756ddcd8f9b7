"""What a publication carries, and what an application may publish: every bound, from both sides."""

from typing import Any

import pytest

from psvr.errors import BadInput
from psvr.node.core.naming import MAX_NAME_BYTES, MAX_PAYLOAD_BYTES, checked, checked_name, pack, parts_of, payload_of

LONGEST = "x" * 1024
MOST = bytes(64 * 1024)


@pytest.mark.parametrize(
    "payload, held",
    [
        (b"x", b"x"),
        ("ü", "ü".encode()),
        (bytearray(b"ab"), b"ab"),
        (memoryview(b"abc")[1:], b"bc"),
        ("", b""),
        (MOST, MOST),
        ("x" * 65_536, b"x" * 65_536),
    ],
)
def test_bytes_and_text_can_be_published(payload: Any, held: bytes) -> None:
    name, found = checked("a", payload)
    assert (name, found) == ("a", held) and type(found) is bytes


@pytest.mark.parametrize(
    "payload, said",
    [
        (None, "data: must be bytes or text, not NoneType"),
        (5, "data: must be bytes or text, not int"),
        ([1, 2], "data: must be bytes or text, not list"),
        ("\ud800", "data: must be bytes, or Unicode text"),
        (MOST + b"x", "data: must be at most 65,536 bytes, not 65,537"),
        ("ü" * 32_769, "data: must be at most 65,536 bytes, not 65,538"),
    ],
)
def test_other_data_is_refused(payload: Any, said: str) -> None:
    with pytest.raises(BadInput) as refusal:
        checked("a", payload)
    assert str(refusal.value).startswith(said)


@pytest.mark.parametrize("name", ["a", " ", "a/b", "ä b", "\0", LONGEST, "ü" * 512])
def test_names_of_channels(name: str) -> None:
    assert checked_name(name) == name and checked(name, b"")[0] == name
    for payload in (b"", b"x", MOST):
        data = pack(name, payload)
        assert (parts_of(data), payload_of(data)) == ((name, len(payload)), payload)


@pytest.mark.parametrize(
    "name, said",
    [
        ("", "channel: must be a name of one character or more"),
        (None, "channel: must be a name of one character"),
        (b"a", "channel: must be a name of one character"),
        (5, "channel: must be a name of one character"),
        ("\ud800", "channel: must be Unicode text"),
        (LONGEST + "x", "channel: must be at most 1,024 bytes, not 1,025"),
        ("ü" * 513, "channel: must be at most 1,024 bytes, not 1,026"),
    ],
)
def test_what_is_no_name(name: Any, said: str) -> None:
    for check in (checked_name, lambda it: checked(it, b"x")):
        with pytest.raises(BadInput) as refusal:
            check(name)
        assert str(refusal.value).startswith(said)


def test_a_publication_that_no_application_can_have_made_has_no_name() -> None:
    data = pack("name", b"payload")
    assert [parts_of(data[:cut]) for cut in range(len("name") + 2)] == [None] * 6
    assert parts_of(data[:6]) == ("name", 0), "which nothing need follow"
    assert parts_of(pack("", b"x")) == ("", 1) and parts_of(pack("", b"")) == ("", 0)
    assert parts_of(data.replace(b"name", b"\xff\xfe\xff\xfe")) is None
    assert parts_of(pack("x" * (MAX_NAME_BYTES + 1), b"")) is None
    assert parts_of(pack("x", bytes(MAX_PAYLOAD_BYTES + 1))) is None
