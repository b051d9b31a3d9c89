"""The main screen: the server bar, the start view, and then the workplace."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from ....widgets.server_bar import ServerBar
from ....widgets.start_view import StartView
from ...content.key_tables import Mark
from ...platforms.collector import resume_collection
from ...presentation.feature import hook
from ..appearance import HasLook
from ..startup import AppConfig
from .actions import MainActions
from .changed_calls import ChangedCalls, Ticker
from .keys import ROWS, SCREEN_KEYS, WORK_KEYS, show_key, why_idle
from .phases import LifePhase
from .program_look import ProgramLook
from .screen_registry import ScreenRegistry
from .start_view import StartShown, TakesTypedAhead

if TYPE_CHECKING:
    from ...calls.call import Call
    from ...engine.calls.context import ApproverToCome
    from ...engine.engine import Engine
    from ...engine.events import EngineEvent
    from ..approving.asker import DialogApprover
    from ..approving.trust_dialog import Trusting
    from ..startup import Preload
    from .workplace import Workplace

TO_THE_TOOL = ("choose", "submit")
"""Actions of list and filter that go on to another pane."""
COMPLETE_DELAY = 0.03
"""Seconds from the paint of the tools to the other panes: a frame or two."""
LIST_PATIENCE = 0.2
"""How long the other panes wait for the list of tools, which bringing them in would hold up."""
PREPARE_DELAY = 0.1
"""Seconds from the paint of the tools to what else is prepared."""


class Reported(Message):
    """An event of the engine, on its way to the screen."""

    def __init__(self, event: EngineEvent) -> None:
        super().__init__()
        self.event = event


class MainScreen(MainActions):
    """Translates between the engine and the widgets.

    The first paint is only the bar and the start view; the workplace is imported and mounted after
    it.
    """

    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [*WORK_KEYS, *SCREEN_KEYS]

    class Completed(Message):
        """Everything is mounted, and every key works."""

    def __init__(self, opening: AppConfig, *, is_one_of_several: bool = False) -> None:
        super().__init__()
        self._opening = opening
        if is_one_of_several:
            show_key(self, "alt+e")
        self.start = StartShown(self, opening, self._words_after_restart)
        self.queued = []
        self._is_closing = False
        self._findings_shown = 0
        self._offered: tuple[bool, ...] = ()
        self._could_reconnect = False
        self._others = ScreenRegistry(self, opening, lambda: self.meant)
        tour = hook("beside the main screen")
        self._tour = None if tour is None else tour(self, opening, self._set_timed)
        self._changed = ChangedCalls(self, self._show_calls)
        self._ticker: Ticker | None = None
        self._program = ProgramLook(lambda: self.engine.link)
        self._approver: DialogApprover | None = None
        self._approver_to_come: ApproverToCome | None = None
        self._workplace: Workplace | None = None
        self._trusting: Trusting | None = None
        self._is_timed = True
        self._is_completing = False
        self._in_advance: Preload | None = None
        self._wanted_tool = ""
        """The tool to go to once the panes are there."""

    @property
    def is_timed(self) -> bool:
        """True if the clock denies an open question, as set on the command line.

        A caller that explains something sets it to False, and to True when it is done. It also
        applies to an open dialog.
        """
        return self._is_timed

    @is_timed.setter
    def is_timed(self, is_timed: bool) -> None:
        self._set_timed(is_timed)

    def _set_timed(self, is_timed: bool) -> None:
        self._is_timed = is_timed
        if self._approver is not None:
            self._approver.decision_seconds = self._decision_seconds

    @property
    def _decision_seconds(self) -> float:
        from ...approval.approval import NO_LIMIT

        if not self._is_timed:
            return NO_LIMIT
        return self._opening.session.decision_seconds

    @property
    def _has_panes(self) -> bool:
        workplace = self._workplace
        return workplace is not None and workplace.display and workplace.is_complete

    @property
    def phase(self) -> LifePhase:
        if self._is_closing:
            return LifePhase.CLOSING
        if self._has_panes:
            return LifePhase.READY
        if self.start.is_failed:
            return LifePhase.FAILED
        is_listed = self._workplace is not None and self._workplace.display
        return LifePhase.LIST if is_listed else LifePhase.WAITING

    def is_for_the_rest(self, event: events.Key | events.Paste) -> bool:
        focused = self.focused
        if focused is None:
            return True
        if isinstance(event, events.Paste):
            return focused.id != "filter"
        if focused.check_consume_key(event.key, event.character):
            return False
        active = self.active_bindings.get(event.key)
        if active is None:
            return True
        _, name, _ = parse(active.binding.action)
        if active.node is focused:
            return name in TO_THE_TOOL
        row = ROWS.get(name)
        return active.node is not self or row is None or Mark.LIST not in row.marks

    @property
    def engine(self) -> Engine:
        return self._opening.engine

    @property
    def place(self) -> Workplace:
        assert self._workplace is not None
        return self._workplace

    def compose(self) -> ComposeResult:
        yield ServerBar()
        yield StartView(id="start")

    def on_mount(self) -> None:
        self.query_one(ServerBar).show(self._opening.server, 0)
        self.query_one(StartView).show(self._opening.server, 0, ())
        self.call_after_refresh(self._bring_in_the_rest)

    def on_unmount(self) -> None:
        self._program.end()

    def show_closing(self) -> None:
        """The server is being ended, which can take seconds."""
        self._is_closing = True
        words = "Ending the server and all that it started. ctrl+q again ends it by force."
        self.notify(words, title="Closing", timeout=30, markup=False)

    def on_key(self, event: events.Key) -> None:
        """Explain a key that no widget handled."""
        if self.phase is not LifePhase.READY:
            return
        if words := why_idle(self, event.key, self.why_no_tool):
            self.notify(words, timeout=4, markup=False)

    def action_trust(self) -> None:
        if self._trusting is None:
            from ..approving.trust_dialog import Trusting

            self._trusting = Trusting(self, self.engine)
        self._trusting.switch()

    def action_open(self, name: str) -> None:
        """Open one of the screens over the main screen."""
        self._others.open(name)

    def go_to_tool(self, name: str) -> None:
        """Go to a tool by its exact name, as soon as it is listed and there is a pane for it."""
        if self.phase is LifePhase.READY:
            self.place.go_to_tool(name)
        else:
            self._wanted_tool = name

    def host_commands(self) -> list[tuple[str, Callable[[], object]]]:
        """The modelled hosts by title, each with a function that opens the matrix under it."""
        return self._others.host_commands() if self.check_action("open", ("matrix",)) else []

    def action_tour(self) -> None:
        """Begin the tour, go to its panel, or back to the main screen."""
        if self._tour is not None:
            self._tour.enter(self.place.focus_tools if self._has_panes else None)
        if self._ticker is not None:
            self._ticker.speed_up()

    async def on_tour_dock_left(self, message: Message) -> None:
        message.stop()
        if self._tour is not None:
            await self._tour.leave()

    def hear_key(self, key: str, character: str | None) -> None:
        """Pass a key pressed on this screen to the tour."""
        if self._tour is not None:
            self._tour.hear(key, character)

    @on(ServerBar.PolicyClicked)
    def _policy_clicked(self, message: ServerBar.PolicyClicked) -> None:
        message.stop()
        self._others.open("policy")

    @on(ServerBar.TrustClicked)
    def _trust_clicked(self, message: ServerBar.TrustClicked) -> None:
        message.stop()
        self.action_trust()

    async def _bring_in_the_rest(self) -> None:
        is_open = self._opening.is_open
        if self._opening.approver is None:
            from ...engine.calls.context import ApproverToCome

            # A server can require a sign-in long before all panes are there.
            self.engine.approver = self._approver_to_come = ApproverToCome()
        self._opening.open(self._report)
        from ...protocol.tool import Grouping
        from .workplace import Workplace

        start = self._opening.session.start
        self._workplace = Workplace(
            self.engine,
            Grouping(self._opening.settings.text("grouping")),
            is_bundled=start is not None and start.bundled,
        )
        self._others.note_workplace(self._workplace)
        self._workplace.display = False
        await self.mount(self._workplace)
        if is_open:
            # What happened before this screen was there.
            self._show_server()
        if self.engine.is_listed:
            self._show_tools()
        self._ticker = Ticker(self, self._tick)
        self.set_timer(LIST_PATIENCE, self._begin_completing)

    def _begin_completing(self) -> None:
        """Bring in the other panes: once the tools were painted, or while they keep one waiting."""
        if not self._is_completing:
            self._is_completing = True
            self.run_worker(self._import_and_complete())

    async def _import_and_complete(self) -> None:
        # In a thread, so that a list of tools that arrives now is shown at once.
        await asyncio.to_thread(_import_the_rest)
        self.call_next(self._complete)

    async def _complete(self) -> None:
        from ..approving.asker import DialogApprover

        assert self._workplace is not None
        approver = self._opening.approver or DialogApprover(self, self._decision_seconds)
        approver.screen = self
        approver.decision_seconds = self._decision_seconds
        approver.elsewhere = self._workplace.hosts.groups
        self._approver = self._opening.approver = self.engine.approver = approver
        if self._approver_to_come is not None:
            self._approver_to_come.give(approver)
        await self._workplace.complete()
        if self._opening.person_words:
            words = f"A simulated person answers every question: {self._opening.person_words}."
            self.notify(words, severity="warning", timeout=8, markup=False)
        resume_collection()
        self.refresh_bindings()
        for action in self.queued:
            action()
        self.queued.clear()
        if self._wanted_tool:
            self.go_to_tool(self._wanted_tool)
        if self.engine.is_listed:
            self._be_ready()
            self._let_go()
        if self._opening.restart_on:
            self._workplace.restart_on_change(self._opening)
        self.post_message(self.Completed())

    def _prepare(self) -> None:
        self.engine.prepare()
        if self._in_advance is None:
            from ..startup import Preload

            self._in_advance = Preload(self)

    def _report(self, event: EngineEvent) -> None:
        self.post_message(Reported(event))

    def on_reported(self, message: Reported) -> None:
        from ...engine.events import (
            CallChanged,
            DefinitionsCompared,
            FindingAdded,
            OffersChanged,
            QuestionVoided,
            ResourceChanged,
            RulesChanged,
            ServerChanged,
            ToolsChanged,
        )

        message.stop()
        event = message.event
        if self._ticker is not None:
            self._ticker.speed_up()
        if isinstance(event, CallChanged):
            self._changed.add(event.call)
            return
        self._changed.draw_now()
        match event:
            case ServerChanged():
                self._show_server()
            case ToolsChanged():
                self._show_tools()
                self._look_at_trust_again()
                if self._has_panes:
                    self._learn_hosts()
            case DefinitionsCompared():
                if self._workplace is not None:
                    self._workplace.show_marks()
                self._look_at_trust_again()
            case RulesChanged():
                self._show_server()
                if self._workplace is not None:
                    self._workplace.show_marks()
                self._look_at_trust_again()
            case QuestionVoided(call, reason):
                if self._approver is not None:
                    self._approver.void(call, reason)
            case FindingAdded(finding):
                if self._workplace is not None:
                    self._workplace.show_finding(finding)
            case OffersChanged():
                self.refresh_bindings()
                self._others.follow()
                self._others.open_offers_alone()
                if self._workplace is not None:
                    self._workplace.show_read_again()
            case ResourceChanged(uri):
                if self._workplace is not None:
                    self._workplace.say_updated(uri)
        if isinstance(event, ServerChanged | ToolsChanged | DefinitionsCompared | RulesChanged):
            self._others.follow()

    def _show_calls(self, changes: list[Call]) -> None:
        """Show changes of calls, in order."""
        if self._has_panes:
            self.place.show_calls(changes)
            self._refresh_footer()
            if any(call.is_over for call in changes):
                # What was decided on it may hold for the next one, too.
                self._others.follow()

    async def _words_after_restart(self) -> str:
        return await self.place.once_more.words_after_restart() if self._has_panes else ""

    def _look_at_trust_again(self) -> None:
        if self._trusting is not None:
            self._trusting.look_again()

    def _refresh_footer(self) -> None:
        """Redraw the footer if other actions are available."""
        offered = self.offered
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    async def on_asked(self, message: Message) -> None:
        from ..approving.asker import Asked

        assert isinstance(message, Asked)
        assert self._approver is not None
        # What the dialog covers shows how it came to the question.
        self._changed.draw_now()
        self._approver.open_dialog(message, getattr(self.app, "last_click", None))
        if self._opening.person is not None:
            from ..approving.asker import answer_in_time

            answer_in_time(self._opening.person, message, self._approver)

    def _let_go(self) -> None:
        """Release the keys that were typed before the tools were there."""
        app = self.app
        if not isinstance(app, TakesTypedAhead):
            return
        if self.is_active:
            app.call_next(app.let_go)
        else:
            app.forget_waiting()

    def _show_server(self) -> None:
        server = self.engine.server
        if self.start.is_failed and isinstance(self.app, TakesTypedAhead):
            self.app.forget_waiting()
        self._findings_shown = self.engine.observed.count()
        bar = self.query_one(ServerBar)
        bar.show(server, self._findings_shown)
        self._show_policy(bar)
        if self._could_reconnect is not self.engine.can_reconnect:
            self._could_reconnect = self.engine.can_reconnect
            self.refresh_bindings()
        if self._workplace is not None:
            self._workplace.show_verdict()
        self.start.show()

    def _show_policy(self, bar: ServerBar) -> None:
        """The default is known without importing it, which the tools would wait for."""
        given = self._opening.session.policy
        policy = self.engine.policy if self.engine.is_decided_on else given
        if policy is not None:
            bar.show_policy(policy.shown_name, is_loud=policy.is_loud)

    def _show_tools(self) -> None:
        if self._workplace is None:
            return
        self._workplace.show_tools()
        if self._workplace.is_complete:
            self._refresh_footer()
        if self.start.is_shown:
            self.start.hide()
            self._workplace.display = True
            self._workplace.focus_tools()
            self._let_go()
            self.refresh_bindings()
            if self._workplace.is_complete:
                self._be_ready()
            else:
                self.call_after_refresh(self.set_timer, COMPLETE_DELAY, self._begin_completing)

    def _be_ready(self) -> None:
        """Prepare for the first dialogs, and begin the tour if the command line requests it.

        The worker starts after the first full paint, and then the modules of dialogs are imported.
        The panes can be there before the list is shown, which puts the focus on it.
        """
        if not self._has_panes:
            return
        self.call_after_refresh(self.set_timer, PREPARE_DELAY, self._prepare)
        self._learn_hosts()
        if self._tour is not None:
            self._tour.begin_if_wanted(self.place.focus_tools)

    def _learn_hosts(self) -> None:
        app = self.app
        chosen = (app.hosts if isinstance(app, HasLook) else "").split(",")
        self.place.hosts.learn(self._opening.session.target, [one for one in chosen if one])

    def _tick(self) -> bool:
        """Draw frequent changes; True while there may be more of them soon."""
        if self._workplace is not None and not self._workplace.is_attached:
            # The panes of a screen that is not shown end before its timers.
            return False
        is_starting = not self.engine.is_listed and not self.start.is_failed
        if is_starting:
            self.start.show()
        if self.engine.observed.count() != self._findings_shown:
            self._show_server()
        changed = self._program.changed()
        self.query_one(ServerBar).show_changed(changed)
        if self._workplace is not None:
            self.place.show_urgent("restart" if changed else "")
        is_running = self._workplace is not None and self._workplace.tick()
        has_looked = self._tour is not None and self._tour.look()
        return has_looked or is_starting or is_running


def _import_the_rest() -> None:
    """Import the modules of `_complete`, a third of all imports."""
    from .panes import import_panes

    importlib.import_module("signoff.app.tui.approving.asker")
    import_panes()
