"""Readable output of the headless commands, coloured on a terminal; also the views of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from rich.text import Text

from ...approval.approval import ANSWER_WORDS
from ...calls.call import Call, Outcome
from ...calls.effects.claims import evidence_lines
from ...content.json.jsonio import pointer, pretty_spans
from ...content.media.audio import read_facts as audio_facts
from ...content.media.image_facts import read_facts as image_facts
from ...content.text import PRINTED_BLANKS, count, cut, seconds, size, visible
from ...content.texts.sheet_line import SheetLine
from ...engine.engine import Engine
from ...hosts.model_view.response import ResultInParts, read_response
from ...hosts.model_view.table import ModelHost, UnknownModelHost, picked
from ...hosts.model_view.view import view_of
from ...presentation.model_view import (
    groups_lines,
    groups_of,
    sign_of,
    summary,
    view_json,
    view_lines,
)
from ...presentation.server import head
from ...protocol.answers.content import (
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from ...protocol.answers.links import look_at, size_words
from ...protocol.clients.findings import rejection_words
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.findings.finding_words import lines as words_of
from ...protocol.findings.findings import Finding
from ...protocol.findings.model_texts import MODEL_SIGN, is_addressed
from ...protocol.hints import Effect
from ...protocol.requests import PromptGet
from ...protocol.server import Server
from ...protocol.tool import Grouping, ToolDefinition, ToolSection, group_tools, section_of
from ...schemas.schema import SchemaAnswer
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
    """`signoff call`: print the decision, the outcome, and the result part by part."""
    out = Out(hiding)
    tell_call(out, engine.server, call)
    for finding in (*call.request.findings, *call.findings, *engine.observed.doubts()):
        finding_line(out, finding)
    if call.evidence is not None:
        out.blank()
        for words in evidence_lines(call):
            _line(out, (words, ""))
    out.masked()


def tell_call(out: Out, server: Server, call: Call) -> None:
    """Print the decision, the outcome, and the result part by part; without the findings."""
    hiding = out.hiding
    style = "green" if call.outcome is Outcome.OK else "red"
    if isinstance(call.request, PromptGet):
        given = (hiding.arguments or {}).get("arguments")
        pairs = given.items() if isinstance(given, dict) else ()
        filled = " ".join(f"{name}={text}" for name, text in pairs)
        name = visible(call.request.prompt)
        _line(out, ("prompt   ", "dim"), (name, "bold"), (f"   {visible(filled)}", ""))
    elif call.tool is None:
        uri = visible(str((hiding.arguments or {}).get("uri")))
        _line(out, ("reads    ", "dim"), (uri, "bold"), ("   resources/read", "dim"))
    else:
        _line(out, ("tool     ", "dim"), (call.request.display_name, "bold"))
    effect = f"{call.request.effect.sign} {call.request.effect.value}"
    _line(out, ("effect   ", "dim"), (effect, EFFECT_STYLES[call.request.effect]))
    _line(out, ("policy   ", "dim"), (f"{call.verdict.words}: ", ""), (_reasons(call), ""))
    if call.decision is not None:
        reason = f": {call.decision.reason}" if call.decision.reason else ""
        words = f"{ANSWER_WORDS[call.decision.answer]} by {call.decision.by_words}{reason}"
        _line(out, ("decision ", "dim"), (words, ""))
    elapsed = f"   {seconds(call.elapsed(call.ended_at or 0))}" if call.sent else "   not sent"
    is_withdrawn = call.outcome is Outcome.NOT_SENT
    words = f"{call.status}: {call.reason}" if is_withdrawn else call.status
    _line(out, ("outcome  ", "dim"), (words, style), ("" if is_withdrawn else elapsed, "dim"))
    if call.reason and call.outcome not in (Outcome.DENIED, Outcome.NOT_SENT):
        _line(out, ("         ", ""), (call.reason, ""))
    if call.outcome is Outcome.CONNECTION_LOST and server.ended_words not in call.reason:
        for line in ended_lines(server, hiding):
            _line(out, ("         ", ""), (line, ""))
    if call.answer is not None:
        total = len(call.answer.parts) + call.answer.more_parts
        for number, part in enumerate(call.answer.parts, 1):
            out.blank()
            out.begin_part(number, total)
            if role := call.answer.role(number - 1):
                _line(out, (role, "bold"))
            _print_part(out, part)
            _print_annotations(out, part)
        if call.answer.more_parts:
            _line(out, (f"{call.answer.more_parts:,} more parts are not shown", "dim"))
        if call.answer.has_structured:
            out.blank()
            _print_structured(out, call)


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


def _print_part(out: Out, part: Part) -> None:
    match part:
        case TextPart(text):
            _gutter(out, text)
        case ImagePart(data, mime):
            said = image_facts(data, mime).words.removeprefix("image  ")
            _line(out, (f"image  {visible(mime)}  {said}", ""))
        case AudioPart(data, mime):
            said = audio_facts(data, mime).words.removeprefix("audio  ")
            _line(out, (f"audio  {visible(mime)}  {said}", ""))
        case TextResourcePart(uri, mime, text):
            count = len(text)
            amount = f"{count:,} character{'' if count == 1 else 's'}"
            rows = [("uri", visible(uri)), ("type", visible(mime)), ("size", amount)]
            _facts(out, "resource", rows)
            _gutter(out, text)
        case BlobResourcePart(uri, mime, blob):
            amount = size(len(blob.rstrip("=")) * 3 // 4)
            rows = [("uri", visible(uri)), ("type", visible(mime)), ("size", amount)]
            _facts(out, "resource", rows)
        case LinkPart():
            _print_link(out, part)
        case UnknownPart(raw, reason):
            _line(out, (f"{reason}:", "red"))
            for line in pretty_spans(raw):
                _line(out, ("  ┃ ", "dim"), ("".join(span.text for span in line), ""))


def _print_link(out: Out, part: LinkPart) -> None:
    """Print the server's texts on a link, and its target."""
    facts = look_at(part.uri)
    rows = [
        ("uri", visible(part.uri)),
        ("host", visible(facts.host)),
        ("name", visible(part.name)),
        ("title", visible(part.title)),
        ("description", visible(cut(part.description, TEXT_LIMIT).text)),
        ("type", visible(part.mime)),
        ("size", size_words(part.size)[0]),
    ]
    _facts(out, "link", rows)
    for caution in facts.cautions:
        _line(out, (f"          ▲ {caution}", "yellow"))


