"""The register of finding codes: every code, its severity, and its meaning.

Codes are stable: scripts and audit logs are read by them. A code that is not here is a fault
(`tests/protocol/test_finding_codes.py`), and the manual's table is made from this register.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .findings import Severity
from .spec_sections import section_behind

NOTE, WARNING, ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


@dataclass(frozen=True, slots=True)
class Code:
    """Meaning of one code. `severities`: its severity, or all that a case may have."""

    severities: tuple[Severity, ...]
    meaning: str


def of_severity(severity: Severity, rows: Mapping[str, str]) -> dict[str, Code]:
    """Codes that have one severity, with their meanings."""
    return {code: Code((severity,), meaning) for code, meaning in rows.items()}


PROTOCOL: Final = {
    **of_severity(
        ERROR,
        {
            "declared-not-served": "a capability is declared and its method is not there",
            "input-not-allowed": "input is asked for in an answer that must not ask for any",
            "method-missing": "a method that every server has is not there",
            "notification-with-id": "a notification has an id",
            "ping-unanswered": "a ping was not answered, or not in time",
            "request-of-server": "the server sent a request; since 2026-07-28 it must not",
            "served-not-declared": "there is a list and no capability that says so",
            "unknown-version": "the server speaks a revision that Signoff does not know",
        },
    ),
    "missing-field": Code((ERROR, WARNING), "a message lacks a field that it has to have"),
    "wrong-type": Code((ERROR, WARNING), "a field of a message is of the wrong type"),
    **of_severity(
        WARNING,
        {
            "header-mismatch": "the server says that headers and body do not match",
            "malformed-meta-key": "a name in `_meta` or `extensions` is none",
            "notice-undeclared": "a notification came without the capability for it",
            "reserved-error-code": "an error has a code that means nothing, or no longer",
            "reserved-meta-key": "a name in `_meta` has a prefix that is the protocol's",
            "subscription-unknown": "a notification came for a subscription that nobody opened",
            "task-undeclared": "a tool runs as a task and there is no capability for that",
            "too-many-completions": "more than 100 values are suggested",
            "unknown-log-level": "a log message has a level that there is not",
            "update-not-subscribed": "the server tells of a resource that nobody subscribed to",
            "version-refused": "a version was refused and is said to be supported",
        },
    ),
    **of_severity(
        NOTE,
        {
            "capability-of-other-version": "a capability is declared that this revision has not",
            "deprecated-feature": "something is used that the specification has deprecated",
            "other-version": "the server speaks another revision than it was asked for",
        },
    ),
}
"""What `signoff doctor`, `f9` and plain mode see in any message."""


DEFINITION: Final = {
    **of_severity(
        ERROR,
        {
            "clients-lose-tools": "some client libraries refuse the whole list of tools",
            "definition-too-large": "a tool's entry is too large to be kept: it cannot be called",
            "definition-unreadable": "a tool's entry cannot be read: it cannot be called",
        },
    ),
    "clients-reject-results": Code(
        (ERROR, WARNING), "some client libraries reject every result of the tool"
    ),
    "duplicate-key": Code((ERROR,), "a JSON object has a key twice; the last one counts"),
    "malformed-tool": Code(
        (ERROR, WARNING), "a tool's entry lacks a name, or a part of it has the wrong type"
    ),
    "invalid-pattern": Code(
        (ERROR, WARNING), "a pattern of a schema is not valid ECMA-262, or only without the u flag"
    ),
    "keyword-of-other-dialect": Code(
        (ERROR, WARNING), "a schema is written as OpenAPI 3.0 or an old draft has it"
    ),
    "unusable-schema": Code((ERROR,), "a schema cannot be used to check anything"),
    **of_severity(
        WARNING,
        {
            "app-only": "the tool says that it is for the page of an app, not for a model",
            "contradictory-hints": "read-only and destructive are claimed at once",
            "deprecated": "the tool says that it is deprecated",
            "duplicate-name": "another tool has the same name",
            "hidden-characters": "a text holds control, zero-width or direction characters",
            "malformed-execution": "`execution` is not what the specification has",
            "malformed-icon": "`icons` is not an array, or an icon has no usable `src` or `sizes`",
            "malformed-hint": "a hint is not true or false: its default counts",
            "malformed-schema": "`inputSchema` or `outputSchema` is not what the protocol wants",
            "malformed-visibility": "`_meta.ui.visibility` is not what its specification has",
            "name-contradicts-read-only": "read-only is claimed under a name that says it writes",
            "required-unknown": "a schema requires what is not among its properties",
            "unusual-name": "the name is not 1 to 128 of A-Z a-z 0-9 _ - .",
        },
    ),
    **of_severity(
        NOTE,
        {
            "task-only": "the tool runs only as a task",
            "task-support-unknown": "`execution.taskSupport` means nothing in this revision",
            "titles-disagree": "`title` and `annotations.title` are not the same",
            "unknown-annotation": "`annotations` has keys that no revision has",
        },
    ),
}
"""What is seen in a tool's definition, before any call."""

