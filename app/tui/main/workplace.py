"""The workplace: tools, selected tool, calls and result; side by side, or as tabs.

`LiveVerdict` shows the verdict on the arguments being typed, without blocking the typing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.worker import WorkType

from ....widgets.keys import KeysInOrder
from ....widgets.lists.row_list import RowList
from ...approval.policies.verdicts import Verdict
from ...content.text import sentence
from ...engine.engine import Engine
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.findings.findings import Finding
from ...protocol.tool import Grouping, ToolDefinition
from ..answers.pages import PageWanted
from ..appearance import HasLook
from ..arguments.checking import SLOW_SECONDS
from ..base.failures import NOT_DONE, TellsFailures
from ..tools.tool_pane import ToolPane
from ..tools.tools_pane import ToolsPane
from .calls_shown import CallsShown
from .hint_line import HintLine
from .hosts_shown import HostsShown
from .no_tools import no_tools_page, no_tools_row
from .notices import Notices
from .panes import Panes
from .retry_actions import OnceMore

if TYPE_CHECKING:
    from textual.worker import Worker

    from ....widgets.lists.call_list import CallList, RunningLine
    from ...calls.call import Call
    from ...content.json.jsonio import JsonValue
    from ...protocol.definitions.change_values import ListDiff
    from ..answers.links import LinkBody
    from ..answers.pages import Pages
    from ..startup import AppConfig


class LiveVerdict:
    """Shows the policy's verdict on the arguments that a pane has checked last.

    If patterns and schemas have to be tried on them first, that happens in a worker, and newer
    arguments stop it.
    """

    def __init__(self, engine: Engine, pane: ToolPane) -> None:
        self._engine = engine
        self._pane = pane

    def show(self) -> None:
        """At once, if everything is known for it; else as soon as it is."""
        pane, engine = self._pane, self._engine
        if pane.tool is None:
            return
        pane.workers.cancel_group(pane, "verdict")
        if engine.is_tried(pane.tool, pane.checked):
            self._draw(engine.verdict(pane.tool, pane.checked, self._problems))
        else:
            # Not the coroutine: a worker stopped before it began would never await it.
            work: WorkType[None] = self._show_once_tried
            pane.run_worker(work, group="verdict", exit_on_error=False)

    @property
    def _problems(self) -> Sequence[str]:
        """Problems for the verdict; none while fields are missing or wrong, so that it assumes a
        valid call.
        """
        return () if any(self._pane.form.counts) else self._pane.problems

    async def _show_once_tried(self) -> None:
        pane = self._pane
        tool, arguments = pane.tool, pane.checked
        if tool is None:
            return
        slow = pane.set_timer(SLOW_SECONDS, pane.say_judging)
        try:
            verdict = await self._engine.tried_verdict(tool, arguments, self._problems)
        finally:
            slow.stop()
        if pane.tool is tool and pane.checked is arguments:
            self._draw(verdict)

    def _draw(self, verdict: Verdict) -> None:
        pane, server = self._pane, self._engine.server
        if pane.tool is not None:
            pane.show_verdict(
                self._engine.foreseen(pane.tool, pane.checked, self._problems, verdict),
                server.trust,
                is_open=server.is_open,
                overrides=self._engine.overrides(pane.tool),
            )


MARKS = {DefinitionStatus.NEW: "new", DefinitionStatus.CHANGED: "chg"}
"""What a definition is marked with that is not the one of last time."""


class Workplace(Panes, TellsFailures):
    """Connects the panes with the engine, in both directions."""

    FAILED = NOT_DONE

    def __init__(
        self, engine: Engine, grouping: Grouping = Grouping.EFFECT, *, is_bundled: bool = False
    ) -> None:
        """`is_bundled`: the server is the one that comes with Signoff."""
        super().__init__(engine, id="workplace", grouping=grouping)
        self._first_line = HintLine(is_bundled=is_bundled)
        self.notices = Notices(self)
        self._calls = CallsShown(engine, self, self.notices, self._give_back)
        self._following: Worker[None] | None = None
        self._verdict: LiveVerdict | None = None
        self._pages: Pages | None = None
        self.hosts = HostsShown(engine, self)

    def completed(self) -> None:
        self.mount(self._first_line, after=self.query_one("#places"))
        self.call_after_refresh(self._show_first_line)
        self.watch(self.screen, "focused", self._calls.focus_moved, init=False)
        self.follow_cursor()
        self.show_no_tools()

    def _show_first_line(self) -> None:
        if self._first_line.is_attached:
            self._first_line.show(self._engine)

    def restart_on_change(self, opening: AppConfig) -> None:
        """Start the server again after each change of its files."""
        from .restarting import restart_on_change

        following = restart_on_change(self.screen, opening)
        self.run_worker(following, group="restarting", exit_on_error=False)

    # Events of the engine

    def show_tools(self) -> None:
        """Show a new tool list; cursor, focus and typed text stay if possible."""
        self.tools_pane.show(self._engine.tools, has_sections=self._engine.server.is_bundled)
        self.hosts.reserve()
        self._label_tabs()
        self.show_no_tools()
        if self.is_complete:
            self._show_first_line()
            self._say_if_gone()
            self.follow_cursor(is_relisted=True)

    def show_no_tools(self) -> None:
        """Show what a server without tools has instead, in the list and on the page beside it."""
        self.tools_pane.tell_empty(no_tools_row(self._engine))
        if self.is_complete:
            self.tool_pane.tell_empty(no_tools_page(self._engine))

    def _say_if_gone(self) -> None:
        pane = self.tool_pane
        if pane.tool is None or any(tool.name == pane.tool.name for tool in self._engine.tools):
            return
        self.notices.tell_gone(pane.tool)
        self.gone = pane.tool.display_name
        if pane.has_focus_within:
            # At once: what was typed for one tool must not go on into the form of another.
            if isinstance(self.app, KeysInOrder):
                self.app.discard_typed_ahead()
            self.screen.set_focus(None)
            self.go("tools")

    def show_calls(self, changes: Sequence[Call]) -> None:
        """Calls have new values, in this order; drawn once, however many they are."""
        if not self.is_complete or not changes:
            return
        self._first_line.show(self._engine)
        self._calls.changed(changes)
        if any(call.is_over for call in changes):
            # What was decided on it may hold for the next one, too.
            self.show_verdict()
        self._label_tabs()

    def _give_back(self, call: Call) -> None:
        """Put the arguments of a call back into the form for editing."""
        if self.tools_pane.select(call.request.name):
            self.follow_cursor()
            self.go("tool", focus=False)
            self.tool_pane.edit_again(call.snapshot.arguments())

    def show_verdict(self) -> None:
        """Trust changed, or a rule, or the connection: so does the verdict on the chosen tool."""
        # The last good list stays in sight.
        self.tools_pane.set_class(not self._engine.server.is_open, "-gone")
        if self.is_complete:
            if not self._engine.calls:
                self._show_first_line()
            self._judge()

    def _judge(self) -> None:
        """Show the verdict on the chosen tool with the arguments that are in its form."""
        if self._verdict is None:
            self._verdict = LiveVerdict(self._engine, self.tool_pane)
        self._verdict.show()
        self.hosts.show()
        self._calls.show_advice_again()

    def choose_hosts(self, names: Sequence[str]) -> None:
        """Give these hosts the columns of the list, and name the way to keep them."""
        if isinstance(self.app, HasLook):
            self.app.take_hosts(names)
        self.hosts.put_first(names)

    def show_marks(self) -> None:
        """The definitions were compared with those of earlier."""
        diff = self._engine.memory.pending
        self.tools_pane.mark({tool.name: self._mark(tool) for tool in self._engine.tools}, diff)
        self._tell_changes(diff)
        self.show_verdict()

    def _tell_changes(self, diff: ListDiff) -> None:
        from ...presentation.consequences import summary
        from .pending import pending_consequences

        def words() -> str:
            return summary(pending_consequences(self._engine, self.hosts.who_asks) or (), diff)

        self.notices.tell_changes(diff, words)

    def _mark(self, tool: ToolDefinition) -> str:
        """Return the marks beside a tool in the list, up to three cells."""
        from ...approval.policies.verdicts import VerdictAnswer

        if self._engine.verdict(tool).answer is VerdictAnswer.HIDE:
            return "hid"
        seen = self._engine.memory.seen(tool)
        # "New" matters less than "deprecated", which the list shows by itself.
        is_old = tool.deprecation is not None and seen is DefinitionStatus.NEW
        return "" if is_old else MARKS.get(seen, "")

    def show_read_again(self) -> None:
        """Resources were updated, or read again: the open answer may be an older one, or not."""
        self.show_no_tools()
        if self.is_complete:
            self._calls.show_read_again()

    def show_finding(self, finding: Finding) -> None:
        """Something was observed on the connection."""
        if self.display:
            # Before, the screen of the start shows it itself.
            self.notices.tell_finding(finding)

    def say_updated(self, uri: str) -> None:
        """Handle the server's report that a resource changed."""
        if self.is_complete:
            self.notices.tell_updated(uri)

    def tick(self) -> bool:
        """Draw progress and elapsed times; True if anything runs."""
        # Nothing is drawn under a dialog: it would only repaint everything.
        if self.is_complete and self.screen.is_active:
            return self._calls.tick()
        return self._calls.is_running

    def focus_tools(self) -> None:
        self.go("tools")

    # What the person does: the verbs of the keys are done with this

    @property
    def once_more(self) -> OnceMore:
        """The retry actions for the selected call."""
        return self._calls.once_more

    @property
    def chosen_tool(self) -> ToolDefinition | None:
        """The tool whose pane is shown."""
        return self.tool_pane.tool if self.is_complete else None

    @property
    def selected_call(self) -> Call | None:
        """The call whose answer is shown, else the newest."""
        return self._calls.selected

    def go_to_tool(self, name: str) -> bool:
        """To the pane of a tool; False if it is not listed any more."""
        is_there = self.turn_to_tool(name)
        if is_there:
            self.go("tool")
        return is_there

    def turn_to_tool(self, name: str) -> bool:
        """Show the pane of a tool; the caller fills its form before the focus moves."""
        if not self.tools_pane.reveal(name):
            return False
        if self.tool_pane.has_focus_within:
            self.screen.set_focus(None)
        self.follow_cursor()
        return True

    def edit_in_form(self, name: str, arguments: dict[str, JsonValue]) -> bool:
        """Put arguments into the form of a tool; False if it is not listed any more."""
        is_there = self.turn_to_tool(name)
        if is_there:
            self.tool_pane.edit_again(arguments)
            self.go("tool")
        return is_there

    @on(ToolsPane.Settled)
    def _tool_settled(self, message: ToolsPane.Settled) -> None:
        message.stop()
        self.follow_cursor()

    @on(ToolsPane.Chosen)
    def _tool_chosen(self, message: ToolsPane.Chosen) -> None:
        message.stop()
        self.follow_cursor()
        if self.is_complete:
            self.go("tool")
        else:
            self.current = "tool"

    def on_tool_pane_call_wanted(self, message: ToolPane.CallWanted) -> None:
        message.stop()
        if not self.notices.is_connected(self._engine.server):
            return
        gone, self.gone = self.gone, ""
        if gone:
            # Pressed for that one: what came into its place has hardly been seen.
            shown = message.tool.display_name
            words = f"{gone} is gone; this is {shown}. Press again to call it."
            self.notices.say(words, severity="warning")
            return
        try:
            self._engine.call(
                message.tool,
                message.arguments,
                message.origins,
                although_invalid=message.although_invalid,
            )
        except ValueError as problem:
            self.notices.say(f"Nothing was sent: {sentence(problem)}", severity="error")
            return
        if self.tools_pane.is_typed_in and not self.is_in_sight["answer"]:
            # A filter that has found its tool is done with: the answer may come into sight.
            self.tools_pane.focus_list()

    @on(PageWanted)
    def _page_wanted(self, message: PageWanted) -> None:
        message.stop()
        self.turn_page(message.call, message.step)

    def turn_page(self, call: Call, step: int) -> None:
        """A page that is there is gone to; another is asked for."""
        if self._pages is None:
            from ..answers.pages import PageCallbacks, Pages

            turned = PageCallbacks(
                self.notices.say,
                self._calls.select,
                self._fill_page,
                lambda: self.notices.is_connected(self._engine.server),
            )
            self._pages = Pages(self._engine, self, turned)
        self._pages.turn(call, step)

    def _fill_page(self, call: Call, arguments: dict[str, JsonValue]) -> None:
        if call.is_of(self.tool_pane.tool):
            self.tool_pane.fill(arguments)

    def on_tool_pane_checked(self, message: ToolPane.Checked) -> None:
        message.stop()
        self._judge()

    def on_tool_pane_past_wanted(self, message: ToolPane.PastWanted) -> None:
        from ..arguments.arguments_screen import ArgumentsScreen

        message.stop()
        past = self._engine.memory.arguments
        screen = ArgumentsScreen(message.tool, past, message.in_form, message.before)
        self.app.push_screen(screen, self.tool_pane.take)

    def on_tool_pane_definition_wanted(self, message: ToolPane.DefinitionWanted) -> None:
        from ..text.pager import PagerScreen
        from ..text.sections import definition_pages

        message.stop()
        title = Content.assemble("definition of ", (message.tool.display_name, "bold"))
        pages = definition_pages(self._engine, message.tool, message.verdict)
        self.app.push_screen(PagerScreen(title, pages))

    def on_link_body_open_wanted(self, message: LinkBody.OpenWanted) -> None:
        from ..answers.links import follow_link

        message.stop()
        if self._following is not None and not self._following.is_finished:
            return
        self._calls.note_link_followed()
        following = follow_link(self.app, self._engine, message.part.uri)
        self._following = self.run_worker(following, exit_on_error=False)

    @on(RowList.Highlighted, "CallList")
    def _call_selected(self, message: RowList.Highlighted[Call]) -> None:
        message.stop()
        if message.row is not None:
            self._calls.note_selected(message.row.id)

    @on(RowList.Chosen, "CallList")
    def _call_chosen(self, message: RowList.Chosen[Call]) -> None:
        message.stop()
        call = message.row
        if call.tool is not None and not call.is_of(self.tool_pane.tool):
            self.turn_to_tool(call.tool.name)
        self._calls.note_selected(call.id)
        self.go("answer")
        self.open_calls(is_open=False)

    def on_running_line_clicked(self, message: RunningLine.Clicked) -> None:
        message.stop()
        self._calls.note_selected(message.call_id)

    def on_call_list_cancel_requested(self, message: CallList.CancelRequested) -> None:
        message.stop()
        self._engine.cancel(message.call_id)

    def follow_cursor(self, *, is_relisted: bool = False) -> None:
        """Show the tool that the cursor of the list is on."""
        if not self.is_complete:
            return
        self.tools_pane.settle()
        tool = self.tools_pane.highlighted
        pane = self.tool_pane
        last = self.tools_pane.last_highlighted
        if tool is None and last is not None:
            # On a heading: the same tool, however fast the cursor came there.
            current = [one for one in self._engine.tools if one.name == last.name]
            tool = current[0] if current else None
        if not is_relisted and tool is not pane.tool:
            self.gone = ""
        was_deprecated, before = pane.is_deprecated, pane.tool
        pane.show(tool, is_relisted=is_relisted)
        if (before and before.name) != (tool and tool.name):
            self._calls.show_last_of(tool)
        if pane.is_deprecated is not was_deprecated:
            self.screen.refresh_bindings()
        self._judge()
