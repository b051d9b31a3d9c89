"""Findings: observations that break or bend the contract between a server and its client.

Their words are here, below `presentation`, because widgets draw findings as well: the facts on
one, a line with all of them, and a short one among other lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.text import cut, visible
from ...content.texts.facts import Fact, FactPlace
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from .spec_sections import section_behind


class Severity(StrEnum):
    """How much a finding matters to a person about to approve a call."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


NOTE: Final = Severity.NOTE
WARNING: Final = Severity.WARNING
ERROR: Final = Severity.ERROR


def rank(severity: Severity) -> int:
    """Rank a severity, from 0 for a note."""
    return list(Severity).index(severity)


_NAME_CELLS = 128


@frozen
class Finding:
    """One observation.

    `code` is stable and machine-readable (`duplicate-name`); `message` is for people and already
    safe to show; `path` is a place in the observed value, as a JSON path such as `$.annotations`.
    """

    code: str
    severity: Severity
    message: str
    path: str = ""

    def as_json(self) -> dict[str, str]:
        """The shape that the headless commands print."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "path": self.path,
        }


def note(code: str, message: str, path: str = "") -> Finding:
    return Finding(code, Severity.NOTE, message, path)


def warning(code: str, message: str, path: str = "") -> Finding:
    return Finding(code, Severity.WARNING, message, path)


def error(code: str, message: str, path: str = "") -> Finding:
    return Finding(code, Severity.ERROR, message, path)


@frozen
class Code:
    """Meaning of one code. `severities`: its severity, or all that a case may have."""

    severities: tuple[Severity, ...]
    meaning: str


def of_severity(severity: Severity, rows: Mapping[str, str]) -> dict[str, Code]:
    """Codes that have one severity, with their meanings."""
    return {code: Code((severity,), meaning) for code, meaning in rows.items()}


def left_out(name: object) -> str:
    """The beginning of a finding on a tool that is left out of the list; safe to show."""
    return f"“{visible(cut(str(name), _NAME_CELLS).text)}” is left out"


def why_left_out(findings: Iterable[Finding], name: str) -> str:
    """Return the finding on a tool of this name that was left out; empty without one."""
    begins, code = f"{left_out(name)}:", "invalid-param-header"
    messages = (one.message for one in findings if one.code == code)
    return next((words for words in messages if words.startswith(begins)), "")


def stdout_noise(findings: Iterable[Finding]) -> str:
    """Return the finding on the first invalid message on stdout; empty without one."""
    return next((one.message for one in findings if one.code == "noise-on-stdout"), "")


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


def reported(finding: Finding, where: str = "") -> str:
    """The same for a report that has its severity and code beside it."""
    found = [one for one in facts(finding, where) if one.label not in ("severity", "code")]
    return "".join(piece for piece, _ in _pieces([one for one in found if one.words])).strip()


def brief(finding: Finding, indent: int = 0, aside: tuple[Piece, ...] = ()) -> SheetLine:
    """`▲ MESSAGE`, among other lines about the same thing."""
    sign = (f"{SIGNS[finding.severity]} ", ROLES[finding.severity])
    return labelled("", indent, sign, (visible(finding.message), "noticed"), aside=aside)


def brief_with_code(finding: Finding, indent: int) -> SheetLine:
    """The same with its code at the edge."""
    return brief(finding, indent, ((finding.code, "dim"),))
