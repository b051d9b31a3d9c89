"""What the pager shows of a call: its story, all that came back, and what went over the wire."""

from __future__ import annotations

from ..analysis.evidence.claims import evidence_lines
from ..approval.grants import Scope
from ..calls.call import Call
from ..content.json.jsonio import JsonValue
from ..content.text import seconds
from ..engine.engine import Bench
from ..protocol.wire.rows import call_lines
from .pager import Section, plain_lines
from .section_lines import Lines, finding_lines, raw_lines


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
        words = "\n".join([*lines, "", "enter shows them whole, W as well."])
    return Section("wire", plain_lines(words), is_ours=True, leads_to_wire=bool(lines))


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
