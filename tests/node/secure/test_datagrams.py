"""The bytes of a datagram, made by hand from the table in docs/security.md, which all nodes follow."""

from hashlib import blake2s
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from psvr.node.secure import seal
from psvr.node.secure.keys import Keyring
from psvr.node.secure.seal import BODY, Opened, Seal

KEY, OTHER, SALT, ID = bytes(range(32)), bytes(range(1, 33)), b"SALTsalt", 0x0123_4567_89AB_CDEF


def head(tag: bytes, counter: int, version: int = 0xB1) -> bytes:
    return bytes([version]) + tag + ID.to_bytes(8, "big") + SALT + counter.to_bytes(8, "big")


def sealed(counter: int, body: bytes, key: bytes = KEY, version: int = 0xB1) -> bytes:
    begin = head(blake2s(key=key, digest_size=4, person=b"psvr-tag").digest(), counter, version)
    check = blake2s(begin, key=blake2s(key=key, person=b"psvrhead").digest(), digest_size=4).digest()
    cipher = ChaCha20Poly1305(HKDF(SHA256(), 32, SALT, b"psvr" + ID.to_bytes(8, "big")).derive(key))
    return begin + check + cipher.encrypt(SALT[4:] + counter.to_bytes(8, "big"), body, begin)


def plain(counter: int, body: bytes, tag: bytes = bytes(4), version: int = 0xB1) -> bytes:
    begin = head(tag, counter, version)
    return begin + blake2s(begin + body, digest_size=4, person=b"psvropen").digest() + body


@pytest.mark.parametrize("body", [b"", b"x", b"21.5 degrees " * 50])
@pytest.mark.parametrize("ring", [Keyring((KEY,)), Keyring((KEY, OTHER)), None])
def test_every_byte_is_where_the_table_says(ring: Keyring | None, body: bytes) -> None:
    sender, receiver = Seal(ring, ID, SALT), Seal(ring, 8)
    made = sealed if ring else plain
    for counter in range(1, 300):  # so many that a second byte counts, too
        datagram = sender.seal(body)
        assert datagram == made(counter, body)
        assert receiver.open(datagram) == Opened(ID, SALT, counter, body)
    assert receiver.open(made(1 << 63, body)) == Opened(ID, SALT, 1 << 63, body)


def test_no_two_bodies_of_a_boot_are_hidden_by_the_same_bytes() -> None:
    """A body of zeros is encrypted to the key stream itself: used twice, it would reveal two bodies."""
    sender = Seal(Keyring((KEY, OTHER)), ID)
    hides = []
    for keys in ((KEY, OTHER), (OTHER, KEY), (KEY, OTHER)):  # also after changing keys and back
        sender.rekey(Keyring(keys))
        hides += [sender.seal(bytes(32))[BODY:-16] for _ in range(300)]
    assert len(set(hides)) == len(hides)


def test_nor_are_those_of_two_nodes_or_two_boots() -> None:
    ends = [(ID, SALT), (ID + 1, SALT), (ID, b"SALTSalt"), (ID, b"saltsalt")]
    assert len({Seal(Keyring((KEY,)), id, salt).seal(bytes(32))[BODY:-16] for id, salt in ends}) == len(ends)


@pytest.mark.parametrize("version", [0, 0xB0, 0xB2])
def test_datagrams_of_other_versions_are_not_opened(version: int) -> None:
    """Everything after the first byte is consistent with it."""
    assert Seal(None, 8).open(plain(1, b"x")) and Seal(None, 8).open(plain(1, b"x", version=version)) is None
    receiver = Seal(Keyring((KEY,)), 8)
    assert receiver.open(sealed(1, b"x")) and receiver.open(sealed(1, b"x", version=version)) is None


def test_without_a_key_nothing_that_names_one_is_taken() -> None:
    """Not even if its body were open and its check right."""
    assert Seal(None, 8).open(plain(1, b"x")) is not None
    assert Seal(None, 8).open(plain(1, b"x", b"\0\0\0\1")) is None


def test_the_check_alone_opens_nothing() -> None:
    """It has four bytes: who guesses them still has no key."""
    datagram = sealed(1, b"a body")
    for at in (BODY, len(datagram) - 1):
        forged = datagram[:at] + bytes([datagram[at] ^ 1]) + datagram[at + 1 :]
        assert Seal(Keyring((KEY,)), 8).open(forged) is None
    assert Seal(Keyring((KEY,)), 8).open(datagram[:BODY]) is None


def test_a_key_that_is_no_longer_accepted_leaves_no_cipher_behind() -> None:
    receiver = Seal(Keyring((KEY, OTHER)), 8)
    assert receiver.open(sealed(1, b"x")) and receiver.open(sealed(1, b"x", OTHER)) and len(receiver.ciphers) == 2
    receiver.rekey(Keyring((OTHER,)))
    assert receiver.open(sealed(2, b"x")) is None and receiver.open(sealed(2, b"x", OTHER))
    assert len(receiver.ciphers) == 1


def test_a_boot_has_one_cipher_however_much_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[Any, ...]] = []
    real = seal.new_cipher

    def noted(*given: Any) -> Any:
        made.append(given)
        return real(*given)

    monkeypatch.setattr(seal, "new_cipher", noted)
    receiver = Seal(Keyring((KEY,)), 8)
    made.clear()
    for counter in (1, 1 << 8, 1 << 56, 1 << 63):  # whichever byte of the counter changes
        assert receiver.open(sealed(counter, b"x"))
    assert made == [(KEY, SALT, ID)]
