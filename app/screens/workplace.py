"""The workplace: tools, the chosen tool, calls, the answer; side by side, or as tabs."""

from __future__ import annotations

import time

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Footer, Input

from app.bench import Bench
from app.core.approval import DecisionAnswer
from app.core.calls import Call, State
from app.core.findings import Finding, Severity
from app.core.tools import Grouping, ToolDefinition, filter_tools, group_tools
from app.screens.answer_pane import AnswerPane
from app.screens.tool_pane import ToolPane
from widgets.call_list import CallList
from widgets.pane_tabs import PaneTabs
from widgets.running_line import RunningLine
from widgets.tool_list import ToolList

WIDE_COLUMNS = 100
WIDE_ROWS = 26
"""With fewer columns or rows the panes are tabs."""
SETTLE_SECONDS = 0.1
"""The tool pane follows the cursor once it rests: building a form costs more than a key press."""
CALL_ROWS, CALL_ROWS_TALL, TALL_ROWS = 3, 6, 40
"""Calls in sight beside the other panes; more of them on a screen of so many rows."""
REPEAT_SECONDS = 10.0
"""A finding of the same kind does not pop up again within this time."""

PANES = ("tools", "tool", "calls", "answer")
UPPER = ("tools", "tool")


class Workplace(Container):
    """The four panes of the bench, and what the keys of the screen do with them."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(id="workplace")
        self._bench = bench
        self._grouping = Grouping.EFFECT
        self._only_read_only = False
        self._current = "tools"
        self._is_zoomed = False
        self._settle: Timer | None = None
        self._progress_mark = -1
        self._selected: int | None = None
        self._told: dict[str, float] = {}
        self._arrived: int | None = None
        """The call whose answer was last gone to."""

    def compose(self) -> ComposeResult:
        yield PaneTabs()
        with Container(id="places"):
            with Horizontal(id="upper"):
                with Vertical(id="tools", classes="pane"):
                    yield Input(placeholder="/ filter", id="filter")
                    yield ToolList()
                yield _pane(ToolPane(id="tool"))
            with Vertical(id="lower"):
                yield _pane(CallList(id="calls"))
                yield _pane(AnswerPane(id="answer"))
        yield RunningLine()
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one("#calls").border_title = "Calls"
        self.query_one("#answer").border_title = "Answer"
        self._arrange()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange()

    # What the bench says

    def show_tools(self) -> None:
        """The server's list is another; cursor, focus and what was typed stay where they can."""
        self._list_tools()
        self._say_if_gone()
        self._follow_cursor(is_relisted=True)

    def _list_tools(self) -> None:
        words = self.query_one(Input).value
        shown = filter_tools(self._bench.tools, words, read_only=self._only_read_only)
        total = len(self._bench.tools)
        self.query_one(ToolList).show(group_tools(shown, self._grouping), total=total)
        count = f"{total:,}" if len(shown) == total else f"{len(shown):,} of {total:,}"
        pane = self.query_one("#tools")
        pane.border_title = Content(f"Tools {count}")
        only = " · read-only ones" if self._only_read_only else ""
        pane.border_subtitle = Content(f"by {self._grouping.value}{only}")
        self._label_tabs()

    def _say_if_gone(self) -> None:
        pane = self.query_one(ToolPane)
        if pane.tool is None or any(tool.name == pane.tool.name for tool in self._bench.tools):
            return
        words = f"The server no longer lists {pane.tool.name_shown}."
        self.notify(words, title="Tool gone", severity="warning", timeout=8, markup=False)
        if pane.has_focus_within:
            # At once: what was typed for one tool must not go on into the form of another.
            self.screen.set_focus(None)
            self._go("tools")

    def show_call(self, call: Call) -> None:
        """A call has a new value."""
        is_new = not self.has_class("-has-calls") or call.id > (self._selected or 0)
        self.add_class("-has-calls")
        self._draw_calls()
        if is_new and call.sent_at is None and call.state is not State.ENDED:
            self._select(call.id)
        if call.id == self._selected:
            self.query_one(AnswerPane).show(call)
        if call.is_over and call.id != self._arrived and call.id == self._selected:
            self._arrived = call.id
            self._go_on_from(call)
        self._label_tabs()

    def _go_on_from(self, call: Call) -> None:
        """A call ended: back to its form, or to its answer, if nothing else was begun since."""
        pane = self.query_one(ToolPane)
        if call.decision is not None and call.decision.answer is DecisionAnswer.EDIT:
            if self.query_one(ToolList).select_name(call.tool.name):
                self._follow_cursor()
                self._go("tool", focus=False)
                pane.edit_again(call.snapshot.arguments())
        elif self._has_tabs and call.sent and self._current in UPPER:
            is_same = pane.tool is not None and pane.tool.name == call.tool.name
            if is_same and pane.arguments == call.snapshot.arguments():
                self._go("answer")

    def show_verdict(self) -> None:
        """Trust changed: so does the verdict on the chosen tool."""
        pane = self.query_one(ToolPane)
        if pane.tool is not None:
            pane.show_verdict(self._bench.verdict(pane.tool), is_open=self._bench.server.is_open)

    def show_finding(self, finding: Finding) -> None:
        """Something was observed on the connection."""
        now = time.monotonic()
        if finding.severity is Severity.NOTE or self._told.get(finding.code, 0.0) > now:
            return
        self._told[finding.code] = now + REPEAT_SECONDS
        self.notify(
            finding.message, title=finding.code, severity="warning", timeout=4, markup=False
        )

    def flush(self) -> None:
        """Draw progress and elapsed times, if anything runs."""
        is_running = any(not call.is_over for call in self._bench.calls.values())
        if is_running or self._progress_mark != self._bench.progress_count:
            self._progress_mark = self._bench.progress_count
            self._draw_calls()
        line = self.query_one(RunningLine)
        line.set_class(is_running, "-running")
        if is_running and self._has_tabs:
            line.show(list(self._bench.calls.values()), time.monotonic())

    def focus_tools(self) -> None:
        self._go("tools")

    # What the person does; the keys are the screen's

    @property
    def can_cancel(self) -> bool:
        """Whether a call runs that could be cancelled."""
        return self.query_one(CallList).cancel_target is not None

    def action_call(self) -> None:
        self._follow_cursor()
        self.query_one(ToolPane).submit()

    def action_filter(self) -> None:
        self._go("tools", focus=False)
        self.query_one(Input).focus()

    def action_regroup(self) -> None:
        self._grouping = self._grouping.following
        self._list_tools()

    def action_only_read_only(self) -> None:
        self._only_read_only = not self._only_read_only
        self._list_tools()

    def action_definition(self) -> None:
        self._follow_cursor()
        self.query_one(ToolPane).show_definition()

    def action_cancel(self) -> None:
        target = self.query_one(CallList).cancel_target
        if target is not None:
            self._bench.cancel(target.id)

    def action_raw(self) -> None:
        self.query_one(AnswerPane).show_raw()

    def action_plain(self) -> None:
        self.query_one(AnswerPane).toggle_plain()

    def action_zoom(self) -> None:
        self._is_zoomed = not self._is_zoomed
        self._arrange()

    def action_next_pane(self, step: int) -> None:
        open_panes = PANES if self.has_class("-has-calls") else UPPER
        at = open_panes.index(self._current) if self._current in open_panes else 0
        self._go(open_panes[(at + step) % len(open_panes)])

    def action_back(self) -> None:
        field = self.query_one(Input)
        if field.has_focus and field.value:
            field.value = ""
        elif self._is_zoomed:
            self.action_zoom()
        elif self.query_one(ToolList).has_focus:
            field.value = ""
        else:
            self._go("tools")

    @on(Input.Changed, "#filter")
    def _filter_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._list_tools()

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.query_one(Input).has_focus:
            event.stop()
            self.query_one(ToolList).focus()

    @on(Input.Submitted, "#filter")
    def _filter_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.query_one(ToolList).focus()

    @on(ToolList.Highlighted)
    def _tool_highlighted(self, message: ToolList.Highlighted) -> None:
        message.stop()
        if self._settle is not None:
            self._settle.stop()
        self._settle = self.set_timer(SETTLE_SECONDS, self._follow_cursor)

    @on(ToolList.Chosen)
    def _tool_chosen(self, message: ToolList.Chosen) -> None:
        message.stop()
        self._follow_cursor()
        self._go("tool")

    @on(ToolPane.CallWanted)
    def _call_wanted(self, message: ToolPane.CallWanted) -> None:
        message.stop()
        if not self._bench.server.is_open:
            words = f"Nothing was sent: {self._bench.server.ended_words or 'not connected'}."
            self.notify(words, severity="error", markup=False)
            return
        try:
            self._bench.call(message.tool, message.arguments, message.origins)
        except ValueError as problem:
            self.notify(f"cannot be sent: {problem}", severity="error", markup=False)

    @on(CallList.Selected)
    def _call_selected(self, message: CallList.Selected) -> None:
        message.stop()
        self._selected = message.call_id
        self.query_one(AnswerPane).show(self._bench.calls.get(message.call_id))

    @on(CallList.CancelRequested)
    def _cancel_requested(self, message: CallList.CancelRequested) -> None:
        message.stop()
        self._bench.cancel(message.call_id)

    @on(PaneTabs.Picked)
    def _tab_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        self._go(PANES[message.index])

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        for widget in event.widget.ancestors_with_self:
            if widget.id in PANES:
                self._current = widget.id
                self._arrange()
                return

    # How it is laid out

    @property
    def _has_tabs(self) -> bool:
        return self.has_class("-tabs")

    def _arrange(self) -> None:
        size = self.app.size
        is_small = size.width < WIDE_COLUMNS or size.height < WIDE_ROWS
        self.set_class(self._is_zoomed or is_small, "-tabs")
        for name in PANES:
            self.query_one(f"#{name}").set_class(name == self._current, "-current")
        self.query_one("#upper").set_class(self._current in UPPER, "-current")
        self.query_one("#lower").set_class(self._current not in UPPER, "-current")
        self._label_tabs()

    def _go(self, name: str, *, focus: bool = True) -> None:
        if self._has_tabs and name != self._current:
            # A widget that is hidden hands its focus on to a neighbour that is hidden next.
            self.screen.set_focus(None)
        self._current = name
        self._arrange()
        if not focus:
            return
        if name == "tools":
            self.query_one(ToolList).focus()
        elif name == "tool":
            self.query_one(ToolPane).focus_form()
        else:
            self.query_one(f"#{name}").focus()

    def _label_tabs(self) -> None:
        calls = len(self._bench.calls)
        labels = [f"Tools {len(self._bench.tools):,}", "Tool", f"Calls {calls:,}", "Answer"]
        self.query_one(PaneTabs).show(labels, PANES.index(self._current))

    def _follow_cursor(self, *, is_relisted: bool = False) -> None:
        if self._settle is not None:
            self._settle.stop()
            self._settle = None
        tool = self.query_one(ToolList).highlighted
        pane = self.query_one(ToolPane)
        if tool is None and pane.tool is not None:
            current = [one for one in self._bench.tools if one.name == pane.tool.name]
            tool = current[0] if current else None
        pane.border_title = _tool_title(tool)
        effect = "" if tool is None else f"{tool.effect.sign} {tool.effect.value}"
        pane.border_subtitle = Content(effect)
        pane.show(tool, is_relisted=is_relisted)
        self.show_verdict()

    def _draw_calls(self) -> None:
        calls = list(self._bench.calls.values())
        self.query_one(CallList).show(calls, time.monotonic())
        pane = self.query_one("#calls")
        pane.border_title = Content(f"Calls {len(calls)}")
        most = CALL_ROWS if self.app.size.height < TALL_ROWS else CALL_ROWS_TALL
        pane.styles.max_height = 2 + min(most, max(1, len(calls)))

    def _select(self, call_id: int) -> None:
        self._selected = call_id
        self.query_one(CallList).select(call_id)


def _tool_title(tool: ToolDefinition | None) -> Content:
    """The exact name, and the title in quotes where there is one."""
    if tool is None:
        return Content("Tool")
    title = f"  titled “{tool.title_shown}”" if tool.title else ""
    return Content.assemble((tool.name_shown, "bold"), title)


def _pane(widget: Widget) -> Widget:
    widget.add_class("pane")
    return widget
