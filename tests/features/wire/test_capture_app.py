"""A captured file on the screen: the wire without a server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot
from textual.widgets import Input

from signoff.app.features.wire.listing import CapturedWire
from signoff.app.features.wire.screen import CaptureApp, WireScreen
from signoff.app.protocol.wire.capture import Capture, CapturedLog, line_of, listed_schemas
from signoff.app.protocol.wire.frames import CLIENT, SERVER, Frame
from signoff.app.storage.settings.values import Settings
from signoff.app.tui.text.keys_screen import KeysScreen
from signoff.widgets.lists.wire_list import WireList
from tests.tui.bench_stage import PATIENCE


def capture_of(count: int) -> bytes:
    """So many calls, answered, each half a second later."""
    lines = []
    for number in range(1, 2 * count + 1):
        body: dict[str, object] = {"jsonrpc": "2.0", "id": (number + 1) // 2}
        is_request = number % 2 == 1
        if is_request:
            body |= {"method": "tools/call", "params": {"name": f"tool{number}", "arguments": {}}}
        else:
            body |= {"result": {"content": []}}
        raw, sender = json.dumps(body).encode(), CLIENT if is_request else SERVER
        call = (number + 1) // 2 if is_request else 0
        lines.append(line_of(Frame(number, 1e9 + number / 2, 0.0, sender, raw, len(raw), call)))
    return b"\n".join([*lines, b""])


@asynccontextmanager
async def opened(data: bytes, start: str = "") -> AsyncIterator[tuple[CaptureApp, Pilot[None]]]:
    capture = Capture(data)
    source = CapturedWire("a\x1b[2J.jsonl", CapturedLog(capture), listed_schemas(capture))
    app = CaptureApp(source, start, Settings())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: isinstance(app.screen, WireScreen))
        yield app, pilot


async def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def text_of(app: CaptureApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_it_begins_at_the_top_follows_nothing_and_sends_nothing() -> None:
    async with opened(capture_of(1_500)) as (app, pilot):
        rows = app.screen.query_one(WireList)
        await until(lambda: rows.row_count == 3_000)
        assert rows.cursor == 0
        assert "\x1b" not in text_of(app)
        await until(lambda: "3,000" in text_of(app) and "500 ms later" in text_of(app))
        assert "follows" not in text_of(app)
        assert "Again" not in text_of(app)
        for key in ("a", "e"):
            app.clear_notifications()
            await pilot.press(key)
            await until(lambda: any("this is a file" in one.message for one in app._notifications))
        assert isinstance(app.screen, WireScreen)
        await pilot.press("end")
        await until(lambda: rows.cursor == 2_999)
        await pilot.press("enter")
        await until(lambda: rows.cursor == 2_998)


async def test_a_filter_is_there_from_the_beginning_and_leaving_the_wire_leaves_the_program() -> (
    None
):
    async with opened(capture_of(3), "call:2") as (app, pilot):
        rows = app.screen.query_one(WireList)
        await until(lambda: rows.row_count == 2)
        field = app.screen.query_one(Input)
        assert field.value == "call:2"
        field.value = "call:7"
        await until(lambda: "the file has no message of call 7" in text_of(app))
        field.value = ""
        for screen in (KeysScreen, WireScreen):
            await pilot.press("f1")
            await until(lambda screen=screen: isinstance(app.screen, screen))  # type: ignore[misc]
        await pilot.press("escape")
        await until(lambda: not app.is_running)
    assert app.return_code == 0
