"""Tasks screen: the server's tasks with status and results, and a way to cancel them.

A task opens the call that started it, or its result.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ....widgets.key_footer import KeyFooter
from ....widgets.lists.resource_list import OfferList, OfferRow
from ....widgets.lists.row_list import RowList
from ....widgets.sheets import SheetView
from ...content.text import count, cut, seconds, spans, visible
from ...content.texts.sheet_line import SheetLine, labelled
from ...engine.task_list import KnownTask, TaskBook, TaskListing
from ...protocol.answers.content import TextPart, read_answer
from ...questions.sheet import pieces_of
from ..failures import TellsFailures
from ..fresh_sizes import FreshSizes
from ..text.pager import PagerScreen, Section
from ..text.section_lines import raw_lines
from ..text.sections import call_sections
from .resources_screen import finding_line

if TYPE_CHECKING:
    from textual.app import App
    from textual.notifications import SeverityLevel
    from textual.worker import Worker

    from ...content.json.jsonio import JsonValue
    from ...engine.engine import Engine


async def open_task(app: App[object], book: TaskBook, task: KnownTask) -> str:
    """Open it over the screen; returns why there is nothing to open, in words."""
    call, state = task.call, task.state
    sections: list[Section] = []
    if call is None or (call.is_over and call.answer is None and not call.withheld):
        if state.is_ended:
            result = await book.result(task)
            if isinstance(result, str) and call is None:
                return f"No result: {result}."
            if not isinstance(result, str):
                sections += _result_sections(result)
        elif call is None:
            return "It has not ended: there is no result yet."
    if call is not None:
        sections += call_sections(call, book.version)
    else:
        sections.append(Section("task", raw_lines(state.raw)))
    app.push_screen(PagerScreen(Content.assemble(("Task", "bold"), f" · {task.about}"), sections))
    return ""


def _result_sections(result: dict[str, JsonValue]) -> list[Section]:
    found: list[Section] = []
    answer = read_answer(result)
    texts = [one.text for one in answer.parts if isinstance(one, TextPart)] if answer else []
    if texts:
        found.append(Section("result", "\n".join(texts)))
    return [*found, Section("raw result", raw_lines(result))]


INDENT: Final = 12
_LINE_MAX: Final = 2_000


def row_of(task: KnownTask, now: float) -> OfferRow:
    """`now` is in seconds of the epoch."""
    state = task.state
    mark = "not known" if task.problem else state.words
    return OfferRow(state.id, task.about, state.message, state.kept_words(now), mark)


def detail_lines(task: KnownTask, now: float) -> Iterator[SheetLine]:
    """All that is known of it."""
    state = task.state
    yield labelled("task", INDENT, *pieces_of(spans(cut(state.id, _LINE_MAX).text)))
    yield labelled("begun by", INDENT, (task.about, ""))
    if task.call is not None:
        yield labelled("the call", INDENT, (task.call.status, ""))
    before = "it said last: " if task.problem else ""
    yield labelled("status", INDENT, (f"{before}{state.words}", ""))
    if task.problem:
        yield labelled("", INDENT, ("▲ ", "warning"), (task.problem, "noticed"))
    if state.message:
        yield labelled("says", INDENT, *pieces_of(spans(state.message)))
    yield labelled("created", INDENT, (state.created or "the server does not say", ""))
    if state.updated:
        yield labelled("updated", INDENT, (state.updated, ""))
    kept = "the server does not say for how long"
    if state.ttl is not None:
        left = state.kept_words(now)
        kept = f"for {seconds(state.ttl / 1_000)}" + (f", {left}" if left else "")
    yield labelled("kept", INDENT, (kept, ""))


class TaskList(OfferList):
    """Keeps the cursor on the same task while the list changes around it."""

    mark_cells = 16
    """`input required`."""
    kind_cells = 20


LOOK_SECONDS: Final = 2.0
"""How often the server is asked while a task of the list goes on."""


class TasksScreen(FreshSizes, Screen[None], TellsFailures):
    """Asks for the list as it opens, and while something in it goes on."""

    FAILED = "This could not be done"

    DEFAULT_CSS = """
    TasksScreen { background: $background; }
    TasksScreen #tasks-head { height: 1; padding: 0 1; background: $panel; }
    TasksScreen TaskList { height: 1fr; }
    TasksScreen #task-detail {
        height: 1fr; border: round $primary; padding: 0 1; background: $surface;
    }
    """
    AUTO_FOCUS = "TaskList"

    HELP = """
# Tasks

The tasks that the server keeps, with those that another session or client began, and how long it
keeps each of them yet. A task outlives its view, and a connection that was lost where the server
keeps it: `enter` opens the call that began it, or asks for the result. `x` cancels; for a task that
was not begun in this session it wants to be pressed twice.

