"""The wire: all that was sent and received, in its order, before anything was made of it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from signoff.app.protocol.wire.frames import CLIENT, SERVER, Frame, FrameKind, WireLog
from signoff.app.protocol.wire.reading import FrameReading, read
from signoff.app.transport.events import Ended, Listing
from signoff.app.transport.peer import PendingRequest
from tests.servers import raw, recorded
from tests.transport.linked import call, linked
from tests.transport.webbed import answer, events, for_calls, scripted, to_listed, web

TELLS_ALL = """
import sys
for line in sys.stdin:
    if '"server/discover"' in line or '"initialize"' in line:
        sys.stdout.write('hello \\x1b[31m\\n\\n{"jsonrpc":"2.0","id":\\n')
        sys.stdout.flush()
        sys.exit(3)
"""


def messages(wire: WireLog, sender: str = "") -> list[FrameReading]:
    frames = [frame for frame in wire.since(0) if frame.sender != "signoff"]
    return [read(frame) for frame in frames if sender in ("", frame.sender)]


async def test_every_line_is_there_in_its_order_from_the_greeting_on(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with linked(raw("--record", str(record))) as (link, heard):
        await heard.one(Listing)
        await call(link, "echo", {"text": "hi"})
        wire = link.wire
    frames = wire.since(0)
    assert [frame.number for frame in frames] == list(range(1, len(frames) + 1))
    assert frames[0].sender == "signoff"
    asked = [one.method for one in messages(wire, CLIENT) if one.kind is FrameKind.REQUEST]
    assert asked[-2:] == ["tools/list", "tools/call"]
    assert messages(wire)[-1].kind is FrameKind.ANSWER
    assert read(frames[-1]).kind is FrameKind.NOTE
    (line,) = recorded(record)
    (sent,) = [one.raw for one in frames if read(one).method == "tools/call"]
    assert sent.decode() == line["line"].rstrip("\n")
    ticks = [frame.tick for frame in frames]
    assert ticks == sorted(ticks)


async def test_noise_and_broken_lines_stand_where_they_came(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(TELLS_ALL, encoding="utf-8")
    async with linked([sys.executable, str(script)]) as (link, heard):
        await heard.one(Ended)
        frames = [frame for frame in link.wire.since(0) if frame.sender == SERVER]
    assert [frame.raw for frame in frames[:3]] == [
        b"hello \x1b[31m",
        b"",
        b'{"jsonrpc":"2.0","id":',
    ]
    kinds = [read(frame).kind for frame in frames[:3]]
    assert kinds == [FrameKind.NOISE, FrameKind.NOISE, FrameKind.MALFORMED]


async def test_a_request_is_marked_with_the_number_of_its_call() -> None:
    async with linked(raw()) as (link, heard):
        await heard.one(Listing)
        nothing = (lambda _: None,) * 3
        await link.request(
            PendingRequest(*nothing, number=7), {"name": "echo", "arguments": {"text": "hi"}}
        )
        marked = [read(frame).method for frame in link.wire.since(0) if frame.call == 7]
    assert marked == ["tools/call"]


async def test_a_large_answer_is_kept_in_part_and_given_on_whole() -> None:
    whole: list[int] = []

    class Taker:
        trouble = ""

        def take(self, frame: Frame) -> None:
            whole.append(len(frame.raw))

        def on_trouble(self, tell: object) -> None: ...

        def close(self) -> None: ...

    wire = WireLog(Taker())
    wire.add(SERVER, bytearray(b"x" * 1_000_000))
    (frame,) = wire.since(0)
    assert whole == [1_000_000]
    assert frame.is_cut
    assert (frame.size, len(frame.raw)) == (1_000_000, 256_000)


def test_the_ring_is_bounded_in_count_and_in_bytes() -> None:
    wire = WireLog(frames=10, size=1_000)
    for number in range(25):
        wire.add(CLIENT, b"%d" % number)
    assert (wire.count, wire.dropped, wire.first) == (25, 15, 16)
    assert [frame.raw for frame in wire.since(23)] == [b"23", b"24"]
    wire.add(SERVER, b"y" * 990)
    assert [frame.number for frame in wire.since(0)] == [21, 22, 23, 24, 25, 26]


async def test_over_http_status_headers_and_messages_are_there() -> None:
    with scripted() as (url, _):
        async with to_listed(url.replace("//", "//me:hunter2@")) as (link, _heard):
            await call(link, "echo", {"text": "hi"})
            await asyncio.sleep(0)
            frames = link.wire.since(0)
    (asked,) = [one for one in frames if read(one).method == "tools/call"]
    assert asked.http is not None
    assert asked.http.words.startswith("POST http://me:")
    shown = repr([one.http for one in frames])
    assert "hunter2" not in shown
    assert "authorization" in shown
    statuses = [one.http.status for one in frames if one.sender == SERVER and one.http]
    assert 200 in statuses
    answers = [read(one) for one in frames if read(one).kind is FrameKind.ANSWER]
    assert read(asked).id in [one.id for one in answers]


async def test_refusals_and_events_over_http_stand_where_they_came() -> None:
    page = answer(
        "500 Internal Server Error", b"<h1>broken</h1>", "text/html", "Set-Cookie: a=b\r\n"
    )
    async with web(for_calls(page)) as served, to_listed(served.url) as (link, _):
        await call(link, "echo", {})
        frames = link.wire.since(0)
    status, body = frames[-2:]
    assert status.http is not None
    assert status.http.words.startswith("500 ")
    assert ("set-cookie", "[masked: 3 characters]") in status.http.headers
    assert body.raw == b"<h1>broken</h1>"

    note = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
    stream = events(note, "no json")
    async with web(for_calls(stream)) as served, to_listed(served.url) as (link, _):
        await call(link, "echo", {})
        found = [one for one in link.wire.since(0) if one.raw in (note.encode(), b"no json")]
    assert [read(one).kind for one in found] == [FrameKind.NOTIFICATION, FrameKind.NOISE]
