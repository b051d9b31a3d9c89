"""Findings: severity, message and place."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from ...app.content.labels import and_more
from ...app.protocol.findings.findings import NOTHING, SIGNS, Finding, Severity, facts
from ..cells import fit

MUTED = "$foreground-muted"
STYLES = {
    Severity.NOTE: MUTED,
    Severity.WARNING: "$text-warning",
    Severity.ERROR: "bold $text-error",
}
MOST = 200
"""Findings that are drawn; the count of the others follows."""
CODE_CELLS = 26
WIDE = 72
"""With fewer cells the message has a line of its own."""
MOST_BESIDE = 2
"""Lines of a message beside its code; a longer one is below it and has the whole width."""
LONGEST_MESSAGE = 2_000
_SEVERITY_CELLS = 10


class FindingList(Widget):
    """One finding a line, or a few if it is long: sign and severity, code, message, place."""

    ALLOW_SELECT = True

    DEFAULT_CSS = """
    FindingList { width: 1fr; height: auto; }
    """

    def __init__(
        self,
        findings: Sequence[Finding] = (),
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._findings = tuple(findings)
        self._lines: tuple[int, list[Content]] | None = None

    def show(self, findings: Sequence[Finding]) -> None:
        """Draw these findings, in this order."""
        shown = tuple(findings)
        if shown != self._findings:
            self._findings = shown
            self._lines = None
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._at(width))

    def render(self) -> Content:
        return Content("\n").join(self._at(self.content_size.width))

    def _at(self, width: int) -> list[Content]:
        if self._lines is None or self._lines[0] != width:
            self._lines = (width, finding_lines(self._findings, width))
        return self._lines[1]


def finding_lines(findings: Sequence[Finding], width: int) -> list[Content]:
    """Findings as lines of at most `width` cells; the empty state is a line of its own."""
    if not findings:
        return [Content.styled(fit(NOTHING, width), MUTED)]
    lines = [line for finding in findings[:MOST] for line in _finding(finding, width)]
    if more := and_more(len(findings) - MOST):
        lines.append(Content.styled(fit(more, width), MUTED))
    return lines


def _finding(finding: Finding, width: int) -> list[Content]:
    shown = {one.label: one.words for one in facts(finding)}
    del shown["severity"]
    code, path, message = shown.pop("code"), shown.pop("place"), shown.pop("message")
    found = _arranged(finding, code, message[:LONGEST_MESSAGE], path, width)
    return found + [_assemble([(f"  {more}", MUTED)], width) for more in shown.values() if more]


def _arranged(finding: Finding, code: str, message: str, path: str, width: int) -> list[Content]:
    style = STYLES[finding.severity]
    severity = f"{SIGNS[finding.severity]} {finding.severity.value}".ljust(_SEVERITY_CELLS)
    beside = wrap(message, width - _SEVERITY_CELLS - CODE_CELLS)
    if width >= WIDE and len(beside) <= MOST_BESIDE:
        return _wide(severity, style, code, message, path, width)
    indent = 2
    head = [(severity, style), (fit(code, max(1, width - _SEVERITY_CELLS)), MUTED)]
    room = width - _SEVERITY_CELLS - cell_len(code) - 2
    if path and cell_len(path) <= room:
        head.append((f"  {path}", MUTED))
        path = ""
    lines = [_assemble(head, width)]
    lines += [
        _assemble([(" " * indent, ""), (piece, "")], width)
        for piece in wrap(message, width - indent)
    ]
    if path:
        lines.append(_assemble([(" " * indent, ""), (path, MUTED)], width))
    return lines


def _wide(
    severity: str, style: str, code: str, message: str, path: str, width: int
) -> list[Content]:
    start = _SEVERITY_CELLS + CODE_CELLS
    room = width - start
    pieces = wrap(message, room)
    beside = bool(path) and len(pieces) == 1 and cell_len(pieces[0]) + 2 + cell_len(path) <= room
    shown = fit(code, CODE_CELLS - 2)
    gap = " " * (CODE_CELLS - cell_len(shown))
    first = [(severity, style), (shown, MUTED), (gap, ""), (pieces[0], "")]
    if beside:
        first += [(" " * (room - cell_len(pieces[0]) - cell_len(path)), ""), (path, MUTED)]
    lines = [_assemble(first, width)]
    lines += [_assemble([(" " * start, ""), (piece, "")], width) for piece in pieces[1:]]
    if path and not beside:
        lines.append(_assemble([(" " * start, ""), (path, MUTED)], width))
    return lines


def _assemble(parts: list[tuple[str, str]], width: int) -> Content:
    shown: list[tuple[str, str]] = []
    for text, style in parts:
        piece = fit(text, width)
        width -= cell_len(piece)
        shown.append((piece, style))
    return Content.assemble(*shown)


def wrap(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` cells, broken at blanks if there are any."""
    width = max(1, width)
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if cell_len(candidate) <= width:
            line = candidate
            continue
        if line:
            lines.append(line)
        while cell_len(word) > width:
            taken = max(1, len(fit(word, width)) - 1)
            lines.append(word[:taken])
            word = word[taken:]
        line = word
    return [*lines, line]