Where the server has no list of them, the tasks of this session are shown.
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "look", "Refresh", id="tasks.look", tooltip="Ask the server again."),
        Binding(
            "x,ctrl+x,delete",
            "cancel",
            "Cancel",
            id="tasks.cancel",
            tooltip="Cancel this task; twice where it was not begun in this session.",
        ),
        Binding("escape,q,K", "close", "Close", id="tasks.close", tooltip="Back to the bench."),
    ]

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        self._book = TaskBook(engine)
        self._listing: TaskListing | None = None
        self._looking: Worker[None] | None = None
        """What asks for the list, or asked for it last."""
        self._at: str | None = None
        self._sure_of = ""
        """The id of the task that the next press cancels."""

    def compose(self) -> ComposeResult:
        yield Static(id="tasks-head", markup=False)
        yield TaskList(id="tasks-list")
        with Vertical(id="task-detail"):
            yield SheetView(id="task-words")
        yield KeyFooter(show_command_palette=False)

    def on_mount(self) -> None:
        self._draw()
        self.action_look()
        self.set_interval(LOOK_SECONDS, self._look_on)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_look(self) -> None:
        self._looking = self._look()

    @work(exclusive=True, group="look", exit_on_error=False)
    async def _look(self) -> None:
        self._listing = await self._book.list()
        self._draw()

    @work(exclusive=True, group="cancel", exit_on_error=False)
    async def action_cancel(self) -> None:
        task = self._current
        if task is None:
            return
        if task.state.is_ended:
            self._say("It has ended already.", "warning")
            return
        if task.call is None and self._sure_of != task.state.id:
            self._sure_of = task.state.id
            self._say("Not begun in this session: press x once more to cancel it.", "warning")
            return
        self._sure_of = ""
        if why := await self._book.cancel(task):
            self._say(f"Not cancelled: {why}.", "error")
        else:
            self._say("The server was told to cancel it.")
        self.action_look()

    @work(exclusive=True, group="open", exit_on_error=False)
    async def choose(self) -> None:
        """Open the call, or the result."""
        task = self._current
        if task is not None and (why := await open_task(self.app, self._book, task)):
            self._say(why, "warning")

    @on(RowList.Highlighted, "#tasks-list")
    def _highlighted(self, message: RowList.Highlighted[OfferRow]) -> None:
        message.stop()
        current = self._current
        self._at = None if current is None else current.state.id
        if self._sure_of != self._at:
            self._sure_of = ""
        self._draw_detail()

    @on(RowList.Chosen, "#tasks-list")
    def _chosen(self, message: RowList.Chosen[OfferRow]) -> None:
        message.stop()
        self.choose()

    @property
    def _tasks(self) -> tuple[KnownTask, ...]:
        """With their calls as these are now."""
        calls, listing = self._engine.calls, self._listing
        return tuple(
            one if one.call is None else replace(one, call=calls.get(one.call.id, one.call))
            for one in (() if listing is None else listing.tasks)
        )

    @property
    def _current(self) -> KnownTask | None:
        cursor, tasks = self.query_one(TaskList).cursor, self._tasks
        return tasks[cursor] if cursor is not None and cursor < len(tasks) else None

    def _look_on(self) -> None:
        """Ask again only while something can change, and nothing is asked that may take long."""
        is_asking = self._looking is not None and not self._looking.is_finished
        can_ask = self.is_current and self._engine.server.is_open and not is_asking
        was_lost = self._listing is None or self._listing.is_lost
        if can_ask and (was_lost or any(not one.state.is_ended for one in self._tasks)):
            self.action_look()
        self._draw()

    def _draw(self) -> None:
        now = time.time()
        rows = [row_of(one, now) for one in self._tasks]
        self._draw_head()
        listed = self.query_one(TaskList)
        listed.empty = "asking the server" if self._listing is None else "the server keeps no task"
        listed.show_at(rows, self._at)

    def _draw_head(self) -> None:
        server = self._engine.server
        words = f" · {count(len(self._tasks), 'task')} of {visible(server.name)}"
        if not server.is_open:
            words += " · not connected"
        elif not server.lists_tasks:
            words += " · it has no list of them: those of this session"
        head = Content.assemble(("Tasks", "bold"), words)
        self.query_one("#tasks-head", Static).update(head)

    def _draw_detail(self) -> None:
        current, sheet = self._current, self.query_one(SheetView)
        lines = list(detail_lines(current, time.time())) if current is not None else []
        found = () if self._listing is None else self._listing.findings
        lines += [finding_line(one) for one in found]
        sheet.set_lines(lines, max(sheet.size.width, 1))
        detail = self.query_one("#task-detail")
        can_open = current is not None and (current.call is not None or current.state.is_ended)
        detail.border_subtitle = Content("enter opens it" if can_open else "")

    def _say(self, words: str, severity: SeverityLevel = "information") -> None:
        self.notify(words, severity=severity, timeout=6, markup=False)
