"""A bare client for the test servers: one line out, one line in."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from types import TracebackType
from typing import Any

from tests.servers._wire import META, JsonObject


class Peer:
    """Runs a server and speaks JSON lines with it; kills it at the end of the context."""

    def __init__(self, argv: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ids = 0

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait(60)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream and stream is not self.process.stdout:
                stream.close()

    def send(self, method: str, params: JsonObject | None = None, **more: Any) -> None:
        message: JsonObject = {"jsonrpc": "2.0", "method": method, **more}
        if params is not None:
            message["params"] = params
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self, timeout: float = 30.0) -> bytes:
        """The next line of stdout; b"" at its end.

        Raises:
            AssertionError: nothing came within `timeout` seconds.
        """
        try:
            return self._lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no line within {timeout} s") from None

    def message(self, timeout: float = 30.0) -> JsonObject:
        message: JsonObject = json.loads(self.line(timeout))
        return message

    def request(self, method: str, params: JsonObject | None = None) -> JsonObject:
        """The next message after a request, normally its response."""
        self._ids += 1
        self.send(method, params, id=self._ids)
        return self.message()

    def connect(self) -> JsonObject:
        """The handshake of the older revisions; the result of initialize."""
        answer = self.request("initialize", {"protocolVersion": "2025-11-25"})
        self.send("notifications/initialized")
        result: JsonObject = answer["result"]
        return result

    def tools(self) -> list[Any]:
        """The first page of the list."""
        found: list[Any] = self.request("tools/list")["result"]["tools"]
        return found

    def call(self, tool: str, /, modern: bool = False, **arguments: Any) -> list[JsonObject]:
        """Everything a call brings, the response last."""
        self._ids += 1
        meta = {"progressToken": "token"}
        if modern:
            meta[f"{META}protocolVersion"] = "2026-07-28"
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        self.send("tools/call", params, id=self._ids)
        found = [self.message()]
        while found[-1].get("id") != self._ids:
            found.append(self.message())
        return found

    def ends(self, timeout: float = 30.0) -> int:
        """The exit status once the process ended."""
        return self.process.wait(timeout)

    def close_stdin(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def stderr(self) -> str:
        """All of stderr, once the process ended."""
        assert self.process.stderr
        return self.process.stderr.read().decode()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as stdout:
            for line in stdout:
                self._lines.put(line)
        self._lines.put(b"")
