"""A minimal client in raw JSON lines, which sees what an SDK client would refuse or repair."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "signoff.app.demo")
PLAIN = {"SIGNOFF_DEMO_DIR": "", "SIGNOFF_DEMO_STEP_SECONDS": "0.05"}
Era = Literal["legacy", "modern"]
Json = dict[str, Any]

_PATIENCE = 60.0
_CLIENT = {"name": "demo-tests", "version": "1"}
_RESERVED = "io.modelcontextprotocol"
_MODERN_META: Json = {
    f"{_RESERVED}/protocolVersion": "2026-07-28",
    f"{_RESERVED}/clientInfo": _CLIENT,
}


class Closed(Exception):
    """The server closed its standard output."""


@dataclass
class Reply:
    """The answer to one request, with what came before it."""

    result: Json = field(default_factory=dict)
    error: Json | None = None
    progress: list[Json] = field(default_factory=list)
    noise: list[bytes] = field(default_factory=list)

    @property
    def content(self) -> list[Json]:
        content: list[Json] = self.result["content"]
        return content

    @property
    def text(self) -> str:
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def data(self) -> Json:
        """The structured content; its text copy must say the same."""
        assert not self.result.get("isError"), self.text
        data: Json = self.result["structuredContent"]
        assert json.loads(self.text) == data
        return data


class Peer:
    """One demo server process, greeted in one era."""

    def __init__(
        self,
        era: Era,
        environment: dict[str, str] | None = None,
        *,
        capabilities: Json | None = None,
    ) -> None:
        self.era = era
        self.heard: list[Json] = []
        """Notifications that are no progress, in their order."""
        self._meta = {**_MODERN_META, f"{_RESERVED}/clientCapabilities": capabilities or {}}
        self._ids = 0
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the object
        self.process = subprocess.Popen(
            COMMAND,
            cwd=ROOT,
            env={**os.environ, **PLAIN, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if era == "legacy":
            hello = {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities or {},
                "clientInfo": _CLIENT,
            }
            self.greeting = self.request("initialize", hello).result
            self.notify("notifications/initialized", {})
        else:
            self.greeting = self.request("server/discover", {}).result

    def request(self, method: str, params: Json, *, progress: bool = False) -> Reply:
        """Send a request and wait for its answer."""
        return self.wait(self.send(method, params, progress=progress))

    def call(self, name: str, /, **arguments: Any) -> Reply:
        """Call a tool and wait; progress is always asked for."""
        return self.wait(self.start(name, **arguments))

    def start(self, name: str, /, **arguments: Any) -> int:
        """Call a tool without waiting; gives the request id."""
        return self.send("tools/call", {"name": name, "arguments": arguments}, progress=True)

    def send(self, method: str, params: Json, *, progress: bool) -> int:
        self._ids += 1
        meta: Json = dict(self._meta) if self.era == "modern" else {}
        if progress:
            meta["progressToken"] = self._ids
        if meta:
            params = {**params, "_meta": meta}
        self._write({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        return self._ids

    def raw(self, identity: str, method: str, params: Json, meta: Json) -> list[Json]:
        """Send a request with just this `_meta`; all that comes until its answer, and that."""
        whole = {**(self._meta if self.era == "modern" else {}), **meta}
        params = {**params, **({"_meta": whole} if whole else {})}
        self._write({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        messages: list[Json] = []
        while not messages or messages[-1].get("id") != identity:
            messages.append(json.loads(self._next()))
        return messages

    def notify(self, method: str, params: Json) -> None:
        if self.era == "modern":
            params = {**params, "_meta": self._meta}
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, request: int) -> None:
        self.notify("notifications/cancelled", {"requestId": request, "reason": "test"})

    def wait(self, request: int, *, until_progress: int | None = None) -> Reply:
        """Read until the answer, or until so many progress messages of it have come."""
        reply = Reply()
        while True:
            line = self._next()
            try:
                message = json.loads(line)
            except ValueError:
                reply.noise.append(line)
                continue
            if message.get("method") == "notifications/progress":
                assert message["params"]["progressToken"] == request
                reply.progress.append(message["params"])
                if len(reply.progress) == until_progress:
                    return reply
            elif message.get("id") == request and "method" not in message:
                reply.result = message.get("result", {})
                reply.error = message.get("error")
                return reply
            else:
                self._take(message)

    def hear(self, method: str) -> Json:
        """Read until a notification of this method has come; its params."""
        while True:
            self._take(message := json.loads(self._next()))
            if message.get("method") == method:
                params: Json = message.get("params", {})
                return params

    def _take(self, message: Json) -> None:
        """Keep a message that is neither progress nor the answer that is waited for."""
        if "id" not in message:
            self.heard.append(message)

    def close(self) -> int:
        """End the input and give the exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.ended()

    def ended(self) -> int:
        """Wait for the process and give its exit status."""
        status = self.process.wait(_PATIENCE)
        self._reader.join(_PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status

    def stderr(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode()

    def _write(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _next(self) -> bytes:
        line = self._lines.get(timeout=_PATIENCE)
        if not line:
            raise Closed
        return line
