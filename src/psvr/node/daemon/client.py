"""How `psvr pub`, `sub` and `status` talk to the node on this machine, through its socket."""

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from psvr.errors import BadInput

from .lines import packed, unpacked

MAX_UNANSWERED = 64  # requests that may await their answers; so many answers fit into the socket's buffer
TIMEOUT = 10.0  # seconds, for answers that are given at once
POLL_EVERY = 0.05  # seconds between two attempts to connect
GONE = "the node has stopped"
HUNG_UP = "the connection to the node has ended: it hung up, or was started again (see its log)"
NOT_LISTENING = (FileNotFoundError, ConnectionRefusedError)


class Client:
    """A connection to a node; `wait` is how many seconds the node may take to appear."""

    def __init__(self, path: Path, wait: float = 0.0) -> None:
        self.path = path
        try:
            self.sock = connected(path, wait)
        except NOT_LISTENING:
            raise BadInput(
                f"no node is running here (nobody listens at {path}); start one with psvr node, "
                "or name the socket of another with --socket"
            ) from None
        except PermissionError:
            raise BadInput(f"{path}: this node belongs to somebody else") from None
        except OSError as error:
            raise BadInput(f"{path}: the node cannot be reached: {error.strerror or error}") from None
        self.answers = self.sock.makefile("rb")

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.answers.close()
        self.sock.close()

    def request(self, request: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError):  # before it hung up it said why: that is its answer
            self.sock.sendall(packed(request))

    def answer(self) -> dict[str, Any]:
        try:
            line = self.answers.readline()
        except ConnectionError:
            line = b""
        except TimeoutError:
            raise BadInput(f"the node has not answered for {TIMEOUT:g} s ({self.path})") from None
        if not line.endswith(b"\n"):
            raise BadInput(self.why_ended())
        reply = unpacked(line)
        if "error" in reply:
            raise BadInput(str(reply["error"]))
        return reply

    def why_ended(self) -> str:
        """Why there are no more answers."""
        try:
            connected(self.path, 0).close()
        except NOT_LISTENING:
            return GONE
        except OSError:
            pass
        return HUNG_UP

    def status(self) -> dict[str, Any]:
        self.sock.settimeout(TIMEOUT)
        self.request({"op": "status"})
        return self.answer()

    def messages(self, channels: list[str]) -> Iterator[dict[str, Any]]:
        """Everything that arrives on these channels, starting when the subscription is answered."""
        self.request({"op": "subscribe", "channels": channels})
        self.answer()
        while True:
            yield self.answer()

    def publish(self, requests: Iterator[dict[str, Any]], name: str = "") -> None:
        """Publish one after the other, as fast as the node takes them.  `name` is what errors call one of them."""
        sent = answered = 0
        refused: BadInput | None = None
        while True:
            try:
                request = next(requests, None) if refused is None else None
            except BadInput as error:  # those before it are still to be published
                request, refused = None, error
            if request is not None:
                self.request({"op": "publish", **request})
                sent += 1
            if answered < sent and (request is None or sent - answered >= MAX_UNANSWERED):
                self.check_published(f"{name} {answered + 1}: " if name else "")
                answered += 1
            elif request is None:
                break
        if refused is not None:
            raise refused

    def check_published(self, where: str) -> None:
        try:
            self.answer()
        except BadInput as error:
            raise BadInput(f"{where}{error}") from None


def connected(path: Path, wait: float) -> socket.socket:
    """A socket connected to the node at this path, which may take so many seconds to appear."""
    end = time.monotonic() + wait
    while True:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.connect(str(path))
            return sock
        except OSError as error:
            sock.close()
            if not isinstance(error, NOT_LISTENING) or time.monotonic() > end:
                raise
        time.sleep(POLL_EVERY)
