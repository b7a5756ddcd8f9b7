"""Datagrams, sealed and opened: what comes through, what does not, and that nothing raises."""

import hmac
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psvr.node.secure import seal as module
from psvr.node.secure.keys import Keyring, tag
from psvr.node.secure.seal import HEAD, MAX_CIPHERS, OVERHEAD, OVERHEAD_OPEN, Opened, Seal

A, B, C = (bytes([i]) * 32 for i in (1, 2, 3))
RING, OTHER = Keyring((A,)), Keyring((B,))
BODIES = [b"", b"x", bytes(range(256)) * 5]


@pytest.mark.parametrize("ring", [RING, None])
@pytest.mark.parametrize("body", BODIES)
def test_what_is_sealed_opens(ring: Keyring | None, body: bytes) -> None:
    sender, receiver = Seal(ring, 7), Seal(ring, 8)
    for counter in (1, 2, 3):
        assert receiver.open(sender.seal(body)) == Opened(7, sender.salt, counter, body)


@pytest.mark.parametrize("id", [0, 1, 2**31, 2**63 - 1])
def test_all_ids(id: int) -> None:
    opened = Seal(RING, 8).open(Seal(RING, id).seal(b"x"))
    assert opened is not None and opened.id == id


def test_overhead() -> None:
    assert len(Seal(RING, 7).seal(b"x" * 100)) == 100 + OVERHEAD
    assert len(Seal(None, 7).seal(b"x" * 100)) == 100 + OVERHEAD_OPEN


def test_every_boot_has_its_salt() -> None:
    assert len(Seal(RING, 7).salt) == 8 and Seal(RING, 7).salt != Seal(RING, 7).salt
    assert Seal(RING, 7, b"saltsalt").salt == b"saltsalt"


def test_a_body_cannot_be_seen_and_no_two_datagrams_are_alike() -> None:
    sender, again = Seal(RING, 7), Seal(RING, 7)
    sealed = [sender.seal(b"hello there " * 9), sender.seal(b"hello there " * 9), again.seal(b"hello there " * 9)]
    assert len({datagram[HEAD.size :] for datagram in sealed}) == 3
    assert not any(b"hello" in datagram for datagram in sealed)
    assert not any(key[:4] in datagram for datagram in sealed for key in RING.keys)


def test_without_a_key_the_body_is_as_it_is() -> None:
    datagram = Seal(None, 7).seal(b"hello there")
    assert datagram.endswith(b"hello there") and datagram[1:5] == bytes(4)


@pytest.mark.parametrize(("sends", "hears"), [(RING, OTHER), (RING, None), (None, RING)])
def test_other_networks_stay_out(sends: Keyring | None, hears: Keyring | None) -> None:
    assert Seal(hears, 8).open(Seal(sends, 7).seal(b"x" * 40)) is None


def test_a_key_whose_tag_is_forged_stays_out() -> None:
    datagram = Seal(OTHER, 7).seal(b"x")
    assert Seal(RING, 8).open(datagram[:1] + tag(A) + datagram[5:]) is None


def test_rotation_without_a_gap() -> None:
    """Accept the new key everywhere, send with it everywhere, drop the old one: all nodes always hear each other."""
    steps = [Keyring((A,)), Keyring((A, B)), Keyring((B, A)), Keyring((B,))]
    for before, after in pairwise(steps):
        early, late = Seal(before, 1), Seal(after, 2)
        assert early.open(late.seal(b"x")) and late.open(early.seal(b"y"))
    assert Seal(steps[0], 1).open(Seal(steps[2], 2).seal(b"x")) is None


def test_a_change_of_keys_keeps_salt_and_counter() -> None:
    sender, receiver = Seal(Keyring((A, B)), 1), Seal(Keyring((B, A)), 2)
    first = receiver.open(sender.seal(b"x"))
    old = sender.seal(b"old")
    sender.rekey(Keyring((B, A)))
    second = receiver.open(sender.seal(b"x"))
    assert first and second and (second.salt, second.counter) == (first.salt, 3)
    assert receiver.open(old)
    receiver.rekey(Keyring((B,)))
    assert receiver.open(old) is None and receiver.open(sender.seal(b"x"))


def test_a_change_to_a_key_and_away_from_it() -> None:
    sender, receiver = Seal(None, 1), Seal(None, 2)
    for ring in (RING, None):
        sender.rekey(ring)
        assert receiver.open(sender.seal(b"x")) is None
        receiver.rekey(ring)
        assert receiver.open(sender.seal(b"x"))


