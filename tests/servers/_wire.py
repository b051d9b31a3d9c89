"""JSON lines over stdin and stdout, with every liberty that an ill-behaved server needs."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

JsonObject = dict[str, Any]

META = "io.modelcontextprotocol/"


class ServerEnded(Exception):
    """A server without a process of its own has ended."""


class Wire:
    """One server's end of a stdio connection.

    Args:
        received: file that gets every line the client sends, or None.
    """

    def __init__(self, received: str | None = None) -> None:
        self._lock = threading.Lock()
        self._received = received
        self._asked = 0
        self._answers: dict[str, JsonObject] = {}
        self._answered = threading.Condition()

    def lines(self) -> Iterator[bytes]:
        """The client's lines until it closes stdin."""
        while line := sys.stdin.buffer.readline():
            self.keep(line)
            yield line

    def keep(self, line: bytes) -> None:
        """Note a line of the client where that is wanted."""
        if self._received:
            append(self._received, line)

    def send(self, message: JsonObject) -> None:
        """Write one message the proper way."""
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are; whole, also when several threads write."""
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]

    def print_error(self, text: str) -> None:
        """Write to stderr at once."""
        os.write(2, text.encode())

    def end(self, status: int, words: str = "") -> NoReturn:
        """End the process at once, with words on stderr."""
        if words:
            self.print_error(words)
        os._exit(status)

    def notify(self, method: str, params: JsonObject | None = None) -> None:
        message: JsonObject = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def ask(self, method: str, params: JsonObject, timeout: float = 60.0) -> JsonObject | None:
        """Send a request to the client and wait for the response; None when none came."""
        with self._answered:
            self._asked += 1
            request = f"server-{self._asked}"
        self.send({"jsonrpc": "2.0", "id": request, "method": method, "params": params})
        with self._answered:
            self._answered.wait_for(lambda: request in self._answers, timeout)
            return self._answers.get(request)

    def take_answer(self, message: JsonObject) -> None:
        """Hand the client's response to the thread that asked."""
        with self._answered:
            self._answers[str(message.get("id"))] = message
            self._answered.notify_all()


class Call:
    """One `tools/call`, and the ways to answer it."""

    def __init__(self, wire: Wire, request: JsonObject, *, modern: bool) -> None:
        params = request.get("params") or {}
        self.wire = wire
        self.id = request["id"]
        self.modern = modern
        self.name: str = params.get("name", "")
        self.arguments: JsonObject = params.get("arguments") or {}
        self.input_responses: JsonObject | None = params.get("inputResponses")
        self.token: Any = (params.get("_meta") or {}).get("progressToken")
        self.cancelled = threading.Event()

    def answer(self, result: Any) -> None:
        """Send a result; an object gets what its protocol era requires."""
        if self.modern and isinstance(result, dict):
            result = {"resultType": "complete", **result}
        self.wire.send({"jsonrpc": "2.0", "id": self.id, "result": result})

    def text(self, text: str, **more: Any) -> None:
        """Send a result with one text block."""
        self.answer({"content": [{"type": "text", "text": text}], **more})

    def error(self, code: int, message: str, data: Any = None) -> None:
        """Send a JSON-RPC error."""
        error: JsonObject = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self.wire.send({"jsonrpc": "2.0", "id": self.id, "error": error})

    def raw_result(self, result: str) -> bytes:
        """The line of a response whose result is the given JSON text, right or wrong."""
        return f'{{"jsonrpc":"2.0","id":{json.dumps(self.id)},"result":{result}}}\n'.encode()

    def progress(self, progress: Any, total: Any = None, message: str | None = None) -> None:
        """Notify of progress, if the client asked for it."""
        if self.token is not None:
            params = {"progressToken": self.token, "progress": progress}
            params |= {} if total is None else {"total": total}
            params |= {} if message is None else {"message": message}
            self.wire.notify("notifications/progress", params)

    def pause(self, seconds: float) -> bool:
        """Wait; True when the client cancelled the call meanwhile."""
        return self.cancelled.wait(seconds)


def append(file: str, data: bytes) -> None:
    """Append to a file at once, so that a test sees it even if this process dies next."""
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)
