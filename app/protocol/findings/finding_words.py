"""A finding in words: its facts, a line with all of them, and a short one among other lines.

It is here, below `presentation`, because widgets draw findings as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...content.text import visible
from ...content.texts.facts import Fact, FactPlace
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from .findings import Finding, Severity
from .spec_sections import section_behind

SIGNS: Final = {Severity.NOTE: "·", Severity.WARNING: "▲", Severity.ERROR: "✗"}
ROLES: Final = {Severity.NOTE: "dim", Severity.WARNING: "warning", Severity.ERROR: "error"}
NOTHING: Final = "nothing to report"
EXPLAINED: Final = "signoff explain CODE: the reason, an example and the fix"
_INDENT: Final = 9
"""Columns of the severity, below which further lines begin."""


def facts(finding: Finding, where: str = "", version: str | None = None) -> list[Fact]:
    """All facts, safe to show; `where` is the subject in words.

    With the section of the specification in the era of `version`, unless that is None.
    """
    role = ROLES[finding.severity]
    found = [
        Fact("severity", finding.severity.value, role=role),
        Fact("code", visible(finding.code), role=role),
        Fact("about", where, role="strong"),
        Fact("message", visible(finding.message)),
        Fact("place", visible(finding.path), role="dim"),
    ]
    if version is not None:
        section = section_behind(finding.code, version, finding.path)
        url = "" if section is None else section.url
        found.append(Fact("specification", url, FactPlace.BELOW, "dim"))
    return found


def lines(finding: Finding, where: str = "", version: str | None = None) -> Iterator[SheetLine]:
    """`warning  CODE  SUBJECT: MESSAGE  PLACE`, and the specification below it."""
    found = [one for one in facts(finding, where, version) if one.words]
    yield SheetLine(tuple(_pieces([one for one in found if one.place is FactPlace.CELL])))
    for one in found:
        if one.place is FactPlace.BELOW:
            yield SheetLine(((f"{'':<{_INDENT}}{one.words}", one.role),))


def _pieces(found: Sequence[Fact]) -> Iterator[Piece]:
    for one in found:
        match one.label:
            case "severity":
                yield f"{one.words:<{_INDENT - 2}}  ", one.role
            case "code":
                yield f"{one.words}  ", one.role
            case "about":
                yield f"{one.words}: ", one.role
            case "message":
                yield one.words, one.role
            case _:
                yield f"  {one.words}", one.role


def words(finding: Finding) -> str:
    """The line as a text."""
    return next(lines(finding)).plain


def brief(finding: Finding, indent: int = 0, aside: tuple[Piece, ...] = ()) -> SheetLine:
    """`▲ MESSAGE`, among other lines about the same thing."""
    sign = (f"{SIGNS[finding.severity]} ", ROLES[finding.severity])
    return labelled("", indent, sign, (visible(finding.message), "noticed"), aside=aside)


def brief_with_code(finding: Finding, indent: int) -> SheetLine:
    """The same with its code at the edge."""
    return brief(finding, indent, ((finding.code, "dim"),))
