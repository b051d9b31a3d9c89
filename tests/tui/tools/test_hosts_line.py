"""The line on hosts beside a tool: as many names as there is room for, and their own first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.approval.who_asks import HostDecision, HostGroup, WhoAsks
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.engine.session_config import Target
from signoff.app.features.matrix import who_asks
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.policy_files import find_hosts
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.tools.hosts_line import PENDING, HostsLine, hosts_words
from tests.servers import raw
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage

TOOL = read_tool(0, {"name": "delete_note", "annotations": {"destructiveHint": True}})
GROUPS = WhoAsks(find_hosts().hosts, ["zed"]).groups(TOOL, Trust.UNTRUSTED, {})


@given(st.integers(60, 240), st.integers(1, 2))
def test_it_fits_and_loses_no_host(width: int, rows: int) -> None:
    words = hosts_words(GROUPS, width, rows)
    assert len(words.wrap(width)) <= rows
    assert "Zed" in words.plain
    for group in GROUPS[:1]:
        assert f"{group.does}: " in words.plain


def test_a_title_from_a_file_of_ones_own_is_made_visible() -> None:
    host = HostDecision("a\x1b[31m\u202eb", is_here=True, is_measured=True)
    words = hosts_words([HostGroup(VerdictAnswer.ASK, "asks", (host,))], 80, 1)
    assert words.plain.isprintable()


def line(stage: BenchStage) -> str:
    return stage.app.screen.query_one(HostsLine).render().plain


async def test_it_says_what_hosts_do_with_the_tool_under_the_cursor() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("read_thing")
        read_only = line(stage)
        await stage.choose("delete_thing")
        assert PENDING not in line(stage)
        assert "VS Code" in line(stage)
        assert line(stage) != read_only


async def test_what_if_and_trust_count_at_once() -> None:
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.choose("delete_thing")
        before = line(stage)
        stage.engine.consent.set_what_if("delete_thing", {"readOnly": True, "destructive": False})
        await stage.until(lambda: line(stage) != before, "other words")


async def test_a_host_that_was_set_up_to_run_everything_is_named_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    program, *args = raw("--only", "delete_thing")
    entry = {"command": program, "args": args, "trust": True}
    file = tmp_path / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"a": entry}}), encoding="utf-8")
    async with bench_stage(argv=(program, *args)) as stage:
        await stage.choose("delete_thing")
        assert "run it: Gemini CLI" in line(stage) or "runs it: Gemini CLI" in line(stage)


async def test_a_list_that_changes_all_the_time_is_read_once_in_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[tuple[str, ...]] = []
    usual = who_asks.who_asks

    def counted(
        tools: Sequence[ToolDefinition], target: Target, first: Sequence[str] = ()
    ) -> WhoAsks:
        read.append(tuple(first))
        return usual(tools, target, first)

    monkeypatch.setattr(who_asks, "who_asks", counted)
    async with bench_stage() as stage:
        hosts = stage.app.screen.query_one(Workplace).hosts
        target = read_target(SessionOptions(is_bundled=True))
        hosts.learn(target, ["zed"])
        await stage.until(lambda: read[-1:] == [("zed",)], "the first reading")
        hosts.learn(target, ["zed"])
        for name in ("goose", "codex", "cline", "cursor"):
            hosts.learn(target, [name])
        await stage.until(lambda: read[-1] == ("cursor",), "the last reading")
        await stage.sees("Cur ")
        assert read[-2:] == [("zed",), ("cursor",)]
