"""Draws the difference of two definitions, or two lists of them, as safe lines.

Values are compared line by line and texts word by word, with a little context.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pretty
from ...content.text import Span, cut, describe, spans
from .addressed import ADDRESSES, addressing_words, marked
from .change_values import Change, DefinitionDiff, ListDiff, Renamed, Weight, quoted

MAX_CHARACTERS: Final = 400
"""Characters of one line; a longer one is cut, with a mark."""
COMPACT: Final = 100
"""Characters up to which the JSON of a value fits on one line."""
_ALIKE_MAX: Final = 3
"""Differing characters up to which two words may be taken for the same."""

Pieces = tuple[tuple[str, str], ...]


class ComparedLine(NamedTuple):
    sign: str
    pieces: Pieces
    is_theirs: bool = True


def value_lines(change: Change, effort: Effort) -> Iterator[ComparedLine]:
    """The lines of both values. Remarks of our own have the sign `~`."""
    old, new = change.old, change.new
    if change.had and change.has:
        if isinstance(old, str) and isinstance(new, str):
            yield from _text_lines(old, new, effort)
            return
        if isinstance(old, dict | list) and isinstance(new, dict | list):
            yield from _json_lines(old, new, effort)
            return
    if change.had:
        yield from (ComparedLine("-", pieces) for pieces in _whole(old))
    if change.has:
        yield from (ComparedLine("+", pieces) for pieces in _whole(new))


def _whole(value: JsonValue) -> Iterator[Pieces]:
    if isinstance(value, str):
        hunk = Hunk("", [DiffStep(True, value, "")], at_start=True, at_end=True)
        yield from _side(hunk, is_old=True, role="")
    elif _is_compact(value):
        yield _pieces(spans(_written(value)))
    else:
        yield from map(_json_line, pretty(value).split("\n"))


def _text_lines(old: str, new: str, effort: Effort) -> Iterator[ComparedLine]:
    for hunk in text_hunks(old, new, effort):
        if any(step.old for step in hunk.steps if step.is_changed):
            yield from (ComparedLine("-", pieces) for pieces in _side(hunk, is_old=True))
        if any(step.new for step in hunk.steps if step.is_changed):
            yield from (ComparedLine("+", pieces) for pieces in _side(hunk, is_old=False))
        alike = [words for step in hunk.steps if (words := _look_alikes(step.old, step.new))]
        if alike:
            words = f"these look alike: {'; '.join(dict.fromkeys(alike))}"
            yield ComparedLine("~", ((words, "noticed"),), False)


def _side(hunk: Hunk, *, is_old: bool, role: str = "strong") -> Iterator[Pieces]:
    """One side of a hunk; a line break in it is a mark at the end of the line."""
    line: list[tuple[str, str]] = [('"' if hunk.at_start else "…", "dim")]
    line += _pieces(spans(hunk.before))
    for step in hunk.steps:
        text = step.old if is_old else step.new
        for part in _stretch(text, step.is_changed and bool(role)):
            if part.mark:
                line.append((part.text, "mark"))
                continue
            first, *others = part.text.split("\n")
            line.append((first, role if step.is_changed else ""))
            for other in others:
                yield _limited([*line, ("⏎", "mark")])
                line = [(other, role if step.is_changed else "")]
    line += _pieces(spans(hunk.after))
    yield _limited([*line, ('"' if hunk.at_end else "…", "dim")])


def _stretch(text: str, differs: bool) -> Iterator[Span]:
    # Where blanks are the difference, they must be seen; elsewhere one of them is just a blank.
    blanks = 0 if differs and text.isspace() else 1
    for part in spans(text, multiline=True, max_blanks=blanks):
        first, *others = part.text.split("\t")
        yield Span(first, part.mark)
        for other in others:
            yield Span("␉", True)
            yield Span(other, part.mark)


def _json_lines(old: JsonValue, new: JsonValue, effort: Effort) -> Iterator[ComparedLine]:
    if _is_compact(old) and _is_compact(new):
        yield ComparedLine("-", _pieces(spans(_written(old))))
        yield ComparedLine("+", _pieces(spans(_written(new))))
        return
    left, right = pretty(old).split("\n"), pretty(new).split("\n")
    previous: Sequence[str] = ()
    follows = False
    for is_changed, before, after in sequence_steps(left, right, effort):
        if not is_changed:
            if follows:
                yield from (ComparedLine(" ", _json_line(line)) for line in before[:1])
            previous = before
            continue
        if len(previous) > follows:
            if len(previous) > 1 + follows:
                yield ComparedLine(" ", (("…", "dim"),))
            yield ComparedLine(" ", _json_line(previous[-1]))
        yield from (ComparedLine("-", _json_line(line)) for line in before)
        yield from (ComparedLine("+", _json_line(line)) for line in after)
        follows, previous = True, ()


def _json_line(line: str) -> Pieces:
    """A line of pretty JSON, in which control characters are escapes already."""
    rest = line.lstrip(" ")
    return _pieces([Span(line[: len(line) - len(rest)], False), *spans(rest)])


def _pieces(parts: Sequence[Span]) -> Pieces:
    return _limited([(part.text, "mark" if part.mark else "") for part in parts])


def _limited(pieces: Sequence[tuple[str, str]]) -> Pieces:
    """At most `MAX_CHARACTERS` of a line, and a notice if it is longer."""
    total = sum(len(text) for text, _ in pieces)
    if total <= MAX_CHARACTERS:
        return tuple((text, role) for text, role in pieces if text)
    left = MAX_CHARACTERS
    shown: list[tuple[str, str]] = []
    for text, role in pieces:
        if left <= 0:
            break
        shown.append((cut(text, left).text, role))
        left -= len(text)
    return (*shown, (f"… cut: {MAX_CHARACTERS:,} of {total:,} characters", "noticed"))


def _is_compact(value: JsonValue) -> bool:
    return not isinstance(value, dict | list) or len(json.dumps(value)) <= COMPACT


def _written(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _look_alikes(old: str, new: str) -> str:
    """The characters by which two words differ that a person may take for the same."""
    if not old or not new or old == new or (old.isascii() and new.isascii()):
        return ""
    if len(old) == len(new):
        pairs = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
        if len(pairs) > _ALIKE_MAX:
            return ""
        differing = [char for pair in pairs for char in pair]
    elif unicodedata.normalize("NFKC", old) == unicodedata.normalize("NFKC", new):
        differing = [char for char in old if char not in new]
        differing += [char for char in new if char not in old]
    else:
        return ""
    named = dict.fromkeys(describe(char) for char in differing)
    return ", ".join(islice(named, 2 * _ALIKE_MAX))


CONTEXT: Final = 40
"""Characters of unchanged text around a difference."""
_CLOSE: Final = 16
"""Differences at most so many characters apart are shown as one."""
_COARSE: Final = 400
"""Characters from which a stretch that differs as a whole is looked at sentence by sentence."""
_WORDS: Final = re.compile(r"\w+|\n|[^\S\n]+|[^\w\s]")
_SENTENCES: Final = re.compile(r".+?(?:[.!?]\s+|\n+|\Z)", re.DOTALL)

Item = TypeVar("Item")


class DiffStep(NamedTuple):
    """A stretch of both texts; of an unchanged one `old` is `new`."""

    is_changed: bool
    old: str
    new: str


@dataclass(slots=True)
class Hunk:
    """Differences close to each other. An end is bare where the text itself begins or ends."""

    before: str
    steps: list[DiffStep] = field(default_factory=list)
    after: str = ""
    at_start: bool = False
    at_end: bool = False


@dataclass(slots=True)
class Effort:
    """Budget of pairs to compare; beyond it stretches are shown as wholly different."""

    pairs: int = 400_000
    pairs_at_once: int = 60_000

    def allows(self, one: int, other: int) -> bool:
        pairs = one * other
        if pairs > min(self.pairs_at_once, self.pairs):
            return False
        self.pairs -= pairs
        return True


def text_hunks(old: str, new: str, effort: Effort) -> list[Hunk]:
    """The differences of two texts in order; none where they are equal."""
    steps = list(text_steps(old, new, effort))
    hunks: list[Hunk] = []
    unchanged = ""
    for index, step in enumerate(steps):
        if not step.is_changed:
            unchanged = step.new
            continue
        if hunks and len(unchanged) <= _CLOSE:
            hunks[-1].steps.append(DiffStep(False, unchanged, unchanged))
        else:
            before = _last_part(unchanged)
            is_first = not hunks and len(before) == len(unchanged)
            hunks.append(Hunk(before, at_start=is_first))
        hunks[-1].steps.append(step)
        following = steps[index + 1].new if index + 1 < len(steps) else ""
        hunks[-1].after = _first_part(following)
        hunks[-1].at_end = index + 2 >= len(steps) and len(hunks[-1].after) == len(following)
        unchanged = ""
    return hunks


def sequence_steps(
    old: Sequence[Item], new: Sequence[Item], effort: Effort
) -> Iterator[tuple[bool, Sequence[Item], Sequence[Item]]]:
    """(changed, old, new) stretches of two sequences; coarse where matching is not affordable."""
    start = 0
    shortest = min(len(old), len(new))
    while start < shortest and old[start] == new[start]:
        start += 1
    end = 0
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if start:
        yield False, old[:start], new[:start]
    if left and right and effort.allows(len(left), len(right)):
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            yield tag != "equal", left[i1:i2], right[j1:j2]
    elif left or right:
        yield True, left, right
    if end:
        yield False, old[len(old) - end :], new[len(new) - end :]


def text_steps(old: str, new: str, effort: Effort) -> Iterator[DiffStep]:
    """Changed and unchanged stretches, alternating."""
    pending: DiffStep | None = None
    for step in _raw_steps(old, new, effort):
        if pending is not None and pending.is_changed is step.is_changed:
            pending = DiffStep(step.is_changed, pending.old + step.old, pending.new + step.new)
            continue
        if pending is not None:
            yield pending
        pending = step
    if pending is not None:
        yield pending


def _raw_steps(old: str, new: str, effort: Effort) -> Iterator[DiffStep]:
    for step in _by(_WORDS, old, new, effort):
        if not step.is_changed or len(step.old) + len(step.new) <= _COARSE:
            yield step
            continue
        for sentence in _by(_SENTENCES, step.old, step.new, effort):
            if sentence.is_changed and sentence.old and sentence.new:
                yield from _by(_WORDS, sentence.old, sentence.new, effort)
            else:
                yield sentence


def _by(units: re.Pattern[str], old: str, new: str, effort: Effort) -> Iterator[DiffStep]:
    found = sequence_steps(units.findall(old), units.findall(new), effort)
    for is_changed, left, right in found:
        yield DiffStep(is_changed, "".join(left), "".join(right))


def _last_part(text: str) -> str:
    """The end of a text: from the last line, at most `CONTEXT` characters, from a word on."""
    if len(text) <= CONTEXT and "\n" not in text:
        return text
    part = text[-CONTEXT:].rpartition("\n")[2]
    if len(part) < CONTEXT:
        return part
    return part.partition(" ")[2] or part


def _first_part(text: str) -> str:
    if len(text) <= CONTEXT and "\n" not in text:
        return text
    part = text[:CONTEXT].partition("\n")[0]
    if len(part) < CONTEXT:
        return part
    return part.rpartition(" ")[0] or part


MAX_LINES: Final = 400
MAX_CHANGE_LINES: Final = 40

Piece = tuple[str, str]


@frozen
class DiffLine:
    """One line. `sign` is `-` old, `+` new, `~` changed or a remark, or a blank for context.

    `pieces` are safe texts with their roles: "" plain, "strong" a difference, "dim" less, "mark"
    shows an invisible character, "noticed" marks an omission, "warning" text that addresses a
    model. `is_theirs` lines hold a server's
    text and are to be drawn behind a gutter; in the others it is in quotes.
    """

    sign: str
    pieces: tuple[Piece, ...]
    weight: Weight
    is_theirs: bool = False

    @property
    def plain(self) -> str:
        """The line as text; a gutter sets a server's text apart."""
        text = "".join(text for text, _ in self.pieces)
        return f"{self.sign} ┃ {text}" if self.is_theirs else f"{self.sign} {text}"

    def spans(self) -> list[Span]:
        """The line as pieces of safe text, sign included."""
        sign = Span(f"{self.sign} ┃ " if self.is_theirs else f"{self.sign} ", False)
        return [sign, *(Span(text, role == "mark") for text, role in self.pieces)]


