"""A call: the facts on it, the notes below its response, and its JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..approval.questions.definition_lines import EFFECT_ROLES
from ..approval.questions.question_lines import PREVIEW_IS_THEIRS, SENT_FOR_IT
from ..calls.call import NOTHING_SENT, Call, Outcome
from ..calls.effects.claims import evidence_lines, judge_call
from ..content.json.jsonio import JsonValue, pointer
from ..content.text import seconds, shortened, visible
from ..content.texts.facts import Fact, FactPlace, lines
from ..content.texts.sheet_line import SheetLine
from ..protocol.clients.findings import rejection_words
from ..protocol.extensions.display_templates import CallPreview, in_quotes, preview_of
from ..protocol.extensions.trust_annotations import label_words
from ..protocol.findings.findings import lines as finding_lines
from ..protocol.requests import PromptGet
from ..schemas.schema import SchemaAnswer, SchemaVerdict

if TYPE_CHECKING:
    from ..protocol.findings.findings import Finding
    from .server import Hides

ONLY_RESOLVED: Final = "only tools/resolve was sent"
INDENT: Final = 9
"""Columns of the labels that are not details."""
_OWN: Final = ("arguments", "duration_ms", "effect", "hints", "outcome", "rounds", "sent", "tool")
"""Members of the JSON that repeat no secret."""


def facts(call: Call, arguments: Mapping[str, JsonValue] | None = None) -> list[Fact]:
    """All facts on a call, safe to show; `arguments` replace its own if those are secret."""
    return [one for one in _facts(call, arguments) if one.words]


def _facts(call: Call, arguments: Mapping[str, JsonValue] | None) -> Iterator[Fact]:
    verdict, snapshot, effect = call.verdict, call.snapshot, call.request.effect
    yield _request(call, arguments)
    sign = f"{effect.sign} {effect.value}"
    yield Fact("effect", f"{sign}: {effect.meaning}", role=EFFECT_ROLES[effect], short=sign)
    if (resolution := call.resolution) is not None:
        yield Fact("resolved", resolution.words(call.request.hints))
        if resolution.was_sent:
            yield Fact("", SENT_FOR_IT)
    yield Fact("policy", f"{verdict.words}: {'; '.join(verdict.reasons)}")
    rule = f"{verdict.policy}: {verdict.rule}" if verdict.rule else verdict.policy
    yield Fact("rule", f"{rule}  {verdict.source}".rstrip(), FactPlace.DETAIL)
    decided = _decision(call)
    yield Fact("decision", decided or "none yet", FactPlace.CELL if decided else FactPlace.DETAIL)
    yield Fact("follows", ", ".join(follows(call)))
    if (preview := _preview(call, arguments)) is not None:
        yield Fact("preview", f"{in_quotes(preview.words)}, {PREVIEW_IS_THEIRS}")
        yield Fact("", preview.omission)
    if call.labels is not None and call.labels.labels:
        yield Fact("labels", f"{label_words(call.labels.labels)}, as the server claims")
    for reference in () if call.labels is None else call.labels.evidence:
        if reference.check is not None:
            kind = shortened(reference.type, 40)
            yield Fact("digest", f"of evidence “{kind}” {reference.check.words}")
    yield Fact("definition", f"sha256 {snapshot.definition_digest}", FactPlace.DETAIL)
    yield Fact("arguments", f"sha256 {snapshot.arguments_digest}", FactPlace.DETAIL)
    yield Fact("all of it", f"sha256 {snapshot.digest}, with the server", FactPlace.DETAIL)
    yield Fact("sent", _sent(call), FactPlace.DETAIL)
    if call.schema is not None and call.schema.answer is not SchemaAnswer.NO_SCHEMA:
        yield Fact("structured", call.schema.answer.value, FactPlace.DETAIL)
    yield Fact("response", _used(call))
    yield from approval_of_server(call)
    yield from ending_facts(call)


def approval_of_server(call: Call) -> Iterator[Fact]:
    """What the server reports about an approval of its own; its hints are only shown."""
    if (denial := call.denial) is not None:
        yield Fact("denial", denial.remediation.words, role="error")
        for one in denial.hints:
            yield Fact("", f"hint, not followed: {one.kind} {one.words}".rstrip())
        yield Fact("handle", visible(denial.handle), FactPlace.DETAIL)
    if call.disposition is not None:
        yield Fact("approval", call.disposition.words)


def _preview(call: Call, arguments: Mapping[str, JsonValue] | None) -> CallPreview | None:
    """The line of the server's template for the arguments as they may be shown."""
    if call.template is None:
        return None
    shown = call.snapshot.arguments() if arguments is None else arguments
    return preview_of(call.template, shown)


