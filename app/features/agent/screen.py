"""The screen of an agent: its conversation and calls, a line for the next prompt, its questions.

`signoff agent` shows it as a program of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.screen import Screen
from textual.suggester import Suggester
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.key_footer import KeyFooter
from ....widgets.sheets import SheetView
from ...approval.approval import DECISION_SECONDS
from ...content.text import shortened, visible
from ...content.texts.sheet_line import SheetLine
from ...protocol.acp import PermissionOption
from ...storage.settings.values import Settings
from ...transport.acp import AcpError
from ...tui.base.follows_end import FollowsEnd
from ...tui.base.screen_mixin import ScreenMixin
from ...tui.serverless_app import ServerlessApp, run_app
from .dialog import AgentDialog
from .question_lines import AgentQuestion
from .session import NOT_LISTED, NOT_SENT, AgentLaunch, AgentSession
from .tool_names import completed, last_word, names_after, tools_words
from .words import conversation_lines, summary_lines, total_words

DRAW_SECONDS: Final = 0.1
"""Between two drawings: an agent may send its text letter by letter."""
STDERR_SHOWN: Final = 5


class AgentScreen(FollowsEnd, ScreenMixin, Screen[None]):
    """Starts the agent when it is shown, and ends it when it is left."""

    HELP = """
# An agent

