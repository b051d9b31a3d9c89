"""What the pager shows of a tool, a call, a server: the whole evidence, sanitised."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from signoff.app.bench.bench import Bench
from signoff.app.core.approvals.grants import Scope
from signoff.app.core.approvals.run_words import bound_lines
from signoff.app.core.approvals.what_runs import WhatRuns
from signoff.app.core.calls import Call
from signoff.app.core.dates import stamp
from signoff.app.core.definitions.diff_lines import definition_lines, list_lines
from signoff.app.core.evidence.lines import evidence_lines
from signoff.app.core.findings import Finding
from signoff.app.core.forms.weight import room_left
from signoff.app.core.hints import Hints
from signoff.app.core.jsonio import JsonValue, pretty, pretty_spans
from signoff.app.core.log_messages import logger_words, loggers_of
from signoff.app.core.server import Server
from signoff.app.core.spec_sections import section_behind
from signoff.app.core.text import Span, count, cut, seconds, spans, visible
from signoff.app.core.tools import ToolDefinition
from signoff.app.core.wire.of_call import call_lines
from signoff.app.screens.pager import Section, plain_lines
from signoff.widgets.hint_table import hint_lines

TEXT_LIMIT = 200_000
MARKED_ROOM = 4_000
PRETTY_ROOM = 50_000
"""Values, or a hundred characters each, that are laid out: with marks for blanks, and at all."""

HINTS_WIDTH = 72
LOG = "log messages"

Lines = list[list[Span]]


def tool_sections(tool: ToolDefinition, version: str = "") -> list[Section]:
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


def history_sections(bench: Bench, tool: ToolDefinition) -> list[Section]:
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


def call_sections(call: Call, version: str) -> list[Section]:
    """What was asked, decided, sent, and what came back, raw; `version` is the server's."""
    sections = [Section("story", story_lines(call), is_ours=True)]
    if call.raw is not None:
        sections.append(Section("raw result", raw_lines(call.raw)))
    if call.evidence is not None:
        words = plain_lines("\n".join(evidence_lines(call)))
        sections.append(Section("evidence", words, is_ours=True))
    if call.error is not None:
        error = call.error
        raw: JsonValue = {"code": error.code, "message": error.message, "data": error.data}
        sections.append(Section("raw error", raw_lines(raw)))
    if call.task is not None:
        sections.append(Section("task", raw_lines(call.task.raw)))
    if call.late is not None:
        sections.append(Section("late answer", raw_lines(call.late)))
    sections.append(Section("arguments", raw_lines(call.snapshot.arguments())))
    if call.progress_log:
        log = [one.as_json() for one in call.progress_log]
        sections.append(Section("progress", raw_lines(list(log))))
    sections.append(Section("findings", finding_lines(call.findings, version), is_ours=True))
    return sections


def pages_of_call(bench: Bench, call: Call) -> list[Section]:
    """A call from beginning to end, and what went over the wire for it."""
    return [*call_sections(call, bench.server.version), wire_section(bench, call.id)]


def wire_section(bench: Bench, number: int) -> Section:
    """What went over the wire for a call; of one that was not sent, that nothing did."""
    lines = call_lines(bench.link.wire.since(0), number)
    call = bench.calls.get(number)
    if call is not None and not call.sent and not lines:
        words = f"nothing was sent: {call.status}"
    elif not lines:
        words = "no message of this call is kept any more"
    else:
        words = "\n".join([*lines, "", "W shows them whole, and all the others."])
    return Section("wire", plain_lines(words), is_ours=True)


def server_sections(bench: Bench) -> list[Section]:
    """Facts, findings, stderr, and what the server says of itself."""
    server = bench.server
    facts = f"{server_facts(server, bench.runs, watch_words(bench))}\n{offer_facts(bench)}"
    return [
        Section("server", plain_lines(facts), is_ours=True),
        Section("findings", finding_lines(bench.all_findings(), server.version), is_ours=True),
        Section("stderr", [line for text in bench.stderr for line in text_lines(text)]),
        Section(LOG, log_lines(bench), is_ours=True),
        Section("instructions", text_lines(server.instructions) if server.instructions else []),
        Section("says of itself", raw_lines(server.info)),
        Section("capabilities", raw_lines(server.capabilities)),
    ]


def watch_words(bench: Bench) -> str:
    """How the server's process is watched, and where it works; empty where it is not."""
    watch = bench.link.watch
    return f"by {watch.method.value}, in {visible(watch.scratch)}" if watch is not None else ""


def offer_facts(bench: Bench) -> str:
    """How much it has beside its tools, and where to look at it."""
    offers = bench.offers
    counts = [f"{len(offers.of(kind)):,} {kind.plural}" for kind in offers.kinds]
    words = f"{', '.join(counts)} (P)" if counts else "no resources and no prompts"
    return f"{'offers':<13} {count(len(bench.tools), 'tool')}, {words}"


