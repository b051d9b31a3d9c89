"""Readable output of the headless commands, coloured on a terminal; also the views of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from rich.text import Text

from ...calls.call import Call, Outcome
from ...content.text import PRINTED_BLANKS, count, visible
from ...content.texts.facts import Fact, main_lines
from ...content.texts.sheet_line import SheetLine
from ...engine.engine import Engine
from ...hosts.model_view.response import ResultInParts, read_response
from ...hosts.model_view.table import ModelHost, UnknownModelHost, picked
from ...hosts.model_view.view import view_of
from ...presentation.calls import INDENT, endings, facts
from ...presentation.model_view import (
    groups_lines,
    groups_of,
    sign_of,
    summary,
    view_json,
    view_lines,
)
from ...presentation.responses import PartLook, ShownPart, parts
from ...presentation.server import head
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.findings.findings import Finding
from ...protocol.findings.findings import lines as words_of
from ...protocol.findings.model_texts import MODEL_SIGN, is_addressed
from ...protocol.hints import Effect
from ...protocol.server import Server
from ...protocol.tool import Grouping, ToolDefinition, ToolSection, group_tools, section_of
from ..targets.targets import UsageError
from .printing import Hiding, PlainConsole

TEXT_LIMIT = 64_000
EFFECT_STYLES = {
    Effect.READ_ONLY: "green",
    Effect.ADDITIVE: "blue",
    Effect.DESTRUCTIVE: "red",
    Effect.UNDECLARED: "yellow",
    Effect.CONTRADICTORY: "red",
}


Rows: TypeAlias = Callable[[Sequence[ToolDefinition]], Sequence[tuple[str, ToolDefinition]]]
"""The tools that are listed, each with its number, which may be empty."""


def print_tools(
    engine: Engine,
    hiding: Hiding,
    rows: Rows | None = None,
    grouping: Grouping = Grouping.EFFECT,
) -> None:
    """`signoff tools`: groups, names, hints, verdicts."""
    out = Out(hiding)
    server = engine.server
    _line(out, ("server   ", "dim"), (visible(server.name), "bold"), ("   ", ""))
    _line(out, ("         ", ""), (visible(hiding.command(server.command)), ""))
    ordered = in_order(engine)
    numbers = dict.fromkeys(map(id, ordered), "")
    if rows is not None:
        numbers = {id(tool): number for number, tool in rows(ordered)}
    tools = count(len(engine.tools), "tool")
    tools = tools if len(numbers) == len(engine.tools) else f"{len(numbers):,} of {tools}"
    _line(out, ("         ", ""), (head(server, tools), "dim"))
    if not engine.tools:
        _line(out, ("         ", ""), (_instead(server), ""))
    listed = [tool for tool in engine.tools if id(tool) in numbers]
    width = max((len(tool.display_name) for tool in listed), default=0)
    for section, members in _sections(server, listed):
        if section:
            out.blank()
            _line(out, (f"section {section}, {count(len(members), 'tool')}", "dim"))
        for group in group_tools(members, grouping):
            style = EFFECT_STYLES[group.tools[0].effect] if grouping is Grouping.EFFECT else ""
            out.blank()
            heading = f"{group.sign} {group.label} {len(group.tools)}".strip()
            _line(out, (heading, f"bold {style}".strip()))
            for tool in group.tools:
                _tool_line(out, engine, tool, min(width, 40), numbers[id(tool)])
    findings = [(tool, finding) for tool in listed for finding in tool.findings]
    of_server = engine.observed.all() if len(listed) == len(engine.tools) else ()
    if findings or of_server:
        out.blank()
        _line(out, ("findings", "bold"))
        for tool, finding in findings:
            finding_line(out, finding, tool.display_name)
        for finding in of_server:
            finding_line(out, finding)
    out.masked()


def _instead(server: Server) -> str:
    """What a server without tools declares, and the commands that list it."""
    declared = [kind for kind in ("resources", "prompts") if kind in (server.capabilities or {})]
    if not declared:
        return "declares no resources and no prompts"
    commands = " and ".join(f"signoff {kind}" for kind in declared)
    return f"declares {' and '.join(declared)}: {commands}"


def in_order(engine: Engine) -> tuple[ToolDefinition, ...]:
    """The tools in the order of `signoff tools`, and so of their numbers in plain mode."""
    return tuple(
        tool
        for _, members in _sections(engine.server, engine.tools)
        for group in group_tools(members, Grouping.EFFECT)
        for tool in group.tools
    )


def _sections(
    server: Server, tools: Sequence[ToolDefinition]
) -> list[tuple[str, list[ToolDefinition]]]:
    """The bundled server's sections with their tools; of another server all tools, unnamed."""
    if not server.is_bundled:
        return [("", list(tools))]
    members = [
        (one.value, [tool for tool in tools if section_of(tool) is one]) for one in ToolSection
    ]
    return [(name, found) for name, found in members if found]


