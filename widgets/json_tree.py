"""A JSON value that folds, with what a schema has against it beside each place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message

from app.core.jsonio import JsonValue, Path
from app.core.text import cut, spans
from widgets.cells import ELLIPSIS, fit, server_text
from widgets.json_rows import Folding, NodeError, Row
from widgets.line_source import MARK, Piece
from widgets.row_list import RowList

__all__ = ["JsonTree", "NodeError"]

_LABEL_MIN = 14
_LABEL_MAX = 28
_VALUE_MIN = 20
_INDENT = 2
_KEYS = (
    ("space", "toggle_node", "Fold", "toggle", "Open or close this node."),
    ("right,l", "open", "Open", "open", "Open this node, or go to its first child."),
    ("left,h", "close", "Close", "close", "Close this node, or go to its parent."),
    ("E", "open_all", "Open all", "open-all", "Open everything, up to 10,000 rows."),
    ("C", "close_all", "Close all", "close-all", "Close everything."),
    ("g", "first", "First", "first", "The first row."),
    ("G", "last", "Last", "last", "The last row."),
)


class JsonTree(RowList):
    """Rows of names and values; only what is open and in sight costs anything.

    `✗` stands before a place with an error, the message and the place in the schema after it; a
    property that is missing has a row of its own. `↘` stands before a node with errors further in.
    """

    DEFAULT_CSS = """
    JsonTree > .json-tree--name { color: $text-primary; }
    JsonTree > .json-tree--error { color: $text-error; }
    JsonTree > .json-tree--muted { color: $text-muted; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "json-tree--name",
        "json-tree--error",
        "json-tree--muted",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, action, words, show=False, id=f"json.{name}", tooltip=tooltip)
        for key, action, words, name, tooltip in _KEYS
    ]

    class Highlighted(Message):
        """The cursor moved to another node."""

        def __init__(self, tree: JsonTree, path: Path, errors: tuple[NodeError, ...]) -> None:
            super().__init__()
            self.tree = tree
            self.path = path
            self.errors = errors

        @property
        def control(self) -> JsonTree:
            return self.tree

    def __init__(
        self,
        value: JsonValue = None,
        errors: Sequence[NodeError] = (),
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._folding = Folding(value, errors)
        self._rows = self._folding.rows()

    def on_mount(self) -> None:
        self.set_rows(len(self._rows), 0, 0)

    def show(self, value: JsonValue, errors: Sequence[NodeError] = ()) -> None:
        """Show another value, with the errors at its places; unfolded anew."""
        self._folding = Folding(value, errors)
        self._rows = self._folding.rows()
        self.set_rows(len(self._rows), 0, 0)

    @property
    def path(self) -> Path | None:
        """The place that the cursor is on."""
        row = self._current
        return row.key[0] if row else None

    def cursor_moved(self) -> None:
        row = self._current
        if row is not None:
            self.post_message(self.Highlighted(self, row.key[0], row.errors))

    def row_chosen(self, index: int) -> None:
        self.action_toggle_node()

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        self.action_toggle_node()

    def action_toggle_node(self) -> None:
        row = self._current
        if row is not None and row.foldable:
            self._fold(row, not row.is_open)

    def action_open(self) -> None:
        row = self._current
        if row is None or not row.foldable:
            return
        if row.is_open:
            self.action_move(1)
        else:
            self._fold(row, True)

    def action_close(self) -> None:
        row, cursor = self._current, self.cursor
        if row is None or cursor is None:
            return
        if row.foldable and row.is_open:
            self._fold(row, False)
            return
        for index in range(cursor - 1, -1, -1):
            if self._rows[index].depth < row.depth:
                self.move_cursor(index)
                return

    def action_open_all(self) -> None:
        self._folding.open_all()
        self._again()

    def action_close_all(self) -> None:
        self._folding.close_all()
        self._again()

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]

        def styled(text: str, name: str) -> Segment:
            if name == MARK:
                return Segment(text, base + Style(reverse=True))
            if not name or under_cursor:
                # The cursor's own colours stay legible; words and signs say the same.
                return Segment(text, base)
            return Segment(text, base + self._colour(name))

        indent = " " * (_INDENT * row.depth)
        if row.detail is not None:
            return [
                Segment(f"  {indent}  ┃ ", base),
                *(styled(text, name) for text, name in row.detail),
            ]
        sign, sign_style = "  ", ""
        if row.errors:
            sign, sign_style = "✗ ", "error"
        elif row.inside:
            sign, sign_style = "↘ ", "error"
        fold = ("▾ " if row.is_open else "▸ ") if row.foldable else "  "
        segments = [styled(sign, sign_style), Segment(indent, base), styled(fold, "muted")]
        segments += self._label(row, base, base if under_cursor else base + self._colour("name"))
        room = max(width - sum(segment.cell_length for segment in segments), 0)
        return segments + [styled(*piece) for piece in self._value(row, room)]

    def _colour(self, name: str) -> Style:
        # The colour alone, worked out against the background: muted text has no colour of its own.
        return Style(color=self.get_component_rich_style(f"json-tree--{name}").color)

    def _label(self, row: Row, base: Style, style: Style) -> list[Segment]:
        if row.label is None:
            return []
        if isinstance(row.label, int):
            return [Segment(f"{row.label}  ", base)]
        longest = cell_len("".join(span.text for span in spans(row.label[:_LABEL_MAX])))
        wide = min(max(longest + (len(row.label) > _LABEL_MAX), _LABEL_MIN), _LABEL_MAX)
        return [*server_text(row.label, wide, style), Segment("  ", base)]

    def _value(self, row: Row, room: int) -> list[Piece]:
        """What stands after the name: value, or how much is folded, and the errors."""
        if row.missing:
            value: list[Piece] = [("missing", "error")]
        elif row.is_group:
            value = [(f"{row.key[1]:,} … {row.key[2] - 1:,}", "muted")]
        else:
            value = _preview(row.value, room)
        if row.errors:
            first, *others = row.errors
            notes: list[Piece] = [
                (_line(first.message), "error"),
                (f"schema {_line(first.schema_path)}", "muted"),
            ]
            if others:
                notes.append((f"and {len(others)} more", "error"))
        elif row.inside:
            words = "1 error inside" if row.inside == 1 else f"{row.inside:,} errors inside"
            notes = [(words, "error")]
        else:
            return _cropped(value, room)
        # A long value makes room for what is wrong with it.
        value = _cropped(value, max(_VALUE_MIN, room * 2 // 5))
        used = sum(cell_len(text) for text, _ in value)
        pieces: list[Piece] = [*value, (" " * max(_VALUE_MIN - used, 0), "")]
        for note in notes:
            pieces += [("  ", ""), note]
        return _cropped(pieces, room)

    @property
    def _current(self) -> Row | None:
        index = self.cursor
        return None if index is None or index >= len(self._rows) else self._rows[index]

    def _fold(self, row: Row, is_open: bool) -> None:
        self._folding.set_open(row.key, is_open)
        self._again()

    def _again(self) -> None:
        """Fold anew with the cursor on the same node, or on the nearest one around it."""
        before = self._current
        top = self.scroll_offset.y
        self._rows = self._folding.rows()
        cursor = 0
        if before is not None:
            path, low, high = before.key
            for index, row in enumerate(self._rows):
                if row.key == (path, low, high):
                    cursor = index
                    break
                if row.key[0] == path[: len(row.key[0])]:
                    cursor = index
        self.set_rows(len(self._rows), cursor, top)
        self.show_cursor()


def _preview(value: JsonValue, room: int) -> list[Piece]:
    if isinstance(value, dict):
        return [("{}", "")] if not value else [(_count(len(value), "member"), "muted")]
    if isinstance(value, list):
        return [("[]", "")] if not value else [(_count(len(value), "item"), "muted")]
    shown = cut(value, max(room, 1)) if isinstance(value, str) else None
    text = json.dumps(shown.text if shown else value, ensure_ascii=False)
    pieces = [(span.text, MARK if span.mark else "") for span in spans(text)]
    if shown and shown.is_cut:
        pieces.append((f"{ELLIPSIS} {shown.total:,} characters", "muted"))
    return pieces


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _line(text: str) -> str:
    return "".join(span.text for span in spans(cut(text, 500).text))


def _cropped(pieces: list[Piece], room: int) -> list[Piece]:
    """At most `room` cells, ending in an ellipsis where something is left out."""
    found: list[Piece] = []
    used = 0
    for index, (text, style) in enumerate(pieces):
        left = room - used
        shown = fit(text, left)
        follows = any(rest for rest, _ in pieces[index + 1 :])
        if shown == text and cell_len(text) == left and follows:
            shown = fit(text + ELLIPSIS, left)
        if shown:
            found.append((shown, style))
        if shown != text:
            break
        used += cell_len(text)
    return found