def log_lines(bench: Bench, logger: str | None = None) -> Lines:
    """The log messages that are kept, of the level that was asked for, newest last.

    `logger`: those of this one alone, by its raw name; empty for those without one.
    """
    log = bench.log
    level = f"asked for from {log.level} on" if log.level else "no level was asked for"
    head = f"{count(log.count, 'log message')}, {level}"
    if log.dropped:
        head += f"; the oldest {log.dropped:,} are not kept"
    shown = [one for one in log.messages if one.reaches(log.level)]
    loggers = loggers_of(log.messages)
    only = ""
    if logger is not None:
        shown = [one for one in shown if one.logger == logger]
        at = f"{loggers.index(logger) + 1} of " if logger in loggers else "of "
        only = f"{len(shown):,} {logger_words(logger)} ({at}{len(loggers):,})"
    lines = plain_lines("\n".join(one for one in (head, only, log.problem) if one))
    return [*lines, *([Span(f"┃ {one.line}", False)] for one in shown)]


def server_facts(server: Server, runs: WhatRuns | None = None, watched: str = "") -> str:
    """`watched`: how its process is watched and where it works, in words."""
    rows = [
        ("name", visible(server.name)),
        ("command", visible(server.command)),
        *bound_lines(runs),
        ("calls itself", server.calls_itself or "nothing"),
        ("trust", server.trust.value),
        ("state", server.phase.value),
        ("protocol", server.protocol_words or "not known yet"),
        ("pid", "none" if server.pid is None else str(server.pid)),
    ]
    if server.ended_words:
        rows.append(("ended", visible(server.ended_words)))
    if server.exit_code is not None:
        rows.append(("exit code", str(server.exit_code)))
    rows += [("last words", f"┃ {visible(line)}") for line in server.last_words]
    if watched:
        rows.append(("watched", watched))
    return "\n".join(f"{label:<13} {words}" for label, words in rows)


def story_lines(call: Call) -> Lines:
    """Who, what, when, how long, on which basis, with which outcome."""
    decision, ttl = call.decision, call.snapshot.task_ttl
    as_task = "" if ttl is None else f", as a task (ttl {ttl:,} ms)"
    rows = [
        ("request" if call.tool is None else "tool", call.request.name_shown),
        ("effect", f"{call.request.effect.value}: {call.request.effect.meaning}"),
        ("verdict", f"{call.verdict.words} ({call.verdict.policy})"),
        *(("", reason) for reason in call.verdict.reasons),
        *([("rule", call.verdict.rule)] if call.verdict.rule else []),
        *([("", call.verdict.source)] if call.verdict.source else []),
        ("decision", f"{decision.answer.value} by {decision.by_words}" if decision else "none yet"),
        *([("", decision.reason)] if decision and decision.reason else []),
        *(
            [("", f"after {seconds(decision.seconds)} on the screen")]
            if decision and decision.seconds is not None
            else []
        ),
        *(
            [("remembered", decision.remember.scope.value)]
            if decision and decision.remember.scope is not Scope.ONCE
            else []
        ),
        ("sent", ("yes" if call.sent else "no") + as_task),
        ("outcome", call.status),
        *([("", call.reason)] if call.reason else []),
        *(
            [("took", seconds(call.ended_at - call.sent_at))]
            if call.ended_at and call.sent_at
            else []
        ),
        *(
            [("answer", f"{call.result_decision.answer.value} by {call.result_decision.by_words}")]
            if call.result_decision
            else []
        ),
        *([("retry of", f"call {call.retry_of}")] if call.retry_of is not None else []),
        *([("compared", call.comparison.headline)] if call.comparison else []),
        *([("", words) for words in call.comparison.words] if call.comparison else []),
        *_repeat_rows(call),
        ("definition", f"sha256 {call.snapshot.definition_digest}"),
        ("arguments", f"sha256 {call.snapshot.arguments_digest}"),
        ("approval", f"sha256 {call.snapshot.digest}"),
    ]
    return plain_lines("\n".join(f"{label:<11} {words}" for label, words in rows))


def _repeat_rows(call: Call) -> list[tuple[str, str]]:
    """What two answers say about repeating the call."""
    repeat = call.comparison.repeat if call.comparison is not None else None
    if repeat is None:
        return []
    rows = [repeat.headline, *(one.words for one in repeat.differences), repeat.claim_words]
    return [("repeat" if not at else "", words) for at, words in enumerate(rows)]


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


def text_lines(text: str) -> Lines:
    """A server's text, sanitised, as lines."""
    shown = cut(text, TEXT_LIMIT)
    lines: Lines = [[]]
    for span in spans(shown.text, multiline=True):
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
