"""A stream that breaks in the middle of a call: nothing is sent again without another approval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.transport.http import streams
from tests.approved import approved
from tests.cli.running import run
from tests.engine.opened import opened
from tests.transport.threaded import web_in_thread
from tests.transport.webbed import Asked, greets, result, web

PROSE = approved("flows")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
NOTHING = b'id: 7\nretry: 100\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'
BROKEN = {
    "without an id": HEAD + NOTHING.removeprefix(b"id: 7\n"),
    "with an id": HEAD + NOTHING,
    "in an event": HEAD + NOTHING + b'id: 8\ndata: {"jso',
    "before an event": HEAD,
}
FLOW = """\
url: {url}
protocol: '2026-07-28'
policy: allow-all
steps:
  - call: echo
    expect: {{sent: true, outcome: connection-lost, ended_because: only after another approval}}
  - call: echo
    person: deny
    expect: {{verdict: ask, strong: true, reason: outcome of call 1 is unknown, sent: false}}
  - call: echo
    person: approve
    expect: {{verdict: ask, strong: true, outcome: connection-lost}}
"""


class Breaking:
    """A server of the newest revision, whose calls break."""

    def __init__(self, broken: bytes) -> None:
        self.asked: list[Asked] = []
        self._broken = broken

    def __call__(self, asked: Asked) -> bytes:
        self.asked.append(asked)
        if asked.method == "server/discover":
            known = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            return result(asked, known)
        if asked.method == "tools/call":
            return self._broken
        return greets(asked)

    @property
    def ids(self) -> list[object]:
        """The ids of all calls."""
        return [one.message["id"] for one in self.asked if one.method == "tools/call"]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_call_is_made_again_only_after_another_approval(tmp_path: Path, broken: str) -> None:
    server = Breaking(BROKEN[broken])
    with web_in_thread(server) as url:
        (tmp_path / "a.flow.yaml").write_text(FLOW.format(url=url), encoding="utf-8")
        ended = run(tmp_path, "test", "a.flow.yaml", "--json")
    assert ended.status == 0, json.dumps(ended.report)
    assert len(server.ids) == len(set(server.ids)) == 2
    assert not [one for one in server.asked if one.verb == "GET"]


def test_a_lost_call_names_what_the_specification_asks(tmp_path: Path) -> None:
    with web_in_thread(Breaking(BROKEN["with an id"])) as url:
        words = ("call", "echo", "--url", url, "--approve", "always", "--no-audit", "--no-memory")
        ended = run(tmp_path, *words)
    PROSE.holds("broken stream: the call", ended.stdout.partition("\n\n")[0])
    assert ended.status == 5


def test_an_older_stream_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE", 10)
    found: list[Asked] = []

    def answers(asked: Asked) -> bytes:
        found.append(asked)
        if asked.method == "tools/call":
            return HEAD + NOTHING
        if asked.verb == "GET" and "last-event-id" in asked.headers:
            identity = next(one.message["id"] for one in found if one.method == "tools/call")
            last = {"jsonrpc": "2.0", "id": identity, "result": {"content": []}}
            return HEAD + f"data: {json.dumps(last)}\n\n".encode()
        return greets(asked)

    with web_in_thread(answers) as url:
        text = f"url: {url}\nprotocol: legacy\npolicy: allow-all\nsteps:\n  - call: echo\n"
        (tmp_path / "a.flow.yaml").write_text(text, encoding="utf-8")
        ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 0, ended.stdout
    assert [one.method for one in found].count("tools/call") == 1


async def test_r_asks_before_it_makes_a_lost_call_again() -> None:
    server = Breaking(BROKEN["with an id"])
    async with web(server) as served, opened(url=served.url, policy=built_in("allow-all")) as one:
        lost = await one.call("echo")
        advice = await one.engine.advised(lost)
        assert (advice.is_offered, advice.asks, advice.has_key) == (False, True, True)
        again = await one.engine.ended(one.engine.retry(lost.id))
        assert again.verdict.answer is VerdictAnswer.ASK
        assert again.verdict.strong
        assert len(server.ids) == 1 + again.sent