@pytest.mark.parametrize("ring", [RING, None])
def test_any_changed_bit_is_noticed(ring: Keyring | None) -> None:
    receiver = Seal(ring, 8)
    datagram = Seal(ring, 7).seal(b"some text")
    for bit in range(8 * len(datagram)):
        changed = bytearray(datagram)
        changed[bit // 8] ^= 1 << bit % 8
        assert receiver.open(bytes(changed)) is None
    assert receiver.open(datagram)


@pytest.mark.parametrize("ring", [RING, None])
def test_any_other_length_is_noticed(ring: Keyring | None) -> None:
    receiver = Seal(ring, 8)
    datagram = Seal(ring, 7).seal(b"some text")
    assert not any(receiver.open(datagram[:n]) for n in range(len(datagram)))
    assert receiver.open(datagram + b"\0") is None


@given(st.sampled_from([RING, None]), st.binary(max_size=200), st.integers(0, 60))
def test_no_bytes_make_it_raise(ring: Keyring | None, junk: bytes, kept: int) -> None:
    receiver = Seal(ring, 8)
    genuine = Seal(ring, 7).seal(b"some text")
    assert receiver.open(junk) is None
    assert receiver.open(genuine[:kept] + junk) in (None, receiver.open(genuine))


@pytest.mark.parametrize("ring", [RING, None])
def test_an_id_below_zero_is_not_genuine(ring: Keyring | None) -> None:
    sender = Seal(ring, 7)
    sender.front = HEAD.pack(sender.front[0], sender.front[1:5], -1, sender.salt, 0)[:-8]
    assert Seal(ring, 8).open(sender.seal(b"x")) is None


def test_bodies_of_two_datagrams_cannot_be_exchanged() -> None:
    sender, receiver = Seal(RING, 7), Seal(RING, 8)
    one, two = sender.seal(b"one"), sender.seal(b"two")
    assert receiver.open(one[: HEAD.size + 4] + two[HEAD.size + 4 :]) is None


def test_strangers_never_cost_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    receiver = Seal(RING, 8)
    derived: list[tuple[Any, ...]] = []
    real = module.boot_key

    def noted(*given: Any) -> bytes:
        derived.append(given)
        return real(*given)

    monkeypatch.setattr(module, "boot_key", noted)
    for i in range(1000):
        genuine = Seal(OTHER, i).seal(b"x")
        assert receiver.open(genuine) is None and receiver.open(genuine[:1] + tag(A) + genuine[5:]) is None
    assert len([it for it in derived if it[0] == A]) == 0
    sender = Seal(RING, 7)
    derived.clear()
    for _ in range(10):
        assert receiver.open(sender.seal(b"x"))
    assert len(derived) == 1


def test_ciphers_of_others_are_bounded_and_the_latest_stay() -> None:
    receiver, friend = Seal(RING, 8), Seal(RING, 7)
    for i in range(3 * MAX_CIPHERS):
        assert receiver.open(Seal(RING, i).seal(b"x"))
        assert receiver.open(friend.seal(b"x"))
        assert len(receiver.ciphers) <= MAX_CIPHERS
    assert any(friend.salt in boot for boot in receiver.ciphers)


def test_the_key_of_a_boot_is_hkdf_and_differs_by_all_it_is_made_of() -> None:
    made = module.boot_key(A, b"saltsalt", 7)
    extracted = hmac.digest(b"saltsalt", A, "sha256")
    assert made == hmac.digest(extracted, b"psvr" + (7).to_bytes(8, "big") + b"\1", "sha256")
    assert (
        len(
            {
                made,
                module.boot_key(B, b"saltsalt", 7),
                module.boot_key(A, b"SALTsalt", 7),
                module.boot_key(A, b"saltsalt", 8),
            }
        )
        == 4
    )


def test_no_nonce_is_ever_used_twice_under_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through many datagrams, changes of keys back and forth, and starts; the counter is in each nonce."""
    used: list[tuple[bytes, bytes]] = []

    class Cipher:
        def __init__(self, key: bytes) -> None:
            self.key = key

        def encrypt(self, nonce: bytes, plain: bytes, head: bytes) -> bytes:
            used.append((self.key, nonce))
            return plain + bytes(16)

    monkeypatch.setattr(module, "new_cipher", lambda key, salt, id: Cipher(module.boot_key(key, salt, id)))
    for _ in range(5):
        sender = Seal(RING, 7)
        for ring in (RING, OTHER, RING, Keyring((B, A)), RING):
            sender.rekey(ring)
            for _ in range(200):
                head = sender.seal(b"x")[: HEAD.size]
                assert used[-1][1] == sender.salt[4:] + sender.counter.to_bytes(8, "big") == head[-12:]
    assert len(used) == len(set(used)) == 5000
    assert len({key for key, _ in used}) == 10, "a key of its own for each start and network key"


def test_a_seal_shows_no_secret() -> None:
    sender = Seal(Keyring((b"secretsecretsecretsecretsecret!!",)), 7)
    assert "secret" not in repr(sender) and "secret" not in str(sender)


def test_without_a_key_cryptography_is_not_imported() -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from psvr.node.secure.seal import Seal\n"
        "from psvr.node.secure.keys import load_keys\n"
        "assert Seal(load_keys(None, {}), 1).open(Seal(None, 2).seal(b'x')).plain == b'x'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
