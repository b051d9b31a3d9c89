"""The old and the new value of one change, line by line: what differs and a little around it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from ...content.codepoints import describe
from ...content.json.jsonio import JsonValue, pretty
from ...content.text import Span, cut, spans
from .change_values import Change
from .text_diff import Effort, Hunk, Step, sequence_steps, text_hunks

MAX_CHARACTERS: Final = 400
"""Of one line; what is longer is cut, and says so."""
COMPACT: Final = 100
"""Characters up to which the JSON of a value stands in one line."""
_ALIKE_MAX: Final = 3
"""Differing characters up to which two words may be taken for the same."""

Pieces = tuple[tuple[str, str], ...]


class Line(NamedTuple):
    sign: str
    pieces: Pieces
    is_theirs: bool = True


def value_lines(change: Change, effort: Effort) -> Iterator[Line]:
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
        yield from (Line("-", pieces) for pieces in _whole(old))
    if change.has:
        yield from (Line("+", pieces) for pieces in _whole(new))


def _whole(value: JsonValue) -> Iterator[Pieces]:
    if isinstance(value, str):
        hunk = Hunk("", [Step(True, value, "")], at_start=True, at_end=True)
        yield from _side(hunk, is_old=True, role="")
    elif _is_compact(value):
        yield _pieces(spans(_written(value)))
    else:
        yield from map(_json_line, pretty(value).split("\n"))


def _text_lines(old: str, new: str, effort: Effort) -> Iterator[Line]:
    for hunk in text_hunks(old, new, effort):
        if any(step.old for step in hunk.steps if step.is_changed):
            yield from (Line("-", pieces) for pieces in _side(hunk, is_old=True))
        if any(step.new for step in hunk.steps if step.is_changed):
            yield from (Line("+", pieces) for pieces in _side(hunk, is_old=False))
        alike = [words for step in hunk.steps if (words := _look_alikes(step.old, step.new))]
        if alike:
            words = f"these look alike: {'; '.join(dict.fromkeys(alike))}"
            yield Line("~", ((words, "noticed"),), False)


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


def _json_lines(old: JsonValue, new: JsonValue, effort: Effort) -> Iterator[Line]:
    if _is_compact(old) and _is_compact(new):
        yield Line("-", _pieces(spans(_written(old))))
        yield Line("+", _pieces(spans(_written(new))))
        return
    left, right = pretty(old).split("\n"), pretty(new).split("\n")
    previous: Sequence[str] = ()
    follows = False
    for is_changed, before, after in sequence_steps(left, right, effort):
        if not is_changed:
            if follows:
                yield from (Line(" ", _json_line(line)) for line in before[:1])
            previous = before
            continue
        if len(previous) > follows:
            if len(previous) > 1 + follows:
                yield Line(" ", (("…", "dim"),))
            yield Line(" ", _json_line(previous[-1]))
        yield from (Line("-", _json_line(line)) for line in before)
        yield from (Line("+", _json_line(line)) for line in after)
        follows, previous = True, ()


def _json_line(line: str) -> Pieces:
    """A line of pretty JSON, in which control characters are escapes already."""
    rest = line.lstrip(" ")
    return _pieces([Span(line[: len(line) - len(rest)], False), *spans(rest)])


def _pieces(parts: Sequence[Span]) -> Pieces:
    return _limited([(part.text, "mark" if part.mark else "") for part in parts])


def _limited(pieces: Sequence[tuple[str, str]]) -> Pieces:
    """At most `MAX_CHARACTERS` of a line, and a notice where it is longer."""
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
