"""The main screen: the server bar, what is waited for, and then the workplace."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen

from app.core.server import Phase
from app.core.text import visible
from app.core.trust import Trust
from app.screens.keys import SERVER_KEYS, WORK_KEYS
from app.screens.opening import Opening
from widgets.server_bar import ServerBar
from widgets.start_view import StartView

if TYPE_CHECKING:
    from app.bench import Bench
    from app.events import BenchEvent
    from app.screens.asker import DialogApprover
    from app.screens.desk import Desk
    from app.screens.workplace import Workplace

FLUSHES_A_SECOND = 12
ABOUT_CALLS = ("cancel", "retry", "again", "fresh_key")
"""Verbs that need the other panes."""
ABOUT_TOOLS = ("filter", "filter_at_once", "regroup", "only_read_only")
"""Verbs that need the list of tools only."""
COMPLETE_DELAY = 0.03
"""Seconds from the list of tools to the other panes: a frame or two."""
SDK_DELAY = 0.1
"""Seconds from the paint of the tools to the import of the SDK."""


class Reported(Message):
    """An event of the bench, on its way to the screen."""

    def __init__(self, event: BenchEvent) -> None:
        super().__init__()
        self.event = event


class BenchScreen(Screen[None]):
    """Translates between the bench and the widgets.

    The first paint is only the bar and what is waited for; the workplace is imported and mounted
    after it.
    """

    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [*WORK_KEYS, *SERVER_KEYS]

    class Completed(Message):
        """Everything is mounted, and every key works."""

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self._opening = opening
        self._opened_at = time.monotonic()
        self._is_closing = False
        self._findings_shown = 0
        self._offers: tuple[bool, ...] = ()
        self._could_reconnect = False
        self._early: list[tuple[str, tuple[int, ...]]] = []
        self._approver: DialogApprover | None = None
        self._workplace: Workplace | None = None

    @property
    def _can_work(self) -> bool:
        workplace = self._workplace
        return workplace is not None and workplace.display and workplace.is_complete

    @property
    def _bench(self) -> Bench:
        return self._opening.bench

    def compose(self) -> ComposeResult:
        yield ServerBar()
        yield StartView(id="start")

    def on_mount(self) -> None:
        self.query_one(ServerBar).show(self._opening.server, 0)
        self.query_one(StartView).show(self._opening.server, 0, ())
        self.call_after_refresh(self._bring_in_the_rest)

    def show_closing(self) -> None:
        """The server is being ended, which can take seconds."""
        self._is_closing = True
        words = "Ending the server and all that it started. ctrl+q again ends it by force."
        self.notify(words, title="Closing", timeout=30, markup=False)

    def action_work(self, verb: str, *arguments: int) -> None:
        """One of the verbs of the workplace; what is asked too early is done once it is there."""
        is_shown = self._workplace is not None and self._workplace.display
        is_early = is_shown and verb in ABOUT_TOOLS and not self._early
        if self._workplace is not None and (self._can_work or is_early):
            getattr(self._workplace, f"action_{verb}")(*arguments)
        else:
            self._early.append((verb, arguments))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("policy", "matrix", "grants", "log", "changes"):
            return self._can_work
        if action == "work":
            workplace = self._workplace
            if workplace is None or not workplace.display:
                return False
            verb = str(parameters[0]) if parameters else ""
            return workplace.can(verb) if workplace.is_complete else verb not in ABOUT_CALLS
        return super().check_action(action, parameters)

    def action_trust(self) -> None:
        self._bench.set_trust(self._bench.server.trust.other)
        if self._bench.server.trust is Trust.UNTRUSTED and self._bench.memory.grants():
            words = "Its hints do not count any more. Approvals you gave do: f10 revokes them."
            self.notify(words, title="Not trusted", timeout=6, markup=False)

    def action_server(self) -> None:
        from app.screens.pager import PagerScreen
        from app.screens.sections import server_sections

        sections = server_sections(self._bench)
        is_gone = self._bench.server.phase in (Phase.FAILED, Phase.LOST)
        # Its last words, where it had any.
        start = 2 if is_gone and self._bench.server.pid is not None else 0
        title = Content.assemble("server ", (visible(self._bench.server.name), "bold"))
        self.app.push_screen(PagerScreen(title, sections, start))

    def action_policy(self) -> None:
        self._desk.choose_policy()

    def action_matrix(self) -> None:
        self._desk.show_matrix()

    def action_grants(self) -> None:
        self._desk.show_grants()

    def action_log(self) -> None:
        self._desk.show_log()

    def action_changes(self) -> None:
        self._desk.show_changes()

    @property
    def _desk(self) -> Desk:
        """The screens about approval, imported at their first use."""
        from app.screens.desk import Desk

        chosen = self._workplace.chosen_tool if self._workplace is not None else None
        return Desk(self, self._bench, chosen)

    @on(ServerBar.PolicyClicked)
    def _policy_clicked(self, message: ServerBar.PolicyClicked) -> None:
        message.stop()
        self.action_policy()

    @on(ServerBar.TrustClicked)
    def _trust_clicked(self, message: ServerBar.TrustClicked) -> None:
        message.stop()
        self.action_trust()

    async def _bring_in_the_rest(self) -> None:
        self._bench.listener = self._report
        self._bench.open()
        from app.screens.workplace import Workplace

        self._workplace = Workplace(self._bench)
        self._workplace.display = False
        await self.mount(self._workplace)
        if self._bench.is_listed:
            self._show_tools()
        self.set_interval(1 / FLUSHES_A_SECOND, self._flush)
        # Another turn of the loop, so that tools that are listed by now are painted first.
        self.set_timer(COMPLETE_DELAY, self._complete)

    async def _complete(self) -> None:
        from app.core.approvals.approval import DECISION_SECONDS
        from app.screens.asker import DialogApprover

        assert self._workplace is not None
        seconds = self._opening.decision_seconds or DECISION_SECONDS
        self._approver = DialogApprover(self, seconds)
        self._bench.approver = self._approver
        await self._workplace.complete()
        if not gc.isenabled():
            gc.freeze()
            # A screen makes and drops thousands of objects at a time, hardly ever in a ring.
            gc.set_threshold(50_000, 20, 100)
            gc.enable()
        self.refresh_bindings()
        for verb, arguments in self._early:
            self.action_work(verb, *arguments)
        self._early.clear()
        if self._bench.is_listed:
            self._prepare_soon()
        self.post_message(self.Completed())

    def _prepare_soon(self) -> None:
        """Import the SDK once all that is to be seen was painted."""
        self.call_after_refresh(self.set_timer, SDK_DELAY, self._bench.prepare)

    def _report(self, event: BenchEvent) -> None:
        self.post_message(Reported(event))

    def on_reported(self, message: Reported) -> None:
        from app.events import (
            CallChanged,
            DefinitionsCompared,
            FindingAdded,
            QuestionVoided,
            RulesChanged,
            ServerChanged,
            ToolsChanged,
        )

        message.stop()
        match message.event:
            case ServerChanged():
                self._show_server()
            case ToolsChanged():
                self._show_tools()
            case CallChanged(call):
                if self._workplace is not None and self._can_work:
                    self._workplace.show_call(call)
                    self._offer(self._workplace.offers)
            case DefinitionsCompared():
                if self._workplace is not None:
                    self._workplace.show_marks()
            case RulesChanged():
                self._show_server()
                if self._workplace is not None:
                    self._workplace.show_marks()
            case QuestionVoided(call_id, reason):
                if self._approver is not None:
                    self._approver.void(call_id, reason)
            case FindingAdded(finding):
                if self._workplace is not None:
                    self._workplace.show_finding(finding)

    def _offer(self, offers: tuple[bool, ...]) -> None:
        if offers != self._offers:
            self._offers = offers
            self.refresh_bindings()

    async def on_asked(self, message: Message) -> None:
        from app.screens.asker import Asked

        assert isinstance(message, Asked)
        assert self._approver is not None
        self._approver.open_dialog(message, getattr(self.app, "last_click", None))

    def _show_server(self) -> None:
        server = self._bench.server
        self._findings_shown = len(self._bench.all_findings())
        bar = self.query_one(ServerBar)
        bar.show(server, self._findings_shown)
        self._show_policy(bar)
        if self._could_reconnect is not self._bench.can_reconnect:
            self._could_reconnect = self._bench.can_reconnect
            self.refresh_bindings()
        if self._workplace is not None:
            self._workplace.show_verdict()
        self._show_start()

    def _show_policy(self, bar: ServerBar) -> None:
        """The default is known without importing it, which the tools would wait for."""
        given = self._opening.setup.policy
        policy = self._bench.policy if self._bench.is_decided_on else given
        if policy is not None:
            bar.show_policy(policy.shown_name, is_loud=policy.is_loud)

    def _show_start(self) -> None:
        start = self.query_one(StartView)
        if start.display:
            elapsed = time.monotonic() - self._opened_at
            start.show(self._bench.server, elapsed, self._bench.stderr)

    def _show_tools(self) -> None:
        if self._workplace is None:
            return
        self._workplace.show_tools()
        start = self.query_one(StartView)
        if start.display:
            start.display = False
            self._workplace.display = True
            self._workplace.focus_tools()
            self.refresh_bindings()
            if self._workplace.is_complete:
                self._prepare_soon()

    def _flush(self) -> None:
        """Draw what changes often, at most a dozen times a second."""
        if not self._bench.is_listed and self._bench.server.phase is not Phase.FAILED:
            self._show_start()
        if len(self._bench.all_findings()) != self._findings_shown:
            self._show_server()
        if self._workplace is not None:
            self._workplace.flush()