def ending_facts(call: Call) -> Iterator[Fact]:
    """The outcome, and its reason unless the decision has it."""
    role = "" if not call.is_over else "success" if call.is_fine else "error"
    yield Fact("outcome", outcome_words(call), role=role)
    is_said = call.outcome is Outcome.NOT_SENT or call.reason in _decision(call)
    if call.reason and not is_said:
        yield Fact("", call.reason)


def _request(call: Call, arguments: Mapping[str, JsonValue] | None) -> Fact:
    if call.tool is not None:
        return Fact("tool", call.request.display_name, role="strong")
    shown = call.snapshot.arguments() if arguments is None else arguments
    match call.request:
        case PromptGet(prompt):
            given = shown.get("arguments")
            pairs = given.items() if isinstance(given, dict) else ()
            filled = " ".join(f"{name}={text}" for name, text in pairs)
            words = f"{visible(prompt)}   {visible(filled)}" if filled else visible(prompt)
            return Fact("prompt", words, role="strong")
        case _:
            uri = visible(str(shown.get("uri")))
            return Fact("reads", f"{uri}   {call.snapshot.method}", role="strong")


def _decision(call: Call) -> str:
    decision = call.decision
    if decision is None:
        return ""
    return f"{decision.words}: {decision.reason}" if decision.reason else decision.words


def _sent(call: Call) -> str:
    ttl = call.snapshot.task_ttl
    as_task = "" if ttl is None else f", as a task (ttl {ttl:,} ms)"
    times = f", {call.rounds} times, as the server asked for" if call.rounds > 1 else ""
    return f"{'yes' if call.sent else 'no'}{as_task}{times}"


def _used(call: Call) -> str:
    """Who decided about the use of the response."""
    words = "" if call.result_decision is None else call.result_decision.words
    kept = "withheld: nothing of it is kept" if call.withheld else ""
    return ", ".join(filter(None, (words, kept)))


def outcome_words(call: Call, now: float | None = None) -> str:
    """`answered, 3 ms`, with the reason of one that was not sent; `now` if it may be running."""
    if call.outcome is Outcome.NOT_SENT and call.reason:
        return f"{call.status}: {call.reason}"
    took = took_words(call, now)
    return f"{call.status}, {took}" if took else call.status


def took_words(call: Call, now: float | None = None) -> str:
    """The time since a call was sent, or that it ended unsent; empty if its status has that."""
    if call.sent:
        end = now if call.ended_at is None else call.ended_at
        return "" if end is None else seconds(call.elapsed(end))
    if call.resolution is not None and call.resolution.was_sent:
        return ONLY_RESOLVED if call.is_over else ""
    return NOTHING_SENT if call.is_over and "sent" not in call.status else ""


def follows(call: Call) -> list[str]:
    """The call of which this one is a retry, and the page that it requests, in words."""
    retry = "" if call.retry_of is None else f"retry of call {call.retry_of}"
    return [one for one in (retry, "" if call.page is None else call.page.words) if one]


