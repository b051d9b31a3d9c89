"""The wire on the screen: followed, filtered, linked, copied, saved, and never dangerous."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from signoff.app.calls.call import Outcome
from signoff.app.features.wire.listing import BenchWire
from signoff.app.features.wire.screen import WireScreen
from signoff.app.protocol.server import Trust
from signoff.app.protocol.wire.frames import FrameKind
from signoff.app.protocol.wire.reading import read
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.json_tree.tree import JsonTree
from signoff.widgets.lists.wire_list import WireList
from tests.approved import approved
from tests.engine.opened import Approves, Opened, opened
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.regions import notices
from tests.tui.screen_stage import ScreenStage, screen_stage

PROSE = approved("tui-wire")
HOSTILE = """
import json, sys
def say(line): sys.stdout.write(line + "\\n"); sys.stdout.flush()
say("\\x1b[2J\\x1b]0;owned\\x07 [bold red]markup[/] \\u202eevil")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    method = asked["method"]
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "x", "version": "1"}}
    elif method == "tools/list":
        say('{"jsonrpc":"2.0","method":"no\\\\u001b[31mtifications/[/]x"}')
        result = {"tools": [{"name": "t", "inputSchema": {"type": "object",
                  "properties": {"note": {"type": "string", "writeOnly": True}}},
                  "annotations": {"readOnlyHint": True}}]}
    elif method == "tools/call":
        note = asked["params"]["arguments"].get("note", "")
        result = {"content": [{"type": "text", "text": "you said " + note}]}
    else:
        say(json.dumps({"jsonrpc": "2.0", "id": asked["id"],
                        "error": {"code": -32601, "message": "no"}}))
        continue
    say(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
"""


async def open_wire(stage: BenchStage, *keys: str) -> WireScreen:
    await stage.press(*(keys or ("W",)))
    screen = await stage.is_open(WireScreen)
    await stage.until(lambda: screen.query_one(WireList).row_count, "rows")
    return screen


@asynccontextmanager
async def on_server(
    *switches: str, argv: tuple[str, ...] = (), size: tuple[int, int] = WIDE
) -> AsyncIterator[tuple[Opened, ScreenStage]]:
    """A session with an empty screen; its server is in memory unless it is `argv`."""
    async with (
        opened(*switches, argv=argv, trust=Trust.TRUSTED) as it,
        screen_stage(it.engine, size=size) as stage,
    ):
        yield it, stage


async def shown(stage: ScreenStage) -> WireScreen:
    """Show the wire of the session."""
    screen = WireScreen(BenchWire(stage.engine))
    await stage.opens(screen)
    await stage.until(lambda: screen.query_one(WireList).row_count, "rows")
    return screen


async def at_kind(stage: ScreenStage, kind: FrameKind) -> str:
    """Wait for the details of such a message, and return their first words without the number."""
    screen = stage.screen
    assert isinstance(screen, WireScreen)

    def is_there() -> bool:
        frame = screen._current
        shows = screen.query_one("#head").region and f"{frame and frame.number}  " in head()
        return frame is not None and read(frame).kind is kind and bool(shows)

    def head() -> str:
        return stage.seen("#head")

    await stage.until(is_there, kind.name)
    return re.sub(r"^[\d,]+ +", "", head()).split(", ")[0]


def count_words(stage: ScreenStage) -> str:
    """What is told beside the filter, without the number of messages."""
    return re.sub(r"^[\d,]+", "COUNT", stage.whole("#told"))


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_it_follows_until_the_cursor_is_moved(size: tuple[int, int]) -> None:
    async with on_server(size=size) as (it, stage):
        await it.call("echo")
        screen = await shown(stage)
        await stage.sees("tools/list", "tools/call echo", "jsonrpc")
        PROSE.holds("count: it follows", count_words(stage))
        rows = screen.query_one(WireList)
        count = rows.row_count
        await it.call("echo", text="two")
        await stage.until(lambda: rows.row_count > count and rows.is_at_end, "the new row")
        await stage.press("up", "up")
        at, count = rows.cursor, rows.row_count
        await it.call("echo", text="three")
        await stage.until(lambda: rows.row_count > count, "the newer row")
        assert rows.cursor == at
        PROSE.holds("count: it stays", count_words(stage))
        await stage.press("end")
        PROSE.holds("count: it follows", count_words(stage))
        # More than is read at once.
        wire = it.engine.link.wire
        for number in range(5_000):
            wire.add("server", b'{"jsonrpc":"2.0","method":"notifications/n%d"}' % number)
        await stage.until(lambda: rows.row_count == wire.count, "all of them")
        await stage.sees("notifications/n4999")
        assert rows.is_at_end


@pytest.mark.slow
async def test_a_message_is_a_tree_or_a_line_and_enter_goes_to_its_request_and_back() -> None:
    async with on_server() as (it, stage):
        await it.call("echo")
        screen = await shown(stage)
        rows = screen.query_one(WireList)
        PROSE.holds("message: a response", await at_kind(stage, FrameKind.ANSWER))
        at = rows.cursor
        assert at is not None
        await stage.press("enter")
        PROSE.holds("message: a request", await at_kind(stage, FrameKind.REQUEST))
        assert rows.cursor is not None
        assert rows.cursor < at
        await stage.press("enter")
        await at_kind(stage, FrameKind.ANSWER)
        assert rows.cursor == at
        await stage.sees("▾ result", "▾ content")
        tree = screen.query_one(JsonTree)
        await stage.press("tab")
        assert tree.has_focus
        await stage.press("down", "down", "space")
        await stage.sees("▸ result")
        # The line as it was, with the focus where the message is.
        await stage.press("v")
        await stage.sees('"result": {')
        assert not tree.display
        assert screen.query_one("#detail").has_focus
        await stage.press("v")
        await stage.sees("▾ result")
        assert tree.has_focus
        await stage.press("escape", "home")
        await stage.sees("note of Signoff")
        assert not tree.display


@pytest.mark.slow
async def test_whatever_comes_holds_up_no_key() -> None:
    async with on_server(size=NARROW) as (it, stage):
        wire = it.engine.link.wire
        screen = await shown(stage)
        stalls: list[float] = []
        over = asyncio.Event()

        async def watch() -> None:
            while not over.is_set():
                # Of this thread alone: how busy the machine is besides tells nothing.
                since = time.thread_time()
                await asyncio.sleep(0.002)
                stalls.append(time.thread_time() - since)

        def flood() -> None:
            for number in range(100_000):
                wire.add("server", b"noise \x1b[31m %d" % number)
            wire.add("server", b'{"jsonrpc":"2.0","id":9,"result":"%s"}' % (b"x" * 50_000_000))
            wire.add("server", b'{"jsonrpc":"2.0","method":"a","params":%s}' % (b"[" * 100_000))
            values = ",".join(map(str, range(19_000)))
            wire.add("server", b'{"jsonrpc":"2.0","id":8,"result":[%s]}' % values.encode())

        watching = asyncio.create_task(watch())
        await asyncio.to_thread(flood)
        rows = screen.query_one(WireList)
        await stage.until(lambda: rows.row_count == 20_000, "all that is kept")
        screen.query_one(Input).value = "9999"
        await stage.until(lambda: 0 < rows.row_count < 100, "what was looked for")
        over.set()
        await watching
        # A message of 50 MB that is laid out in one go takes many seconds.
        assert max(stalls) < 3
        assert "\x1b" not in stage.text


@pytest.mark.slow
async def test_a_filter_is_typed_and_taken_back() -> None:
    async with on_server("--with", "all") as (it, stage):
        await it.call("echo")
        await it.call("error")
        screen = await shown(stage)
        rows = screen.query_one(WireList)
        every = rows.row_count
        await stage.press("slash")
        await stage.type("method:tools/call")
        await stage.until(lambda: rows.row_count == 4, "calls and answers")
        for words in ("error method:call", "from:client call:1"):
            screen.query_one(Input).value = words
            await stage.until(lambda: rows.row_count == 1, words)
        await stage.sees("tools/call echo")
        screen.query_one(Input).value = "call:x"
        await stage.sees("call: needs")
        PROSE.holds("filter: what cannot be read", stage.whole("#told"))
        await stage.press("escape")
        await stage.until(lambda: rows.row_count >= every, "everything")
        await stage.press("escape")
        await stage.is_back()


async def test_of_a_denied_call_nothing_was_sent() -> None:
    async with bench_stage("--with", "all") as stage:
        await stage.choose("delete_thing")
        await stage.press("f12")
        await stage.asks(ApprovalDialog)
        await stage.press("escape")
        call = await stage.end()
        assert (call.outcome, call.id) == (Outcome.DENIED, 1)
        await stage.press("f8")
        await stage.sees("W Wire")
        await stage.press("shift+tab")
        await stage.sees("nothing was sent", "denied by")
        await stage.press("W")
        await stage.is_open(WireScreen)
        rows = stage.app.screen.query_one(WireList)
        await stage.until(lambda: "denied by" in rows.empty, "why there is none")
        PROSE.holds("empty: a denied call", rows.empty)


@pytest.mark.slow
async def test_the_pages_of_a_call_have_its_wire_in_short() -> None:
    async with bench_stage() as stage:
        await stage.call("echo")
        await stage.press("f8", "shift+tab")
        await stage.sees("→ request      tools/call", "← response     tools/call")
        await stage.press("enter")
        await stage.is_open(WireScreen)
        await stage.sees("call:1")


async def test_what_a_server_sends_does_nothing_and_secrets_are_masked(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(HOSTILE, encoding="utf-8")
    async with on_server(argv=(sys.executable, str(script))) as (it, stage):
        screen = await shown(stage)
        await stage.sees("noise", "[bold red]markup[/]", "[/]x")
        assert "\x1b" not in stage.text
        assert "\u202e" not in stage.text
        await stage.press("home")
        await stage.press("down", "v")
        await stage.press("home", "end", "v")
        assert stage.screen is screen
        secret = "correct-horse-battery"
        assert (await it.call("t", note=secret)).outcome is Outcome.OK
        await stage.sees("[masked: 21 characters]")
        await stage.press("v")
        await stage.sees("said [masked")
        await stage.press("y")
        assert "[masked: 21 characters]" in stage.app.clipboard
        for key, name in (("s", "wire.jsonl"), ("H", "wire.html")):
            await stage.press(key)
            await stage.sees("secrets masked")
            stage.app.screen.query_one(Input).value = str(tmp_path / name)
            await stage.press("enter")
            await stage.is_open(WireScreen)
            text = (tmp_path / name).read_text(encoding="utf-8")
            assert (secret in text, "[masked: 21 characters]" in text) == (False, True)
        for line in (tmp_path / "wire.jsonl").read_text(encoding="utf-8").splitlines():
            assert {"n", "at", "from", "raw"} <= json.loads(line).keys()
        page = (tmp_path / "wire.html").read_text(encoding="utf-8")
        assert ("<script" in page, "http-equiv" in page, "\x1b" in page) == (False, True, False)


@pytest.mark.slow
async def test_a_call_is_made_again_and_asked_about_or_its_arguments_go_into_the_form() -> None:
    async with bench_stage("--with", "all", trust=Trust.UNTRUSTED) as stage:
        stage.engine.approver = Approves()
        tool = stage.tool("echo")
        given: dict[str, Any] = {"text": "once", "number": 7}
        first = await stage.engine.ended(stage.engine.call(tool, given))
        approver = stage.engine.approver = Approves()
        await open_wire(stage)
        await stage.sees("tools/call echo")
        await stage.press("a")
        await stage.until(lambda: notices(stage.app), "the words on it")
        PROSE.holds("notice: not sent again", notices(stage.app))
        await stage.press("up", "a")
        again = await stage.end(after=first.id)
        assert isinstance(stage.app.screen, MainScreen)
        assert (again.snapshot.arguments(), again.outcome) == (given, Outcome.OK)
        assert [question.snapshot.arguments() for question in approver.questions] == [given]
        await stage.choose("is_error")
        await open_wire(stage)
        await stage.sees("tools/call echo")
        await stage.press("up", "e")
        await stage.sees_tool("echo")
        assert stage.app.screen.query_one(ToolPane).arguments == given
        assert stage.newest == again.id
