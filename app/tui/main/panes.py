"""Layout of the list and the page: side by side or as tabs, heights, visibility, focus."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.css.scalar import Scalar
from textual.widget import Widget

from ....widgets.bars import PaneTabs
from ....widgets.labels import AutoHeight
from ...content.frozen import frozen
from ...engine.engine import Engine
from ...protocol.tool import Grouping
from ..appearance import HasLook
from ..tools.tools_pane import ToolsPane

if TYPE_CHECKING:
    from ....widgets.lists.call_list import CallList, RunningLine
    from ..answers.pane import AnswerPane
    from ..tools.tool_pane import ToolPane

FRAME: Final = 2
"""Rows of the frame of the page."""
RULE: Final = 1
"""Rows of the line above calls and response, which has their title."""
LEAST_ANSWER: Final = 4
"""An answer that takes as many rows or more has no fewer."""

LOW: Final = 24
"""In fewer rows a third of them would be hardly more than the frame of an answer."""


@frozen
class Needs:
    """Rows that the parts of the page would take, rules included; 0 for one that is not shown."""

    tool: int
    tool_least: int
    """With fewer the field that is typed in would be out of sight."""
    calls: int = 0
    answer: int = 0
    is_broken: bool = False
    """Whether the response breaks its schema: then its errors show at once."""
    percent: int = 0
    """Of the rows, for calls and answer where the tool wants more; 0: as many as fit best."""


@frozen
class PaneRows:
    """Rows that the parts of the page get, rules included."""

    tool: int
    calls: int = 0
    answer: int = 0


def calls_in_sight(count: int, rows: int, *, is_focused: bool) -> int:
    """Return the rows for the calls pane in a column of `rows`, with `count` calls."""
    most = 3 if rows < LOW else 6
    if is_focused:
        most = max(most, rows // 3)
    return max(1, min(count, most))


def answer_least(rows: int, needs: Needs) -> int:
    """Rows of a result that does not have the focus."""
    if needs.percent:
        return min(needs.answer, max(LEAST_ANSWER, rows * needs.percent // 100 - needs.calls))
    if needs.is_broken:
        return answer_wanted(rows, needs)
    return min(needs.answer, max(LEAST_ANSWER, (rows - needs.calls) // 2))


def answer_wanted(rows: int, needs: Needs) -> int:
    """Rows of the answer for which hints and description are folded."""
    least = answer_least(rows, needs) if needs.percent else LEAST_ANSWER
    return min(needs.answer, max(least, (rows - needs.calls) * 2 // 3))


def share(rows: int, needs: Needs, focused: str) -> PaneRows:
    """Share so many rows; `focused` is the pane with the focus, by its id.

    The tool gets the rows that it fills, the result all others. If both want more than there is,
    the one with the focus grows, and the result keeps a half; two thirds if it is broken; or the
    user's setting. The field that is typed in stays in sight.
    """
    left = rows - needs.calls
    if not needs.answer:
        return PaneRows(max(0, min(needs.tool, left)), needs.calls)
    kept = needs.answer if focused == "answer" else answer_least(rows, needs)
    least = min(needs.tool_least, left - LEAST_ANSWER)
    tool = max(min(needs.tool, left - kept), least)
    return PaneRows(tool, needs.calls, left - tool)


WIDE_COLUMNS = 100
"""With fewer columns the list of tools is a tab of its own."""
LEAST_ROWS = 20
"""With fewer rows each pane is a tab."""

PANES = ("tools", "tool", "calls", "answer")
LEFT_PANES = ("tools", "tool")
CALLS_OPEN: Final = "-calls"
HAS_ANSWER: Final = "-has-answer"


class _Places(Horizontal):
    """Container of the panes."""

    def on_resize(self, event: events.Resize) -> None:
        self.query_ancestor(Panes).share()


class Panes(Container):
    """Lays the panes out and moves between them, whatever their content.

    There are two: the list of tools, and the page of the chosen one with its last result below, and
    the calls between them while they are wanted. Without room for both they are tabs; in very
    little room each part of the page is one. It begins with the tools alone; `complete` brings in
    the page, whose import and mounting would hold them up.
    """

    def __init__(self, engine: Engine, *, id: str, grouping: Grouping = Grouping.EFFECT) -> None:
        super().__init__(id=id)
        self._engine = engine
        self._grouping = grouping
        self.current = "tools"
        self.is_zoomed = False
        self.is_complete = False
        self.gone = ""
        """The tool that was looked at and is not listed any more, until something is done."""

    def compose(self) -> ComposeResult:
        yield PaneTabs()
        with _Places(id="places"):
            yield ToolsPane(self._grouping)

    async def complete(self) -> None:
        """Bring in the other panes."""
        from ....widgets.key_footer import KeyFooter
        from ....widgets.lists.call_list import CallList, RunningLine
        from ..answers.pane import AnswerPane
        from ..tools.tool_pane import ToolPane

        calls, answer = CallList(id="calls"), AnswerPane(self._engine.server.name, id="answer")
        calls.border_title, answer.border_title = "Calls", "Response"
        work = Vertical(id="work", classes="pane")
        for part in (ToolPane(work, id="tool"), calls, answer):
            part.add_class("part")
            work.compose_add_child(part)
        for places in self.query("#places"):
            await places.mount(work)
            await self.mount(RunningLine(), KeyFooter())
        if not all(pane.is_attached for pane in (calls, answer)):
            # Signoff is leaving: all of it is being taken away, or is gone already.
            return
        self.is_complete = True
        self._arrange()
        self.completed()
        if self.current == "tool":
            self.go("tool")

    def show_urgent(self, action: str) -> None:
        """Never leave the key of this action out of the footer; empty: of none."""
        from ....widgets.key_footer import KeyFooter

        for footer in self.query(KeyFooter):
            footer.show_urgent(action)

    def completed(self) -> None:
        """The other panes are there."""

    def on_mount(self) -> None:
        self._arrange()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange()

    def zoom(self) -> None:
        """The current pane alone, or all of them again."""
        self.is_zoomed = not self.is_zoomed
        self._arrange()

    def go_on(self, step: int) -> None:
        """To the next pane (1), or to the one before (-1)."""
        open_panes = [one for one in PANES if self._is_open(one)]
        at = open_panes.index(self.current) if self.current in open_panes else 0
        self.go(open_panes[(at + step) % len(open_panes)])

    def _is_open(self, name: str) -> bool:
        """True if a pane, or a part of the page, has something to show."""
        if name == "calls":
            return self.has_class(CALLS_OPEN)
        return name != "answer" or self.has_class(HAS_ANSWER)

    def show_answer(self, *, is_there: bool) -> None:
        """Keep room for a result, or none."""
        if is_there is not self.has_class(HAS_ANSWER):
            self.set_class(is_there, HAS_ANSWER)
            if not is_there and self.current == "answer":
                self.go("tool", focus=False)
            self.share()

    def open_calls(self, *, is_open: bool) -> None:
        """Show the list of calls in the page, and go there; or put it away again."""
        self.set_class(is_open, CALLS_OPEN)
        if is_open:
            self.go("calls")
        elif self.current == "calls":
            self.go("answer" if self.has_class(HAS_ANSWER) else "tools")
        self.share()

    @on(PaneTabs.Picked)
    def _tab_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        name = PANES[message.index]
        if name == "calls":
            self.open_calls(is_open=True)
        elif self._is_open(name):
            self.go(name)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if not self.is_complete or event.widget is not self.screen.focused:
            # A late event is out of date: the focus has gone on.
            return
        for widget in event.widget.ancestors_with_self:
            if widget.id in PANES:
                self.current = widget.id
                self._arrange()
                return

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self._share_beside)

    def _share_beside(self) -> None:
        if self.is_attached and self.is_complete and self._is_beside:
            self.share()

    @property
    def tools_pane(self) -> ToolsPane:
        return self.query_one(ToolsPane)

    @property
    def tool_pane(self) -> ToolPane:
        from ..tools.tool_pane import ToolPane

        return self.query_one("#tool", ToolPane)

    @property
    def call_list(self) -> CallList:
        from ....widgets.lists.call_list import CallList

        return self.query_one("#calls", CallList)

    @property
    def answer_pane(self) -> AnswerPane:
        from ..answers.pane import AnswerPane

        return self.query_one("#answer", AnswerPane)

    @property
    def running_line(self) -> RunningLine:
        from ....widgets.lists.call_list import RunningLine

        return self.query_one(RunningLine)

    @property
    def _has_tabs(self) -> bool:
        """True if not all panes are in sight."""
        return self.has_class("-tabs")

    @property
    def is_in_sight(self) -> dict[str, bool]:
        """Whether each pane has a place on the screen now, by name."""
        if self.has_class("-single"):
            return {name: name == self.current for name in PANES}
        seen = dict.fromkeys(PANES, True)
        if self._has_tabs:
            seen = {name: (name == "tools") == (self.current == "tools") for name in PANES}
        return {**seen, "calls": seen["calls"] and self.has_class(CALLS_OPEN)}

    def _arrange(self) -> None:
        size = self.app.size
        is_single = self.is_zoomed or size.height < LEAST_ROWS
        self.update_classes(
            {
                "-tabs": is_single or size.width < WIDE_COLUMNS,
                "-single": is_single,
                "-at-tools": self.current == "tools",
            }
        )
        for part in self.query(".part"):
            part.set_class(part.id == self.current, "-current")
        self._label_tabs()
        self.share()

    @on(AutoHeight.Grew)
    def _grew(self, message: AutoHeight.Grew) -> None:
        message.stop()
        self.share()

    def on_call_list_grew(self) -> None:
        self.share()

    def share(self) -> None:
        """Give each pane of the column its rows."""
        rows = self.query_one("#places").size.height - FRAME
        if not self.is_complete or rows <= 0:
            return
        tool, calls, answer = self.tool_pane, self.call_list, self.answer_pane
        if self.has_class("-single"):
            tool.fold(rows)
            given: tuple[int | None, ...] = (None, None, None)
        else:
            is_beside = self._is_beside
            focused = "answer" if is_beside else self.current
            needs = Needs(0, 0)
            if self.has_class(CALLS_OPEN):
                count = calls_in_sight(calls.row_count, rows, is_focused=focused == "calls")
                needs = replace(needs, calls=count + calls.rows_needed - calls.row_count + RULE)
            has_answer = self.has_class(HAS_ANSWER)
            if has_answer:
                needs = replace(
                    needs,
                    answer=answer.rows_needed,
                    is_broken=answer.is_broken,
                    percent=self._answers_percent,
                )
            wanted = answer_wanted(rows, needs) if has_answer else 0
            tool.fold(rows - needs.calls - wanted, has_answer=has_answer)
            least = tool.rows_around if is_beside else tool.rows_least
            needs = replace(needs, tool=tool.keep_rows(), tool_least=least)
            shared = share(rows, needs, focused)
            given = (shared.tool, shared.calls, shared.answer)
        for part, height in zip((tool, calls, answer), given, strict=True):
            _set_height(part, height)

    @property
    def _is_beside(self) -> bool:
        """True if the focus went from a tool or its calls to a widget outside, such as the tour.

        Then the person does not type, but may look at the result.
        """
        focused = self.screen.focused
        is_outside = focused is not None and self not in focused.ancestors
        return is_outside and self.current != "tools"

    @property
    def _answers_percent(self) -> int:
        """Rows for calls and response, set by the person; 0 if not set."""
        app = self.app
        return app.answers_percent if isinstance(app, HasLook) else 0

    def go(self, name: str, *, focus: bool = True) -> None:
        """To a pane, with the focus or without it."""
        if self._has_tabs and name != self.current:
            # A widget that is hidden hands its focus on to a neighbour that is hidden next.
            self.screen.set_focus(None)
        self.current = name
        self._arrange()
        if not focus:
            return
        if name == "tools":
            self.tools_pane.focus_list()
        elif name == "tool":
            self.tool_pane.focus_form()
        else:
            self.screen.set_focus(self.query_one(f"#{name}"))

    def _label_tabs(self) -> None:
        calls = len(self._engine.calls)
        tools = f"Tools {len(self._engine.tools):,}"
        if self.has_class("-single"):
            labels = [tools, "Tool", f"Calls {calls:,}", "Response"]
            self.query_one(PaneTabs).show(labels, PANES.index(self.current))
        else:
            # Tool, calls and answer are one place here.
            self.query_one(PaneTabs).show([tools, "Tool"], int(self.current != "tools"))


def _set_height(pane: Widget, rows: int | None) -> None:
    """So many rows; None for all that there are."""
    wanted = Scalar.parse("1fr") if rows is None else Scalar.from_number(rows)
    if pane.styles.height != wanted:
        pane.styles.height = wanted


def import_panes() -> None:
    """Import modules of `complete`; may run in a thread."""
    for name in (
        "signoff.app.tui.answers.pane",
        "signoff.app.tui.tools.tool_pane",
        "signoff.widgets.lists.call_list",
        "signoff.widgets.key_footer",
        "signoff.widgets.lists.call_list",
    ):
        importlib.import_module(name)
