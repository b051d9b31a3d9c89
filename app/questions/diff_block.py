"""What changed in a definition, as lines of a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..content.text import count
from ..content.texts.sheet_line import SheetLine
from ..protocol.definitions.changes import DefinitionDiff, Weight
from ..protocol.definitions.diff_lines import DiffLine, definition_lines
from .question_words import changed_words

_ROLES: Mapping[Weight, str] = {
    Weight.BREAKING: "error",
    Weight.WEAKENED: "error",
    Weight.WORSENED: "error",
    Weight.OUTPUT: "warning",
    Weight.REWORDED: "warning",
}
_SIGN_ROLES: Mapping[str, str] = {"-": "error", "+": "success"}


def diff_lines(diff: DefinitionDiff, since: str) -> Iterator[SheetLine]:
    """A heading, and each change with what it was and what it is.

    `since` is in Signoff's words, such as `approved on 2026-11-20`.
    """
    total = count(len(diff.changes) + diff.more, "change")
    digests = f"was {diff.old_digest[:8]}, is {diff.new_digest[:8]}"
    yield SheetLine(
        (("Changes    ", "strong"), (changed_words(since), "warning")),
        aside=((f"{total} · {digests}", "dim"),),
    )
    for line in definition_lines(diff):
        yield _sheet_line(line)


def _sheet_line(line: DiffLine) -> SheetLine:
    if line.is_theirs:
        sign = (f"{line.sign} ", _SIGN_ROLES.get(line.sign, "dim"))
        return SheetLine((sign, *line.pieces), gutter=True, exact=True)
    return SheetLine(((f"{line.sign} ", _ROLES.get(line.weight, "success")), *line.pieces))
