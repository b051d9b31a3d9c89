"""Decides when a call may be retried, and reads results that are not final.

Spec, schema `ToolAnnotations`: idempotentHint true means that calling again with the same arguments
has no additional effect; a hint of a server that is not trusted does not count.

Spec 2026-07-28, basic/patterns/mrtr: `resultType: "input_required"` ends the request unfinished;
`inputRequests` has to be answered before it is made again, and `requestState` has to come with it.
Spec 2025-11-25, basic/utilities/tasks: a result with `task` in place of content reports a created
task; the extension that followed does so with `resultType: "task"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..approval.policies.verdicts import Verdict, VerdictAnswer
from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.json.quoting import quoted
from ..content.labels import some_listed
from ..content.text import shortened, visible
from ..protocol.answers.task_findings import task_fault, unreadable_task
from ..protocol.answers.task_states import INPUTS_MAX
from ..protocol.findings.findings import Finding, error, note
from ..protocol.server import Trust
from ..protocol.server_requests.capabilities import NO_CAPABILITIES, ClientCapabilities
from ..protocol.tool import ToolDefinition
from .call import Call, Outcome

_HOW: Final[Mapping[Outcome, str]] = {
    Outcome.CONNECTION_LOST: "connection lost, outcome unknown",
    Outcome.CANCELLED: "cancelled; part of the work may be done",
    Outcome.TIMEOUT: "no response in time, outcome unknown",
}


@frozen
class Advice:
    """Verdict on offering a retry, and the reason in words."""

    is_offered: bool
    """Whether repeating it does no harm."""
    reason: str
    asks: bool = False
    """Whether a retry that may do harm is offered, which asks under every policy."""

    @property
    def has_key(self) -> bool:
        """True if there is a way to retry."""
        return self.is_offered or self.asks


def is_unknown(call: Call) -> bool:
    """True if the call was sent and its effect is unknown."""
    return call.is_unknown


def is_harmless(call: Call) -> bool:
    """True if nothing was sent although there was no denial: a retry repeats nothing."""
    return not call.sent and call.outcome in (Outcome.NOT_SENT, Outcome.FAULT)


def is_repeatable(tool: ToolDefinition, trust: Trust) -> bool:
    """True if repeating a call is claimed to change nothing more, by a server that is trusted."""
    return trust is Trust.TRUSTED and tool.hints.is_repeatable and not tool.has_duplicate_name


def advise(call: Call, tool: ToolDefinition, trust: Trust, verdict: Verdict) -> Advice:
    """Decide whether to offer a retry. `tool` and `verdict`: as of now."""
    if not call.is_over:
        return Advice(False, "the call has not ended yet")
    if verdict.denied_before:
        return Advice(False, f"{verdict.reasons[0]} (f10: revoke)")
    if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        return Advice(False, f"the policy {verdict.policy} refuses the call: {verdict.reasons[0]}")
    if is_harmless(call):
        return Advice(True, "nothing was sent, so retrying is harmless")
    if not call.sent:
        return Advice(False, "not sent: call it again")
    if call.outcome is Outcome.NOT_TAKEN:
        return Advice(False, "not accepted by the server: call it again as a new call")
    if call.outcome is Outcome.INPUT_REQUIRED:
        words = (
            "not finished, because the server requested input: calling again starts from the "
            "beginning"
        )
        return Advice(False, words)
    if not is_unknown(call):
        return Advice(False, "the call has a response: calling again is a new call, not a retry")
    said = tool.hints.repeating_said
    how = _HOW.get(call.outcome, "outcome unknown") if call.outcome else "outcome unknown"
    if is_repeatable(tool, trust):
        return Advice(True, f"{how}. The tool {said} by a trusted server, so repeating it is safe")
    if tool.hints.is_repeatable:
        trusted = trust is Trust.TRUSTED
        but = "several tools have its name" if trusted else "the server is not trusted"
        why = f"it {said}, but {but}"
    else:
        # For a cancelled call the words around this already mention it.
        done = "" if call.outcome is Outcome.CANCELLED else "the call may have finished, and "
        why = f"{done}it {said}"
    # Spec 2026-07-28, changelog: a broken response stream loses the request, and the client must
    # issue it again. Whether it may is for a person to decide: `repeated_unknown`.
    asks = call.outcome is Outcome.CONNECTION_LOST
    words = f"{how}. {why[:1].upper()}{why[1:]}. Calling it again needs approval"
    return Advice(False, words, asks=asks)


def repeated_unknown(verdict: Verdict, before: Call) -> Verdict:
    """Return the verdict on a repeated call when the first one's effect is unknown."""
    what = f"the outcome of call {before.id} is unknown"
    if before.outcome is Outcome.CANCELLED:
        what = f"call {before.id} was cancelled but may have finished"
    reason = f"{what}: this call may repeat its effect"
    return _asked_about(verdict, reason)


