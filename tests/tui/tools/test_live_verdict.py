"""The verdict follows the form, with the line on hosts beside it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Static

from signoff.app.approval.approval import BY_REMEMBERED_APPROVAL
from signoff.app.approval.fingerprint import ServerFingerprint
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.policies.argument_rules import ArgumentCondition, Comparison
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.rules import Rule, Then
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.approval.who_asks import HostDecision, HostGroup, WhoAsks
from signoff.app.calls.call import Outcome
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.connection import Connection
from signoff.app.engine.session_config import Target
from signoff.app.features.matrix import who_asks
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.policy_files import find_hosts
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.tools.hosts_line import PENDING, HostsLine, hosts_words
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.sheets import SheetView
from tests.approved import approved
from tests.engine.opened import Approves
from tests.servers import raw
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage
from tests.tui.regions import whole

PROSE = approved("tui-tools")
EVIL = "(a+)+b"
ARGUMENTS = Remember(Scope.ARGUMENTS)


def policy(then: Then, pattern: str) -> Policy:
    test = ArgumentCondition("/name", Comparison.MATCHES, pattern)
    return Policy("own", (Rule(1, then, arguments=(test,)), Rule(2, Then.ASK)))


async def form_of(stage: BenchStage, chosen: Policy) -> ToolPane:
    """The form of `read_thing`, with the cursor in its first field."""
    stage.engine.consent.set_policy(chosen)
    await stage.edit("read_thing")
    return stage.pane


def verdict_of(pane: ToolPane) -> str:
    return str(pane.query_one(".verdict", Static).content)


@pytest.mark.slow
async def test_what_cannot_be_judged_is_said_at_the_form_and_in_the_dialog() -> None:
    async with bench_stage("--with", "all", trust=Trust.TRUSTED, size=NARROW) as stage:
        pane = await form_of(stage, policy(Then.ALLOW, EVIL))
        await stage.paste("aab")
        await stage.until(lambda: verdict_of(pane).startswith("A call runs"), "the verdict")
        await stage.press("ctrl+u")
        await stage.until(lambda: verdict_of(pane).startswith("A call asks "), "the verdict")
        await stage.paste("a" * 40)
        await stage.until(lambda: "cannot be judged" in verdict_of(pane), "what is not known")
        await stage.sees("rule 1 cannot be")
        PROSE.holds("verdict: a rule that allows is not judged", verdict_of(pane))
        await stage.press("f5")
        await stage.is_open(ApprovalDialog)
        sheet = whole(stage.app.screen.query(SheetView).first())
        _, _, why = verdict_of(pane).partition(" - ")
        assert why in sheet


@pytest.mark.slow
async def test_typing_goes_on_while_a_pattern_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.app.engine.calls.context.ALONE_SECONDS", 120.0)
    async with bench_stage("--with", "all") as stage:
        pane = await form_of(stage, policy(Then.REFUSE, EVIL))
        # In one row of the field: ctrl+u empties a row.
        await stage.paste("a" * 36)
        await stage.sees("Verdict pending")
        await stage.type("bc")
        await stage.until(lambda: pane.arguments == {"name": "a" * 36 + "bc"}, "what was typed")
        await stage.sees("Verdict pending")
        # What stands there now ends it at once.
        await stage.press("ctrl+u")
        await stage.until(lambda: verdict_of(pane).startswith("A call asks "), "the verdict")
        await stage.paste("a" * 36)
        await stage.sees("Verdict pending")
        await stage.choose("add_thing")
        await stage.until(lambda: verdict_of(pane).startswith("A call asks "), "the other verdict")


@pytest.mark.slow
async def test_a_call_waits_for_the_trial_that_the_form_has_begun() -> None:
    async with bench_stage("--with", "all") as stage:
        stage.engine.approver = Approves()
        await form_of(stage, policy(Then.REFUSE, EVIL))
        await stage.paste("a" * 40)
        await stage.press("f5")
        call = await stage.end()
        assert call.outcome is Outcome.DENIED
        PROSE.holds("call: a rule that refuses is not judged", call.reason)


@pytest.mark.slow
async def test_whether_to_retry_is_said_once_the_verdict_is_known() -> None:
    async with bench_stage("--with", "all", trust=Trust.TRUSTED) as stage:
        stage.engine.approver = Approves()
        await form_of(stage, policy(Then.ALLOW, "x"))
        await stage.paste("y")
        await stage.press("f5")
        call = await stage.end()
        stage.engine.consent.set_policy(policy(Then.REFUSE, "z"))
        early = stage.engine.advice(call)
        PROSE.holds("retry: not judged yet", early.reason)
        advice = await stage.engine.advised(call)
        PROSE.holds("retry: judged", advice.reason)


@pytest.mark.slow
async def test_what_is_missing_is_said_before_the_verdict() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.choose("create_record")
        pane = stage.pane
        await stage.until(
            lambda: verdict_of(pane).startswith("Fill in table and data"), "what is missing"
        )
        PROSE.holds("verdict: two are missing", verdict_of(pane))
        await stage.press("enter")
        await stage.in_field()
        await stage.paste("users")
        await stage.until(lambda: verdict_of(pane).startswith("Fill in data"), "the other one")
        PROSE.holds("verdict: one is missing", verdict_of(pane))
        # What it says is not about a call that lacks something.
        assert "break" not in verdict_of(pane)
        await stage.press("tab")
        await stage.paste("5")
        await stage.until(lambda: verdict_of(pane).startswith("Correct 1"), "that it is there")
        PROSE.holds("verdict: one is wrong", verdict_of(pane))
        # Its field says what is wrong with it.
        assert "break" not in verdict_of(pane)
        await stage.press("home", "shift+end")
        await stage.paste("{}")
        await stage.until(lambda: verdict_of(pane).startswith("A call asks "), "nothing is wrong")
        pane.fill({"data": 5})
        await stage.until(lambda: verdict_of(pane).startswith("Fill in table and"), "both")
        PROSE.holds("verdict: one is missing and one is wrong", verdict_of(pane))


@pytest.mark.slow
async def test_what_is_missing_in_the_json_is_counted_too() -> None:
    async with bench_stage(is_demo=True, size=WIDE) as stage:
        await stage.choose("calculate_sum")
        await stage.sees("Fill in a and")
        verdict = verdict_of(stage.pane)
        PROSE.holds("verdict: two are missing, else it runs", verdict)
        await stage.press("enter")
        await stage.in_field()
        await stage.press("ctrl+j")
        await stage.sees("Fill in a and")
        await stage.paste('{"a": 1}')
        await stage.sees("Then it runs")
        await stage.no_longer_sees("Fill in a and")
        await stage.press("backspace")
        await stage.sees("✗ not JSON", "Enter a JSON")
        verdict = verdict_of(stage.pane)
        PROSE.holds("verdict: not JSON", verdict)
        await stage.press("}")
        await stage.no_longer_sees("Enter a JSON")


@pytest.mark.slow
async def test_an_approval_that_is_remembered_shows_in_the_verdict() -> None:
    async with bench_stage(is_demo=True, size=WIDE, keeps=True) as stage:
        await stage.choose("delete_file")
        pane = stage.pane
        pane.fill({"path": "notes/todo.txt"})
        await stage.until(lambda: verdict_of(pane).startswith("A call asks "), "asks")
        tool, engine = pane.tool, stage.engine
        assert tool is not None
        await stage.until(lambda: engine.runs, "what runs")
        snapshot = take_snapshot(engine.server.identity, ToolCall(tool), {"path": "notes/todo.txt"})
        snapshot = replace(snapshot, runs=engine.runs)
        await stage.until(lambda: engine.memory.remember(snapshot, ARGUMENTS), "a store")
        pane.fill({"path": "notes/other.txt"})
        await stage.until(lambda: verdict_of(pane).startswith("A call asks "), "other arguments")
        pane.fill({"path": "notes/todo.txt"})
        await stage.until(lambda: verdict_of(pane).startswith("A call runs"), "what F5 does")
        PROSE.holds("verdict: remembered", verdict_of(pane))
        engine.call(tool, {"path": "notes/todo.txt"})
        decision = (await stage.end()).decision
        assert decision is not None
        assert decision.by == BY_REMEMBERED_APPROVAL


@pytest.mark.slow
async def test_an_approval_of_an_earlier_run_shows_once_it_is_known_what_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments: dict[str, JsonValue] = {"path": "notes/todo.txt"}
    allowed = "A call runs"
    async with bench_stage(is_demo=True, size=WIDE, keeps=True) as stage:
        await stage.until(lambda: stage.engine.runs, "what runs")
        tool = stage.tool("delete_file")
        snapshot = take_snapshot(stage.engine.server.identity, ToolCall(tool), arguments)
        snapshot = replace(snapshot, runs=stage.engine.runs)
        assert stage.engine.memory.remember(snapshot, Remember(Scope.UNTIL, 7))
    may_look, look = asyncio.Event(), Connection._look_at_server

    async def look_late(connection: Connection) -> ServerFingerprint | None:
        await may_look.wait()
        return await look(connection)

    monkeypatch.setattr(Connection, "_look_at_server", look_late)
    async with bench_stage(is_demo=True, size=WIDE, keeps=True) as stage:
        await stage.choose("delete_file")
        pane = stage.pane
        pane.fill(arguments)
        await stage.until(lambda: verdict_of(pane).startswith("A call asks "), "asks")
        await stage.until(lambda: stage.engine.memory.is_known, "the comparison")
        may_look.set()
        await stage.until(lambda: verdict_of(pane).startswith(allowed), "what F5 does")


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


@pytest.mark.slow
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
