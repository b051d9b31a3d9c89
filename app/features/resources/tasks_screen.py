"""Tasks screen: the server's tasks with status and results, and a way to cancel them.

A task opens the call that started it, or its result.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ....widgets.lists.resource_list import OfferList, OfferRow
from ...content.text import count, sentence, visible
from ...content.texts.sheet_line import SheetLine
from ...engine.task_list import CANCEL_SENT, KnownTask, TaskBook, TaskListing
from ...protocol.answers.content import TextPart, read_answer
from ...protocol.findings.findings import brief_with_code
from ...tui.base.browser_screen import BrowserScreen
from ...tui.base.context import ScreenContext
from ...tui.text.pager import PagerScreen, PagerSection
from ...tui.text.sections import call_sections, raw_lines
from .tasks import task_lines
from .words import INDENT

if TYPE_CHECKING:
    from textual.app import App
    from textual.worker import Worker

    from ...content.json.jsonio import JsonValue
    from ...engine.engine import Engine


async def open_task(app: App[object], book: TaskBook, task: KnownTask) -> str:
    """Open it over the screen; returns why there is nothing to open, in words."""
    call, state = task.call, task.state
    sections: list[PagerSection] = []
    if call is None or (call.is_over and call.answer is None and not call.withheld):
        if state.is_ended:
            result = await book.result(task)
            if isinstance(result, str) and call is None:
                return f"No result: {result}."
            if not isinstance(result, str):
                sections += _result_sections(result)
        elif call is None:
            return "No result yet: the task is still running."
    if call is not None:
        sections += call_sections(call, book.version)
    else:
        sections.append(PagerSection("task", raw_lines(state.raw)))
    app.push_screen(PagerScreen(Content.assemble(("Task", "bold"), f" · {task.about}"), sections))
    return ""


def _result_sections(result: dict[str, JsonValue]) -> list[PagerSection]:
    found: list[PagerSection] = []
    answer = read_answer(result)
    texts = [one.text for one in answer.parts if isinstance(one, TextPart)] if answer else []
    if texts:
        found.append(PagerSection("result", "\n".join(texts)))
    return [*found, PagerSection("raw result", raw_lines(result))]


Row = OfferRow[KnownTask]


def row_of(task: KnownTask, now: float) -> Row:
    """`now` is in seconds of the epoch."""
    state = task.state
    mark = "not known" if task.problem else state.words
    return OfferRow(task, state.id, task.about, state.message, state.kept_words(now), mark)


class TaskList(OfferList[KnownTask]):
    """Keeps the cursor on the same task while the list changes around it."""

    mark_cells = 16
    """`input required`."""
    kind_cells = 20


LOOK_SECONDS: Final = 2.0
"""How often the server is asked while a task of the list goes on."""


class TasksScreen(BrowserScreen[Row, None]):
    """Asks for the list as it opens, and while something in it goes on."""

    DEFAULT_CSS = """
    TasksScreen TaskList, TasksScreen #detail { height: 1fr; }
    """

    ENTER_HELP = "Show the call of this task, or its result."
    HELP = """
# Tasks

The tasks of the server, also those of other sessions and clients, and how long the server keeps
each. A task can outlive a lost connection. `enter` opens the call that began it, or asks for the
result. `x` cancels; press it twice for a task that was not begun in this session.

