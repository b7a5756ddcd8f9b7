"""Datagrams that only holders of the network key can create and read.

| bytes | | |
|---|---|---|
| 1 | magic and version | |
| 4 | tag of the key | which of the keys; zeros without one |
| 8 | id of the sender | |
| 8 | salt | random, new at every boot |
| 8 | counter | of this boot, from 1 |
| 4 | check | BLAKE2s over all of the above, under a key of its own |
| … | body | ChaCha20-Poly1305, with a tag of 16 bytes; the header is authenticated too |

Every boot of every node encrypts under a key of its own, derived from network key, salt and id, so that no nonce is
ever used twice.  The check turns strangers away before such a key is derived for them.  Without a network key the body
is in plain text, and the check covers header and body: it guards against accidents, not against attackers.
"""

import secrets
import struct
from collections import OrderedDict
from hashlib import blake2s
from typing import TYPE_CHECKING, NamedTuple

from .keys import Keyring

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MAGIC = 0xB1  # version 1
HEAD = struct.Struct(">B4sq8sQ")
SENDER = struct.Struct(">q8sQ")  # the part of it after the tag
CHECK = 4
BODY = HEAD.size + CHECK  # where the body begins
NONCE = slice(HEAD.size - 12, HEAD.size)  # half of the salt, and the counter
OVERHEAD, OVERHEAD_OPEN = BODY + 16, BODY  # bytes, with and without a key
MAX_CIPHERS = 256  # of other nodes, cached
NO_TAG = bytes(4)


class Opened(NamedTuple):
    id: int  # of the sender
    salt: bytes  # of its boot
    counter: int
    plain: bytes


class NotGenuine(Exception):
    """Takes the place of the cipher's exception if there is no cipher."""


class Seal:
    """Seals what one boot of a node sends, and opens what others have sealed.

    Only tests pass a `salt`: with one that was used before, nonces would repeat.
    """

    def __init__(self, keyring: Keyring | None, id: int, salt: bytes | None = None) -> None:
        self.id = id
        self.salt = secrets.token_bytes(8) if salt is None else salt
        self.counter = 0  # 64 bits last for half a million years at a million datagrams per second
        self.ciphers: OrderedDict[bytes, ChaCha20Poly1305] = OrderedDict()  # by tag, id and salt
        self.rekey(keyring)

    def rekey(self, keyring: Keyring | None) -> None:
        """Use other keys from now on; salt and counter continue, so that nobody takes it for a restart."""
        keys = dict(zip(keyring.tags, keyring.keys)) if keyring else {}
        tag = next(iter(keys), NO_TAG)
        self.keys = keys
        self.checks = {tag: blake2s(key=header_key(key), digest_size=CHECK) for tag, key in keys.items()}
        self.ciphers.clear()
        self.front = HEAD.pack(MAGIC, tag, self.id, self.salt, 0)[:-8]
        self.check = self.checks.get(tag) or blake2s(digest_size=CHECK, person=b"psvropen")
        self.cipher = new_cipher(keys[tag], self.salt, self.id) if keys else None
        self.not_genuine = invalid_tag() if keys else NotGenuine

    def seal(self, plain: bytes) -> bytes:
        """A datagram with this body."""
        self.counter += 1
        head = self.front + self.counter.to_bytes(8, "big")
        check = self.check.copy()
        check.update(head)
        if self.cipher is None:
            check.update(plain)
            return b"".join((head, check.digest(), plain))
        return b"".join((head, check.digest(), self.cipher.encrypt(head[NONCE], plain, head)))

    def open(self, datagram: bytes) -> Opened | None:
        """The contents of a datagram, or None if it is not genuine; never raises."""
        if len(datagram) < BODY or datagram[0] != MAGIC:
            return None
        if self.cipher is None:
            return self.open_plain(datagram)
        known = self.checks.get(datagram[1:5])
        if known is None:
            return None
        head = datagram[: HEAD.size]
        check = known.copy()
        check.update(head)
        if check.digest() != datagram[HEAD.size : BODY]:  # saves time only, so it need not take constant time
            return None
        id, salt, counter = SENDER.unpack_from(head, 5)
        if id < 0:
            return None
        cipher = self.cipher_of(head[1:21], id, salt)
        try:
            return Opened(id, salt, counter, cipher.decrypt(head[NONCE], datagram[BODY:], head))
        except self.not_genuine:
            return None

    def open_plain(self, datagram: bytes) -> Opened | None:
        head, plain = datagram[: HEAD.size], datagram[BODY:]
        check = self.check.copy()
        check.update(head)
        check.update(plain)
        id, salt, counter = SENDER.unpack_from(head, 5)
        if check.digest() != datagram[HEAD.size : BODY] or head[1:5] != NO_TAG or id < 0:
            return None
        return Opened(id, salt, counter, plain)

    def cipher_of(self, boot: bytes, id: int, salt: bytes) -> "ChaCha20Poly1305":
        """The cipher of a boot, by tag, id and salt."""
        cipher = self.ciphers.get(boot)
        if cipher is not None:
            self.ciphers.move_to_end(boot)
            return cipher
        cipher = self.ciphers[boot] = new_cipher(self.keys[boot[:4]], salt, id)
        if len(self.ciphers) > MAX_CIPHERS:
            self.ciphers.popitem(last=False)
        return cipher


def header_key(key: bytes) -> bytes:
    return blake2s(key=key, person=b"psvrhead").digest()


def boot_key(key: bytes, salt: bytes, id: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), 32, salt, b"psvr" + id.to_bytes(8, "big")).derive(key)


def new_cipher(key: bytes, salt: bytes, id: int) -> "ChaCha20Poly1305":
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(boot_key(key, salt, id))


def invalid_tag() -> type[Exception]:
    from cryptography.exceptions import InvalidTag

    return InvalidTag
