"""The rows of a folded JSON value, and of its schema errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from itertools import islice
from typing import TypeAlias

from ...app.content.frozen import frozen
from ...app.content.json.jsonio import JsonValue, Path
from ...app.content.text import cut, spans
from ...app.protocol.answers.values import member
from ..text_view.line_rows import Rows
from ..text_view.line_source import Piece, SpanSource, split_lines
from .errors import ErrorPlaces, NodeError

CHUNK = 100
"""More children than this are folded into groups."""

OPEN_LEVELS = 2
OPEN_ROWS = 300
"""With more rows on two levels only the first of them is open at first."""

MAX_OPENED = 10_000
"""Rows after which opening everything stops."""

MAX_DEPTH = 150
"""Levels that are drawn; deeper ones are only mentioned."""

LONG_TEXT = 40
DETAIL_WIDTH = 60
MAX_DETAIL = 64_000

Key: TypeAlias = tuple[Path, int, int]
"""A node: its path, and for a group of children the first and the end; (path, 0, 0) otherwise."""


@frozen
class TreeRow:
    """One row. `label` is a raw name, a number or None at the root."""

    key: Key
    depth: int
    label: str | int | None
    value: JsonValue
    foldable: bool
    is_open: bool
    errors: tuple[NodeError, ...] = ()
    inside: int = 0
    missing: bool = False
    is_group: bool = False
    detail: tuple[Piece, ...] | None = None
    notice: str = ""
    """The reason for leaving out its contents, in words of our own."""

    @property
    def is_branch(self) -> bool:
        """True if opening it shows further nodes, besides the whole of its own text."""
        return self.foldable and (self.is_group or isinstance(self.value, dict | list))


class Folding:
    """The open parts of a value, and the rows that follow from them.

    Open at first: two levels, or one if two are long; the first group of a long list, and the way
    to each of the first errors.
    """

    def __init__(
        self,
        value: JsonValue,
        errors: Sequence[NodeError] = (),
        listed: Mapping[Path, Sequence[str]] | None = None,
    ) -> None:
        """`listed`: for objects that lack properties, all their properties in their order."""
        self.value = value
        self._errors = ErrorPlaces(value, errors, listed)
        self._levels = _first_levels(value)
        self._opens_first = True
        self._chosen: dict[Key, bool] = {}

    def rows(self) -> list[TreeRow]:
        """All rows that are not folded away."""
        return list(self._node((), None, self.value, 0))

    def rows_of(self, row: TreeRow) -> list[TreeRow]:
        """Return a row in its current state, and the rows inside."""
        path, low, high = row.key
        if row.is_group:
            inside = self._errors.between(path, row.value, low, high)
            return list(self._group(path, row.value, low, high, row.depth, inside, row.is_open))
        return list(self._node(path, row.label, row.value, row.depth))

    def reveal(self, path: Path) -> None:
        """Open all that is around a place, however it was folded."""
        value = self.value
        for depth, step in enumerate(path):
            parent = path[:depth]
            self._chosen[(parent, 0, 0)] = True
            index = _index_of(value, step)
            if index is None and isinstance(step, str) and isinstance(value, dict):
                anchor = self._errors.anchor(parent, step)
                index = _index_of(value, anchor) if anchor is not None else None
            if index is not None:
                for key in _groups_around(parent, index, len(_sized(value))):
                    self._chosen[key] = True
            inside = member(value, step)
            if not inside:
                return
            value = inside[0]

    def set_open(self, key: Key, is_open: bool) -> None:
        self._chosen[key] = is_open

    def close_all(self) -> None:
        self._chosen = {}
        self._levels = 1
        self._opens_first = False
        self._errors.forget_ways()

    def open_all(self) -> None:
        """Open closed branches, from the top, until there are 10,000 rows."""
        count = 0
        while count < MAX_OPENED:
            rows = self.rows()
            closed = [row for row in rows if row.is_branch and not row.is_open]
            count = len(rows)
            for row in closed:
                self.set_open(row.key, True)
                count += self._rows_within(row)
                if count >= MAX_OPENED:
                    break
            if not closed:
                break

    def _node(
        self, path: Path, label: str | int | None, value: JsonValue, depth: int
    ) -> Iterator[TreeRow]:
        errors = tuple(self._errors.at.get(path, ()))
        ghosts = self._errors.ghosts.get(path, {})
        inside = self._errors.inside.get(path, 0)
        key: Key = (path, 0, 0)
        count = len(_sized(value))
        is_too_deep = bool(count) and len(path) >= MAX_DEPTH
        whole = _is_long(value, errors)
        foldable = bool(count or ghosts or whole) and not is_too_deep
        by_default = not whole and (len(path) < self._levels or path in self._errors.ways)
        is_open = foldable and self._chosen.get(key, by_default)
        if path or errors or not (count or ghosts):
            yield TreeRow(
                key,
                depth,
                label,
                value,
                foldable,
                is_open,
                errors,
                inside,
                notice="too deep to be drawn; y copies it" if is_too_deep else "",
            )
            depth += 1
        else:
            # The brackets around everything need no row of their own.
            is_open = True
        if not is_open:
            return
        if whole:
            for detail in _details(value, errors):
                yield TreeRow(key, depth, None, None, False, False, detail=detail)
        yield from self._ghosts_after(path, None, depth)
        yield from self._children(path, value, 0, count, depth)

    def _ghosts_after(self, path: Path, anchor: str | None, depth: int) -> Iterator[TreeRow]:
        for name, errors in self._errors.ghosts.get(path, {}).get(anchor, {}).items():
            key: Key = ((*path, name), 0, 0)
            yield TreeRow(key, depth, name, None, False, False, tuple(errors), missing=True)

    def _children(
        self, path: Path, value: JsonValue, start: int, end: int, depth: int
    ) -> Iterator[TreeRow]:
        if end - start <= CHUNK:
            has_ghosts = path in self._errors.ghosts
            for label, child in _members(value, start, end):
                yield from self._node((*path, label), label, child, depth)
                if has_ghosts and isinstance(label, str):
                    yield from self._ghosts_after(path, label, depth)
            return
        step = _step(end - start)
        for low in range(start, end, step):
            high = min(low + step, end)
            inside = self._errors.between(path, value, low, high)
            first = low == 0 and self._opens_first
            by_default = first or self._errors.is_followed(path, value, low, high)
            yield from self._group(path, value, low, high, depth, inside, by_default)

    def _group(
        self,
        path: Path,
        value: JsonValue,
        low: int,
        high: int,
        depth: int,
        inside: int,
        by_default: bool,
    ) -> Iterator[TreeRow]:
        key = (path, low, high)
        is_open = self._chosen.get(key, by_default)
        yield TreeRow(key, depth, None, value, True, is_open, inside=inside, is_group=True)
        if is_open:
            yield from self._children(path, value, low, high, depth + 1)

    def _rows_within(self, row: TreeRow) -> int:
        """Number of rows that opening a branch adds, its children folded as at first."""
        path, start, end = row.key
        if not row.is_group:
            end = len(_sized(row.value))
        if end - start > CHUNK:
            return CHUNK
        grandchildren = len(path) + 1 < self._levels
        return sum(
            1 + (min(len(child), CHUNK) if grandchildren and isinstance(child, dict | list) else 0)
            for _, child in _members(row.value, start, end)
        )


def _members(value: JsonValue, start: int, end: int) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(value, dict):
        yield from islice(value.items(), start, end)
    elif isinstance(value, list):
        yield from enumerate(value[start:end], start)


def _first_levels(value: JsonValue) -> int:
    """Number of levels open at first."""
    count = len(_sized(value))
    rows = min(count, CHUNK) + sum(
        min(len(_sized(child)), CHUNK) for _, child in _members(value, 0, CHUNK)
    )
    return OPEN_LEVELS if rows <= OPEN_ROWS else 1


def _sized(value: JsonValue) -> Sized:
    """The members of a value; nothing for a scalar."""
    return value if isinstance(value, dict | list) else ()


def _index_of(value: JsonValue, step: str | int) -> int | None:
    """Index of the member that a step leads to; None if there is none."""
    if isinstance(step, int):
        return step if member(value, step) else None
    if not isinstance(value, dict) or step not in value:
        return None
    return next(index for index, name in enumerate(value) if name == step)


def _step(count: int) -> int:
    """Number of children in one group, so that there are at most 100 groups."""
    step = CHUNK
    while count > step * CHUNK:
        step *= CHUNK
    return step


def _groups_around(path: Path, index: int, count: int) -> Iterator[Key]:
    """The groups that a child is in, from the outside."""
    start, end = 0, count
    while end - start > CHUNK:
        step = _step(end - start)
        start += (index - start) // step * step
        end = min(start + step, end)
        yield (path, start, end)


def _is_long(value: JsonValue, errors: Sequence[NodeError]) -> bool:
    """True if one row may be too short for a scalar and its errors."""
    if isinstance(value, dict | list):
        return False
    if isinstance(value, str) and (len(value) > LONG_TEXT or not value.isprintable()):
        return True
    return any(len(error.message) + len(error.schema_path) > LONG_TEXT for error in errors)


def _details(value: JsonValue, errors: Sequence[NodeError]) -> Iterator[tuple[Piece, ...]]:
    """The whole text of a scalar, then each error, wrapped."""
    if isinstance(value, str):
        part = cut(value, MAX_DETAIL)
        yield from _wrapped(part.text, "")
        if part.is_cut:
            yield ((part.notice, "muted"),)
    for error in errors:
        yield from _wrapped(f"{error.message}\nschema {error.schema_path}", "error")


def _wrapped(text: str, style: str) -> Iterator[tuple[Piece, ...]]:
    source = SpanSource(split_lines(spans(text, multiline=True)))
    rows = Rows(source.texts, DETAIL_WIDTH)
    for row in range(rows.total):
        pieces = source.between(*rows.locate(row))
        yield tuple((piece, mark or style) for piece, mark in pieces)
