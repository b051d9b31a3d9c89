"""What `signoff watch` shows: rows of calls, an empty screen, many calls, and the dialog."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.questions.questions import AboutCall
from signoff.app.features.proxy.watch_screen import WatchScreen
from signoff.app.storage.settings.values import Settings
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.serverless_app import ServerlessApp
from tests.approved import approved
from tests.features.proxy.stage import DELETE, READ, Stage, proxied, until
from tests.tiers import first_quick
from tests.tui.clocks import AheadClock
from tests.tui.hand import Hand

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
PROSE = approved("watch")
EMPTY = {(80, 24): "empty at 80x24", (120, 36): "empty at 120x36"}
CALLS = {(80, 24): "calls at 80x24", (120, 36): "calls at 120x36"}


def _without_times(text: str) -> str:
    text = re.sub(r"\d\d:\d\d:\d\d", "HH:MM:SS", text)
    text = re.sub(r"elsewhere: .*", "elsewhere: HOSTS", text)
    return re.sub(r"\d+ \+ \d+ messages", "N + N messages", text)


@contextlib.asynccontextmanager
async def watched(
    tmp_path: Path, host: str, size: tuple[int, int] = (80, 24), **more: Any
) -> AsyncIterator[tuple[Stage, Hand, WatchScreen]]:
    """A proxy that holds calls, and the screen on which its questions are answered."""
    screen = WatchScreen()
    app = ServerlessApp(screen, Settings(), "dark")
    app.dialog_clock = AheadClock()
    async with (
        proxied(tmp_path, policy="cautious", **more) as stage,
        app.run_test(size=size) as pilot,
    ):
        await stage.begin(host)
        await until(lambda: screen.watching.running)
        yield stage, Hand(app, pilot), screen


SIZES = pytest.mark.parametrize("size", first_quick([(80, 24), (120, 36)]))


@SIZES
async def test_an_empty_screen_has_the_command_to_begin_with(size: tuple[int, int]) -> None:
    app = ServerlessApp(WatchScreen(), Settings(), "dark")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        PROSE.holds(EMPTY[size], Hand(app, pilot).text)


@SIZES
async def test_calls_are_rows_and_a_held_one_opens_the_dialog(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with watched(tmp_path, "\x1b[31mhost", size) as (stage, hand, screen):
        stage.call(1, {**READ, "name": "no_such_tool"})
        await stage.line()
        stage.call(2, DELETE)
        await until(lambda: isinstance(hand.app.screen, ApprovalDialog))
        assert stage.got == []
        await hand.pilot.press("escape")
        answer = await stage.line()
        assert "denied by a person" in answer["result"]["content"][0]["text"]
        ended = ("denied by you", "elsewhere")
        await until(lambda: hand.app.screen is screen and all(one in hand.text for one in ended))
        await until(lambda: "question open" not in hand.text)
        shown = hand.text
        PROSE.holds(CALLS[size], _without_times(shown))
        assert ("name=a" in shown, "{'" in shown, "\x1b" in shown) == (True, False, False)
        assert stage.got == []


async def test_a_question_that_is_put_back_stays_held_and_the_next_comes_first(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path, "h") as (stage, hand, screen):

        def dialog(name: str) -> bool:
            return (
                isinstance(hand.app.screen, ApprovalDialog)
                and isinstance(hand.app.screen.question, AboutCall)
                and hand.app.screen.question.snapshot.arguments() == {"name": name}
            )

        stage.call(1, DELETE)
        await until(lambda: dialog("a"))
        stage.call(2, {**DELETE, "arguments": {"name": "b"}})
        await until(lambda: screen.watching.open_questions == 2)
        await hand.asks(ApprovalDialog)
        await hand.pilot.press("l")
        await until(lambda: dialog("b"))
        assert screen.watching.put_back == 1
        await hand.pilot.press("escape")
        assert (await stage.line())["id"] == 2
        await until(lambda: hand.app.screen is screen and "put back, denied in 0:" in hand.text)
        await until(lambda: "1 question open, 1 put back" in hand.text)
        await hand.pilot.press("a")
        await until(lambda: dialog("a"))
        await hand.pilot.press("escape")
        assert (await stage.line())["id"] == 1
        assert stage.got == []
        await until(lambda: screen.watching.open_questions == 0)


@pytest.mark.slow
async def test_a_question_that_was_put_back_is_denied_in_time(tmp_path: Path) -> None:
    async with watched(tmp_path, "h", hold=2) as (stage, hand, screen):
        stage.call(1, DELETE)
        await hand.asks(ApprovalDialog)
        await hand.pilot.press("l")
        answer = await stage.line()
        assert "no answer came" in answer["result"]["content"][0]["text"]
        await until(lambda: screen.watching.open_questions + screen.watching.put_back == 0)
        await hand.pilot.press("a")
        assert not isinstance(hand.app.screen, ApprovalDialog)
