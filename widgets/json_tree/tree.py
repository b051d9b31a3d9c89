"""A JSON value that folds, with its schema errors beside each place.

Also the pieces of a row behind its signs: name, value, error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.message import Message

from ...app.content.json.jsonio import JsonValue, Path
from ...app.content.text import count, cut, spans
from ..bindings import bindings_of
from ..cells import ELLIPSIS, fit, server_text
from ..lists.painted_list import PaintedList
from ..text_view.line_source import MARK, Piece
from .errors import MAX_ERRORS, NodeError
from .rows import Folding, TreeRow

_LABEL_MIN = 14
_LABEL_MAX = 28
_VALUE_MIN = 20


def label_segments(row: TreeRow, base: Style, style: Style) -> list[Segment]:
    """The name of a place, or its number in an array; nothing at the top."""
    if row.label is None:
        return []
    if isinstance(row.label, int):
        return [Segment(f"{row.label}  ", base)]
    longest = cell_len("".join(span.text for span in spans(row.label[:_LABEL_MAX])))
    wide = min(max(longest + (len(row.label) > _LABEL_MAX), _LABEL_MIN), _LABEL_MAX)
    return [*server_text(row.label, wide, style), Segment("  ", base)]


def value_pieces(row: TreeRow, room: int) -> list[Piece]:
    """Draw the row after the name: value, or the size of a folded one, and errors."""
    if row.missing:
        return cropped(absence(row.errors), room)
    value: list[Piece]
    if row.is_group:
        value = [(f"{row.key[1]:,} … {row.key[2] - 1:,}", "muted")]
    else:
        value = preview(row.value, room)
        if row.notice:
            value += [("  ", ""), (row.notice, "muted")]
    if row.errors:
        first, *others = row.errors
        notes: list[Piece] = [
            (in_line(first.message), "error"),
            (f"schema {in_line(first.schema_path)}", "muted"),
        ]
        if others:
            notes.append((f"and {len(others)} more", "error"))
    elif row.inside:
        words = "1 error inside" if row.inside == 1 else f"{row.inside:,} errors inside"
        notes = [(words, "error")]
    else:
        return cropped(value, room)
    # A long value makes room for its error.
    value = cropped(value, max(_VALUE_MIN, room * 2 // 5))
    used = sum(cell_len(text) for text, _ in value)
    pieces: list[Piece] = [*value, (" " * max(_VALUE_MIN - used, 0), "")]
    for note in notes:
        pieces += [("  ", ""), note]
    return cropped(pieces, room)


__all__ = ["JsonTree", "NodeError"]

_INDENT = 2


class JsonTree(PaintedList):
    """Rows of names and values; only open rows in sight cost anything.

    `✗` marks a place with an error, with the message and the place in the schema after it. `◌`
    marks a missing property, which has a row of its own at its place. `↘` marks a node with errors
    further in.
    """

    DEFAULT_CSS = """
    JsonTree > .json-tree--name { color: $text-primary; }
    JsonTree > .json-tree--error { color: $text-error; }
    JsonTree > .json-tree--muted { color: $text-muted; }
    """

    ENTER_HELP = "Fold or unfold this value."
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "json-tree--name",
        "json-tree--error",
        "json-tree--muted",
    }

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("json")

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
        listed: Mapping[Path, Sequence[str]] | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        """`listed`: for objects that lack properties, all their properties in their order."""
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._folding = Folding(value, errors, listed)
        self._rows = self._folding.rows()
        self._top_before: int | None = None

    def on_mount(self) -> None:
        self.set_rows(len(self._rows), 0, 0)

    def show(self, value: JsonValue, *, opens_all: bool = False) -> None:
        """Another value, without errors, from its beginning."""
        self._folding = Folding(value, (), None)
        if opens_all:
            self._folding.open_all()
        self._rows = self._folding.rows()
        self.set_rows(len(self._rows), 0, 0)

    @property
    def path(self) -> Path | None:
        """The place that the cursor is on."""
        row = self._current
        return row.key[0] if row else None

    @property
    def value(self) -> JsonValue:
        """The whole value."""
        return self._folding.value

    def select(self, path: Path, *, opens: bool = False) -> bool:
        """Go to a place, opening its parents; False if the place does not exist.

        `opens`: open the place itself, too.
        """
        index = self._row_at(path)
        if index is None:
            self._folding.reveal(path)
            self._fold_anew()
            index = self._row_at(path)
        if index is not None:
            if opens and self._rows[index].foldable and not self._rows[index].is_open:
                self._set_open(index, True)
                self.set_rows(len(self._rows), self._cursor, self.scroll_offset.y)
            before = self.scroll_offset.y
            self.move_cursor(index)
            if self.is_on_screen:
                self._centre(before)
            else:
                # How high it is, it knows only once it is in sight.
                self._top_before = before
        return index is not None

    def on_show(self) -> None:
        if self._top_before is not None:
            before, self._top_before = self._top_before, None
            self._centre(before)

    def _centre(self, before: int) -> None:
        """Scroll as it was before, or if that is too far off, to what follows the cursor, too.

        `before` is the first row that was in sight.
        """
        top = before
        if not before <= self._cursor < before + self.page_height:
            top = max(self._cursor - self.page_height // 3, 0)
        self.scroll_to(y=min(top, self.max_scroll_y), animate=False, force=True)

    def go_to_error(self, step: int) -> bool:
        """To the next error, or with -1 to the previous one, all around; False without any."""
        cursor = self.cursor
        if cursor is None:
            return False
        index = cursor
        for _ in range(2 * len(self._rows) + MAX_ERRORS):
            index = (index + step) % len(self._rows)
            row = self._rows[index]
            if row.errors and row.detail is None:
                self.set_rows(
                    len(self._rows), min(cursor, len(self._rows) - 1), self.scroll_offset.y
                )
                self.move_cursor(index)
                return True
            if row.inside and row.foldable and not row.is_open:
                opened = self._set_open(index, True)
                if step < 0:
                    index += opened + 1
        return False

    def action_go_to_error(self, step: int) -> None:
        if not self.go_to_error(step):
            # A tree without errors leaves the key to a widget that has some.
            raise SkipAction

    def _row_at(self, path: Path) -> int | None:
        for index, row in enumerate(self._rows):
            if row.key == (path, 0, 0) and row.detail is None:
                return index
        return None

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
            self._fold(not row.is_open)

    def action_open(self) -> None:
        row = self._current
        if row is None or not row.foldable:
            return
        if row.is_open:
            self.action_move(1)
        else:
            self._fold(True)

    def action_close(self) -> None:
        row, cursor = self._current, self.cursor
        if row is None or cursor is None:
            return
        if row.foldable and row.is_open:
            self._fold(False)
            return
        for index in range(cursor - 1, -1, -1):
            if self._rows[index].depth < row.depth:
                self.move_cursor(index)
                return

    def action_open_all(self) -> None:
        self._folding.open_all()
        self._fold_anew()

    def action_close_all(self) -> None:
        self._folding.close_all()
        self._fold_anew()

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]

        def styled(text: str, name: str) -> Segment:
            if name == MARK:
                return Segment(text, base + Style(reverse=True))
            if not name or under_cursor:
                # The cursor's own colours stay legible; words and signs repeat the meaning.
                return Segment(text, base)
            return Segment(text, base + self._colour(name))

        indent = " " * (_INDENT * row.depth)
        if row.detail is not None:
            return [
                Segment(f"  {indent}  ┃ ", base),
                *(styled(text, name) for text, name in row.detail),
            ]
        sign, sign_style = "  ", ""
        if row.missing:
            sign, sign_style = "◌ ", "error"
        elif row.errors:
            sign, sign_style = "✗ ", "error"
        elif row.inside:
            sign, sign_style = "↘ ", "error"
        fold = ("▾ " if row.is_open else "▸ ") if row.foldable else "  "
        segments = [styled(sign, sign_style), Segment(indent, base), styled(fold, "muted")]
        segments += label_segments(row, base, base if under_cursor else base + self._colour("name"))
        room = max(width - sum(segment.cell_length for segment in segments), 0)
        return segments + [styled(*piece) for piece in value_pieces(row, room)]

    def _colour(self, name: str) -> Style:
        # The colour alone, worked out against the background: muted text has no colour of its own.
        return Style(color=self.get_component_rich_style(f"json-tree--{name}").color)

    @property
    def _current(self) -> TreeRow | None:
        index = self.cursor
        return None if index is None or index >= len(self._rows) else self._rows[index]

    def _fold(self, is_open: bool) -> None:
        index = self.cursor
        if index is not None:
            self._set_open(index, is_open)
            self.set_rows(len(self._rows), index, self.scroll_offset.y)
            self.show_cursor()

    def _set_open(self, index: int, is_open: bool) -> int:
        """Open or close the node of a row; how many rows more there are. Only its own change."""
        row = self._rows[index]
        end = index + 1
        while end < len(self._rows) and self._rows[end].depth > row.depth:
            end += 1
        self._folding.set_open(row.key, is_open)
        rows = self._folding.rows_of(row)
        self._rows[index:end] = rows
        return len(rows) - (end - index)

    def _fold_anew(self) -> None:
        """Fold again with the cursor on the same node, or on the nearest one around it."""
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


def absence(errors: Sequence[NodeError]) -> list[Piece]:
    """Describe a missing property."""
    pieces: list[Piece] = []
    for index, error in enumerate(errors):
        words = in_line(error.message).removesuffix(", but missing").removeprefix("is ")
        pieces.append((f"{'; ' if index else 'missing, '}{words}", "error"))
    return [*pieces, (f"  schema {in_line(errors[0].schema_path)}", "muted")] if errors else pieces


def preview(value: JsonValue, room: int) -> list[Piece]:
    if isinstance(value, dict):
        return [("{}", "")] if not value else [(count(len(value), "member"), "muted")]
    if isinstance(value, list):
        return [("[]", "")] if not value else [(count(len(value), "item"), "muted")]
    shown = cut(value, max(room, 1)) if isinstance(value, str) else None
    text = json.dumps(shown.text if shown else value, ensure_ascii=False)
    pieces = [(span.text, MARK if span.mark else "") for span in spans(text)]
    if shown and shown.is_cut:
        pieces.append((f"{ELLIPSIS} {shown.total:,} characters", "muted"))
    return pieces


def in_line(text: str) -> str:
    return "".join(span.text for span in spans(cut(text, 500).text))


def cropped(pieces: list[Piece], room: int) -> list[Piece]:
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
