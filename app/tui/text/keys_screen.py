"""The help screen: a short text on the focused widget, its keys, and the keys by job; or all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, TextArea

from ....widgets.bindings import bindings_of
from ....widgets.key_footer import KeyFooter
from ....widgets.sheets import SheetView
from ...content.key_tables import Mark, key_rows
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ..base.screen_mixin import ScreenMixin

OPEN_ID: Final = "list.open"
HERE: Final = "Here"
ON_THIS_SCREEN: Final = "On this screen"
EVERYWHERE: Final = "Everywhere"
MOVING: Final = "Moving about, and typing"
KNOWN_ELSEWHERE: Final = ("list", "text", "choice", "checklist", "select", "group", "search")
"""Beginnings of ids: moving in lists and texts is as in other programs, and comes last."""


class KeySection(NamedTuple):
    """A group of keys as they are written, with their actions."""

    head: str
    keys: tuple[tuple[str, str], ...]


def about(screen: Screen[Any]) -> tuple[str, Sequence[str]]:
    """Return head and paragraphs of help on the focused widget; empty if unknown.

    The nearest widget with a HELP has it. Its `more_help`, if it has one, depends on its state.
    """
    chain = [screen] if screen.focused is None else screen.focused.ancestors_with_self
    node = next((one for one in chain if one.HELP and _is_ours(type(one))), None)
    text = "" if node is None else f"{node.HELP}\n{getattr(node, 'more_help', '')}"
    head, *paragraphs = re.split(r"\n\s*\n", text.strip())
    return head.lstrip("# "), [" ".join(one.split()) for one in paragraphs]


def key_sections(screen: Screen[Any]) -> Iterator[KeySection]:
    """The keys that work now, by how near they are; keys with the same effect are together."""
    found: dict[str, dict[str, dict[str, None]]] = {
        head: {} for head in (HERE, ON_THIS_SCREEN, EVERYWHERE, MOVING)
    }
    told = set[str]()
    for one in _active(screen):
        binding = one.binding
        words = binding.tooltip or binding.description
        if binding.id == OPEN_ID:
            words = _enter_help(one.node, screen)
        head = _head_of(one, screen)
        if _is_line_editing(one) or not words or (words in told and words not in found[head]):
            continue
        told.add(words)
        found[head].setdefault(words, {})[screen.app.get_key_display(binding)] = None
    for head, rows in found.items():
        if rows:
            yield KeySection(head, tuple((", ".join(keys), words) for words, keys in rows.items()))


JOBS: Final = {
    "call": "call",
    "hosts": "ask the hosts",
    "decide": "decide",
    "back": "look back",
    "around": "get around",
}
"""The jobs of the main screen, by their names in the tables of keys."""


def keys_by_job(screen: Screen[Any]) -> list[KeySection]:
    """The keys of each job that a screen has, in the order of the tables."""
    rows = {row.id: row for row in key_rows() if Mark.JOB in row.marks}
    found: dict[str, dict[str, str]] = {job: {} for job in JOBS}
    for binding in Binding.make_bindings(screen.BINDINGS):
        row = rows.get(binding.id or "")
        if row is not None:
            keys = row.marks.get(Mark.AS) or screen.app.get_key_display(binding)
            found[row.marks[Mark.JOB]].setdefault(row.label, keys)
    return [
        KeySection(JOBS[job], tuple((keys, label) for label, keys in labels.items()))
        for job, labels in found.items()
        if labels
    ]


def _enter_help(node: DOMNode, screen: Screen[Any]) -> str:
    """What enter does with a row: the screen knows it, or the list; empty if it does nothing."""
    for one in (screen, node):
        words = getattr(one, "ENTER_HELP", None)
        if isinstance(words, str):
            return words
    return ""


def _active(screen: Screen[Any]) -> Iterator[ActiveBinding]:
    app = screen.app
    active = [one for one in screen.active_bindings.values() if one.enabled]
    yield from active
    # Screens that take no keys of the app's take these all the same.
    for binding in Binding.make_bindings(app.BINDINGS):
        if binding.priority:
            yield ActiveBinding(app, binding, True)


def _head_of(one: ActiveBinding, screen: Screen[Any]) -> str:
    identity = (one.binding.id or "").partition(".")[0]
    is_enter = one.binding.key == "enter"
    if (identity in KNOWN_ELSEWHERE and not is_enter) or _is_of_textual(one):
        return MOVING
    if isinstance(one.node, App):
        return EVERYWHERE
    return ON_THIS_SCREEN if one.node is screen else HERE


def _is_of_textual(one: ActiveBinding) -> bool:
    """True if the library brought the key along, as those of its text fields."""
    if one.node is one.node.app:
        return False
    for kind in type(one.node).__mro__:
        for binding in Binding.make_bindings(kind.__dict__.get("BINDINGS", ())):
            if binding.key == one.binding.key and binding.action == one.binding.action:
                return not _is_ours(kind)
    return False


def _is_line_editing(one: ActiveBinding) -> bool:
    """True for a key that every text field has, by Textual's own bindings."""
    return isinstance(one.node, Input | TextArea) and _is_of_textual(one)


