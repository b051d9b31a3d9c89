"""The rows of a folded JSON value, and of the errors that a schema found in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from app.core.jsonio import JsonValue, Path
from app.core.text import cut, spans
from widgets.line_rows import Rows
from widgets.line_source import Piece, SpanSource, split_lines

CHUNK = 100
"""More children than this are folded into groups."""

OPEN_LEVELS = 2
MAX_ERRORS = 500
MAX_OPENED = 10_000
"""Rows after which opening everything stops."""

LONG_TEXT = 40
DETAIL_WIDTH = 60
MAX_DETAIL = 64_000

Key: TypeAlias = tuple[Path, int, int]
"""A node: its path, and for a group of children the first and the end; (path, 0, 0) otherwise."""


@dataclass(frozen=True, slots=True)
class NodeError:
    """What a schema says of one place. `path` may name a property that is missing."""

    path: Path
    message: str
    schema_path: str


@dataclass(frozen=True, slots=True)
class Row:
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

    @property
    def is_branch(self) -> bool:
        """Whether opening it shows further nodes, and not only the whole of its own text."""
        return self.foldable and (self.is_group or isinstance(self.value, dict | list))


class Folding:
    """Which parts of a value are open, and the rows that follow from it.

    Open at first: two levels, the first group of a long list, and the way to each error.
    """

    def __init__(self, value: JsonValue, errors: Sequence[NodeError] = ()) -> None:
        self.value = value
        self._levels = OPEN_LEVELS
        self._chosen: dict[Key, bool] = {}
        self._at: dict[Path, list[NodeError]] = {}
        self._absent: dict[Path, list[NodeError]] = {}
        self._inside: dict[Path, int] = {}
        self._branches: dict[Path, dict[str | int, int]] = {}
        self._follow_errors = True
        for error in errors[:MAX_ERRORS]:
            self._place(error)

    def rows(self) -> list[Row]:
        """All rows that are not folded away."""
        return list(self._node((), None, self.value, 0))

    def set_open(self, key: Key, is_open: bool) -> None:
        self._chosen[key] = is_open

    def close_all(self) -> None:
        self._chosen = {}
        self._levels = 1
        self._follow_errors = False

    def open_all(self) -> None:
        """Open what is closed, from the top, until there are 10,000 rows."""
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

    def _place(self, error: NodeError) -> None:
        value: JsonValue = self.value
        path = error.path
        for depth, step in enumerate(path):
            if isinstance(value, dict) and isinstance(step, str):
                if step not in value:
                    self._count_inside(path[:depth])
                    self._absent.setdefault(path[:depth], []).append(error)
                    return
                value = value[step]
            elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
                value = value[step]
            else:
                path = path[:depth]
                break
        self._at.setdefault(path, []).append(error)
        if path:
            self._count_inside(path[:-1])
            self._count_branch(path[:-1], path[-1])

    def _count_inside(self, path: Path) -> None:
        for end in range(len(path) + 1):
            self._inside[path[:end]] = self._inside.get(path[:end], 0) + 1
            if end:
                self._count_branch(path[: end - 1], path[end - 1])

    def _count_branch(self, path: Path, label: str | int) -> None:
        labels = self._branches.setdefault(path, {})
        labels[label] = labels.get(label, 0) + 1

    def _node(
        self, path: Path, label: str | int | None, value: JsonValue, depth: int
    ) -> Iterator[Row]:
        errors = tuple(self._at.get(path, ()))
        absent = self._absent.get(path, ())
        inside = self._inside.get(path, 0)
        key: Key = (path, 0, 0)
        count = len(value) if isinstance(value, dict | list) else 0
        whole = _is_long(value, errors)
        foldable = bool(count or absent or whole)
        by_default = not whole and self._is_open_by_default(len(path), inside)
        is_open = foldable and self._chosen.get(key, by_default)
        if path or errors or not (count or absent):
            yield Row(key, depth, label, value, foldable, is_open, errors, inside)
            depth += 1
        else:
            # The brackets around everything need no row of their own.
            is_open = True
        if not is_open:
            return
        if whole:
            for detail in _details(value, errors):
                yield Row(key, depth, None, None, False, False, detail=detail)
        yield from self._children(path, value, 0, count, depth)
        for error in absent:
            name = error.path[len(path)]
            yield Row((error.path, 0, 0), depth, name, None, False, False, (error,), missing=True)

    def _children(
        self, path: Path, value: JsonValue, start: int, end: int, depth: int
    ) -> Iterator[Row]:
        if end - start <= CHUNK:
            for label, child in _members(value, start, end):
                yield from self._node((*path, label), label, child, depth)
            return
        step = CHUNK
        while (end - start) > step * CHUNK:
            step *= CHUNK
        for low in range(start, end, step):
            high = min(low + step, end)
            key = (path, low, high)
            inside = self._errors_between(path, value, low, high)
            first = low == 0 and self._levels > 1
            is_open = self._chosen.get(key, first or (bool(inside) and self._follow_errors))
            yield Row(key, depth, None, value, True, is_open, inside=inside, is_group=True)
            if is_open:
                yield from self._children(path, value, low, high, depth + 1)

    def _errors_between(self, path: Path, value: JsonValue, low: int, high: int) -> int:
        branches = self._branches.get(path)
        if not branches:
            return 0
        if isinstance(value, dict):
            return sum(branches.get(name, 0) for name in islice(value, low, high))
        return sum(
            count
            for index, count in branches.items()
            if isinstance(index, int) and low <= index < high
        )

    def _rows_within(self, row: Row) -> int:
        """How many rows appear when a branch is opened, its own children as they are at first."""
        path, start, end = row.key
        if not row.is_group:
            end = len(row.value) if isinstance(row.value, dict | list) else 0
        if end - start > CHUNK:
            return CHUNK
        grandchildren = len(path) + 1 < self._levels
        return sum(
            1 + (min(len(child), CHUNK) if grandchildren and isinstance(child, dict | list) else 0)
            for _, child in _members(row.value, start, end)
        )

    def _is_open_by_default(self, level: int, inside: int) -> bool:
        return level < self._levels or (bool(inside) and self._follow_errors)


def _members(value: JsonValue, start: int, end: int) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(value, dict):
        yield from islice(value.items(), start, end)
    elif isinstance(value, list):
        yield from enumerate(value[start:end], start)


def _is_long(value: JsonValue, errors: Sequence[NodeError]) -> bool:
    """Whether one row may be too little for a scalar and what is said of it."""
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
