"""The HTTP side of a proxy: sessions, streams and refusals, over a real socket."""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from signoff.app.transport.http import listening
from signoff.app.transport.http.listening import PATH, HostsServer, HttpHost
from tests.tiers import first_quick

MODERN = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
SECONDS = 60.0


class Begun:
    """The sessions that have begun, and the lines of each."""

    def __init__(self) -> None:
        self.hosts: list[HttpHost] = []
        self.lines: queue.Queue[bytes] = queue.Queue()

    def __call__(self, host: HttpHost) -> None:
        self.hosts.append(host)
        take = lambda line: self.lines.put(bytes(line))  # noqa: E731
        threading.Thread(target=host.read, args=(take,), daemon=True).start()

    def next(self) -> Any:
        return json.loads(self.lines.get(timeout=SECONDS))


@contextlib.contextmanager
def serving() -> Iterator[tuple[HostsServer, Begun]]:
    begun = Begun()
    server = HostsServer("127.0.0.1", 0, begun)
    try:
        yield server, begun
    finally:
        server.close()


def port_of(server: HostsServer) -> int:
    return int(server.url.rpartition(":")[2].partition("/")[0])


def asking(
    server: HostsServer, verb: str, body: Any = None, **headers: str
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=SECONDS)
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(verb, named.pop("path", PATH), data, named)
    return connection.getresponse()


def request(identity: Any, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}}


def event(response: http.client.HTTPResponse) -> Any:
    """The next message of a stream; None at its end."""
    while line := response.readline():
        if line.startswith(b"data: "):
            return json.loads(line[6:])
    return None


