"""Sections of the pager for definitions and calls.

Raw JSON, texts of a server and findings are their lines, sanitised and bounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from ....widgets.hint_table import hint_lines
from ...calls.call import Call
from ...calls.effects.claims import evidence_lines
from ...content.json.jsonio import JsonValue, pretty, pretty_spans, room_left
from ...content.labels import stamp
from ...content.text import Span, cut, spans, visible
from ...content.texts.facts import lines, texts
from ...engine.engine import Engine
from ...presentation.calls import facts, notes
from ...protocol.definitions.diff_lines import definition_lines
from ...protocol.findings.findings import EXPLAINED, NOTHING, Finding
from ...protocol.findings.findings import lines as words_of
from ...protocol.findings.model_texts import ADDRESSES_MODEL, MODEL_SIGN
from ...protocol.hints import Hints
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...protocol.wire.rows import call_lines
from .pager import PagerSection, plain_lines

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
    listed = list(findings)
    rows = [line.plain for one in listed for line in words_of(one, version=version)]
    return plain_lines("\n".join([*rows, *_explained(listed)]) or NOTHING)


def _explained(findings: Sequence[Finding]) -> Iterator[str]:
    """The reason and the fix of each code, below the findings."""
    from ...protocol.findings.explanations.every import EXPLANATIONS

    codes = dict.fromkeys(visible(one.code) for one in findings)
    for code in codes:
        if (one := EXPLANATIONS.get(code)) is not None:
            yield from ("", code, f"  why  {one.why}", f"  fix  {one.fix}")
    if codes:
        yield from ("", EXPLAINED)


def addressed_lines(findings: Iterable[Finding]) -> Lines:
    """A line for each text that addresses a model, with its place, and a blank one after them."""
    told = [
        f"{MODEL_SIGN} {visible(one.path.removeprefix('$.'))} {one.message}"
        for one in findings
        if one.code == ADDRESSES_MODEL
    ]
    return plain_lines("\n".join([*told, ""])) if told else []


HINTS_WIDTH = 72


def definition_pages(engine: Engine, tool: ToolDefinition, verdict: str) -> list[PagerSection]:
    """Show a whole definition, the verdict on a call, and earlier definitions."""
    said = PagerSection("verdict", plain_lines(verdict), is_ours=True)
    server = engine.server
    about = _tool_sections(tool, server.version, server.trust)
    return [*about, said, *_history_sections(engine, tool)]


def _tool_sections(tool: ToolDefinition, version: str, trust: Trust) -> list[PagerSection]:
    """Hints, schemas, raw JSON, the whole description, findings; `version` is the server's."""
    hints = plain_lines(_hints_text(tool.hints, trust))
    sections = [
        PagerSection("hints", [*addressed_lines(tool.findings), *hints], is_ours=True),
        PagerSection("input schema", raw_lines(tool.input_schema)),
        PagerSection("raw JSON", raw_lines(tool.raw)),
        PagerSection("description", text_lines(tool.description) if tool.description else []),
        PagerSection("findings", finding_lines(tool.findings, version), is_ours=True),
    ]
    if tool.has_output_schema:
        sections.insert(2, PagerSection("output schema", raw_lines(tool.output_schema)))
    return sections


def _hints_text(hints: Hints, trust: Trust) -> str:
    """The declared value beside the default beside the effective value."""
    return "\n".join(line.plain for line in hint_lines(hints, HINTS_WIDTH, trust=trust))


def _history_sections(engine: Engine, tool: ToolDefinition) -> list[PagerSection]:
    """Show the changes of a definition, and earlier definitions of the tool."""
    diff, since = engine.memory.changes_since_approval(tool)
    sections = []
    if diff is not None:
        lines = [[Span(f"since it was {since}", False)], []]
        lines += [line.spans() for line in definition_lines(diff)]
        sections.append(PagerSection("changes", lines, is_ours=True))
    versions = engine.memory.versions(tool)
    if versions:
        rows = [
            f"{stamp(one.at)}  sha256 {one.digest[:16]}"
            + ("  as it is now" if one.digest == tool.digest else "")
            for one in versions
        ]
        sections.append(PagerSection("history", plain_lines("\n".join(rows)), is_ours=True))
    return sections


def call_sections(call: Call, version: str) -> list[PagerSection]:
    """Show request, decision, sending and response of a call, raw; `version` is the server's."""
    sections = [PagerSection("steps", story_lines(call), is_ours=True)]
    if call.raw is not None:
        sections.append(PagerSection("raw result", raw_lines(call.raw)))
    if call.evidence is not None:
        words = plain_lines("\n".join(evidence_lines(call)))
        sections.append(PagerSection("evidence", words, is_ours=True))
    if call.error is not None:
        error = call.error
        raw: JsonValue = {"code": error.code, "message": error.message, "data": error.data}
        sections.append(PagerSection("raw error", raw_lines(raw)))
    if call.task is not None:
        sections.append(PagerSection("task", raw_lines(call.task.raw)))
    if call.late is not None:
        sections.append(PagerSection("late response", raw_lines(call.late)))
    sections.append(PagerSection("arguments", raw_lines(call.snapshot.arguments())))
    if call.progress_log:
        log = [one.as_json() for one in call.progress_log]
        sections.append(PagerSection("progress", raw_lines(list(log))))
    sections.append(PagerSection("findings", finding_lines(call.findings, version), is_ours=True))
    return sections


def pages_of_call(engine: Engine, call: Call) -> list[PagerSection]:
    """Show a call in full, with its wire traffic."""
    return [*call_sections(call, engine.server.version), wire_section(engine, call.id)]


def wire_section(engine: Engine, number: int) -> PagerSection:
    """Show the wire traffic of a call, or that it was not sent."""
    lines = call_lines(engine.link.wire.since(0), number)
    call = engine.calls.get(number)
    if call is not None and not call.sent and not lines:
        words = f"nothing was sent: {call.status}"
    elif not lines:
        words = "no message of this call is kept any more"
    else:
        words = "\n".join([*lines, "", "enter or W: show them in full."])
    return PagerSection("wire", plain_lines(words), is_ours=True, leads_to_wire=bool(lines))


def story_lines(call: Call) -> Lines:
    """All facts on a call, with the comparison to an earlier one."""
    return plain_lines("\n".join(texts(list(lines([*facts(call), *notes(call)])))))