Type a prompt and press `enter`; `tab` completes the name of a tool. The line above the prompt has
the names, and the arguments of the tool that was typed. The agent's own tool calls are behind the
gutter. A line `call` is a call that the agent asked for, or that reached the MCP server. `f4` shows
the calls alone.
"""
    DEFAULT_CSS = """
    AgentScreen { layout: vertical; }
    AgentScreen > #head { height: 1; background: $panel; text-wrap: nowrap; }
    AgentScreen > SheetView { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    AgentScreen > #state { height: 1; text-wrap: nowrap; color: $text-muted; }
    AgentScreen > #tools { height: 1; text-wrap: nowrap; padding: 0 1; }
    AgentScreen > Input, AgentScreen > Input:focus {
        height: 3; border: round $primary; padding: 0 1;
    }
    """
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("agent")

    def __init__(self, launch: AgentLaunch, first_prompt: str = "", **dialog: Any) -> None:
        """`dialog`: keyword arguments of each AgentDialog."""
        super().__init__()
        self._launch = launch
        self._first_prompt = first_prompt
        self._dialog_arguments = {"decision_seconds": DECISION_SECONDS, **dialog}
        self.session: AgentSession | None = None
        self.reasons: list[str] = []
        """The reasons for which the turns ended."""
        self.failed = ""
        """Why the session could not go on; empty while it can."""
        self._dialog: AgentDialog | None = None
        self._shows_calls = False
        self._is_dirty = True
        self._last_click: Offset | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield SheetView(id="conversation")
        yield Static(id="state", markup=False)
        yield Static(id="tools", markup=False)
        hint = f"{self._launch.hint}; enter: send"
        suggester = _ToolNames(self) if self._launch.suggests_tools else None
        yield Input(placeholder=hint, select_on_focus=False, suggester=suggester)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.session = AgentSession(self._launch, self._ask, self._changed)
        self.set_interval(DRAW_SECONDS, self._draw_if_changed)
        self._draw()
        self.run_worker(self._begin(), name="agent", exit_on_error=True)

    async def on_unmount(self) -> None:
        if self.session is not None:
            await self.session.close()

    def on_resize(self) -> None:
        self._draw()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._last_click = event.screen_offset

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        text = message.value.strip()
        session = self.session
        if not text or session is None or session.is_busy or self.failed or session.info is None:
            return
        message.input.value = ""
        self.run_worker(self._prompt(text), name="agent", exit_on_error=True)

    @on(Input.Changed)
    def _changed_prompt(self, message: Input.Changed) -> None:
        message.stop()
        self._draw_tools()

    def action_complete(self) -> None:
        """Continue the name of a tool at the end of the prompt."""
        field, session = self.query_one(Input), self.session
        if session is not None:
            field.value = completed(field.value, session.tools)
            field.cursor_position = len(field.value)

    async def action_cancel(self) -> None:
        if self.session is not None and self.session.is_busy:
            await self.session.cancel()

    def action_calls(self) -> None:
        self._shows_calls = not self._shows_calls
        self.follows = True
        self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "cancel":
            return self.session is not None and self.session.is_busy
        return super().check_action(action, parameters)

    async def _begin(self) -> None:
        session = self.session
        assert session is not None
        try:
            await session.open_session()
            if self._first_prompt:
                if not await session.until_ready():
                    session.note(NOT_LISTED)
            else:
                self.run_worker(session.until_ready(), name="ready")
        except AcpError as problem:
            self._fail(str(problem))
            return
        if self._first_prompt:
            await self._prompt(self._first_prompt)

    async def _prompt(self, text: str) -> None:
        session = self.session
        assert session is not None
        self.follows = True
        try:
            reason = await session.prompt(text)
            if reason != NOT_SENT:
                self.reasons.append(reason)
            elif not (field := self.query_one(Input)).value:
                # So that it can be corrected.
                field.value = text
                field.cursor_position = len(text)
        except AcpError as problem:
            self._fail(str(problem))
        self.refresh_bindings()

    def _fail(self, words: str) -> None:
        session = self.session
        assert session is not None
        session.note(words)
        for line in session.agent.stderr[-STDERR_SHOWN:]:
            session.note(f"stderr: {shortened(line, 300)}")
        if session.agent.ended or session.agent.session is None:
            self.failed = words
        self._changed()

    async def _ask(self, question: AgentQuestion) -> PermissionOption | None:
        """Ask the person; a question that is taken back closes the dialog."""
        session = self.session
        assert session is not None
        answered: asyncio.Future[PermissionOption | None] = (
            asyncio.get_running_loop().create_future()
        )

        def take(chosen: PermissionOption | None) -> None:
            if not answered.done():
                answered.set_result(chosen)

        dialog = self._dialog = AgentDialog(
            question,
            waiting=session.waiting,
            last_click=self._last_click,
            **self._dialog_arguments,
        )
        await self.app.push_screen(dialog, take)
        try:
            return await answered
        finally:
            self._dialog = None
            if not answered.done() or answered.cancelled():
                dialog.answer(None)

    def _changed(self) -> None:
        self._is_dirty = True

    def _draw_if_changed(self) -> None:
        if not self._is_dirty:
            return
        self._is_dirty = False
        session = self.session
        if self._dialog is not None and session is not None and session.asked is not None:
            self._dialog.show(session.question(session.asked), session.waiting)
        self._draw()
        self.refresh_bindings()

    def _draw(self) -> None:
        session = self.session
        if session is None or not self.is_mounted:
            return
        width = max(self.app.size.width - 3, 10)
        launch, info = session.launch, session.info
        itself = f"  calls itself {visible(info.name)} {visible(info.version)}" if info else ""
        head = f" Signoff  agent {launch.name}{itself}  ·  MCP server {launch.server}"
        self.query_one("#head", Static).update(Content(shortened(head, width)))
        sheet = self.sheet
        lines: Sequence[SheetLine]
        if self._shows_calls:
            lines = list(summary_lines(session))
        else:
            lines = conversation_lines(session.entries)
        sheet.set_lines(lines, sheet.room, keep_seen=True)
        self.keep_end()
        self.query_one("#state", Static).update(Content(f" {shortened(self._state(), width)}"))
        self._draw_tools()

    def _draw_tools(self) -> None:
        if self.session is not None:
            width = max(self.app.size.width - 3, 10)
            words = tools_words(self.query_one(Input).value, self.session.tools, width)
            self.query_one("#tools", Static).update(Content(words))

    def _state(self) -> str:
        session = self.session
        assert session is not None
        if self.failed:
            return f"ended: {self.failed}"
        if session.info is None or session.agent.session is None:
            return "starting the agent…"
        total = total_words(session.stories)
        tools = f"{len(session.tools)} tools listed" if session.tools else "no tools listed yet"
        busy = "working" if session.is_busy else "ready"
        return f"{busy} · {tools} · {total}"

    @property
    def sheet(self) -> SheetView:
        return self.query_one("#conversation", SheetView)


class _ToolNames(Suggester):
    """Completes the word at the end to the name of a tool; the right arrow takes it."""

    def __init__(self, screen: AgentScreen) -> None:
        # The list may change.
        super().__init__(use_cache=False, case_sensitive=True)
        self._screen = screen

    async def get_suggestion(self, value: str) -> str | None:
        session = self._screen.session
        word = last_word(value)
        if not word or session is None:
            return None
        found = next(iter(names_after(value, session.tools)), word)
        return value + found[len(word) :] if found != word else None


def run(launch: AgentLaunch, prompt: str, settings: Settings) -> tuple[int, AgentSession | None]:
    """Show it until it is left; returns the exit status and the session, which has ended."""
    screen = AgentScreen(launch, prompt, decision_seconds=settings.seconds("decision_seconds"))
    app = ServerlessApp(screen, settings, settings.text("theme"))
    try:
        status = run_app(app)
    finally:
        if screen.session is not None:
            # If the program ended before the screen was taken away.
            screen.session.agent.kill()
    return status, screen.session
