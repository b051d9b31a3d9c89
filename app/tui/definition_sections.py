"""What the pager shows of definitions: one of them, whole, and what changed in the list."""

from __future__ import annotations

from ...widgets.hint_table import hint_lines
from ..content.labels import stamp
from ..content.text import Span
from ..engine.engine import Bench
from ..protocol.definitions.diff_lines import definition_lines, list_lines
from ..protocol.hints import Hints
from ..protocol.tool import ToolDefinition
from .pager import Section, plain_lines
from .section_lines import finding_lines, raw_lines, text_lines

HINTS_WIDTH = 72


def definition_pages(bench: Bench, tool: ToolDefinition, verdict: str) -> list[Section]:
    """A whole definition, what was said of calling it, and what it was before."""
    said = Section("verdict", plain_lines(verdict), is_ours=True)
    return [*_tool_sections(tool, bench.server.version), said, *_history_sections(bench, tool)]


def _tool_sections(tool: ToolDefinition, version: str) -> list[Section]:
    """Raw JSON, schemas, the whole description, findings, hints; `version` is the server's."""
    sections = [
        Section("input schema", raw_lines(tool.input_schema)),
        Section("raw JSON", raw_lines(tool.raw)),
        Section("description", text_lines(tool.description) if tool.description else []),
        Section("findings", finding_lines(tool.findings, version), is_ours=True),
        Section("hints", plain_lines(_hints_text(tool.hints)), is_ours=True),
    ]
    if tool.has_output_schema:
        sections.insert(1, Section("output schema", raw_lines(tool.output_schema)))
    return sections


def _hints_text(hints: Hints) -> str:
    """Claimed beside default beside what counts."""
    return "\n".join(line.plain for line in hint_lines(hints, HINTS_WIDTH))


def _history_sections(bench: Bench, tool: ToolDefinition) -> list[Section]:
    """What changed in a definition, and the ones under which the tool was listed before."""
    diff, since = bench.memory.diff(tool)
    sections = []
    if diff is not None:
        lines = [[Span(f"since it was {since}", False)], []]
        lines += [line.spans() for line in definition_lines(diff)]
        sections.append(Section("changes", lines, is_ours=True))
    versions = bench.memory.versions(tool)
    if versions:
        rows = [
            f"{stamp(one.at)}  sha256 {one.digest[:16]}"
            + ("  as it is now" if one.digest == tool.digest else "")
            for one in versions
        ]
        sections.append(Section("history", plain_lines("\n".join(rows)), is_ours=True))
    return sections


def change_sections(bench: Bench) -> list[Section]:
    """What changed in the list of tools since it was listed last."""
    if not bench.memory.is_known and bench.list_diff.is_empty:
        words = "This server was not listed before, so there is nothing to compare with."
        return [Section("changes", plain_lines(words), is_ours=True)]
    lines = [line.spans() for line in list_lines(bench.list_diff)]
    return [Section("changes", lines or plain_lines("nothing changed"), is_ours=True)]
