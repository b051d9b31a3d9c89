"""Keys of the main screen: how many the usual deeds take, and why one does nothing now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.containers import Vertical
from textual.widgets import Static

from signoff.app.calls.call import Outcome
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.features.flows.reading import read_flow
from signoff.app.features.flows.run.recorder import FlowRecorder
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.app import CommandsInOrder
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.actions import CONDITIONS
from signoff.app.tui.main.keys import NO_TOOLS, OFFERED, ROWS
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.tools.hosts_line import PENDING, HostsLine
from signoff.widgets.lists.call_list import CallList
from tests.approved import approved
from tests.features.policies.test_desk_follows import Listed
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import arm

TEXTS = approved("tui-main")
WHY = {name: row.why for name, row in ROWS.items() if row.why}
KEYS = {
    "tasks": "K",
    "cancel": "ctrl+x",
    "restart": "shift+f5",
    "retry": "R",
    "again": "C",
    "successor": "alt+s",
}


async def test_it_says_why() -> None:
    async with bench_stage() as stage:
        assert not stage.engine.offers.has_any
        for name, key in {**KEYS, "offers": "P"}.items():
            await stage.press(key)
            await stage.is_told(WHY[name])
            stage.app.clear_notifications()


@pytest.mark.slow
async def test_a_cancel_that_comes_too_late_changes_no_argument() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.choose("wait_without_total")
        pane = stage.pane
        pane.focus_form()
        await stage.press("home", "shift+end", "2")
        await stage.until(lambda: pane.form.arguments == {"seconds": 2}, "the argument")
        await stage.press("home", "shift+end", "ctrl+x")
        await stage.is_told(WHY["cancel"])
        assert pane.form.arguments == {"seconds": 2}


@pytest.mark.slow
async def test_a_letter_that_is_typed_and_a_key_that_does_something_say_nothing() -> None:
    async with bench_stage() as stage:
        await stage.press("slash", "K", "P", "R", "C")
        await stage.press("escape", "escape", "W")
        await stage.press("escape")
        await stage.rests()
        assert not any(words in stage.toasts for words in WHY.values())


def footer(stage: BenchStage) -> str:
    return stage.text.split("\n")[-1]


@pytest.mark.slow
async def test_every_key_for_a_tool_says_that_the_server_lists_none(tmp_path: Path) -> None:
    listed = Listed(tmp_path)
    listed.write("get_one")
    async with bench_stage(argv=listed.argv) as stage:
        await stage.until(lambda: "f5 Call" in footer(stage), "the key")
        listed.write("")
        await stage.engine.definitions.recheck()
        await stage.until(lambda: "f5 Call" not in footer(stage), "the key to go")
        for key in ("f5", "f4", "f11", "f12", "enter", "ctrl+j", "ctrl+g", "alt+s"):
            stage.app.clear_notifications()
            await stage.until(lambda: not stage.toasts, "the words to go")
            await stage.press(key)
            await stage.is_told(NO_TOOLS)
        listed.write("get_two")
        await stage.engine.definitions.recheck()
        await stage.until(lambda: "f5 Call" in footer(stage), "the key to come back")


@pytest.mark.slow
async def test_enter_says_that_the_list_is_narrowed() -> None:
    async with bench_stage() as stage:
        await stage.press("slash", *"zzz", "down", "enter")
        TEXTS.holds("enter: the filter hides all", await stage.notice())


def test_every_verb_that_is_there_at_times_only_has_its_words() -> None:
    assert {row.can for row in OFFERED} < set(CONDITIONS)
    words = [f"{verb}: {why}" for verb, why in sorted(WHY.items())]
    TEXTS.holds("why a key does nothing", "\n".join([*words, f"for a tool: {NO_TOOLS}"]))


@pytest.mark.slow
async def test_enter_on_a_call_goes_to_its_response() -> None:
    async with bench_stage() as stage:
        await stage.call("read_thing")
        calls = stage.app.screen.query_one(CallList)
        calls.focus()
        await stage.press("f1")
        await stage.sees("Go to the response of this call.")
        await stage.press("escape", "enter")
        answer = stage.app.screen.query_one(AnswerPane)
        await stage.until(lambda: answer.has_focus_within, "the response")


async def test_the_palette_finds_a_command_by_its_description() -> None:
    async with bench_stage() as stage:
        provider = CommandsInOrder(stage.app.screen)
        found = {
            query: [hit async for hit in provider.search(query)] for query in ("FINDINGS", "wire")
        }
        assert any("Server" in str(hit.text) for hit in found["FINDINGS"])
        best = max(found["wire"], key=lambda hit: hit.score)
        assert str(best.text).startswith("Wire")


class Counting:
    """Presses keys and counts them; text is typed beside."""

    def __init__(self, stage: BenchStage) -> None:
        self._stage = stage
        self.keys = 0

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        self.keys += len(keys)
        await self._stage.press(*keys)

    async def chosen(self, name: str) -> None:
        """Find a tool by its name, and go to its form."""
        await self.press("f3")
        await self._stage.type(name)
        await self._stage.rests()
        await self.press("enter")
        await self._stage.sees_tool(name)


async def test_a_read_only_tool_takes_four_keys() -> None:
    async with bench_stage(is_demo=True) as stage:
        person = Counting(stage)
        await person.chosen("calculate_sum")
        await stage.type("2")
        await person.press("tab")
        await stage.type("3")
        await person.press("f5")
        assert (await stage.end()).outcome is Outcome.OK
        assert person.keys <= 4


async def test_a_destructive_tool_takes_five_keys_with_its_approval() -> None:
    async with bench_stage(is_demo=True) as stage:
        person = Counting(stage)
        await person.chosen("delete_file")
        await stage.type("notes/todo.txt")
        await person.press("f5")
        dialog = await stage.asks(ApprovalDialog)
        await person.press("ctrl+y")
        await arm(stage, dialog)
        await person.press("ctrl+y")
        assert (await stage.end()).sent
        assert person.keys <= 7


async def test_which_hosts_run_a_tool_takes_no_key_and_to_call_the_first_one_three() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.until(
            lambda: PENDING not in stage.app.screen.query_one(HostsLine).render().plain, "the hosts"
        )
        words: Sequence[str] = ("VSC", "Cod", "run it: ", "ask: ")
        await stage.sees(*words)
        person = Counting(stage)
        await stage.sees_tool("calculate_sum")
        await person.press("enter")
        await stage.type("2")
        await person.press("tab")
        await stage.type("3")
        await person.press("f5")
        assert (await stage.end()).outcome is Outcome.OK
        assert person.keys == 3


async def test_to_start_the_server_again_takes_one() -> None:
    async with bench_stage(keeps=True) as stage:
        await stage.rests()
        before = stage.engine.server.pid
        person = Counting(stage)
        await person.press("shift+f5")
        await stage.until(
            lambda: stage.engine.server.is_open and stage.engine.server.pid != before, "a new one"
        )
        assert person.keys == 1
        assert stage.app.screen.query_one(Workplace).display


@pytest.mark.slow
async def test_what_was_done_is_saved_where_the_person_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recorded.flow.yaml").write_text("mine")
    recorder = FlowRecorder("", read_target(SessionOptions(is_bundled=True)))
    async with bench_stage(is_demo=True) as stage:
        recorder.attach(stage.engine)
        screen = stage.app.screen
        assert isinstance(screen, MainScreen)
        screen._opening.recorded = recorder.text
        await stage.press("alt+r")
        TEXTS.holds("flow: nothing to save", await stage.notice())
        (tool,) = [one for one in stage.engine.tools if one.name == "calculate_sum"]
        await stage.engine.ended(stage.engine.call(tool, {"a": 1, "b": 2}))
        await stage.press("alt+r")
        await stage.is_open(SaveScreen)
        await stage.sees("./recorded-2.flow.yaml")
        texts = [one.render() for one in stage.app.screen.query(Static)]
        title = stage.app.screen.query_one(Vertical).border_title
        words = "\n".join(map(str, [title, *texts]))
        TEXTS.holds("flow: question", words, FOLDER=tmp_path)
        await stage.press("enter")
        await stage.sees("saved the")
    assert (tmp_path / "recorded.flow.yaml").read_text() == "mine"
    flow = read_flow((tmp_path / "recorded-2.flow.yaml").read_bytes(), "x")
    assert [(one.target, one.arguments) for one in flow.steps] == [
        ("calculate_sum", {"a": 1, "b": 2})
    ]