OFFERED: Final = {
    **of_severity(
        ERROR,
        {"malformed-template": "`uriTemplate` is no URI template by RFC 6570"},
    ),
    "malformed-offer": Code(
        (ERROR, WARNING), "an entry lacks a name or an address, or a part of it has the wrong type"
    ),
    **of_severity(
        WARNING,
        {
            "duplicate-offer": "another entry of the list has the same name or address",
            "uri-without-scheme": "the URI of a resource has no scheme",
        },
    ),
}
"""What is seen in the lists of resources, templates and prompts."""

CALLING: Final = {
    **of_severity(
        ERROR,
        {
            "not-remembered": "an approval was given but could not be remembered",
            "malformed-request": "the server asked a person for something in a way nobody can read",
            "request-id-reused": "the server gave the id of an open request to another one",
            "sending-refused": "what was to be sent was not what had been approved",
            "unapproved-request": "a message that no approval covers was blocked at the last gate",
        },
    ),
    **of_severity(
        WARNING,
        {
            "asked-undeclared": "the server asked for what it was not told that it may ask for",
            "visit-unknown": "the server says that a visit is done which it never asked for",
            "secret-asked": "the server asks for what looks like a secret, in a form",
            "arguments-break-schema": "arguments were sent although they break the input schema",
            "progress-late": "progress for a call that has ended",
            "progress-not-increasing": "progress went back or stood still",
            "progress-over-total": "progress went over its total",
            "progress-unknown": "progress for a call that nobody made",
            "progress-unreadable": "progress or its total is not a finite number",
            "cancel-unknown": "the server cancels a request that nobody made",
        },
    ),
    "asked-by-server": Code((NOTE, WARNING), "the server asked for something while a call ran"),
    **of_severity(
        NOTE,
        {
            "arguments-at-risk": "validators that assert formats or compute in binary fractions "
            "reject an argument that its schema allows",
            "answer-late": "an answer arrived after its request had been given up",
            "input-not-declared": "input is asked for that Signoff has not offered",
            "request-withdrawn": "the server took back what it had asked a person",
            "visit-done": "the server says that what a page was opened for is done",
            "late-answer": "an answer arrived after the call had ended here",
        },
    ),
}
"""What happens around a call."""

ANSWER: Final = {
    **of_severity(
        ERROR,
        {
            "lone-surrogate": "a text has half of a surrogate pair, which is no character",
            "malformed-block": "a field of a content block is missing or of the wrong type",
            "malformed-content": "`content` is not an array",
            "malformed-contents": "`contents` of a resource is not an array",
            "malformed-input-required": "a request for input lacks what it needs",
            "malformed-task": "a task without a `taskId`, or with a status that nobody knows",
            "malformed-messages": "`messages` of a prompt is not an array",
            "missing-contents": "a resource was read and there are no `contents`",
            "missing-messages": "a prompt was asked for and there are no `messages`",
            "schema-mismatch": "`structuredContent` breaks the output schema",
            "structured-missing": "there is an output schema and no `structuredContent`",
            "unknown-content": "a content block has a type of no known revision",
            "unknown-result-type": "`resultType` is of no known revision",
            "unreadable-content": "a content block cannot be read",
        },
    ),
    **of_severity(
        WARNING,
        {
            "malformed-annotations": "annotations of a content block are of the wrong type",
            "malformed-is-error": "`isError` is not true or false",
            "malformed-role": "a message of a prompt has a role that is not user or assistant",
            "misspelt-key": "a name is written in another way than the protocol has it",
            "misspelt-is-error": "the answer has `is_error`, which means nothing",
            "missing-content": "there is no `content`",
            "not-validated": "`structuredContent` could not be checked against its schema, or not "
            "all of it",
            "other-uri": "contents of another URI than the one that was asked for",
            "text-and-blob": "a resource has a text and a blob",
            "text-copy-differs": "the text beside `structuredContent` says something else",
        },
    ),
    "binary-fractions": Code(
        (WARNING, NOTE), "a number is no multiple for clients that compute in binary fractions"
    ),
    "clients-reject-answer": Code(
        (ERROR, WARNING), "some client libraries reject the whole answer"
    ),
    "format-mismatch": Code(
        (ERROR, NOTE), "a string is not of its `format`, which some clients assert"
    ),
    **of_severity(
        NOTE,
        {
            "error-breaks-schema": "`structuredContent` of an error result breaks the output "
            "schema, which some clients reject",
            "empty-answer": "the answer is empty",
            "no-text-copy": "`structuredContent` without a copy as text",
            "structured-without-schema": "`structuredContent` without an output schema",
        },
    ),
}
"""What is seen in an answer."""

PAGES: Final = {
    **of_severity(
        ERROR,
        {
            "cursor-loops": "a cursor that asked for an earlier page",
            "cursor-too-long": "a cursor that is too long to be sent back",
            "page-repeats": "items that an earlier page had already",
        },
    ),
    **of_severity(
        WARNING,
        {
            "cursor-has-no-parameter": "a cursor, and no parameter that is known to take it",
            "page-end-unmarked": "a last page that nothing marks as the last",
        },
    ),
    **of_severity(
        NOTE,
        {
            "page-empty": "a page without items that says there is more",
            "pages-not-finished": "more pages than were asked for",
        },
    ),
}
"""What `--pages` sees; errors and warnings end with 4."""