def _is_ours(kind: type[DOMNode]) -> bool:
    return not kind.__module__.startswith("textual.")


MORE: Final = "All of Signoff at length: run signoff manual in a terminal."
_HELD: Final = "\u00a0"
"""A blank at which no line ends: a key stays with its verb."""
_AROUND = 4
"""Columns of border and padding, and rows of border with some air."""
_MOST = 84


class KeysScreen(ScreenMixin, ModalScreen[None]):
    """Help on the screen `below` and its keys; `below` gets no input while this is open."""

    DEFAULT_CSS = """
    KeysScreen { align: center middle; background: $background 70%; }
    KeysScreen > Vertical {
        height: auto; max-height: 100%; border: round $primary; background: $surface; padding: 0 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("keys"), *bindings_of("sheet")]

    def __init__(self, below: Screen[Any]) -> None:
        super().__init__()
        self._head, self._paragraphs = about(below)
        self._sections = tuple(key_sections(below))
        self._jobs = keys_by_job(below)
        self._has_all = not self._jobs
        self._sheet = SheetView()

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(self._head or "Keys")
            yield self._sheet
        yield KeyFooter()

    def on_mount(self) -> None:
        self._lay_out()

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    def action_close(self) -> None:
        self.dismiss()

    def action_all(self) -> None:
        """Every key, or the first page."""
        self._has_all = not self._has_all
        self._lay_out()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self._jobs) if action == "all" else super().check_action(action, parameters)

    def action_scroll_sheet(self, where: str) -> None:
        getattr(self._sheet, f"scroll_{where}")(animate=False)

    @on(SheetView.Moved)
    def _moved(self, message: SheetView.Moved) -> None:
        message.stop()
        more = f"{message.below} more below" if message.below else ""
        self.query_one(Vertical).border_subtitle = Content(more)

    def _lay_out(self) -> None:
        width, height = self.app.size
        columns = max(min(width, _MOST) - _AROUND, 1)
        total = self._sheet.set_lines(list(self._lines(columns)), columns, keep_seen=True)
        self._sheet.styles.height = min(total, max(height - 3, 1))
        self.query_one(Vertical).styles.width = columns + _AROUND

    def _lines(self, columns: int) -> Iterator[SheetLine]:
        for at, paragraph in enumerate(self._paragraphs):
            if at:
                yield SheetLine()
            pieces = enumerate(paragraph.split("`"))
            yield SheetLine(tuple((text, "strong" if at % 2 else "") for at, text in pieces))
        if not self._has_all:
            yield SheetLine()
            yield from _job_lines(self._jobs)
        shown = [one for one in self._sections if self._has_all or one.head == HERE]
        widths = (cell_len(keys) for section in shown for keys, _ in section.keys)
        indent = max(widths, default=0) + 2
        if indent > columns // 3:
            indent = 0
        for at, section in enumerate(shown):
            if at or self._paragraphs:
                yield SheetLine()
            yield SheetLine(((section.head, "primary"),))
            for keys, words in section.keys:
                yield labelled(keys, indent, (words, ""))
        yield SheetLine()
        yield SheetLine(((MORE, "dim"),))


def _job_lines(jobs: Sequence[KeySection]) -> Iterator[SheetLine]:
    """A line for each job: its keys, each with its verb."""
    indent = max(len(job.head) for job in jobs) + 2
    for job in jobs:
        pieces: list[Piece] = []
        for keys, label in job.keys:
            pieces += [
                ("   " if pieces else "", ""),
                (keys, "strong"),
                (f" {label}".replace(" ", _HELD), ""),
            ]
        yield labelled(job.head, indent, *pieces)
