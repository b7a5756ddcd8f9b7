"""A socket that answers like a node, with what a test wants it to say: commands can be tested without a node."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class FakeNode:
    """Remembers requests; publications on the channel `refused` are refused."""

    def __init__(self, path: Path, status: dict[str, Any], messages: list[dict[str, Any]]) -> None:
        self.path, self.status, self.messages = path, status, messages
        self.asked: list[dict[str, Any]] = []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        while True:
            try:
                client = self.server.accept()[0]
            except OSError:
                return
            with client, client.makefile("rwb") as lines:
                self.talk(lines)

    def talk(self, lines: Any) -> None:
        sequence = 0
        for line in lines:
            request = json.loads(line)
            self.asked.append(request)
            if request["op"] == "publish" and request["channel"] == "refused":
                answers: list[dict[str, Any]] = [{"error": "the channel is refused"}]
            elif request["op"] == "publish":
                sequence += 1
                answers = [{"sequence": sequence}]
            elif request["op"] == "subscribe":
                answers = [{"subscribed": request["channels"]}, *self.messages]
            else:
                answers = [self.status]
            for answer in answers:
                lines.write(json.dumps(answer).encode() + b"\n")
            lines.flush()
            if request["op"] == "subscribe" or "error" in answers[0]:
                return

    @property
    def published(self) -> list[tuple[Any, ...]]:
        return [
            (r["channel"], r["data"] if "data" in r else ("base64", r["base64"]))
            for r in self.asked
            if r["op"] == "publish"
        ]


@contextmanager
def fake_node(
    path: Path, status: dict[str, Any] | None = None, messages: list[dict[str, Any]] | None = None
) -> Iterator[FakeNode]:
    node = FakeNode(path, status or {}, messages or [])
    try:
        yield node
    finally:
        node.server.shutdown(socket.SHUT_RDWR)
        node.server.close()
        node.thread.join(10)