LISTS: Final = {
    **of_severity(
        ERROR,
        {
            "cursor-ignored": "a page repeats an earlier one: the server ignores the cursor",
            "cursor-loop": "the cursors of a list go in a circle",
            "list-cut-short": "a list is longer than Signoff reads, or one of its pages failed",
            "malformed-cursor": "`nextCursor` is not a string, or is too long to be sent back",
            "malformed-list": "a page of a list has no array of what it lists",
        },
    ),
    **of_severity(
        WARNING,
        {
            "list-not-changed": "the server announces changes of its tools that do not change",
            "no-tools": "the server has no `tools/list`",
        },
    ),
}
"""What is seen in the lists themselves."""

WIRE: Final = {
    **of_severity(
        ERROR,
        {
            "clients-cannot-connect": "some client libraries refuse this answer to `initialize`",
            "clients-miss-response": "some client libraries never see this response",
            "answer-other-id": "an answer has the number of a request as a string: another id",
            "asks-too-much": "the server asks without reading the answers",
            "event-too-long": "an event of the stream is too long",
            "invalid-param-header": "a tool is left out: its `x-mcp-header` is invalid",
            "invalid-utf8": "a message is not valid UTF-8",
            "line-too-long": "a line on stdout is too long",
            "not-examined": "the server was not there, so the rest of it was not examined",
            "list-failed": "a list could not be had, or the tools not once more",
            "notification-refused": "a notification was refused with an HTTP status",
            "malformed-id": "a message has an id that is no id",
            "messages-on-one-line": "messages stand on one line, without a line break between them",
            "nul-on-stdout": "NUL bytes stand beside a message",
            "request-and-answer": "a message is a request and an answer at once",
            "result-and-error": "an answer has a result and an error",
            "subscription-lost": "the stream of the server's own messages was lost",
            "text-beside-message": "other text stands on the line of a message",
            "unreadable-message": "a message cannot be read",
            "unreadable-part": "a part of a message cannot be read",
        },
    ),
    **of_severity(
        WARNING,
        {
            "answer-held-back": "a response came only when stdin was closed: stdout is not flushed",
            "answer-unknown": "an answer to a request that nobody made",
            "answer-without-id": "an answer that does not say what it answers",
            "answered-twice": "a request was answered more than once",
            "batch": "messages came as a JSON-RPC batch, which only 2025-03-26 has",
            "byte-order-mark": "a message starts with a byte order mark",
            "message-over-lines": "a message is spread over several lines",
            "invalid-message": "the server sent what is no message",
            "get-not-served": "GET was answered neither with a stream nor with 405",
            "stream-ends": "the stream of the server's own messages ends at once, again and again",
            "noise-on-stdout": "stdout carries what is no message",
            "other-program": "something else runs as the server now, or what was approved again",
        },
    ),
    "notification-answered": Code(
        (NOTE, WARNING), "a notification was answered otherwise than by 202 without a body"
    ),
    **of_severity(
        NOTE,
        {"late-discovery": "`server/discover` was answered late: the server is not of the old era"},
    ),
}
"""What is seen between the server and Signoff."""

OURS: Final = {
    **of_severity(
        ERROR,
        {
            "audit-unwritable": "the audit log cannot be written: nothing is sent",
            "fault": "a fault of Signoff; its trace is in a file",
        },
    ),
    **of_severity(
        WARNING,
        {
            "capture-failed": "`--capture` could not write on; what was written before stands",
            "arguments-not-kept": "earlier arguments could not be kept",
            "store-failed": "the store could not be read or written",
            "store-unusable": "the store cannot be used: nothing is remembered",
        },
    ),
    **of_severity(NOTE, {"approvals-voided": "remembered approvals ended with a change"}),
}
"""What Signoff says of itself."""

GROUPS: Final[Mapping[str, Mapping[str, Code]]] = {
    "a definition": DEFINITION,
    "a resource, a template or a prompt": OFFERED,
    "a call": CALLING,
    "an answer": ANSWER,
    "pages (`--pages`)": PAGES,
    "a list": LISTS,
    "the protocol": PROTOCOL,
    "the wire": WIRE,
    "Signoff itself": OURS,
}
CODES: Final[Mapping[str, Code]] = {
    code: row for group in GROUPS.values() for code, row in group.items()
}


def table() -> str:
    """The register as a Markdown table; cited is the newest revision with such a rule."""
    lines = ["| finding | severity | seen in | meaning | specification |", "|---|---|---|---|---|"]
    for group, rows in GROUPS.items():
        for code, row in rows.items():
            severity = " or ".join(one.value for one in row.severities)
            section = section_behind(code)
            cited = f"[{section.words}]({section.url})" if section is not None else ""
            lines.append(f"| `{code}` | {severity} | {group} | {row.meaning} | {cited} |")
    return "\n".join(lines)