def definition_lines(diff: DefinitionDiff, max_lines: int = MAX_LINES) -> list[DiffLine]:
    """Draw every change: the place and its meaning, then the old and the new value.

    Of long values only differences are shown. At most `max_lines`, and then one that counts the
    omitted ones.
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
    """Draw changes of a list of tools: each changed, renamed, gone and new one."""
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
        words = "several tools have this name now; a call cannot distinguish them"
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
    how = "nothing but the name differs" if one.is_exact else "the definitions are similar"
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
        Weight.SAFE: "earlier calls still work",
        Weight.REWORDED: "reworded: read it again",
        Weight.OUTPUT: "its responses change",
        Weight.WORSENED: "it declares more harm than before",
        Weight.WEAKENED: "it declares less harm than before",
        Weight.BREAKING: "earlier calls may fail or mean something else",
    }.get(weight, weight.words)


def _change_lines(change: Change, effort: Effort) -> Iterator[DiffLine]:
    sign = "~" if change.had and change.has else "+" if change.has else "-"
    head = ((change.path, "strong"), (f"  {change.words}", ""))
    yield DiffLine(sign, head, change.weight)
    if _says_all(change):
        return
    for words in addressing_words(change):
        yield DiffLine("~", ((f"{ADDRESSES} ", "warning"), (words, "warning")), change.weight)
    for count, line in enumerate(value_lines(change, effort)):
        if count >= MAX_CHANGE_LINES:
            yield _notice(f"cut: the first {count:,} lines of this change", change.weight)
            return
        yield _drawn(line, change.weight)


def _says_all(change: Change) -> bool:
    """True if the words already name both values."""
    values = (change.old, change.new)
    return change.code.startswith("hint-") and all(
        value is None or isinstance(value, bool) for value in values
    )


def _drawn(line: ComparedLine, weight: Weight) -> DiffLine:
    pieces = marked(line.pieces) if line.sign == "+" else line.pieces
    return DiffLine(line.sign, pieces, weight, line.is_theirs)


def _notice(words: str, weight: Weight) -> DiffLine:
    return DiffLine("~", ((words, "noticed"),), weight)