def _facts(out: Out, what: str, rows: list[tuple[str, str]]) -> None:
    """Print words about a part, one a line; `rows` are labels with texts that are safe to show."""
    _line(out, (what, "bold"))
    for label, words in rows:
        if words:
            _line(out, (f"  {label:<6}  ", "dim"), (words, ""))


def _print_annotations(out: Out, part: Part) -> None:
    said = part.annotations
    rows = [
        ("for", " and ".join(said.audience)),
        ("weight", "" if said.priority is None else f"{said.priority:g} of 1"),
        ("dated", visible(said.last_modified)),
    ]
    for label, words in rows:
        if words:
            _line(out, (f"  {label:<6}  ", "dim"), (words, ""))


def _print_structured(out: Out, call: Call) -> None:
    assert call.answer is not None
    verdict = call.schema
    words = verdict.answer.value if verdict else "not validated"
    if verdict and verdict.reason:
        words += f" ({verdict.reason})"
    style = "green" if verdict and verdict.answer is SchemaAnswer.VALID else "yellow"
    if verdict and verdict.answer is SchemaAnswer.INVALID:
        style = "red"
    _line(out, ("structuredContent  ", "bold"), (words, style))
    for line in pretty_spans(call.answer.structured):
        _line(out, ("  ┃ ", "dim"), ("".join(span.text for span in line), ""))
    for mismatch in verdict.errors if verdict else ():
        schema = "/" + "/".join(visible(str(step)) for step in mismatch.schema_path)
        _line(
            out,
            (f"  ✗ {pointer(mismatch.path)}  ", "red"),
            (mismatch.message, ""),
            (f"  schema {schema}", "dim"),
        )
    for mismatch in verdict.rejected_by_clients if verdict else ():
        _line(out, ("  ▲ ", "yellow"), (f"valid, but {rejection_words(mismatch)}", ""))


def finding_line(out: Out, finding: Finding, where: str = "", version: str | None = None) -> None:
    """One finding, `where` before its message; below it its section of the specification, in the
    era of `version` if that is given.
    """
    out.sheet(words_of(finding, where, version))


def _gutter(out: Out, text: str) -> None:
    shown = cut(out.hiding.text(text), out.text_limit)
    for line in visible(shown.text, multiline=True, max_blanks=60).split("\n"):
        _line(out, ("  ┃ ", "dim"), (line, ""))
    if shown.is_cut:
        _line(out, (f"    {shown.notice}; {out.whole}", "dim"))


def _reasons(call: Call) -> str:
    return "; ".join(call.verdict.reasons)


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