Where the server has no list of them, the tasks of this session are shown.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("tasks")

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        self._book = TaskBook(engine)
        self._listing: TaskListing | None = None
        self._looking: Worker[None] | None = None
        """What asks for the list, or asked for it last."""
        self._sure_of = ""
        """The id of the task that the next press cancels."""

    def compose_list(self) -> ComposeResult:
        yield TaskList()

    def on_mount(self) -> None:
        self._draw()
        self._look()
        self.set_interval(LOOK_SECONDS, self._look_on)

    def action_look(self) -> None:
        self._look(tells=True)

    def _look(self, *, tells: bool = False) -> None:
        self._looking = self._ask(tells=tells)

    @work(exclusive=True, group="look", exit_on_error=False)
    async def _ask(self, *, tells: bool) -> None:
        """Get the list; `tells`: a person has pressed a key for it."""
        self._listing = await self._book.list()
        self._draw()
        if tells:
            has_list = self._engine.server.lists_tasks
            said = f"Refreshed: {count(len(self._tasks), 'task')}."
            self.say(said if has_list else "This server has no list of tasks.")

    @work(exclusive=True, group="cancel", exit_on_error=False)
    async def action_cancel(self) -> None:
        if self.current is None:
            self.say("No task is selected.", "warning")
            return
        task = self._as_of_now(self.current.item)
        if task.state.is_ended:
            self.say("It has ended already.", "warning")
            return
        if task.call is None and self._sure_of != task.state.id:
            self._sure_of = task.state.id
            self.say("Another session started it. Press x again to cancel it.", "warning")
            return
        self._sure_of = ""
        if why := await self._book.cancel(task):
            self.say(f"Not cancelled: {sentence(why)}", "error")
        else:
            self.say(CANCEL_SENT)
        self._look()

    def choose(self, row: Row) -> None:
        self._show_task(self._as_of_now(row.item))

    @work(exclusive=True, group="open", exit_on_error=False)
    async def _show_task(self, task: KnownTask) -> None:
        """Open the call, or the result."""
        if why := await open_task(self.app, self._book, task):
            self.say(why, "warning")

    def row_highlighted(self, row: Row | None) -> None:
        if row is None or self._sure_of != row.key:
            self._sure_of = ""
        self.draw_detail()

    def describe(self, row: Row | None) -> list[SheetLine]:
        found = () if self._listing is None else self._listing.findings
        task = None if row is None else self._as_of_now(row.item)
        lines = () if task is None else task_lines(task, time.time())
        return [*lines, *(brief_with_code(one, INDENT) for one in found)]

    def name_of(self, row: Row) -> str:
        return row.title

    def keys_of(self, row: Row) -> Sequence[BarKey]:
        task = self._as_of_now(row.item)
        can_open = task.call is not None or task.state.is_ended
        return (BarKey("enter", "Open"),) if can_open else ()

    @property
    def _tasks(self) -> tuple[KnownTask, ...]:
        tasks = () if self._listing is None else self._listing.tasks
        return tuple(map(self._as_of_now, tasks))

    def _as_of_now(self, task: KnownTask) -> KnownTask:
        """The task with its call as that is now."""
        call = task.call
        return task if call is None else replace(task, call=self._engine.calls.get(call.id, call))

    def _look_on(self) -> None:
        """Ask again only while something can change, and nothing is asked that may take long."""
        is_asking = self._looking is not None and not self._looking.is_finished
        can_ask = self.is_current and self._engine.server.is_open and not is_asking
        was_lost = self._listing is None or self._listing.is_lost
        if can_ask and (was_lost or any(not one.state.is_ended for one in self._tasks)):
            self._look()
        self._draw()

    def _draw(self) -> None:
        now, server = time.time(), self._engine.server
        words = f" · {count(len(self._tasks), 'task')} of {visible(server.name)}"
        if not server.is_open:
            words += " · not connected"
        elif not server.lists_tasks:
            words += ", from this session: the server has no list of tasks"
        self.draw_head(("Tasks", "bold"), words)
        is_asking = self._listing is None
        self.row_list.empty = "asking the server" if is_asking else "the server keeps no task"
        self.row_list.show([row_of(one, now) for one in self._tasks])


def show(context: ScreenContext) -> None:
    """List the server's tasks."""
    context.screen.app.push_screen(TasksScreen(context.engine))


def can_show(engine: Engine) -> bool:
    """True if the server lists tasks, or a call of this session has one."""
    has_own = any(call.task is not None for call in engine.calls.values())
    return engine.server.lists_tasks or has_own
