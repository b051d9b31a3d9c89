"""No string of a server acts on any screen, as markup, as an action or as a control sequence."""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.text.pager import PagerScreen
from signoff.app.tui.text.sections import raw_lines
from tests.approved import approved
from tests.cli.running import ROOT
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.tui.clocks import arm, press_slowly
from tests.widgets.hostile import assert_harmless

ARGV = (sys.executable, str(ROOT / "tests" / "servers" / "hostile_server.py"))
BEFORE = ("f4", "f2", "A", "P", "D", "f9", "W", "ctrl+o", "Y")
AFTER = ("f8", "M", "W")
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def acting(stage: BenchStage) -> set[str]:
    """Characters on the screen that a terminal would obey, hide or turn around."""
    return {char for char in stage.text if char != "\n" and unicodedata.category(char) in UNSEEN}


async def holds_on(stage: BenchStage, key: str) -> None:
    """Open a screen and turn all its sections."""
    main = stage.app.screen
    await stage.press(key)
    await stage.until(lambda: stage.app.screen is not main, f"the screen of {key}")
    for more in ((), ("tab",), ("tab",), ("down",)):
        await stage.press(*more)
        await stage.pilot.pause(0.1)
        assert not acting(stage), f"{key} {more}:\n{stage.text}"
    while stage.app.screen is not main:
        await stage.press("escape")
        await stage.pilot.pause(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["result", "error"])
async def test_no_string_of_a_server_acts_on_a_screen(mode: str) -> None:
    async with bench_stage(argv=(*ARGV, mode)) as stage:
        await stage.choose("plain")
        assert not acting(stage)
        for key in BEFORE:
            await holds_on(stage, key)
        call = await stage.call("plain")
        assert call.outcome in (Outcome.TOOL_ERROR, Outcome.PROTOCOL_ERROR)
        await stage.rests()
        assert not acting(stage)
        for key in AFTER if mode == "result" else ("f8", "W"):
            await holds_on(stage, key)


async def test_no_string_of_a_server_acts_on_the_question() -> None:
    async with bench_stage(argv=ARGV, trust=Trust.UNTRUSTED) as stage:
        await stage.choose("plain")
        await stage.press("f5")
        dialog = await stage.asks(ApprovalDialog)
        assert not acting(stage)
        for key in ("v", "end"):
            await stage.press(key)
            assert not acting(stage), stage.text
        await arm(stage, dialog)
        await press_slowly(stage, "escape")
        call = await stage.end()
        assert call.outcome is Outcome.DENIED


async def denied(stage: BenchStage, question: Screen[Any]) -> None:
    await stage.press("escape")
    await stage.has_left(question)


@pytest.mark.slow
async def test_no_string_of_a_question_acts_on_a_screen() -> None:
    async with bench_stage(argv=(*ARGV, "asks")) as stage:
        await stage.choose("plain")
        main = stage.app.screen
        await stage.press("f5")
        for _ in range(3):
            await stage.has_left(main)
            assert not acting(stage), stage.text
            await stage.no_longer_sees("moment")
            await denied(stage, stage.app.screen)
            await stage.rests()
        await stage.end()
        assert not acting(stage)


async def test_hostile_tools() -> None:
    async with bench_stage("--hostile", "--malformed-tool", size=(100, 30)) as stage:
        assert_harmless(stage.strips)
        pane = stage.pane
        hostile = [tool for tool in stage.engine.tools if tool.name.startswith("hostile_")]
        assert len(hostile) > 10
        for tool in hostile:
            pane.show(tool)
            await stage.pilot.pause()
            assert_harmless(stage.strips)
        await stage.press("end")
        assert_harmless(stage.strips)

        await stage.choose("hostile_clipboard")
        await stage.press("f4")
        for _ in range(4):
            assert_harmless(stage.strips)
            await stage.press("tab")
        assert stage.app.is_running


async def ask_and_answer(stage: BenchStage, tool: str) -> None:
    await stage.choose(tool)
    await stage.press("f5")
    await stage.sees("Approve this call?")
    assert_harmless(stage.strips)
    await stage.no_longer_sees("moment")
    assert_harmless(stage.strips)
    await stage.press("escape")
    await stage.end()
    assert_harmless(stage.strips)