def repeated_counting(verdict: Verdict, call_id: int, said: str) -> Verdict:
    """Return the verdict on repeating a call whose hints declare an effect of a second one."""
    reason = (
        f"it repeats call {call_id} to compare the responses; the tool {said}, so it may act again"
    )
    return _asked_about(verdict, reason)


def repeated_denied(verdict: Verdict, reason: str) -> Verdict:
    """Return the verdict on calling again after a denial by the server, for that reason."""
    return _asked_about(verdict, reason)


def _asked_about(verdict: Verdict, reason: str) -> Verdict:
    """The verdict, if it does not keep the call from being made, as a strong question."""
    if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        return verdict
    return replace(
        verdict,
        answer=VerdictAnswer.ASK,
        strong=True,
        grant_id=None,
        reasons=(reason, *verdict.reasons),
    )


ASKED: Final = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""What a server may ask of a client, by method, in the specification's words for it."""
NOT_DECLARED: Final = "not declared by Signoff"
CANNOT_ANSWER: Final = "Signoff did not declare that capability and responded with an error"

_SHOWN: Final = 5
_KEY_CELLS, _WORDS_CELLS, _URL_CELLS = 40, 200, 300
_CANNOT: Final = "Signoff did not declare that capability, so the call was not finished"
_UNFINISHED: Final = "the call was not finished"
_UNKNOWN: Final = "something unknown"
_BROKEN: Final = "its request for input breaks the specification"
_NOT_HERE: Final = "it requests input where Signoff gives none"
_ANSWER_KEYS: Final = ("content", "contents", "structuredContent")


@frozen
class Unfinished:
    """A result in place of the final one. Every string is safe to show, on one line."""

    outcome: Outcome
    reason: str
    summary: str
    """The reason without a word of the server's."""
    findings: tuple[Finding, ...] = ()


def read_unfinished(
    result: JsonValue, declared: ClientCapabilities = NO_CAPABILITIES
) -> Unfinished | None:
    """Read an input request or a created task; None for a final or malformed result.

    `declared` are the capabilities that Signoff declared to the server.
    """
    if not isinstance(result, dict):
        return None
    kind = result.get("resultType")
    if kind == "input_required":
        return _asking(result, declared)
    if kind == "task":
        return _task(result)
    task = result.get("task")
    if kind is not None or not isinstance(task, dict) or not isinstance(task.get("taskId"), str):
        return None
    return None if any(key in result for key in _ANSWER_KEYS) else _task(task)


def words_of_request(method: str, params: JsonValue) -> str:
    """Describe a server's request, with its own words if it has some; safe to show."""
    words = ASKED.get(method, f"“{shortened(method, _KEY_CELLS)}”")
    given = params if isinstance(params, dict) else {}
    return visible(words + _visit(given) + _message(given))


