"""A message of any method from the wire: as a call where it is one, else asked about exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Static

from signoff.app.features.wire.composing import RawDialog, RawScreen
from signoff.app.features.wire.screen import WireScreen
from signoff.app.protocol.rpc import CALL_METHOD
from signoff.app.protocol.wire.frames import CLIENT
from signoff.app.protocol.wire.reading import read
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.widgets.forms.field_editors import TextEditor
from tests.approved import approved
from tests.features.wire.test_wire_screen import open_wire
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.clocks import AheadClock, arm, press_slowly
from tests.tui.regions import notices, whole

PROSE = approved("tui-wire")


def written_to(stage: BenchStage) -> list[str]:
    """The methods that were sent."""
    frames = stage.engine.link.wire.since(0)
    return [read(one).method for one in frames if one.sender == CLIENT and one.raw]


async def write(stage: BenchStage, body: object) -> None:
    """Open the editor from the wire and put a message there."""
    await open_wire(stage)
    await stage.press("n")
    await stage.is_open(RawScreen)
    text = body if isinstance(body, str) else json.dumps(body)
    stage.app.screen.query_one(TextEditor).load_text(text)
    await stage.press("f5")


async def ask(stage: BenchStage, body: object) -> RawDialog:
    await write(stage, body)
    return await stage.is_open(RawDialog)


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_what_is_shown_is_what_is_sent_and_its_answer_is_shown(
    size: tuple[int, int],
) -> None:
    async with bench_stage(size=size) as stage:
        body = {"id": 5, "method": "no/such", "params": {"a": "x\u202ey"}}
        dialog = await ask(stage, body)
        await stage.sees('"signoff-raw-1"', "no/such")
        server, _, rest = whole(dialog.sheet).partition("\n")
        assert "raw.py" in server
        PROSE.holds("raw: sheet", rest)
        assert "\u202e" not in stage.text
        assert dialog.focused is dialog.deny
        assert "no/such" not in written_to(stage)
        await arm(stage, dialog)
        await stage.press("end", "tab")
        await stage.until(lambda: dialog.sheet.end_seen, "the end of it")
        await press_slowly(stage, "enter")
        await stage.is_open(WireScreen)
        await stage.is_told("Error -32601")
        await stage.sees("no/such", "error response")
        (frame,) = [one for one in stage.engine.link.wire.since(0) if read(one).method == "no/such"]
        assert json.loads(frame.raw) == {"jsonrpc": "2.0", **body, "id": "signoff-raw-1"}


class ToldClock(AheadClock):
    """Seconds that pass only when a test moves on: also on a busy machine."""

    def now(self) -> float:
        return self._ahead.now()

    def wake(self, dialog: Screen[Any], look: Callable[[], None]) -> None:
        self._ahead.wake(dialog, look)


async def test_it_starts_on_deny_and_every_way_out_sends_nothing() -> None:
    async with bench_stage() as stage:
        stage.app.dialog_clock = ToldClock()
        for key in ("escape", "enter", "q"):
            await deny(stage, key)
        assert "notifications/x" not in written_to(stage)


async def deny(stage: BenchStage, key: str) -> None:
    dialog = await ask(stage, {"method": "notifications/x"})
    # What is pressed before it listens does nothing.
    await stage.press("tab", "enter")
    await arm(stage, dialog)
    await stage.press(key)
    await stage.is_open(WireScreen)
    await stage.until(lambda: notices(stage.app), "the words on it")
    *_, last = notices(stage.app).split("\n")
    PROSE.holds("raw notice: denied", last)
    await stage.press("escape")


@pytest.mark.slow
async def test_a_call_is_asked_about_as_a_call() -> None:
    async with bench_stage("--with", "all") as stage:
        params = {"name": "delete_thing", "arguments": {"id": "7"}}
        await write(stage, {"id": 1, "method": CALL_METHOD, "params": params})
        await stage.asks(ApprovalDialog)
        await stage.press("escape")
        await stage.end()
        assert CALL_METHOD not in written_to(stage)


@pytest.mark.slow
async def test_what_is_no_message_is_said_with_its_place() -> None:
    async with bench_stage() as stage:
        await write(stage, '{"method": "ping",\n  oops}')
        screen = stage.app.screen
        assert isinstance(screen, RawScreen)
        await stage.sees("Not a message", "line 2, column 3")
        assert screen.query_one(TextEditor).cursor_location == (1, 2)
        screen.query_one(TextEditor).load_text('{"method": "ping", "id": 1}')
        await stage.until(
            lambda: "This is a request" in str(screen.query_one(".told", Static).content),
            "what it is",
        )
        await stage.press("escape")
        await stage.is_open(WireScreen)
        assert written_to(stage).count("ping") == 0
