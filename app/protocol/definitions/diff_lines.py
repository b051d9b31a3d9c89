"""The difference of two definitions, or two lists of them, as lines that are safe to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from ...content.text import Span
from .change_values import (
    Change,
    DefinitionDiff,
    ListDiff,
    Renamed,
    Weight,
)
from .change_words import quoted
from .diff_values import Line, value_lines
from .text_diff import Effort

MAX_LINES: Final = 400
MAX_CHANGE_LINES: Final = 40

Piece = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line. `sign` is `-` old, `+` new, `~` changed or a remark, or a blank for context.

    `pieces` are safe texts with their roles: "" plain, "strong" what differs, "dim" less, "mark"
    stands for something invisible, "noticed" says that something is left out. `is_theirs` lines
    hold a server's text and are to be drawn behind a gutter; in the others it stands in quotes.
    """

    sign: str
    pieces: tuple[Piece, ...]
    weight: Weight
    is_theirs: bool = False

    @property
    def plain(self) -> str:
        """The line as text; what is theirs is set apart by a gutter."""
        text = "".join(text for text, _ in self.pieces)
        return f"{self.sign} ┃ {text}" if self.is_theirs else f"{self.sign} {text}"

    def spans(self) -> list[Span]:
        """The line as pieces of safe text, sign included."""
        sign = Span(f"{self.sign} ┃ " if self.is_theirs else f"{self.sign} ", False)
        return [sign, *(Span(text, role == "mark") for text, role in self.pieces)]


def definition_lines(diff: DefinitionDiff, max_lines: int = MAX_LINES) -> list[DiffLine]:
    """Every change: the place and what it means, then the old and the new value.

    Of long values only what differs is shown. At most `max_lines`, and then one that says how much
    is left out.
    """
    lines: list[DiffLine] = []
    effort = Effort()
    shown = 0
    for change in diff.changes:
        room = max_lines - len(lines)
        if room <= 0:
            break
        lines += islice(_change_lines(change, effort), room)
        shown += 1
    total = len(diff.changes) + diff.more
    if shown < total or len(lines) >= max_lines:
        lines.append(_notice(f"cut: {shown:,} of {total:,} changes", diff.weight))
    return lines


def list_lines(diff: ListDiff, max_lines: int = MAX_LINES) -> list[DiffLine]:
    """What changed in a list of tools: each changed, renamed, gone and new one."""
    lines: list[DiffLine] = []
    for part in _list_parts(diff, max_lines):
        room = max_lines - len(lines)
        if room <= 0:
            lines.append(_notice("cut: there are more changed tools", Weight.SAME))
            break
        lines += part[:room]
    return lines


def _list_parts(diff: ListDiff, max_lines: int) -> Iterator[list[DiffLine]]:
    for name in diff.duplicated:
        words = "several tools have this name now; a call cannot tell them apart"
        yield [_tool("~", name, words, Weight.BREAKING)]
    for changed in sorted(diff.changed, key=lambda one: -one.weight):
        words = f"changed: {_weight_words(changed.weight)}"
        head = _tool("~", changed.tool, words, changed.weight)
        yield [head, *definition_lines(changed, max_lines)]
    for one in diff.renamed:
        yield _renamed(one, max_lines)
    for name in _without(diff.gone, (one.old for one in diff.renamed)):
        yield [_tool("-", name, "gone", Weight.OUTPUT)]
    for name in _without(diff.added, (one.new for one in diff.renamed)):
        yield [_tool("+", name, "new", Weight.SAFE)]


def _renamed(one: Renamed, max_lines: int) -> list[DiffLine]:
    how = "nothing but the name differs" if one.is_exact else "the definitions are much alike"
    pieces = ((quoted(one.old), "strong"), (" looks renamed to ", ""), (quoted(one.new), "strong"))
    head = DiffLine("~", (*pieces, (f"  {how}", "dim")), Weight.OUTPUT)
    if one.diff is None:
        return [head]
    rest = tuple(change for change in one.diff.changes if change.code != "name")
    others = DefinitionDiff(one.new, one.diff.old_digest, one.diff.new_digest, rest, one.diff.more)
    return [head, *definition_lines(others, max_lines)]


def _without(names: tuple[str, ...], taken: Iterable[str]) -> list[str]:
    rest = list(names)
    for name in taken:
        rest.remove(name)
    return rest


def _tool(sign: str, name: str, words: str, weight: Weight) -> DiffLine:
    shown = quoted(name) if name else "an entry without a name"
    return DiffLine(sign, ((shown, "strong"), (f"  {words}", "")), weight)


def _weight_words(weight: Weight) -> str:
    return {
        Weight.SAFE: "what worked before still does",
        Weight.REWORDED: "reworded, read it again",
        Weight.OUTPUT: "it answers otherwise",
        Weight.WORSENED: "it claims more harm than before",
        Weight.WEAKENED: "it claims less harm",
        Weight.BREAKING: "what worked before may be refused, or mean something else",
    }.get(weight, weight.words)


def _change_lines(change: Change, effort: Effort) -> Iterator[DiffLine]:
    sign = "~" if change.had and change.has else "+" if change.has else "-"
    head = ((change.path, "strong"), (f"  {change.words}", ""))
    yield DiffLine(sign, head, change.weight)
    if _says_all(change):
        return
    for count, line in enumerate(value_lines(change, effort)):
        if count >= MAX_CHANGE_LINES:
            yield _notice(f"cut: the first {count:,} lines of this change", change.weight)
            return
        yield _drawn(line, change.weight)


def _says_all(change: Change) -> bool:
    """Whether the words already name both values."""
    values = (change.old, change.new)
    return change.code.startswith("hint-") and all(
        value is None or isinstance(value, bool) for value in values
    )


def _drawn(line: Line, weight: Weight) -> DiffLine:
    return DiffLine(line.sign, line.pieces, weight, line.is_theirs)


def _notice(words: str, weight: Weight) -> DiffLine:
    return DiffLine("~", ((words, "noticed"),), weight)
