"""The probe server by Streamable HTTP, for hosts that read a result otherwise than from stdio.

Spec 2025-11-25, basic/transports, "Streamable HTTP". The result of a call comes on a stream of its
own, with what the server asks before; a change of the tools on each stream of a GET.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from .patience import PATIENCE
from .probe import Probe
from .probe_server import ProbeServer, main, read_message

PATH: Final = "/mcp"
BODY_MAX: Final = 16_000_000
"""Bytes of a message that is read."""
_ALIVE_SECONDS: Final = 5.0


class HttpProbeServer(ProbeServer):
    """The server on a free port of 127.0.0.1; the log of its start has the port."""

    def __init__(
        self,
        probes: Sequence[Probe],
        log: str = "",
        greeting: str = "",
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(probes, log, greeting, patience)
        self._streams: list[queue.Queue[dict[str, Any]]] = []
        self._own = threading.local()

    def run(self) -> None:
        """Serve until the process is ended, or its standard input."""
        probes = self

        class Handler(_Handler):
            server_of_probes = probes

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.daemon_threads = True
            # The variables are not of the host: it did not start this process.
            self.note_start(port=server.server_address[1], variables=[])
            threading.Thread(target=_end_with_parent, daemon=True).start()
            server.serve_forever()

    def exchange(self, message: Any, write: Callable[[dict[str, Any]], None]) -> None:
        """Take a message in; all that it leads to is written before this returns."""
        self.note_message(message)
        self._own.write = write
        try:
            if isinstance(message, dict):
                self.take(message)
        finally:
            self._own.write = None

    def run_call(self, identity: Any, message: dict[str, Any]) -> None:
        """Run a call in the thread of its request, whose stream gets the result."""
        self.call(identity, message)

    def break_off(self) -> None:
        """Lose the connection in the middle of a call."""
        raise ConnectionResetError

    def write(self, message: dict[str, Any]) -> None:
        """Write to the stream of the request; what belongs to none goes to all open streams."""
        own = getattr(self._own, "write", None)
        if own is not None:
            own(message)
            return
        for one in list(self._streams):
            one.put(message)

    @contextlib.contextmanager
    def listening(self) -> Any:
        """A queue of the messages that belong to no request."""
        waiting: queue.Queue[dict[str, Any]] = queue.Queue()
        self._streams.append(waiting)
        try:
            yield waiting
        finally:
            self._streams.remove(waiting)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_probes: HttpProbeServer

    def do_POST(self) -> None:
        """Take a message in."""
        if not self._is_here():
            return
        length = self.headers.get("content-length", "")
        size = int(length) if length.isdecimal() and len(length) <= len(str(BODY_MAX)) else -1
        if not 0 <= size <= BODY_MAX:
            self._refuse(411 if size < 0 else 413)
            return
        message = read_message(self.rfile.read(size))
        if not isinstance(message, dict) or "method" not in message or "id" not in message:
            self.server_of_probes.exchange(message, lambda _: None)
            self._end(202 if isinstance(message, dict) else 400)
            return
        with contextlib.suppress(OSError):
            if message.get("method") == "tools/call":
                self._begin_stream()
                self.server_of_probes.exchange(message, self._event)
            else:
                self.server_of_probes.exchange(message, self._json)

    def do_GET(self) -> None:
        """Send what belongs to no request, until the host closes the connection."""
        if not self._is_here():
            return
        with self.server_of_probes.listening() as waiting, contextlib.suppress(OSError):
            self._begin_stream()
            while True:
                try:
                    self._event(waiting.get(timeout=_ALIVE_SECONDS))
                except queue.Empty:
                    self.wfile.write(b": alive\n\n")
                    self.wfile.flush()

    def do_DELETE(self) -> None:
        """End a session: the server keeps none."""
        if self._is_here():
            self._end(200)

    def _is_here(self) -> bool:
        if self.path.partition("?")[0] == PATH:
            return True
        self._refuse(404)
        return False

    def _refuse(self, status: int) -> None:
        """End a request whose body is not read, and its connection with it."""
        self.close_connection = True
        self._end(status)

    def _end(self, status: int) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def _json(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-store")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def _event(self, message: dict[str, Any]) -> None:
        self.wfile.write(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the log of the server has each message."""


if __name__ == "__main__":
    main(HttpProbeServer)