def answer(identity: Any, **result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode() + b"\n"


def in_session(server: HostsServer, begun: Begun) -> tuple[str, HttpHost]:
    """Begin a session; returns its id."""

    def greet() -> None:
        begun.next()
        begun.hosts[-1].write(answer(0, ok=True))

    threading.Thread(target=greet, daemon=True).start()
    response = asking(server, "POST", request(0, "initialize"))
    assert event(response)["result"] == {"ok": True}
    assert event(response) is None
    return response.headers["mcp-session-id"], begun.hosts[-1]


def test_a_session_takes_lines_and_answers_each_request_on_its_stream() -> None:
    with serving() as (server, begun):
        session, host = in_session(server, begun)
        told = asking(
            server,
            "POST",
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            mcp_session_id=session,
        )
        assert told.status == 202
        assert begun.next()["method"] == "notifications/initialized"
        call = request(1, "tools/call", {"name": "x", "_meta": {"progressToken": "t"}})
        found: list[Any] = []

        def ask() -> None:
            response = asking(server, "POST", call, mcp_session_id=session)
            while (one := event(response)) is not None:
                found.append(one)

        asked = threading.Thread(target=ask)
        asked.start()
        assert begun.next() == call
        report = {"method": "notifications/progress", "params": {"progressToken": "t"}}
        host.write(json.dumps(report).encode() + b"\n", answer(1, content=[]))
        asked.join(SECONDS)
        assert [one.get("method", "result") for one in found] == [
            "notifications/progress",
            "result",
        ]


def test_what_belongs_to_no_request_waits_for_a_stream_of_its_own() -> None:
    with serving() as (server, begun):
        session, host = in_session(server, begun)
        host.write(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
        stream = asking(server, "GET", mcp_session_id=session)
        assert event(stream)["method"] == "notifications/tools/list_changed"
        host.write(b'{"jsonrpc":"2.0","id":"s1","method":"ping"}\n')
        assert event(stream)["method"] == "ping"
        host.end()
        assert event(stream) is None


def test_sessions_are_apart_and_end() -> None:
    with serving() as (server, begun):
        one, first = in_session(server, begun)
        other, second = in_session(server, begun)
        assert one != other
        assert first is not second
        assert asking(server, "DELETE", mcp_session_id=one).status == 200
        assert first.is_broken
        assert not second.is_broken
        assert asking(server, "POST", request(5, "ping"), mcp_session_id=one).status == 404
        assert asking(server, "DELETE", mcp_session_id=one).status == 404


def test_requests_since_2026_07_28_need_no_session_and_two_ids() -> None:
    with serving() as (server, begun):
        response: list[http.client.HTTPResponse] = []
        asked = threading.Thread(
            target=lambda: response.append(asking(server, "POST", request(1, "tools/list", MODERN)))
        )
        asked.start()
        begun.next()
        assert asking(server, "POST", request(1, "tools/list", MODERN)).status == 409
        begun.hosts[0].write(answer(1, tools=[]))
        asked.join(SECONDS)
        assert event(response[0])["result"] == {"tools": []}
        assert len(begun.hosts) == 1


def test_a_closed_stream_cancels_since_2026_07_28(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_ALIVE_SECONDS", 0.05)
    with serving() as (server, begun):
        connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=SECONDS)
        connection.request("POST", PATH, json.dumps(request(9, "tools/call", MODERN)))
        response = connection.getresponse()
        begun.next()
        response.close()
        connection.close()
        cancelled = begun.next()
        assert cancelled["method"] == "notifications/cancelled"
        assert cancelled["params"]["requestId"] == 9


def test_a_message_over_several_lines_goes_as_one_event_and_noise_as_none() -> None:
    with serving() as (server, begun):
        session, host = in_session(server, begun)
        stream = asking(server, "GET", mcp_session_id=session)
        host.write(b"a line of a log\n", b'{\n "jsonrpc": "2.0",\n "method": "x"\n}\n')
        assert event(stream) == {"jsonrpc": "2.0", "method": "x"}


@pytest.mark.parametrize(
    ("verb", "body", "headers", "status"),
    first_quick(
        [
            ("POST", request(1, "ping"), {"origin": "http://evil.example"}, 403),
            ("POST", request(1, "ping"), {"host": "evil.example:80"}, 403),
            ("POST", request(1, "ping"), {"origin": "null"}, 403),
            ("POST", request(1, "ping"), {"path": "/other"}, 404),
            ("POST", request(1, "ping"), {}, 400),
            ("POST", request(1, "ping"), {"mcp_session_id": "none"}, 404),
            ("POST", b"{", {}, 400),
            ("POST", b"[NaN]", {}, 400),
            ("GET", None, {}, 405),
            ("GET", None, {"mcp_session_id": "none"}, 404),
            ("PUT", None, {}, 501),
        ],
        3,
        several=True,
    ),
)
def test_what_is_refused(verb: str, body: Any, headers: dict[str, str], status: int) -> None:
    with serving() as (server, begun):
        assert asking(server, verb, body, **headers).status == status
        assert not begun.hosts


def test_it_listens_on_this_machine_alone() -> None:
    for place in ("0.0.0.0", "", "example.org"):
        with pytest.raises(ValueError, match="this machine"):
            HostsServer(place, 0, lambda host: None)


def test_there_are_so_many_sessions_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "SESSIONS_MAX", 1)
    with serving() as (server, begun):
        in_session(server, begun)
        assert asking(server, "POST", request(0, "initialize")).status == 503


def test_a_response_that_comes_at_once_is_on_the_stream_of_its_request() -> None:
    class Quick(HttpHost):
        """Its server answers while the request is still taken in."""

        def post(self, body: bytes, message: Any) -> Any:
            self._lines = Answered(self)  # type: ignore[assignment]
            return super().post(body, message)

    class Answered:
        def __init__(self, host: HttpHost) -> None:
            self._host = host

        def put(self, line: bytes | None) -> None:
            self._host.write(answer(json.loads(line or b"{}")["id"], ok=True))

    stream = Quick(lambda host: None).post(*of(request(1, "ping")))
    assert stream is not None
    assert json.loads(stream.messages.get(timeout=SECONDS))["result"] == {"ok": True}
    assert stream.messages.get(timeout=SECONDS) is None


def of(message: dict[str, Any]) -> tuple[bytes, dict[str, Any]]:
    return json.dumps(message).encode(), message


def test_a_subscription_ends_with_its_response() -> None:
    with serving() as (server, begun):
        response: list[http.client.HTTPResponse] = []
        asked = threading.Thread(
            target=lambda: response.append(
                asking(server, "POST", request(1, "subscriptions/listen", MODERN))
            )
        )
        asked.start()
        begun.next()
        host = begun.hosts[0]
        host.write(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
        host.write(answer(1))
        asked.join(SECONDS)
        assert event(response[0])["method"] == "notifications/tools/list_changed"
        assert event(response[0])["result"] == {}
        assert event(response[0]) is None