@pytest.mark.slow
async def test_hostile_questions() -> None:
    async with bench_stage("--hostile", size=NARROW, trust=Trust.UNTRUSTED) as stage:
        await ask_and_answer(stage, "hostile_markup_action")


@pytest.mark.slow
async def test_hostile_answers() -> None:
    async with bench_stage(
        "--with", "all", "--instructions", "\x1b[2J[@click=app.quit]x[/]"
    ) as stage:
        for tool in ("hostile_answer", "error", "progress_hostile", "colours", "noise"):
            await stage.choose(tool)
            await stage.press("f5")
            assert_harmless(stage.strips)
            await stage.end()
            await stage.pilot.pause(0.1)
            assert_harmless(stage.strips)
        await stage.press("f8")
        assert_harmless(stage.strips)
        await stage.press("escape", "f9")
        for _ in range(5):
            assert_harmless(stage.strips)
            await stage.press("tab")
        await stage.press("escape")
        assert stage.app.is_running


SERVER = Path(__file__).parents[1] / "servers" / "hostile_parts.py"
READS = {"annotations": {"readOnlyHint": True, "openWorldHint": False}}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


@asynccontextmanager
async def parts_stage(
    folder: Path, tools: Mapping[str, Any], trust: Trust = Trust.TRUSTED
) -> AsyncIterator[tuple[BenchStage, Path]]:
    """The bench on a server with these tools, and the file of all that it received."""
    file, received = folder / "tools.json", folder / "received"
    file.write_text(json.dumps(tools), encoding="utf-8")
    argv = (sys.executable, "-S", str(SERVER), str(file), str(received))
    async with bench_stage(argv=argv, trust=trust) as stage:
        yield stage, received


def sent(received: Path, method: str) -> list[Any]:
    messages = [json.loads(line) for line in received.read_text(encoding="utf-8").splitlines()]
    return [one["params"] for one in messages if one.get("method") == method]


@pytest.mark.slow
async def test_a_tool_named_like_a_method_is_another_thing(tmp_path: Path) -> None:
    tools = {
        "x": {"result": text("x")},
        "resources/read": {"result": text("tool"), "more": READS},
        "read": {"result": {"contents": [{"uri": "b://x", "text": "resource"}]}, "times": 3},
    }
    async with parts_stage(tmp_path, tools) as (stage, received):
        stage.engine.read("a://x\x1b[2J[@click=app.quit]x[/]")
        await stage.is_open(ApprovalDialog)
        assert_harmless(stage.strips)
        await stage.no_longer_sees("moment")
        await stage.press("escape")
        assert (await stage.end()).outcome is Outcome.DENIED
        assert not sent(received, "resources/read")
        assert not sent(received, "tools/call")


@pytest.mark.slow
async def test_a_large_definition_opens_at_once(tmp_path: Path) -> None:
    inner = {"type": "object", "properties": {f"q{at}": {"type": "string"} for at in range(100)}}
    wide = {"type": "object", "properties": {f"p{at}": inner for at in range(100)}}
    async with parts_stage(tmp_path, {"wide": {"schema": wide}}) as (stage, _):
        started = time.thread_time()
        await stage.press("f4")
        assert time.thread_time() - started < 5
        assert isinstance(stage.app.screen, PagerScreen)
        await stage.press("tab")
        await stage.sees('"properties": {')
        assert_harmless(stage.strips)


def test_raw_json_costs_no_more_than_is_shown() -> None:
    started = time.process_time()
    values: list[JsonValue] = [{"a": [1, "x\u202e"]}] * 300_000
    lines = raw_lines(values)
    assert time.process_time() - started < 3
    assert not isinstance(lines, str)
    approved("tui-answers").holds("raw: cut", lines[-1][-1].text)
    assert isinstance(raw_lines(values[:3_000]), str)
    assert not isinstance(raw_lines(values[:30]), str)
