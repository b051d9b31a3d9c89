"""The tools as numbered lines, and one of them in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...approval.policies.verdicts import Verdict
from ...content.text import cut, visible
from ...content.texts.sheet_line import GUTTER
from ...engine.engine import Bench
from ...headless.argument_mistakes import wanted
from ...protocol.hints import Claim, Hint
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...protocol.tool_groups import Grouping, filter_tools, group_tools
from ...schemas.form.form import build_form

TITLE = 60
DESCRIPTION = 500
"""Characters of a description that are shown unasked."""
EVERYTHING = 64_000


def in_order(tools: Sequence[ToolDefinition]) -> tuple[ToolDefinition, ...]:
    """The tools in the order of their numbers: by effect, then as the server lists them."""
    return tuple(tool for group in group_tools(tools, Grouping.EFFECT) for tool in group.tools)


def list_lines(bench: Bench, words: str, grouping: Grouping) -> Iterator[str]:
    """The tools with all of `words` in name, title or description; every number is the tool's."""
    tools = in_order(bench.tools)
    numbers = {id(tool): number for number, tool in enumerate(tools, 1)}
    read_only = words.casefold().split() == ["read-only"]
    found = filter_tools(tools, "" if read_only else words, read_only=read_only)
    shown = visible(cut(words, TITLE).text)
    if not tools:
        yield "The server lists no tools."
        return
    if not found:
        yield f"No tool has “{shown}” in its name, title or description; list shows all."
        return
    total = f"{len(tools):,} {'tool' if len(tools) == 1 else 'tools'}"
    yield total if len(found) == len(tools) else f"{len(found):,} of {total}, with “{shown}”"
    for group in group_tools(found, grouping):
        yield f"{group.label}, {len(group.tools):,}:"
        for tool in group.tools:
            yield tool_line(bench, tool, numbers[id(tool)])


def tool_line(bench: Bench, tool: ToolDefinition, number: int) -> str:
    """`  3  delete_file  destructive, idempotent, closed world: asks, strongly`."""
    title = f" “{cut(tool.title_shown, TITLE).text}”" if tool.title else ""
    reach = f", {tool.reach.words}" if tool.reach.words else ""
    verdict = verdict_words(bench.verdict(tool))
    return f"{number:>3}  {tool.name_shown}{title}: {hint_words(tool)}{reach}: {verdict}"


def hint_words(tool: ToolDefinition) -> str:
    """Effect, repeating and world in words."""
    world = "open world" if tool.hints.is_open_world else "closed world"
    said = tool.hints.repeating.value
    repeating = "repeating is moot" if said.startswith("read-only") else said
    return f"{tool.effect.value}, {repeating}, {world}"


def verdict_words(verdict: Verdict) -> str:
    """`runs`, `asks`, `asks, strongly`, `is refused`: what comes of a call."""
    if verdict.strong:
        return "asks, strongly"
    words = {"allow": "runs unasked", "ask": "asks", "refuse": "is refused", "hide": "is hidden"}
    return words.get(verdict.answer.value, verdict.words)


def reasons_line(verdict: Verdict) -> str:
    reasons = visible("; ".join(verdict.reasons))
    rule = f", {visible(verdict.rule)}" if verdict.rule else ""
    return f"verdict    {verdict_words(verdict)}: {reasons} ({verdict.policy}{rule})"


def tool_lines(bench: Bench, tool: ToolDefinition, number: int, *, is_all: bool) -> Iterator[str]:
    """One tool: what it claims, what comes of a call, and what it can be called with."""
    yield f"tool {number}     {tool.name_shown}"
    if tool.title:
        yield f"title      “{tool.title_shown}”"
    yield f"effect     {tool.effect.value}: {tool.effect.meaning}"
    for hint in tool.hints:
        yield f"hint       {_hint_line(hint)}"
    if bench.server.trust is Trust.UNTRUSTED:
        yield "           the server is not trusted: its hints are shown and not obeyed"
    if tool.reach.words:
        yield f"reach      {tool.reach.words}"
    yield reasons_line(bench.verdict(tool))
    if tool.description:
        yield "description, the server's words:"
        yield from gutter(tool.description, EVERYTHING if is_all else DESCRIPTION, "show all")
    for finding in tool.findings:
        yield f"{finding.severity.value}    {finding.code}: {finding.message}"
    form = build_form(tool.input_schema)
    if form.raw_only:
        yield f"arguments  JSON only: {form.raw_only}"
    elif not form.fields:
        yield "arguments  none"
    for one in form.fields:
        must = "required" if one.required else "optional"
        name = visible(cut(one.name, TITLE).text)
        yield f"argument   {name}: {wanted(one)}, {must}"
    yield f"call {number} fills them in and calls it; schema {number} shows the raw definition."


def gutter(text: str, limit: int, more: str = "") -> Iterator[str]:
    """Text of the server's, line by line behind a gutter; `more` is the command for the rest."""
    short = cut(text, limit)
    for line in visible(short.text, multiline=True, max_blanks=60).split("\n"):
        yield f"  {GUTTER}{line}"
    if short.is_cut:
        yield f"  ({short.notice}{f'; {more} shows more' if more else ''})"


def _hint_line(hint: Hint) -> str:
    words = f"{hint.name}: {hint.claim.value}"
    if hint.claim is Claim.MALFORMED:
        words += f" ({hint.malformed_as})"
    if not hint.meaningful and hint.claim is not Claim.TRUE:
        return f"{words}, counts for nothing"
    return f"{words}, {str(hint.default).lower()} by default" if hint.is_default else words
