"""What `psvr pub`, `sub` and `status` say to the node of this machine, through its socket."""

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from psvr.errors import BadInput

from .lines import packed, unpacked

AHEAD = 64                      # requests that may wait for their answers: all of these fit the socket's buffer
PATIENCE = 10.0                 # seconds for an answer that is given at once
LOOK = 0.05                     # seconds between two looks for a node
GONE = "the node has stopped"
HUNG_UP = "the connection to the node has ended: it hung up, or was started again (see its log)"
NOBODY = (FileNotFoundError, ConnectionRefusedError)


class Client:
    """A connection to a node; `wait` is how many seconds it may still take until the node is there."""

    def __init__(self, path: Path, wait: float = 0.0) -> None:
        self.path = path
        try:
            self.sock = connected(path, wait)
        except NOBODY:
            raise BadInput(f"no node is running here (nobody listens at {path}); start one with psvr node, "
                           "or name the socket of another with --socket") from None
        except PermissionError:
            raise BadInput(f"{path}: this node belongs to somebody else") from None
        except OSError as error:
            raise BadInput(f"{path}: the node cannot be reached: {error.strerror or error}") from None
        self.answers = self.sock.makefile("rb")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.answers.close()
        self.sock.close()

    def request(self, told: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError):      # it said why before it hung up: the answer tells
            self.sock.sendall(packed(told))

    def answer(self) -> dict[str, Any]:
        try:
            line = self.answers.readline()
        except ConnectionError:
            line = b""
        except TimeoutError:
            raise BadInput(f"the node has not answered for {PATIENCE:g} s ({self.path})") from None
        if not line.endswith(b"\n"):
            raise BadInput(self.end())
        told = unpacked(line)
        if "error" in told:
            raise BadInput(str(told["error"]))
        return told

    def end(self) -> str:
        """Why there are no more answers."""
        try:
            connected(self.path, 0).close()
        except NOBODY:
            return GONE
        except OSError:
            pass
        return HUNG_UP

    def status(self) -> dict[str, Any]:
        self.sock.settimeout(PATIENCE)
        self.request({"op": "status"})
        return self.answer()

    def messages(self, channels: list[str]) -> Iterator[dict[str, Any]]:
        """Everything that arrives on these channels, from when the first `next` returns on."""
        self.request({"op": "subscribe", "channels": channels})
        self.answer()
        while True:
            yield self.answer()

    def publish(self, requests: Iterator[dict[str, Any]], name: str = "") -> None:
        """One after the other, as fast as the node takes them.  `name` is what one of them is called in errors."""
        sent = answered = 0
        refused: BadInput | None = None
        while True:
            try:
                told = next(requests, None) if refused is None else None
            except BadInput as error:           # those before it shall still be published
                told, refused = None, error
            if told is not None:
                self.request({"op": "publish", **told})
                sent += 1
            if answered < sent and (told is None or sent - answered >= AHEAD):
                self.published(f"{name} {answered + 1}: " if name else "")
                answered += 1
            elif told is None:
                break
        if refused is not None:
            raise refused

    def published(self, where: str) -> None:
        try:
            self.answer()
        except BadInput as error:
            raise BadInput(f"{where}{error}") from None


def connected(path: Path, wait: float) -> socket.socket:
    end = time.monotonic() + wait
    while True:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.connect(str(path))
            return sock
        except OSError as error:
            sock.close()
            if not isinstance(error, NOBODY) or time.monotonic() > end:
                raise
        time.sleep(LOOK)
