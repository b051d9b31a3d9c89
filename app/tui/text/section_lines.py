"""Raw JSON, texts of a server and findings as the lines of a section, sanitised and bounded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ...content.json.jsonio import JsonValue, pretty, pretty_spans, room_left
from ...content.text import Span, cut, spans, visible
from ...protocol.findings.findings import Finding
from ...protocol.findings.spec_sections import section_behind
from .pager import plain_lines

TEXT_LIMIT = 200_000
MARKED_ROOM = 4_000
PRETTY_ROOM = 50_000
"""Values, or a hundred characters each, that are laid out: with marks for blanks, and at all."""

Lines = list[list[Span]]


def raw_lines(value: JsonValue) -> Lines | str:
    """Raw JSON, pretty-printed; a large value is raw text, and a larger one is cut as well."""
    if room_left(value, MARKED_ROOM) >= 0:
        return pretty_spans(value)
    if room_left(value, PRETTY_ROOM) >= 0:
        return pretty(value)
    start = cut(_start_of(value), TEXT_LIMIT).text
    words = f"cut: the first {TEXT_LIMIT:,} characters; signoff call --json has it all"
    return [spans(start), [Span(words, True)]]


def _start_of(value: JsonValue) -> str:
    """As much of the JSON text as can be shown; the rest is not even made."""
    pieces, length = [], 0
    for piece in json.JSONEncoder().iterencode(value):
        pieces.append(piece)
        length += len(piece)
        if length > TEXT_LIMIT:
            break
    return "".join(pieces)


def text_lines(text: str, max_blanks: int = 3) -> Lines:
    """A server's text, sanitised, as lines; `max_blanks` as for `spans`."""
    shown = cut(text, TEXT_LIMIT)
    lines: Lines = [[]]
    for span in spans(shown.text, multiline=True, max_blanks=max_blanks):
        pieces = [span.text] if span.mark else span.text.split("\n")
        lines[-1].append(Span(pieces[0], span.mark))
        lines += [[Span(piece, span.mark)] for piece in pieces[1:]]
    if shown.is_cut:
        lines.append([Span(shown.notice, True)])
    return lines


def finding_lines(findings: Sequence[Finding] | Iterable[Finding], version: str = "") -> Lines:
    """Each with the section of the specification behind it, in the era of `version`."""
    rows: list[str] = []
    for finding in findings:
        place = f"  {visible(finding.path)}" if finding.path else ""
        code = f"{finding.severity.value:<8} {finding.code:<24}"
        rows.append(f"{code} {finding.message}{place}")
        if (section := section_behind(finding.code, version, finding.path)) is not None:
            rows.append(f"  {section.url}")
    return plain_lines("\n".join(rows) or "nothing to report")
