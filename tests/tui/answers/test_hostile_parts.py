"""Answers and definitions made to deceive, to hold up or to slip past a question."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.text.pager import PagerScreen
from signoff.app.tui.text.sections import raw_lines
from tests.approved import approved
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.widgets.hostile import assert_harmless

SERVER = Path(__file__).parents[2] / "servers" / "hostile_parts.py"
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