def print_call(engine: Engine, call: Call, hiding: Hiding) -> None:
    """`signoff call`: print the decision, the outcome, the result part by part, and findings."""
    out = Out(hiding)
    tell_call(out, engine.server, call)
    out.sheet(endings(call, (*call.request.findings, *call.findings, *engine.observed.doubts())))
    out.masked()


def tell_call(out: Out, server: Server, call: Call) -> None:
    """Print the decision, the outcome, and the result part by part; without the findings."""
    out.facts(facts(call, out.hiding.arguments))
    if call.outcome is Outcome.CONNECTION_LOST and server.ended_words not in call.reason:
        out.facts(Fact("", line) for line in ended_lines(server, out.hiding))
    more = 0 if call.answer is None else call.answer.more_parts
    shown = list(parts(call, PartLook(out.text_limit, out.whole, out.hiding.text)))
    for number, part in enumerate(shown, 1):
        out.blank()
        out.begin_part(number, len(shown) + more)
        out.part(part)
    if more:
        _line(out, (f"{more:,} more parts are not shown", "dim"))


def print_heading(*words: str) -> None:
    """Print the heading of one call of several; the words are safe to show."""
    console = PlainConsole()
    console.print()
    head, *more = words
    pieces = [(head, "bold"), *((f"   {one}", "dim") for one in more if one)]
    console.tell(Text.assemble(*pieces))


def print_notes(label: str, lines: list[str], findings: list[Finding]) -> None:
    """Print a summary of several calls, under a label; all of it is safe to show."""
    console = PlainConsole()
    console.print()
    for at, line in enumerate(lines):
        head = (f"{label if not at else '':<9}", "dim")
        console.tell(Text.assemble(head, (line, "")))
    for finding in findings:
        for found in words_of(finding):
            pieces = ((text, ROLE_STYLES.get(role, "")) for text, role in found.pieces)
            console.tell(Text.assemble("  ", *pieces))


def ended_lines(server: Server, hiding: Hiding) -> list[str]:
    """Describe the end of the connection, with pid, exit status and the last lines on stderr."""
    pid = "" if server.pid is None else f" (pid {server.pid})"
    last_words = stderr_words(server.last_words, hiding)
    return [f"{visible(hiding.said(server.ended_words))}{pid}", *last_words]


def stderr_words(lines: Iterable[str], hiding: Hiding) -> list[str]:
    """Lines of a server's stderr behind the gutter; safe to show."""
    return [f"stderr ┃ {visible(hiding.said(line), max_blanks=PRINTED_BLANKS)}" for line in lines]


_SINCE: Final = {
    DefinitionStatus.NEW: "  new since an earlier run",
    DefinitionStatus.CHANGED: "  changed since an earlier run",
}
"""Marks for verdicts that depend on earlier runs on this machine."""


def _tool_line(out: Out, engine: Engine, tool: ToolDefinition, width: int, number: str) -> None:
    world = "↗ open world" if tool.hints.is_open_world else "◇ closed world"
    _line(
        out,
        (f"{number:>3}  " if number else "    ", "dim"),
        (f"{tool.display_name:<{width}}  ", ""),
        (f"{world:<14}  {tool.hints.repeating.words:<19}  ", "dim"),
        (engine.verdict(tool).words, "bold" if engine.verdict(tool).strong else ""),
        (_SINCE.get(engine.memory.seen(tool), ""), "yellow"),
        ("  deprecated" if tool.deprecation is not None else "", "yellow"),
        (f"  {MODEL_SIGN} addresses a model" if is_addressed(tool.findings) else "", "yellow"),
        (f"  {tool.reach.words}" if tool.reach.words else "", "yellow"),
        (f"  {tool.title_shown}" if tool.title else "", "dim"),
    )


def finding_line(out: Out, finding: Finding, where: str = "", version: str | None = None) -> None:
    """One finding, `where` before its message; below it its section of the specification, in the
    era of `version` if that is given.
    """
    out.sheet(words_of(finding, where, version))


