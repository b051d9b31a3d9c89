"""A value of a setting: chosen from a list, or typed and read as the file is read."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.key_footer import KeyFooter
from ....widgets.lists.row_list import KeyedList, RowList
from ...content.files.kinds import Word
from ...content.text import sentence, visible
from ...engine.policy_state import read_rulebook
from ...presentation.settings import value_words
from ...storage.settings.settings import KnownNames, PolicyName, Setting
from ...tui.base.screen_mixin import ScreenMixin

LONGEST = 4096
LIST_ROWS = 14


class ValueList(KeyedList[str]):
    """Words to choose one from."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("setting: list")

    def key(self, row: str) -> Hashable:
        return row

    def paint(self, row: str, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        return [Segment("› " if under_cursor else "  ", base), Segment(left(row, width - 2), base)]


class ValueInput(Input):
    """A value as it is typed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("setting: text")


class ValueScreen(ScreenMixin, ModalScreen["object | None"]):
    """Dismissed with the value as the file has it, or with None."""

    DEFAULT_CSS = """
    ValueScreen { align: center middle; }
    ValueScreen > Vertical {
        width: 90%; max-width: 100; height: auto; max-height: 95%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    ValueScreen Static { height: auto; }
    ValueScreen ValueList { height: 2; background: $surface; }
    ValueScreen Input, ValueScreen Input:focus {
        margin: 1 0 0 0; border: none; height: 1; padding: 0 1;
        background: $panel;
    }
    ValueScreen .told { color: $text-warning; text-style: bold; min-height: 1; }
    """

    HELP = """
# Value of a setting

Choose it in the list, or type it. It is read as the file is read, and written into it.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("setting")

    def __init__(self, setting: Setting, value: object) -> None:
        super().__init__()
        self._setting = setting
        self._value = value
        self._choices = choices_of(setting)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(self._setting.name)
            yield Static(Content(self._setting.about), markup=False)
            if isinstance(kind := self._setting.kind, KnownNames):
                known = f"{kind.several}: {', '.join(sorted(kind.known()))}"
                yield Static(Content.styled(known, "$text-muted"), markup=False)
            if self._choices:
                yield ValueList()
            if self._is_typed:
                yield ValueInput(self._as_typed(), max_length=LONGEST, select_on_focus=False)
            yield Static(classes="told", markup=False)
            yield KeyFooter()

    def on_mount(self) -> None:
        for listed in self.query(ValueList):
            listed.show_anew(self._choices, self._value)
        self.query(ValueList if self._choices else Input).first().focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit_list)

    def _fit_list(self) -> None:
        """Give the list the rows that the rest of the box leaves."""
        for listed in self.query(ValueList):
            box = self.query_one(Vertical)
            others = sum(one.outer_size.height for one in box.children if one is not listed)
            room = int(self.size.height * 0.95) - box.gutter.height - others
            listed.styles.height = max(2, min(len(self._choices), LIST_ROWS, room))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "other":
            return bool(self._choices) and self._is_typed
        return super().check_action(action, parameters)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_other(self) -> None:
        self.focus_next()

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen[str]) -> None:
        message.stop()
        self._take(message.row)

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self._take(message.value)

    @property
    def _is_typed(self) -> bool:
        return not isinstance(self._setting.kind, Word)

    def _as_typed(self) -> str:
        value = self._value
        is_default = self._setting.name == "files" and not value
        return "" if is_default else value_words(self._setting.name, value)

    def _take(self, text: str) -> None:
        value, problem = self._setting.of_text(text)
        if problem is not None:
            told = Content(sentence(visible(problem.message), begins=True))
            self.query_one(".told", Static).update(told)
            return
        if isinstance(value, float) and not math.isinf(value) and value == int(value):
            value = int(value)
        self.dismiss(value)


def choices_of(setting: Setting) -> Sequence[str]:
    """The words that a setting may be chosen from; none if it can only be typed."""
    if isinstance(setting.kind, Word):
        return tuple(setting.kind.among)
    if isinstance(setting.kind, PolicyName):
        return tuple(one.name for one in read_rulebook().columns if not one.is_loud)
    return ()
