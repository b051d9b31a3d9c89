"""The screen of an agent: conversation, dialog, answers, and calls that contradict them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from textual.widgets import Input

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.agent.dialog import AgentDialog
from signoff.app.features.agent.screen import AgentScreen
from signoff.app.features.agent.session import AgentLaunch, AgentSession
from signoff.app.features.agent.stories import CallStory, Flaw
from signoff.app.features.agent.tool_names import completed, tools_words
from signoff.app.features.agent.words import conversation_lines
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.policy_files import find_hosts
from signoff.app.storage.settings.values import Settings
from signoff.app.tui.approving.clock import Clock
from signoff.app.tui.serverless_app import ServerlessApp
from signoff.widgets.buttons import GuardedButton
from tests.servers import acp_agent, named
from tests.tiers import first_quick
from tests.tui.clocks import AheadClock, MovedClock, arm, passes, press_slowly
from tests.tui.screen_stage import ScreenStage

DELETE = 'delete_file {"path": "notes/todo.txt"}'


def launch(*behaviours: str) -> AgentLaunch:
    return AgentLaunch(
        name="scripted",
        command=tuple(acp_agent(*behaviours)),
        cwd=os.getcwd(),
        env=dict(os.environ),
        server="demo",
        server_command=tuple(named("delete_file=d", "read_file=r")),
        server_env={},
        server_folder="",
        hosts=tuple(find_hosts().hosts),
    )


@dataclass
class Stage(ScreenStage):
    """A running screen."""

    agent: AgentScreen = field(kw_only=True)

    @property
    def session(self) -> AgentSession:
        assert self.agent.session is not None
        return self.agent.session

    @property
    def dialog(self) -> AgentDialog:
        assert isinstance(self.app.screen, AgentDialog)
        return self.app.screen

    @property
    def stories(self) -> list[CallStory]:
        return list(self.session.stories)

    @property
    def answered(self) -> list[object]:
        """The answer to each question, and the call that was sent."""
        return [(one.option and one.option.option_id, one.sent) for one in self.stories]

    @property
    def field(self) -> Input:
        return self.agent.query_one(Input)

    async def ready(self) -> None:
        await self.until(lambda: self.session.tools, "the tools")

    async def submit(self, prompt: str) -> None:
        self.field.value = prompt
        await self.press("enter")

    async def asked(self) -> AgentDialog:
        """Wait for the dialog, and let it hear."""
        await self.until(lambda: isinstance(self.app.screen, AgentDialog) and self._is_laid_out())
        await arm(self, self.dialog)
        return self.dialog

    def _is_laid_out(self) -> bool:
        return self.dialog.sheet.size.height > 0

    async def read(self) -> None:
        """Scroll to the end, and let it hear again."""
        await self.pilot.press("end")
        await self.until(lambda: self.dialog.sheet.end_seen)
        await arm(self, self.dialog)

    async def ended(self) -> None:
        await self.until(lambda: self.agent.reasons)

    def button(self, label: str) -> GuardedButton:
        return next(one for one in self.dialog.query(GuardedButton) if one.label == label)

    async def focus(self, label: str) -> None:
        while self.dialog.focused is not self.button(label):
            await press_slowly(self, "tab")


@asynccontextmanager
async def staged(
    *behaviours: str,
    prompt: str = DELETE,
    size: tuple[int, int] = (120, 36),
    started: AgentLaunch | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Stage]:
    screen = AgentScreen(started or launch(*behaviours), prompt)
    app = ServerlessApp(screen, Settings(), "dark")
    app.dialog_clock = clock or AheadClock()
    async with app.run_test(size=size) as pilot:
        yield Stage(app, pilot, agent=screen)


async def test_typing_ahead_answers_nothing_and_the_focus_begins_on_what_rejects() -> None:
    async with staged(clock=MovedClock()) as stage:
        await stage.until(lambda: isinstance(stage.app.screen, AgentDialog))
        for key in ("enter", "q", "space", "y", "enter", "tab", "enter"):
            await stage.pilot.press(key)
        assert isinstance(stage.app.screen, AgentDialog)
        assert not stage.stories[0].is_answered
    async with staged() as stage:
        dialog = await stage.asked()
        assert dialog.focused is stage.button("Reject once")
        labels = [one.label for one in dialog.query(GuardedButton)]
        assert labels == ["Reject once", "Reject always", "Allow always", "Allow once"]
        await stage.pilot.press("escape")
        await stage.ended()
        assert stage.answered == [("no", None)]


async def test_esc_rejects_before_the_dialog_hears() -> None:
    async with staged() as stage:
        await stage.until(lambda: isinstance(stage.app.screen, AgentDialog))
        await stage.pilot.press("escape")
        await stage.ended()
        assert stage.answered == [("no", None)]


async def test_what_allows_waits_until_the_end_was_seen_and_runs_as_asked() -> None:
    async with staged(size=(80, 14)) as stage:
        dialog = await stage.asked()
        assert dialog.sheet.below
        await stage.focus("Allow once")
        await press_slowly(stage, "enter")
        assert stage.app.screen is dialog
        await stage.read()
        await stage.focus("Allow once")
        await press_slowly(stage, "enter")
        await stage.ended()
        (story,) = stage.stories
        assert story.was_allowed
        assert story.sent is not None
        assert (story.result, story.flaws) == ("ok", [])


async def test_nobody_there_rejects_after_a_while() -> None:
    async with staged() as stage:
        await stage.asked()
        await passes(stage, 10_000)
        await stage.ended()
        option = stage.stories[0].option
        assert option is not None
        assert option.rejects


async def test_a_call_while_the_dialog_is_open_changes_it(tmp_path: Path) -> None:
    async with staged("early", str(tmp_path / "now")) as stage:
        await stage.asked()
        (tmp_path / "now").touch()
        await stage.until(lambda: stage.dialog.question.has_run)
        await stage.asked()
        await stage.pilot.press("escape")
        await stage.ended()
        assert stage.stories[0].loud == (Flaw.RAN_EARLY,)


async def test_questions_without_the_name_are_recognised_as_such() -> None:
    async with staged("unnamed") as stage:
        dialog = await stage.asked()
        assert dialog.question.tool is None
        assert not dialog.question.naming.is_named


async def test_a_prompt_is_typed_and_sent() -> None:
    async with staged("unasked", prompt="") as stage:
        await stage.ready()
        await stage.submit("read_file")
        await stage.ended()
        assert stage.field.value == ""
        assert [one.tool for one in stage.stories] == ["read_file"]


async def test_an_agent_that_ends_while_it_asks_closes_the_dialog() -> None:
    async with staged() as stage:
        await stage.asked()
        stage.session.agent.kill()
        await stage.until(lambda: stage.app.screen is stage.agent)
        await stage.until(lambda: stage.agent.failed)
        assert not stage.stories[0].was_allowed


async def test_an_agent_that_does_not_start_is_told() -> None:
    async with staged(prompt="", started=replace(launch(), command=("/no/such",))) as stage:
        await stage.until(lambda: "/no/such" in stage.agent.failed)


async def test_text_of_an_agent_is_never_markup() -> None:
    async with staged("garbage", prompt="", size=(80, 24)) as stage:
        await stage.ready()
        await stage.submit("read_file")
        await stage.asked()
        await stage.pilot.press("escape")
        await stage.ended()
        await stage.pilot.pause()
        drawn = [line.plain for line in conversation_lines(stage.session.entries)]
        assert any("[@click=x]" in one for one in drawn)
        assert not any("\x1b" in one or "\u202e" in one for one in drawn)
        assert len(drawn) < 1_100


async def test_names_of_tools_are_shown_suggested_and_completed() -> None:
    scripted = replace(launch(), hint="TOOL", suggests_tools=True)
    async with staged(prompt="", started=scripted) as stage:
        await stage.ready()
        await stage.until(lambda: "read_file" in stage.whole("#tools"))
        assert "delete_file" in stage.whole("#tools")
        field = stage.field
        assert field.placeholder == "TOOL; enter: send"
        await stage.pilot.press(*"del")
        await stage.until(lambda: field._suggestion)
        await stage.pilot.press("right")
        assert field.value == "delete_file"
        field.value = "delete_file {} re"
        field.cursor_position = len(field.value)
        await stage.until(lambda: field._suggestion == "delete_file {} read_file")
        field.value = ""
        await stage.pilot.press(*"del", "tab")
        assert (field.value, field.has_focus) == ("delete_file ", True)
        await stage.until(lambda: stage.whole("#tools").startswith("delete_file takes "))


def names(*of: str) -> list[ToolDefinition]:
    schema: JsonValue = {"type": "object", "properties": {"a": {}, "b\x1b": {}}, "required": ["a"]}
    return [read_tool(at, {"name": one, "inputSchema": schema}) for at, one in enumerate(of)]


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("", ""),
        ("get", "get_"),
        ("get_", "get_a"),
        ("get_a", "get_a"),
        ("put {} get_b", "put {} get_b "),
        ("please put", "please put "),
        ("nothing", "nothing"),
    ],
)
def test_a_name_is_continued_as_far_as_the_names_agree(typed: str, after: str) -> None:
    assert completed(typed, names("get_a", "get_ab", "get_b", "put", "e\x1bvil")) == after


def test_the_line_of_names_fits_and_shows_arguments_made_safe() -> None:
    many = names(*(f"tool_{at:03}" for at in range(500)), "e\x1bvil")
    line = tools_words("", many, 60)
    assert len(line) <= 60
    assert "and 49" in line
    assert tools_words("tool_001 {", many, 60) == "tool_001 takes a, b␛?"
    assert tools_words("no such word", many, 60) == line
    assert tools_words("e\x1bvil", many, 60).startswith("e␛vil takes")


async def test_what_cannot_be_a_prompt_is_noted_and_not_sent() -> None:
    def refuse(text: str, tools: object) -> str:
        raise ValueError("no such calls")

    async with staged(prompt="", started=replace(launch(), compose=refuse)) as stage:
        await stage.ready()
        await stage.submit("delete everything")
        await stage.until(lambda: stage.session.entries[-1].text == "no such calls")
        assert (stage.stories, stage.session.is_busy) == ([], False)
        await stage.until(lambda: stage.field.value == "delete everything")


@pytest.mark.parametrize("order", first_quick([(), ("late",)]), ids=["words-first", "call-first"])
async def test_an_unasked_call_stands_in_the_place_of_the_agents_own_entry(
    order: tuple[str, ...],
) -> None:
    async with staged("unasked", *order) as stage:
        await stage.ended()

        def kinds() -> list[str]:
            return [entry.kind for entry in stage.session.entries if entry.call_id]

        # The server's own record of the call arrives beside the agent's words.
        await stage.until(kinds)
        assert kinds() == ["call"]
        assert [one.kind for one in stage.session.entries].count("call") == 1
        assert [one.flaws for one in stage.stories] == [[Flaw.RAN_UNASKED, Flaw.HARM_UNASKED]]