def notes(call: Call) -> Iterator[Fact]:
    """The comparison with an earlier call: the response, and the hint on repeating."""
    found = call.comparison
    if found is None:
        return
    yield Fact("compared", found.headline, role="success" if found.agrees else "warning")
    yield from (Fact("", words) for words in found.words)
    if (repeat := found.repeat) is not None:
        yield Fact("repeat", repeat.headline, role="strong")
        yield from (Fact("", one.words) for one in repeat.differences)
        yield Fact("", repeat.claim_words)


def endings(call: Call, findings: Iterable[Finding]) -> Iterator[SheetLine]:
    """The lines below a response: findings, what was seen of the call, and the notes."""
    for one in findings:
        yield from finding_lines(one)
    if call.evidence is not None:
        yield SheetLine()
        yield from (SheetLine(((words, ""),) if words else ()) for words in evidence_lines(call))
    if noted := list(notes(call)):
        yield SheetLine()
        yield from lines(noted, INDENT)


def as_json(
    call: Call,
    hides: Hides,
    arguments: Mapping[str, JsonValue] | None,
    seen: tuple[Finding, ...] = (),
) -> dict[str, Any]:
    """The same as JSON; `arguments` may be shown, and `seen` are findings beside its own."""
    duration = call.ended_at - call.sent_at if call.ended_at and call.sent_at else None
    findings = (*call.request.findings, *call.findings, *seen)
    shown: dict[str, Any] = {
        "tool": call.request.name,
        "arguments": arguments,
        "hints": call.request.hints.as_json(),
        "effect": call.request.effect.value,
        "verdict": call.verdict.as_json(),
        "decision": call.decision.as_json() if call.decision else None,
        "sent": call.sent,
        "rounds": call.rounds,
        "outcome": call.outcome.value if call.outcome else None,
        "reason": call.reason,
        "result": call.raw,
        "schema": schema_json(call.schema),
        "findings": [finding.as_json() for finding in findings],
        "progress": [progress.as_json() for progress in call.progress_log],
        "duration_ms": None if duration is None else round(duration * 1000, 3),
    }
    if call.tool is None:
        shown["method"] = call.snapshot.method
    if (evidence := call.evidence) is not None:
        shown["evidence"] = {
            **evidence.as_json(),
            "at_end": evidence.ending.as_json() if evidence.ending else None,
            "verdicts": [one.as_json() for one in judge_call(call)],
        }
    if call.resolution is not None:
        shown["resolution"] = call.resolution.as_json(call.request.hints)
    if (preview := _preview(call, arguments)) is not None:
        shown["preview"] = preview.as_json()
    if call.labels is not None:
        shown["labels"] = call.labels.as_json()
    if call.task is not None:
        shown["task"] = call.task.as_json()
    if call.denial is not None:
        shown["denial"] = call.denial.as_json()
    if call.disposition is not None:
        shown["disposition"] = call.disposition.value
    if (error := call.error) is not None:
        shown["error"] = {"code": error.code, "message": error.message, "data": error.data}
    return {name: one if name in _OWN else hides.value(one) for name, one in shown.items()}


def schema_json(verdict: SchemaVerdict | None) -> dict[str, Any]:
    """The verdict on structuredContent."""
    if verdict is None:
        return {"answer": SchemaAnswer.NOT_VALIDATED.value, "reason": "no response", "errors": []}
    report: dict[str, Any] = {
        "answer": verdict.answer.value,
        "errors": [
            {
                "path": pointer(mismatch.path),
                "message": mismatch.message,
                "schema_path": "/" + "/".join(str(step) for step in mismatch.schema_path),
            }
            for mismatch in verdict.errors
        ],
    }
    if verdict.reason:
        report["reason"] = verdict.reason
    if verdict.more:
        report["more"] = verdict.more
    if verdict.unchecked:
        report["unchecked"] = [
            {"path": pointer(one.path), "message": one.message} for one in verdict.unchecked
        ]
    if verdict.rejected_by_clients:
        report["rejected_by_clients"] = [
            {"path": pointer(one.path), "message": rejection_words(one)}
            for one in verdict.rejected_by_clients
        ]
    return report
