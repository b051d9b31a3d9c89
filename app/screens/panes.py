"""The four panes of the bench: which is in sight, side by side or as tabs, and the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.widget import Widget

from app.bench import Bench
from app.screens.tools_pane import ToolsPane
from widgets.pane_tabs import PaneTabs

if TYPE_CHECKING:
    from app.screens.answers.pane import AnswerPane
    from app.screens.tool_pane import ToolPane
    from widgets.call_list import CallList
    from widgets.running_line import RunningLine

WIDE_COLUMNS = 100
WIDE_ROWS = 26
"""With fewer columns or rows the panes are tabs."""

PANES = ("tools", "tool", "calls", "answer")
UPPER = ("tools", "tool")


class Panes(Container):
    """Lays the panes out and moves between them; what is in them is not its business.

    It begins with the tools alone; `complete` brings in the other panes, whose import and mounting
    would hold them up.
    """

    def __init__(self, bench: Bench, *, id: str) -> None:
        super().__init__(id=id)
        self._bench = bench
        self._current = "tools"
        self._is_zoomed = False
        self.is_complete = False

    def compose(self) -> ComposeResult:
        yield PaneTabs()
        with Container(id="places"), Horizontal(id="upper"):
            yield ToolsPane()

    async def complete(self) -> None:
        """Bring in the other panes."""
        from textual.widgets import Footer

        from app.screens.answers.pane import AnswerPane
        from app.screens.tool_pane import ToolPane
        from widgets.call_list import CallList
        from widgets.running_line import RunningLine

        calls = CallList(id="calls", classes="pane")
        answer = AnswerPane(self._bench.server.name, id="answer")
        calls.border_title, answer.border_title = "Calls", "Answer"
        await self.query_one("#upper").mount(_pane(ToolPane(id="tool")))
        await self.query_one("#places").mount(Vertical(calls, _pane(answer), id="lower"))
        await self.mount(RunningLine(), Footer(compact=True))
        if not self.is_attached:
            return
        self.is_complete = True
        self._arrange()
        self.completed()
        if self._current == "tool":
            self._go("tool")

    def completed(self) -> None:
        """The other panes are there."""

    def on_mount(self) -> None:
        self._arrange()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange()

    def action_zoom(self) -> None:
        self._is_zoomed = not self._is_zoomed
        self._arrange()

    def action_next_pane(self, step: int) -> None:
        open_panes = PANES if self.has_class("-has-calls") else UPPER
        at = open_panes.index(self._current) if self._current in open_panes else 0
        self._go(open_panes[(at + step) % len(open_panes)])

    @on(PaneTabs.Picked)
    def _tab_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        self._go(PANES[message.index])

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if not self.is_complete:
            return
        for widget in event.widget.ancestors_with_self:
            if widget.id in PANES:
                self._current = widget.id
                self._arrange()
                return

    @property
    def _tools(self) -> ToolsPane:
        return self.query_one(ToolsPane)

    @property
    def _tool(self) -> ToolPane:
        from app.screens.tool_pane import ToolPane

        return self.query_one("#tool", ToolPane)

    @property
    def _calls(self) -> CallList:
        from widgets.call_list import CallList

        return self.query_one("#calls", CallList)

    @property
    def _answer(self) -> AnswerPane:
        from app.screens.answers.pane import AnswerPane

        return self.query_one("#answer", AnswerPane)

    @property
    def _running_line(self) -> RunningLine:
        from widgets.running_line import RunningLine

        return self.query_one(RunningLine)

    @property
    def _has_tabs(self) -> bool:
        return self.has_class("-tabs")

    def _arrange(self) -> None:
        size = self.app.size
        is_small = size.width < WIDE_COLUMNS or size.height < WIDE_ROWS
        self.set_class(self._is_zoomed or is_small, "-tabs")
        for pane in self.query(".pane"):
            pane.set_class(pane.id == self._current, "-current")
        for place in self.query("#upper, #lower"):
            place.set_class((place.id == "upper") == (self._current in UPPER), "-current")
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
            self._tools.focus_list()
        elif name == "tool":
            self._tool.focus_form()
        else:
            self.screen.set_focus(self.query_one(f"#{name}"))

    def _label_tabs(self) -> None:
        calls = len(self._bench.calls)
        labels = [f"Tools {len(self._bench.tools):,}", "Tool", f"Calls {calls:,}", "Answer"]
        self.query_one(PaneTabs).show(labels, PANES.index(self._current))


def _pane(widget: Widget) -> Widget:
    widget.add_class("pane")
    return widget
