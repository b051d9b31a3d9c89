"""Bases of the screens that list rows and describe the highlighted one.

`BrowserScreen` fills the terminal, `BrowserDialog` is a box over the screen before it. A subclass
yields its list, shows rows in it, and describes one of them; its verbs are bindings and actions of
its own. `DetailScreen` has the details alone, below whatever is browsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Static

from ....widgets.key_bar import BarKey, show_bar
from ....widgets.key_footer import KeyFooter
from ....widgets.lists.row_list import KeyedList, RowList
from ....widgets.sheets import SheetView
from ...content.text import count
from ...content.texts.sheet_line import SheetLine
from .box_bar import HasBoxBar
from .failures import NOT_DONE, TellsFailures
from .screen_mixin import ScreenMixin

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

T = TypeVar("T")
R = TypeVar("R")


NO_TOOLS = "this server has no tools"
"""The empty list of a screen with tools."""


class DetailScreen(ScreenMixin, Screen["R | None"], TellsFailures, Generic[R]):
    """Holds one `SheetView`, in the frame `#detail`. Dismissed with a result, or with None."""

    FAILED = NOT_DONE

    _below = 0
    """Lines of the details below those that are seen."""
    _about: object = None
    """What the details are about."""

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll_detail(self, rows: int) -> None:
        self.query_one(SheetView).scroll_relative(y=rows, animate=False)

    def show_detail(
        self, lines: Sequence[SheetLine], width: int | None = None, *, about: object = None
    ) -> None:
        """Show other details, as wide as they are seen or as is given.

        From their beginning, unless they are `about` the same as those before.
        """
        sheet = self.query_one(SheetView)
        is_same, self._about = about is not None and about == self._about, about
        sheet.set_lines(lines, max(sheet.size.width, 1) if width is None else width)
        if not is_same:
            sheet.scroll_home(animate=False)

    def draw_detail_frame(self) -> None:
        """Draw the title of the details; they were shown, or scrolled."""
        raise NotImplementedError

    @property
    def more_lines(self) -> str:
        """Count the lines below, for a title; empty if there are none."""
        return f" · {count(self._below, 'more line')}, shift+↓" if self._below else ""

    @on(SheetView.Moved)
    def _detail_moved(self, message: SheetView.Moved) -> None:
        message.stop()
        self._below = message.below
        self.draw_detail_frame()


class BrowserScreen(DetailScreen[R], Generic[T, R]):
    """A list of rows, and the details of the highlighted one below it.

    An input `#filter` filters the rows, if there is one. The list keeps its cursor on the row of
    the same key while the rows change around it.
    """

    DEFAULT_CSS = """
    BrowserScreen { background: $background; }
    BrowserScreen #head {
        height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis;
    }
    BrowserScreen KeyedList { height: 2fr; }
    BrowserScreen #detail {
        height: 3fr; border: round $primary; padding: 0 1; background: $surface;
    }
    """
    AUTO_FOCUS = "KeyedList"

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield from self.compose_list()
        yield from self.compose_detail()
        yield KeyFooter()

    def compose_list(self) -> ComposeResult:
        """Yield the list of rows, after a filter if there is one."""
        raise NotImplementedError

    def compose_detail(self) -> ComposeResult:
        with Vertical(id="detail"):
            yield SheetView()

    # Of a subclass

    def describe(self, row: T | None) -> Sequence[SheetLine]:
        """Return the details of a row; None if there is none."""
        raise NotImplementedError

    def name_of(self, row: T) -> str:
        """Return the title of the details of a row."""
        raise NotImplementedError

    def keys_of(self, row: T) -> Sequence[BarKey]:
        """The keys that do something with a row."""
        return ()

    def choose(self, row: T) -> None:
        """Do what enter does with a row."""

    def row_highlighted(self, row: T | None) -> None:
        """The cursor is on another row, or the rows are others."""
        self.draw_detail()

    def filter_changed(self, words: str) -> None:
        """Other words are in the filter."""

    # Content of the list

    @property
    def row_list(self) -> KeyedList[T]:
        return self.query_one(KeyedList)

    @property
    def current(self) -> T | None:
        """The highlighted row."""
        return self.row_list.highlighted

    def draw_head(self, *words: str | Content | tuple[str, str]) -> None:
        self.query_one("#head", Static).update(Content.assemble(*words))

    def draw_detail(self) -> None:
        row = self.current
        about = None if row is None else self.row_list.key(row)
        self.show_detail(self.describe(row), about=about)

    def draw_detail_frame(self) -> None:
        row, frame = self.current, self.query_one("#detail")
        name = "" if row is None else self.name_of(row)
        frame.border_title = Content.assemble((name, "bold"), self.more_lines)
        if keys := () if row is None else self.keys_of(row):
            show_bar(frame, keys)
        else:
            frame.border_subtitle = ""

    def say(self, words: str, severity: SeverityLevel = "information") -> None:
        self.notify(words, severity=severity, timeout=6, markup=False)

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted[Any]) -> None:
        message.stop()
        self.row_highlighted(message.row)

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen[Any]) -> None:
        message.stop()
        self.choose(message.row)

    # The filter

    @property
    def filter_words(self) -> str:
        return self.query_one("#filter", Input).value

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.add_class("-shown")
        field.focus()

    def action_close(self) -> None:
        """Clear the filter and leave it, or else close the screen."""
        field = next(iter(self.query("#filter").results(Input)), None)
        if field is not None and (field.value or field.has_focus):
            field.value = ""
            field.remove_class("-shown")
            self.row_list.focus()
        else:
            self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.query("#filter:focus"):
            event.stop()
            self.row_list.focus()

    @on(Input.Changed, "#filter")
    def _filter_typed(self, message: Input.Changed) -> None:
        message.stop()
        self.filter_changed(message.value)

    @on(Input.Submitted, "#filter")
    def _filter_done(self, message: Input.Submitted) -> None:
        message.stop()
        self.row_list.focus()


class BrowserDialog(HasBoxBar, ModalScreen["R | None"], BrowserScreen[T, R], Generic[T, R]):
    """A list of rows and details in a box; its border has the title and the bar of keys."""

    # Textual takes the styles of the first base alone.
    DEFAULT_CSS = """
    BrowserDialog { align: center middle; }
    BrowserDialog > #box {
        width: 95%; height: 95%; border: round $primary; background: $surface; padding: 0 1;
    }
    BrowserDialog Input, BrowserDialog Input:focus {
        border: none; height: 1; padding: 0; background: $surface;
    }
    BrowserDialog KeyedList { height: 1fr; }
    BrowserDialog Static { height: auto; }
    """

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield from self.compose_list()
            yield from self.compose_detail()
