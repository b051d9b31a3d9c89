"""The scripted server over Streamable HTTP on 127.0.0.1; prints its URL, ends with its stdin."""

from __future__ import annotations

import json
import os
import queue
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.servers import ends
from tests.servers._wire import META, JsonObject, Wire, append
from tests.servers.options import parse
from tests.servers.scripted import Server

_SESSION = "session-1"


class HttpWire(Wire):
    """Hands each message to the HTTP exchange it belongs to; for one client at a time.

    Responses go by their id, progress by its token, notifications by their subscription,
    everything else to the newest open exchange.
    """

    def __init__(self) -> None:
        super().__init__()
        self._guard = threading.Lock()
        self._exchanges: dict[str, queue.Queue[bytes]] = {}

    def open(self, *keys: object) -> queue.Queue[bytes]:
        """The messages for an exchange, known by its request id and its progress token."""
        messages: queue.Queue[bytes] = queue.Queue()
        with self._guard:
            for key in keys:
                self._exchanges[json.dumps(key)] = messages
        return messages

    def close(self, messages: queue.Queue[bytes]) -> None:
        with self._guard:
            for key in [key for key, value in self._exchanges.items() if value is messages]:
                del self._exchanges[key]

    def send_bytes(self, data: bytes) -> None:
        key = None
        try:
            message = read(data)
            params = message.get("params") or {}
            subscription = (params.get("_meta") or {}).get(f"{META}subscriptionId")
            key = message.get("id", params.get("progressToken", subscription))
        except (ValueError, AttributeError):
            pass
        with self._guard:
            newest = list(self._exchanges.values())[-1:]
            messages = self._exchanges.get(json.dumps(key)) or next(iter(newest), None)
        if messages:
            messages.put(data)


class Handler(BaseHTTPRequestHandler):
    """One HTTP request; the class attributes are set once before serving."""

    server_version = "raw"
    protocol_version = "HTTP/1.1"
    wire: HttpWire
    scripted: Server

    def do_GET(self) -> None:
        if not self.scripted.options.old_sse:
            self.reply(405, b"")
            return
        self.begin_stream()
        messages = self.wire.open("the stream")
        try:
            self.wfile.write(b"event: endpoint\ndata: /messages?session=1\n\n")
            while True:
                try:
                    self.write_event(messages.get(timeout=0.5))
                except queue.Empty:
                    self.wfile.write(b": waiting\n\n")
        except OSError:
            self.wire.close(messages)

    def do_DELETE(self) -> None:
        self.reply(200 if self.scripted.options.session else 405, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        options = self.scripted.options
        if options.received:
            append(options.received, body + b"\n")
        if options.token and self.headers.get("Authorization") != f"Bearer {options.token}":
            self.reply(401, b'{"error":"invalid_token"}')
            return
        message = json.loads(body)
        if options.old_sse:
            if self.path != "/messages?session=1":
                self.reply(405, b"")
                return
            self.reply(202, b"Accepted")
            self.scripted.receive(message, body)
            return
        known = self.headers.get("Mcp-Session-Id") == _SESSION
        if options.session and message.get("method") != "initialize" and not known:
            error = {"code": -32600, "message": "No such session"}
            self.reply(404, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
        elif "id" in message and "method" in message:
            self.answer_request(message, body)
        else:
            self.scripted.receive(message, body)
            self.reply(202, b"")

    def answer_request(self, message: JsonObject, body: bytes) -> None:
        token = ((message.get("params") or {}).get("_meta") or {}).get("progressToken")
        keys = [message["id"]] if token is None else [message["id"], token]
        messages = self.wire.open(*keys)
        try:
            self.scripted.receive(message, body)
            streamed = message["method"] in ("tools/call", "subscriptions/listen")
            if streamed and not self.scripted.options.json:
                self.stream(message["id"], messages)
            else:
                self.reply(200, self.response(message["id"], messages))
        except OSError:
            call = self.scripted.calls.get(json.dumps(message["id"]))
            if call:
                call.cancelled.set()
        finally:
            self.wire.close(messages)

    def response(self, request: object, messages: queue.Queue[bytes]) -> bytes:
        while not is_response(data := messages.get(), request):
            pass
        return data

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def write_event(self, data: bytes) -> None:
        lines = data.rstrip(b"\n").split(b"\n")
        self.wfile.write(b"".join(b"data: " + line + b"\n" for line in lines) + b"\n")

    def stream(self, request: object, messages: queue.Queue[bytes]) -> None:
        self.begin_stream()
        data = b""
        while not is_response(data, request):
            try:
                data = messages.get(timeout=0.5)
            except queue.Empty:
                # A comment finds out whether the client still listens.
                self.wfile.write(b": waiting\n\n")
                continue
            self.write_event(data)

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if self.scripted.options.session:
            self.send_header("Mcp-Session-Id", _SESSION)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


class Listening(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    """Connections that come at once are not reset."""


def is_response(data: bytes, request: object) -> bool:
    """Whether the message ends the exchange: the response to that request."""
    try:
        message = read(data)
    except ValueError:
        return False
    if not isinstance(message, dict) or "method" in message:
        return False
    return json.dumps(message.get("id")) == json.dumps(request)


def read(data: bytes) -> Any:
    """A message, or the id alone of one that Python does not read. Raises ValueError."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        found = re.match(rb'\{"jsonrpc": ?"2.0", ?"id": ?("[^"]*"|\d+), ?"result"', data)
        if found is None:
            raise ValueError from None
        return {"id": json.loads(found.group(1))}


def main() -> None:
    options = parse(sys.argv[1:])
    Handler.wire = HttpWire()
    Handler.scripted = Server(options, Handler.wire)
    server = Listening(("127.0.0.1", 0), Handler)
    ends.note(options, "server", os.getpid())
    print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    ends.at_end(options, Handler.wire)


main()