ROLE_STYLES: Final = {
    **dict.fromkeys(("label", "dim", "gutter"), "dim"),
    "strong": "bold",
    "mark": "reverse",
    "malformed": "underline",
    "noticed": "yellow",
    "typed": "cyan",
    "error": "bold red",
    "warning": "bold yellow",
    "success": "green",
    "primary": "cyan",
}
"""Rich styles of the roles of a sheet."""


def print_sheet(lines: Iterable[SheetLine]) -> None:
    """Print lines that have no secrets in them."""
    console = PlainConsole()
    for line in lines:
        console.print(
            Text.assemble(*((text, ROLE_STYLES.get(role, "")) for text, role in line.pieces))
        )


class Out:
    """Output of lines: known secrets are taken out of every piece."""

    text_limit = TEXT_LIMIT
    """Characters of one text that are shown."""
    whole = "--json: everything"
    """The option with the whole output, in words."""

    def __init__(self, hiding: Hiding) -> None:
        self.hiding = hiding
        self._console = PlainConsole()

    def blank(self) -> None:
        self._console.print()

    def begin_part(self, number: int, total: int) -> None:
        """A part of an answer follows."""

    def masked(self) -> None:
        """Print at the end which texts were masked, if any."""
        if words := self.hiding.words():
            self.blank()
            self.line((words, "dim"))

    def sheet(self, lines: Iterable[SheetLine]) -> None:
        """Print the lines of a sheet: a label before the text, texts of others behind a gutter."""
        for line in lines:
            if line == SheetLine():
                self.blank()
                continue
            before = "┃ " if line.gutter else f"{line.label:<{line.indent}}"
            after = [("  ", ""), *line.aside] if line.aside else []
            pieces = [(f"  {before}", "dim"), *line.pieces, *after]
            self.line(*((text, ROLE_STYLES.get(role, "")) for text, role in pieces))

    def facts(self, facts: Iterable[Fact]) -> None:
        """Print the main facts on a call, a line each."""
        for line in main_lines(facts, INDENT):
            pieces = ((text, ROLE_STYLES.get(role, "")) for text, role in line.pieces)
            self.line((f"{line.label:<{line.indent}}", "dim"), *pieces)

    def part(self, part: ShownPart) -> None:
        """Print a part of a response, its lines indented."""
        head = ((text, ROLE_STYLES.get(role, "")) for text, role in part.heading)
        for pieces in (((part.sender, "bold"),), tuple(head)):
            if any(text for text, _ in pieces):
                self.line(*pieces)
        self.sheet(part.lines)

    def line(self, *pieces: tuple[str, str]) -> None:
        hidden = [(self.hiding.text(text), style) for text, style in pieces]
        self._console.tell(Text.assemble(*hidden))


def _line(out: Out, *pieces: tuple[str, str]) -> None:
    out.line(*pieces)


def hosts_named(words: str) -> tuple[ModelHost, ...]:
    """The hosts of an option `codex,kilo` or `all`; none for no words. Raises UsageError."""
    if not words:
        return ()
    try:
        return picked([one.strip() for one in words.split(",")])
    except UnknownModelHost as error:
        raise UsageError(str(error)) from None


def print_views(
    call: Call, hosts: Sequence[ModelHost], out: Out, *, in_short: bool = False
) -> None:
    """Print the view of one host, or those of several by groups, losses first; `in_short` a line
    for each host.
    """
    response = _response(call)
    if response is None:
        out.line(("model gets  ", "dim"), ("no response, so nothing to show", ""))
        return
    if len(hosts) > 1 and not in_short:
        groups = groups_of([view_of(host, response) for host in hosts])
        out.sheet(groups_lines(groups, out.text_limit))
        return
    for host in hosts:
        view = view_of(host, response)
        words = f"  {sign_of(view.losses, view.unknown)} {summary(view.losses, view.unknown)}"
        named = (("", "") if in_short else ("model of  ", "dim"), (host.words, "bold"))
        out.line(*named, (words, ""))
        if not in_short:
            out.sheet(line for line in view_lines(view, out.text_limit) if line != SheetLine())


def views_report(call: Call, hosts: Sequence[ModelHost], hiding: Hiding) -> list[Any]:
    """The views for `--json`; empty without a response."""
    response = _response(call)
    if response is None:
        return []
    found: list[Any] = hiding.value([view_json(view_of(one, response)) for one in hosts])
    return found


def _response(call: Call) -> ResultInParts | None:
    return (
        None
        if call.answer is None
        else read_response(call.raw, call.answer.copies, call.breaks_schema)
    )
