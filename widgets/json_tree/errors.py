"""Places of schema errors in a JSON value, and a numbered list of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from ...app.content.frozen import frozen
from ...app.content.json.jsonio import JsonValue, Path
from ...app.protocol.answers.values import member
from ...app.protocol.answers.verdict_words import neighbour
from ..cells import fit
from ..lists.painted_list import PaintedList

MAX_ERRORS = 500
FOLLOWED = 20
"""Errors to which the way is open at first; the others are gone to."""

Counts = dict[Path, dict[str | int, int]]
"""For each place the members that lead to errors, and to how many."""


@frozen
class NodeError:
    """A schema error at one place. `path` may name a property that is missing."""

    path: Path
    message: str
    schema_path: str


class ErrorPlaces:
    """The errors by place; a property that is missing has a ghost among its siblings."""

    def __init__(
        self,
        value: JsonValue,
        errors: Sequence[NodeError] = (),
        listed: Mapping[Path, Sequence[str]] | None = None,
    ) -> None:
        """`listed`: for objects that lack properties, all their properties in their order."""
        self.at: dict[Path, list[NodeError]] = {}
        self.ghosts: dict[Path, dict[str | None, dict[str, list[NodeError]]]] = {}
        """For an object: the missing members by name, after their predecessor (None: first)."""
        self.inside: dict[Path, int] = {}
        self.ways: set[Path] = set()
        """Places around the first errors."""
        self._value = value
        self._listed = listed or {}
        self._counts: Counts = {}
        self._first: Counts = {}
        for number, error in enumerate(errors[:MAX_ERRORS]):
            self._follows = number < FOLLOWED
            self._place(error)

    def between(self, path: Path, value: JsonValue, low: int, high: int) -> int:
        """Number of errors in the members from `low` to `high`."""
        return _between(self._counts.get(path), value, low, high)

    def is_followed(self, path: Path, value: JsonValue, low: int, high: int) -> bool:
        """True if one of the first errors is in these members."""
        return _between(self._first.get(path), value, low, high) > 0

    def forget_ways(self) -> None:
        """Stop opening branches for errors."""
        self.ways.clear()
        self._first.clear()

    def anchor(self, parent: Path, name: str | int) -> str | None:
        """After which member a missing property has its row; None: before all, or it has none."""
        ghosts = self.ghosts.get(parent, {})
        return next((after for after, names in ghosts.items() if name in names), None)

    def _place(self, error: NodeError) -> None:
        value = self._value
        path = error.path
        for depth, step in enumerate(path):
            inside = member(value, step)
            if not inside:
                if isinstance(value, dict) and isinstance(step, str):
                    self._place_ghost(path[:depth], value, step, error)
                    return
                path = path[:depth]
                break
            value = inside[0]
        self.at.setdefault(path, []).append(error)
        if path:
            self._count_inside(path[:-1])
            self._count_branch(path[:-1], path[-1])

    def _place_ghost(
        self, parent: Path, value: dict[str, JsonValue], name: str, error: NodeError
    ) -> None:
        """A missing property is at its place among the siblings in the schema."""
        listed = self._listed.get(parent, ())
        anchor = neighbour(value, name, listed)
        ghosts = self.ghosts.setdefault(parent, {}).setdefault(anchor, {})
        ghosts.setdefault(name, []).append(error)
        if name in listed:
            order = {one: index for index, one in enumerate(listed)}
            self.ghosts[parent][anchor] = dict(
                sorted(ghosts.items(), key=lambda item: order.get(item[0], len(order)))
            )
        self._count_inside(parent)
        if anchor is not None:
            self._count_branch(parent, anchor)

    def _count_inside(self, path: Path) -> None:
        for end in range(len(path) + 1):
            self.inside[path[:end]] = self.inside.get(path[:end], 0) + 1
            if self._follows:
                self.ways.add(path[:end])
            if end:
                self._count_branch(path[: end - 1], path[end - 1])

    def _count_branch(self, path: Path, label: str | int) -> None:
        for counts in (self._counts, self._first) if self._follows else (self._counts,):
            labels = counts.setdefault(path, {})
            labels[label] = labels.get(label, 0) + 1


def _between(counts: Mapping[str | int, int] | None, value: JsonValue, low: int, high: int) -> int:
    if not counts:
        return 0
    if isinstance(value, dict):
        return sum(counts.get(name, 0) for name in islice(value, low, high))
    indexes: Iterator[int] = (one for one in counts if isinstance(one, int))
    return sum(counts[index] for index in indexes if low <= index < high)


@frozen
class PlacedError:
    """A place and its error: `where` and `claim` are safe to show, `path` is raw."""

    path: Path
    where: str
    claim: str


class ErrorList(PaintedList):
    """The errors in the order of their places. Enter on one posts `Picked`.

    `hidden` more are not in it and get a line of their own; enter there posts `AllWanted`.
    """

    DEFAULT_CSS = """
    ErrorList { height: auto; }
    ErrorList > .error-list--place { color: $text-error; }
    """

    ENTER_HELP = "Go to the value of this error."
    COMPONENT_CLASSES: ClassVar[set[str]] = {"error-list--place"}

    class Picked(Message):
        """The user wants to go to the place of an error."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    class AllWanted(Message):
        """The user wants to see the errors that are not in the list."""

    def __init__(
        self, errors: Sequence[PlacedError], hidden: int = 0, *, offers_all: bool = True
    ) -> None:
        super().__init__()
        self._errors = tuple(errors)
        self._hidden = hidden
        self._offers_all = offers_all

    def on_mount(self) -> None:
        self.set_rows(len(self._errors) + bool(self._hidden), 0, 0)

    def point_at(self, path: Path) -> None:
        """Put the cursor on the error at a place, if there is one; nothing is posted."""
        for index, error in enumerate(self._errors):
            if error.path == path:
                self.move_cursor(index)
                return

    def row_chosen(self, index: int) -> None:
        if index < len(self._errors):
            self.post_message(self.Picked(self._errors[index].path))
        elif self._offers_all:
            self.post_message(self.AllWanted())

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        self.row_chosen(index)

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        if index >= len(self._errors):
            words = f"   and {self._hidden:,} more"
            words += ", enter: show all" if self._offers_all else ""
            return [Segment(fit(words, width), base)]
        error = self._errors[index]
        number = f"{index + 1:>{len(str(len(self._errors)))}}  "
        place = base
        if not under_cursor:
            place += Style(color=self.get_component_rich_style("error-list--place").color)
        # The error must stay in sight beside a long place.
        where = fit(error.where, max(width - len(number) - 30, width // 2))
        room = max(width - len(number) - len(where) - 1, 0)
        return [
            Segment(number, base),
            Segment(where, place),
            Segment(f" {fit(error.claim, room)}", base),
        ]
