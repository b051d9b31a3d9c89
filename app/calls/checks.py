"""Checks of a call's arguments and result, pure, in words for people.

Protocol errors with a meaning for a client are explained.

Spec 2025-11-25, schema `URLElicitationRequiredError` (-32042); spec 2026-07-28, schema
`MissingRequiredClientCapabilityError` (-32021) and `UnsupportedProtocolVersionError` (-32022); spec
2025-11-25, basic/utilities/tasks: a tool that only runs as a task answers -32601 otherwise. Codes
are any server's to use, so one counts only with the data that the specification gives it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..content.json.jsonio import JsonValue, pointer
from ..content.labels import some_listed, some_named
from ..content.text import count, cut, visible
from ..protocol.answers.content import UNKNOWN_RESULT_TYPE, Answer, TextPart
from ..protocol.clients.findings import answer_rejections
from ..protocol.clients.table import client_words, rules
from ..protocol.findings.findings import Finding, error, note, warning
from ..protocol.findings.spec_sections import MODERN
from ..protocol.rpc import RpcError
from ..protocol.server_requests.capabilities import lacking
from ..protocol.tool import ToolDefinition
from ..schemas.schema import SchemaAnswer, SchemaVerdict
from .call import Outcome
from .retries import NOT_DECLARED, words_of_request

PROBLEMS_SHOWN = 3


IN_PART: Final = "the arguments were checked only in part"


def argument_problems(verdict: SchemaVerdict) -> list[str]:
    """The ways in which arguments break their schema, in words for the question."""
    if verdict.answer is SchemaAnswer.NOT_VALIDATED:
        words = IN_PART if verdict.unchecked else "the arguments could not be checked"
        return [f"{words}: {verdict.reason}"]
    if verdict.answer is not SchemaAnswer.INVALID:
        return []
    problems = some_listed(
        verdict.errors,
        PROBLEMS_SHOWN,
        lambda one: (
            f"arguments do not match the input schema at {pointer(one.path)}: {one.message}"
        ),
        beyond=verdict.more,
    )
    if verdict.unchecked:
        problems.append(f"{IN_PART}: {verdict.reason}")
    return problems


def although_invalid_words(verdict: SchemaVerdict) -> str:
    """The sentence for a call that a person sends although its arguments break the schema.

    Safe to show; empty if they break nothing.
    """
    chosen = "You chose to send it although"
    if verdict.answer is SchemaAnswer.NOT_VALIDATED:
        return f"{chosen} it could not be checked: {visible(verdict.reason)}"
    if verdict.answer is not SchemaAnswer.INVALID:
        return ""
    total = len(verdict.errors) + verdict.more
    said = some_listed(
        verdict.errors,
        PROBLEMS_SHOWN,
        lambda one: f"{pointer(one.path)}: {one.message}",
        beyond=verdict.more,
    )
    problems = f"{total:,} problem{'' if total == 1 else 's'}"
    return visible(f"{chosen} it does not match the schema. {problems}: {'; '.join(said)}")


def outcome_of(answer: Answer) -> tuple[Outcome, str]:
    """The outcome of a result that could be read, and the reason for a failure.

    Spec 2026-07-28, basic/index: a resultType that is not known must be treated as invalid.
    """
    for finding in answer.findings:
        if finding.code in (UNKNOWN_RESULT_TYPE, "malformed-content"):
            return Outcome.UNREADABLE, finding.message
    return (Outcome.TOOL_ERROR if answer.is_error else Outcome.OK), ""


def verdict_without_checking(tool: ToolDefinition, answer: Answer) -> SchemaVerdict | None:
    """The verdict on structuredContent if there is nothing to validate; else None.

    Spec 2025-11-25, server/tools, "Output Schema": results of a tool with an output schema must
    carry structured content; a result with isError need not.
    """
    if not tool.has_output_schema:
        return SchemaVerdict(SchemaAnswer.NO_SCHEMA)
    if answer.is_of_unknown_kind:
        reason = "the rules for this kind of result are not known"
        return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason=reason)
    if answer.structured_flaw:
        return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason=answer.structured_flaw)
    if answer.has_structured:
        return None
    if answer.is_error:
        reason = "the tool returned an error, so structuredContent is not required"
        return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason=reason)
    return SchemaVerdict(SchemaAnswer.MISSING)


def as_due(answer: Answer, verdict: SchemaVerdict) -> SchemaVerdict:
    """The verdict, unless the answer need not match its schema: one with isError need not."""
    if not answer.is_error or verdict.answer is not SchemaAnswer.INVALID:
        return verdict
    first = verdict.errors[0]
    reason = (
        f"an error result does not have to match the output schema: {pointer(first.path)} does not "
        "match"
    )
    return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason=reason)


def schema_findings(tool: ToolDefinition, answer: Answer, verdict: SchemaVerdict) -> list[Finding]:
    """Findings from the verdict on structuredContent."""
    found = answer_rejections(verdict, answer.is_error)
    if verdict.unchecked and verdict.answer is SchemaAnswer.INVALID:
        found.append(warning("not-validated", f"checked only in part: {verdict.reason}"))
    return [*_schema_findings(tool, answer, verdict), *found]


def _schema_findings(tool: ToolDefinition, answer: Answer, verdict: SchemaVerdict) -> list[Finding]:
    if verdict.answer is SchemaAnswer.INVALID and answer.is_error:
        first = verdict.errors[0]
        who = client_words(rules()["error-breaks-schema"].rejected_in)
        words = (
            "the structuredContent of this error result does not match the output schema at "
            f"{pointer(first.path)}; {who} rejects the whole result"
        )
        return [note("error-breaks-schema", words, "$.structuredContent")]
    if verdict.answer is SchemaAnswer.INVALID:
        places = count(len(verdict.errors) + verdict.more, "place")
        words = f"structuredContent does not match the output schema in {places}"
        return [error("schema-mismatch", words, "$.structuredContent")]
    if verdict.answer is SchemaAnswer.MISSING:
        return [
            error(
                "structured-missing",
                "structuredContent is missing: the tool has an output schema",
                "$",
            )
        ]
    if verdict.answer is SchemaAnswer.NOT_VALIDATED and answer.has_structured:
        how = "validated only in part" if verdict.unchecked else "not validated"
        return [warning("not-validated", f"structuredContent was {how}: {verdict.reason}")]
    if answer.has_structured and not tool.has_output_schema:
        return [note("structured-without-schema", "structuredContent without an output schema")]
    return []


_NAMES_SHOWN: Final = 5
_LOOKED_AT: Final = 4_000
_DENIES: Final = "the server reports that the client lacks"
_NOTHING: Final[Mapping[str, JsonValue]] = {}


_REQUESTS: Final = re.compile(r"\b(?:elicitation/create|sampling/createMessage|roots/list)\b")
_IMPOSSIBLE: Final = re.compile(
    r"\b(?:cannot|can't|can not|unable to)\s+send\b|\bback-?channel\b"
    r"|\bnot (?:supported|available)\b",
    re.IGNORECASE,
)


def cannot_ask(text: str, version: str) -> str:
    """Name the option if an error reports a request of the server, which 2026-07-28 lacks."""
    words = text[:_LOOKED_AT]
    method = _REQUESTS.search(words)
    if version != MODERN or method is None or not _IMPOSSIBLE.search(words):
        return ""
    return (
        f"a server cannot send {method.group()} in protocol {MODERN}; with --protocol legacy it can"
    )


def asking_findings(answer: Answer, version: str) -> tuple[Finding, ...]:
    """Findings on a failed result: a request of the server that its protocol does not have."""
    if not answer.is_error:
        return ()
    texts = (part.text for part in answer.parts if isinstance(part, TextPart))
    words = next(filter(None, (cannot_ask(text, version) for text in texts)), "")
    return (warning("cannot-ask", words, "$.content"),) if words else ()


def error_findings(
    problem: RpcError, declared: Mapping[str, JsonValue], version: str = ""
) -> tuple[Finding, ...]:
    """Findings on an error for the call: a denied capability, or an impossible request."""
    if words := cannot_ask(problem.message, version):
        return (warning("cannot-ask", words, "$.message"),)
    meaning = explain(problem, declared)
    if not meaning.startswith(_DENIES):
        return ()
    return (error("capability-denied", f"{meaning}: error {problem.code}", "$.data"),)


def explain(
    error: RpcError,
    declared: Mapping[str, JsonValue] = _NOTHING,
    *,
    needs_task: bool = False,
    version: str = "",
) -> str:
    """Explain an error for the call, safe to show; "" if its own words are all there is.

    `declared` are the capabilities that Signoff declared. `needs_task`: the tool only runs as a
    task, and was not called as one. `version` is that of the protocol.
    """
    data = error.data if isinstance(error.data, dict) else {}
    if isinstance(error.code, bool):
        return ""
    if words := cannot_ask(error.message, version):
        return words
    match error.code:
        case -32042:
            return _visits(data.get("elicitations"))
        case -32021:
            wanted = data.get("requiredCapabilities")
            if not isinstance(wanted, dict):
                return ""
            if wanted and not (missing := lacking(wanted, declared)):
                return f"{_DENIES} {_names(list(wanted))}, which Signoff declared"
            names = _names(missing if wanted else []) or "something"
            return f"the tool needs a client with {names}, {NOT_DECLARED}"
        case -32022:
            supported = data.get("supported")
            if not isinstance(supported, list):
                return ""
            versions = [one for one in supported if isinstance(one, str)]
            named = f"; it supports {_names(versions)}" if versions else ""
            return f"the server does not support this protocol version here{named}"
        case -32601 if needs_task:
            return (
                "the tool runs only as a task, but the server does not declare tasks (capability "
                "tasks.requests.tools.call)"
            )
        case _:
            return ""


def _visits(elicitations: JsonValue) -> str:
    if not isinstance(elicitations, list):
        return ""
    told = some_listed(
        [one for one in elicitations if isinstance(one, dict)],
        _NAMES_SHOWN,
        lambda one: words_of_request("elicitation/create", {"mode": "url", **one}),
        beyond=sum(not isinstance(one, dict) for one in elicitations),
    )
    wants = "; ".join(told) or "elicitation"
    return visible(f"do this first, then call again: {wants}")


def _names(names: list[str]) -> str:
    return some_named(names, _NAMES_SHOWN, lambda name: visible(cut(name, 40).text))


def too_many_rounds(limit: int) -> str:
    """Explain that a call is not continued: the server asked for input too often."""
    return f"the server asked for input {limit} times; the limit is reached"


def repeated_alone(limit: int) -> str:
    """Explain that a call is not continued: it was repeated without a question to a person."""
    return f"the server had the call made {limit} times on one approval; another needs a new one"


def not_answered(error: RpcError) -> str:
    """Explain that a call is not continued: a request of the server got an error."""
    return f"its request was not answered: {error.message}"