def _asking(result: dict[str, JsonValue], declared: ClientCapabilities) -> Unfinished:
    requests = result.get("inputRequests")
    asked = requests if isinstance(requests, dict) else {}
    findings = _faults_of_asking(result, asked)
    if not asked and not findings:
        wish = "it needs another call with its requestState"
        reason = f"{_UNFINISHED}: {wish}"
        return Unfinished(Outcome.INPUT_REQUIRED, reason, reason, tuple(findings))
    kinds = {_kind_of(request): None for request in asked.values()}
    undeclared = [kind for kind in kinds if kind in ASKED.values() and not declared.declares(kind)]
    if undeclared:
        findings.append(
            note(
                "input-not-declared",
                f"the server requests {', '.join(undeclared)}, {NOT_DECLARED}; the specification "
                "(2026-07-28) requires the error -32021 instead",
                "$.inputRequests",
            )
        )
        words = _CANNOT
    elif findings:
        words = f"{_UNFINISHED}: {_BROKEN} ({findings[0].message})"
    elif len(asked) > INPUTS_MAX:
        words = (
            f"{_UNFINISHED}: it requests {len(asked):,} inputs at once, the limit is {INPUTS_MAX}"
        )
    else:
        words = f"{_UNFINISHED}: {_NOT_HERE}"
    told = some_listed(list(asked.items()), _SHOWN, lambda one: _told(*one))
    summary = words if undeclared or not findings else f"{_UNFINISHED}: {_BROKEN}"
    return Unfinished(
        Outcome.INPUT_REQUIRED,
        visible(f"{words}: {'; '.join(told)}" if told else words),
        f"{summary}: {', '.join(kinds)}" if kinds else summary,
        tuple(findings),
    )


def _faults_of_asking(
    result: dict[str, JsonValue], asked: Mapping[str, JsonValue]
) -> list[Finding]:
    """What breaks the rules of an input request (spec 2026-07-28, schema `InputRequiredResult`)."""
    findings: list[Finding] = []
    requests, state = result.get("inputRequests"), result.get("requestState")
    if "inputRequests" in result and not isinstance(requests, dict):
        words = f"inputRequests is {quoted(requests)}, not an object"
        findings.append(_malformed(words, "$.inputRequests"))
    if not isinstance(state, str | None):
        words = f"requestState is {quoted(state)}, not a string"
        findings.append(_malformed(words, "$.requestState"))
    elif not asked and state is None:
        words = "input_required with neither inputRequests nor requestState"
        findings.append(_malformed(words, "$"))
    for key, request in asked.items():
        if _kind_of(request) == _UNKNOWN and len(findings) < _SHOWN:
            given = request.get("method") if isinstance(request, dict) else request
            words = f"its method is {quoted(given)}; it must be one of {', '.join(ASKED)}"
            findings.append(_malformed(words, f"$.inputRequests.{shortened(key, _KEY_CELLS)}"))
    return findings


def _kind_of(request: JsonValue) -> str:
    """The capability that an input request needs, in words."""
    method = request.get("method") if isinstance(request, dict) else None
    return ASKED.get(method, _UNKNOWN) if isinstance(method, str) else _UNKNOWN


def _told(key: str, request: JsonValue) -> str:
    given = request if isinstance(request, dict) else {}
    method, what = given.get("method"), _kind_of(request)
    if what == _UNKNOWN:
        what = f"“{shortened(method, _KEY_CELLS)}”" if isinstance(method, str) else "unknown"
    params = given.get("params")
    about = params if isinstance(params, dict) else {}
    return f"{what}{_visit(about)} (“{shortened(key, _KEY_CELLS)}”){_message(about)}"


def _message(params: dict[str, JsonValue]) -> str:
    message = params.get("message")
    return f": “{shortened(message, _WORDS_CELLS)}”" if isinstance(message, str) and message else ""


def _visit(params: dict[str, JsonValue]) -> str:
    url = params.get("url")
    if params.get("mode") != "url" or not isinstance(url, str):
        return ""
    return f" of a visit to “{shortened(url, _URL_CELLS)}”"


def _task(task: dict[str, JsonValue]) -> Unfinished:
    identity, status = task.get("taskId"), task.get("status")
    cannot = "Signoff did not request a task, and follows only tasks that it requested"
    named = f" “{shortened(identity, _KEY_CELLS)}”" if isinstance(identity, str) else ""
    stands = f", {shortened(status, _KEY_CELLS)}" if isinstance(status, str) else ""
    summary = f"{cannot}; its effect is not known"
    reason = visible(f"{summary}: task{named}{stands}")
    fault = task_fault(task)
    findings = (unreadable_task(fault),) if fault else ()
    return Unfinished(Outcome.TASK_STARTED, reason, summary, findings)


def _malformed(words: str, place: str) -> Finding:
    return error("malformed-input-required", words, place)
