"""The register of finding codes: every code, its severity, and its meaning.

Codes are stable: scripts and audit logs are read by them. A code that is not here is a fault
(`tests/protocol/test_finding_codes.py`), and the manual's table is made from this register.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...content.frozen import frozen
from .findings import Severity
from .spec_sections import section_behind

NOTE, WARNING, ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


@frozen
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
            "declared-not-served": "a capability is declared, but its method is missing",
            "input-not-allowed": "a response requests input where the protocol does not allow it",
            "method-missing": "a required method is missing",
            "notification-with-id": "a notification has an id",
            "ping-unanswered": "a ping was not answered in time",
            "request-of-server": "the server sent a request, which is not allowed since 2026-07-28",
            "served-not-declared": "a list exists, but its capability is not declared",
            "unknown-version": "the server uses a revision that Signoff does not know",
        },
    ),
    "missing-field": Code((ERROR, WARNING), "a message lacks a required field"),
    "wrong-type": Code((ERROR, WARNING), "a field of a message is of the wrong type"),
    **of_severity(
        WARNING,
        {
            "header-mismatch": "the server reports that headers and body do not match",
            "malformed-meta-key": "invalid name in `_meta` or `extensions`",
            "notice-undeclared": "a notification whose capability is not declared",
            "reserved-error-code": "an error code that is reserved, or that was withdrawn",
            "reserved-meta-key": "a name in `_meta` has a prefix reserved for the protocol",
            "subscription-unknown": "a notification for an unknown subscription",
            "task-undeclared": "a tool runs as a task, but that capability is not declared",
            "too-many-completions": "more than 100 values are suggested",
            "unknown-log-level": "a log message has an unknown level",
            "update-not-subscribed": "an update of a resource without a subscription",
            "version-refused": "a version was rejected although it is listed as supported",
        },
    ),
    **of_severity(
        NOTE,
        {
            "capability-of-other-version": "a declared capability does not exist in this revision",
            "deprecated-feature": "the server uses a deprecated feature",
            "other-version": "the server uses another revision than the requested one",
        },
    ),
}
"""What `signoff doctor`, `f9` and plain mode see in any message."""


DEFINITION: Final = {
    **of_severity(
        ERROR,
        {
            "clients-lose-tools": "some client libraries reject the whole list of tools",
            "definition-too-large": "a tool's entry is too large to keep: it cannot be called",
            "definition-unreadable": "a tool's entry cannot be read: it cannot be called",
        },
    ),
    "clients-reject-results": Code(
        (ERROR, WARNING), "some client libraries reject every result of the tool"
    ),
    "duplicate-key": Code(
        (ERROR,),
        "a JSON object has the same key twice; the last value is read, of a hint the stricter one",
    ),
    "malformed-tool": Code(
        (ERROR, WARNING), "a tool's entry has no name, or a part of the wrong type"
    ),
    "invalid-pattern": Code(
        (ERROR, WARNING),
        "a pattern in a schema is invalid in ECMA-262, or valid only without the u flag",
    ),
    "keyword-of-other-dialect": Code(
        (ERROR, WARNING), "a schema uses the form of OpenAPI 3.0 or an old draft"
    ),
    "unusable-schema": Code((ERROR,), "a schema cannot be used to check anything"),
    **of_severity(
        WARNING,
        {
            "action-contradicts-hints": "action metadata (a draft) contradicts the hints",
            "addresses-model": "text instructs a model, or is about its permissions",
            "app-only": "the tool is declared for the UI of an app, not for a model",
            "contradictory-hints": "a tool is declared both read-only and destructive",
            "deprecated": "the tool is marked as deprecated",
            "duplicate-name": "another tool has the same name",
            "hidden-characters": "text contains control, zero-width or direction characters",
            "malformed-action-metadata": "action metadata (a draft) is of the wrong type",
            "malformed-display-template": "a display template (a draft) is of the wrong type",
            "malformed-execution": "`execution` does not match the specification",
            "malformed-icon": "`icons` is not an array, or an icon has no usable `src` or `sizes`",
            "malformed-hint": "a hint is not true or false: its default is used",
            "malformed-schema": "`inputSchema` or `outputSchema` does not match the protocol",
            "malformed-visibility": "`_meta.ui.visibility` does not match its specification",
            "marker-malformed": "the marker of a resolvable tool does not match its draft",
            "marker-undeclared": "a tool is marked as resolvable, but the extension is not "
            "declared",
            "name-contradicts-read-only": "declared read-only, but the name suggests writing",
            "requires-review": "the server asks for a review of each call (a draft)",
            "required-unknown": "a schema requires a property that it does not define",
            "template-omits-required": "a display template (a draft) lacks a required argument",
            "template-unknown-name": "a display template (a draft) names an unknown argument",
            "unusual-name": "the name must be 1 to 128 characters of A-Z a-z 0-9 _ - .",
        },
    ),
    **of_severity(
        NOTE,
        {
            "marker-in-vain": "a tool is marked as resolvable, but no resolution can differ",
            "action-metadata": "the tool has action metadata (a draft)",
            "display-template": "the tool has a display template (a draft)",
            "task-only": "the tool runs only as a task",
            "task-support-unknown": "`execution.taskSupport` means nothing in this revision",
            "template-long": "a display template (a draft) is longer than a line",
            "template-omits-optional": "a display template (a draft) leaves out an argument",
            "template-on-destructive": "a tool that may destroy has a display template (a draft)",
            "titles-disagree": "`title` and `annotations.title` are not the same",
            "unknown-annotation": "`annotations` has keys that no revision has",
        },
    ),
}
"""Findings on a tool's definition, before any call."""

OFFERED: Final = {
    **of_severity(
        ERROR,
        {"malformed-template": "`uriTemplate` is not a valid URI template (RFC 6570)"},
    ),
    "malformed-offer": Code(
        (ERROR, WARNING), "an entry has no name or address, or a part of the wrong type"
    ),
    **of_severity(
        WARNING,
        {
            "duplicate-offer": "another entry of the list has the same name or address",
            "uri-without-scheme": "the URI of a resource has no scheme",
        },
    ),
}
"""Findings on the lists of resources, templates and prompts."""

CALLING: Final = {
    **of_severity(
        ERROR,
        {
            "not-remembered": "an approval was given but could not be remembered",
            "form-not-allowed": "a form has a field that the specification does not allow",
            "malformed-request": "an unreadable request for user input",
            "request-id-reused": "the server reused the id of an open request",
            "sending-refused": "the request to send differs from the approved one",
            "unapproved-request": "an unapproved message was blocked at the last gate",
        },
    ),
    **of_severity(
        WARNING,
        {
            "answer-invented": "the server answered a call that a proxy had not sent",
            "host-line": "a line of a host could not be read, or was refused",
            "asked-undeclared": "a JSON-RPC request for a capability that Signoff did not declare",
            "visit-unknown": "the server reports the end of a URL elicitation that it never began",
            "secret-asked": "the server requests a probable secret in a form",
            "arguments-break-schema": "arguments were sent that do not match the input schema",
            "progress-late": "progress for a call that has ended",
            "progress-not-increasing": "progress did not increase",
            "progress-over-total": "progress exceeded its total",
            "progress-unknown": "progress with a token that no call has",
            "progress-unreadable": "progress or its total is not a finite number",
            "cancel-unknown": "the server cancels an unknown request",
        },
    ),
    "asked-by-server": Code((NOTE, WARNING), "the server sent a request while a call ran"),
    **of_severity(
        NOTE,
        {
            "arguments-at-risk": "clients that assert formats or use floating-point arithmetic "
            "reject an argument that its schema allows",
            "response-late": "a response to a request of Signoff's own came after its time limit",
            "input-not-declared": "`inputRequests` has one for a capability that Signoff did not "
            "declare",
            "request-withdrawn": "the server withdrew a request for user input",
            "visit-done": "the server reports the end of a URL elicitation",
            "call-response-late": "a response arrived after the call had ended in Signoff",
        },
    ),
}
"""What happens around a call."""

EXPERIMENTAL: Final = {
    "resolution-has-effect": Code(
        (ERROR, WARNING), "resolving hints changed something, or may have"
    ),
    **of_severity(
        ERROR,
        {
            "resolution-asks": "the server requested something while it resolved hints",
            "resolution-malformed": "a result of `tools/resolve` does not match its draft",
            "resolution-not-negotiated": "`tools/resolve` reports a missing capability, which "
            "was declared",
            "resolution-not-refused": "`tools/resolve` accepts a request that it must refuse",
            "resolution-other-tool": "a result of `tools/resolve` is about another tool",
            "resolution-weakens": "resolved hints are worse than those of `tools/list`",
        },
    ),
    **of_severity(
        WARNING,
        {
            "resolution-error-code": "`tools/resolve` refuses a request with another error code",
            "resolution-failed": "hints were not resolved: the static ones count",
        },
    ),
    **of_severity(
        NOTE,
        {
            "resolution-differs": "the same arguments resolved differently",
            "resolution-not-sent": "Signoff did not send the arguments for a resolution",
        },
    ),
}
"""Findings on drafts of extensions, with `--experimental`."""

ANSWER: Final = {
    **of_severity(
        ERROR,
        {
            "denial-contradicts": "an envelope means that nothing was performed, the result does "
            "not",
            "disposition-contradicts": "the disposition of an approval by the server contradicts "
            "its result",
            "capability-denied": "an error reports that a capability is missing, which Signoff "
            "declared",
            "lone-surrogate": "text contains half of a surrogate pair, which is not a character",
            "malformed-block": "a field of a content block is missing or of the wrong type",
            "malformed-content": "`content` is not an array",
            "malformed-contents": "`contents` of a resource is not an array",
            "malformed-input-required": "a request for input is incomplete",
            "malformed-messages": "`messages` of a prompt is not an array",
            "missing-contents": "`contents` of a resource is missing",
            "missing-messages": "`messages` of a prompt is missing",
            "schema-mismatch": "`structuredContent` does not match the output schema",
            "structured-missing": "the tool has an output schema, `structuredContent` is missing",
            "unknown-content": "a content block has an unknown type",
            "unknown-result-type": "`resultType` is unknown",
            "unreadable-content": "a content block cannot be read",
        },
    ),
    **of_severity(
        WARNING,
        {
            "approval-definition-changed": "the tool's definition changed while a call waits for "
            "an approval by the server",
            "denial-leads-elsewhere": "a hint of a denial names an authorization server, scopes, "
            "or another resource",
            "denial-not-repeated": "the envelope of a task that waits for an approval is missing "
            "or changes",
            "disposition-missing": "a task that waited for an approval has no disposition",
            "disposition-unknown": "the disposition is unknown: the work may have been done",
            "cannot-ask": "a server tried to send a request, which its protocol does not have",
            "malformed-annotations": "annotations of a content block are of the wrong type",
            "malformed-display-text": "the display text of a block (a draft) is of the wrong type",
            "malformed-is-error": "`isError` is not true or false",
            "malformed-trust-annotations": "trust annotations (a draft) are of the wrong type",
            "malformed-role": "a message of a prompt has a role that is not user or assistant",
            "misspelt-key": "a name is spelled differently than in the protocol",
            "misspelt-is-error": "the result has `is_error`, which has no meaning",
            "media-not-whole": "an image or a sound is empty, cut off or without pixels",
            "media-type-differs": "the bytes of an image or a sound are not of the declared type",
            "missing-content": "`content` is missing",
            "not-validated": "`structuredContent` could not be checked against its schema, or "
            "only in part",
            "other-uri": "the contents have another URI than the requested one",
            "evidence-digest-differs": "the digest of evidence (a draft) is not that of its record",
            "text-and-blob": "a resource has both a text and a blob",
            "trust-label-vanished": "a label that the same call had earlier is gone (a draft)",
            "trust-label-weakened": "a block takes back a label of its result (a draft)",
            "text-copy-differs": "the text beside `structuredContent` differs from it",
        },
    ),
    "binary-fractions": Code(
        (WARNING, NOTE),
        "clients with floating-point arithmetic reject a number that `multipleOf` allows",
    ),
    "clients-reject-answer": Code(
        (ERROR, WARNING), "some client libraries reject the whole response"
    ),
    "format-mismatch": Code(
        (ERROR, NOTE), "a string does not match its `format`, which some clients assert"
    ),
    "malformed-denial": Code(
        (ERROR, WARNING), "the envelope of a denial by the server does not match its draft"
    ),
    "malformed-task": Code(
        (ERROR, WARNING, NOTE),
        "a task has no `taskId` or that of another, an unknown status, or an unusable time",
    ),
    "model-view-differs": Code(
        (NOTE, WARNING), "hosts give their models different parts of the response"
    ),
    **of_severity(
        NOTE,
        {
            "error-breaks-schema": "`structuredContent` of an error result does not match the "
            "output schema; some clients reject it",
            "empty-answer": "the response is empty",
            "hosts-give-up": "the call took longer than some measured hosts wait",
            "image-not-for-models": "an image is not PNG, JPEG, GIF or WebP, which the APIs of "
            "models take",
            "trust-evidence": "a result has a reference to evidence (a draft)",
            "trust-labels": "the server marks a result as sensitive or untrusted (a draft)",
            "structured-without-schema": "`structuredContent` without an output schema",
        },
    ),
}
"""Findings on a response."""

PAGES: Final = {
    **of_severity(
        ERROR,
        {
            "page-cursor-loops": "a page has the same cursor as an earlier page of the "
            "tool's result",
            "cursor-too-long": "a cursor that is too long to be sent back",
            "page-repeats": "items of an earlier page appear again",
        },
    ),
    **of_severity(
        WARNING,
        {
            "cursor-has-no-parameter": "a cursor without a known parameter to send it in",
            "page-end-unmarked": "the last page is not marked as the last",
        },
    ),
    **of_severity(
        NOTE,
        {
            "page-empty": "a page without items that declares more pages",
            "pages-not-finished": "there are more pages, which were not requested",
        },
    ),
}
"""What `--pages` sees; errors and warnings end with 4."""

LISTS: Final = {
    **of_severity(
        ERROR,
        {
            "cursor-ignored": "a page repeats an earlier one: the server ignores the cursor",
            "list-cursor-loops": "the cursors of a list of the server repeat: "
            "following them never ends",
            "list-cut-short": "a list is over the limit, or one of its pages failed",
            "malformed-cursor": "`nextCursor` is not a string, or is too long to be sent back",
            "malformed-list": "a page of a list has no array of entries",
        },
    ),
    **of_severity(
        WARNING,
        {
            "list-not-changed": "the server announces changes, but its tools do not change",
            "no-tools": "the server has no `tools/list`",
        },
    ),
}
"""Findings on the lists themselves."""

WIRE: Final = {
    **of_severity(
        ERROR,
        {
            "clients-cannot-connect": "some client libraries reject this response to `initialize`",
            "exits-on-discover": "the server exits when it gets `server/discover`: some client "
            "libraries do not connect",
            "clients-miss-response": "some client libraries never see this response",
            "answer-other-id": 'a response id is a string ("7"), but the request id is a '
            "number (7)",
            "byte-order-mark": "a message starts with a byte order mark",
            "message-over-lines": "a message spans several lines",
            "asks-too-much": "the server sends requests without reading the responses",
            "event-too-long": "an event of the stream is too long",
            "invalid-param-header": "a tool is left out: its `x-mcp-header` is invalid",
            "invalid-utf8": "a message is not valid UTF-8",
            "line-too-long": "a line on stdout is too long",
            "not-examined": "the server could not be reached, so the rest was not checked",
            "list-failed": "a list could not be read, or the tools could not be listed again",
            "notification-refused": "a notification was refused with an HTTP status",
            "malformed-id": "invalid message id",
            "malformed-session-id": "the session id has a character outside visible ASCII",
            "messages-on-one-line": "messages on one line, without a line break between them",
            "nul-on-stdout": "NUL bytes beside a message",
            "request-and-answer": "a message is both a request and a response",
            "result-and-error": "a response has a result and an error",
            "subscription-lost": "the stream of the server's own messages was lost",
            "text-beside-message": "other text on the line of a message",
            "unreadable-message": "a message cannot be read",
            "unreadable-part": "a part of a message cannot be read",
        },
    ),
    **of_severity(
        WARNING,
        {
            "answer-held-back": "a response came only when stdin was closed: stdout is not flushed",
            "answer-unknown": "a response to an unknown request",
            "answer-without-id": "a response without an id",
            "answered-twice": "a request got more than one response",
            "batch": "messages came as a JSON-RPC batch, which only 2025-03-26 allows",
            "invalid-message": "not a JSON-RPC message",
            "get-not-served": "the response to GET was neither a stream nor 405",
            "stream-ends": "the stream of the server's own messages keeps ending immediately",
            "noise-on-stdout": "stdout carries text that is not a message",
            "other-program": "the server's program changed, or changed back to the approved one",
        },
    ),
    "notification-answered": Code(
        (NOTE, WARNING),
        "the HTTP response to a notification had a body, or a status other than 202",
    ),
    **of_severity(
        NOTE,
        {
            "late-discovery": "the response to `server/discover` was late; the server supports "
            "2026-07-28, too"
        },
    ),
}
"""Findings on the connection between the server and Signoff."""

SIGN_IN: Final = {
    **of_severity(
        ERROR,
        {
            "sign-in-endpoint-missing": "an endpoint of the authorization server is missing",
            "sign-in-endpoint-unsafe": "an endpoint of the authorization server must not be used: "
            "not https, not a URL, a fragment, or an address inside",
            "sign-in-issuer-mismatch": "the issuer in the authorization server metadata is not the "
            "one in `authorization_servers`",
            "sign-in-no-authorization-server": "`authorization_servers` is missing or empty",
            "sign-in-no-code-flow": "the authorization server has no authorization code flow",
            "sign-in-no-header-tokens": "tokens are not accepted in the `Authorization` header",
            "sign-in-no-pkce": "`code_challenge_methods_supported` is missing: clients must refuse",
            "sign-in-no-resource-metadata": "the server has no protected resource metadata",
            "sign-in-no-s256": "`code_challenge_methods_supported` has no S256",
            "sign-in-no-server-metadata": "the authorization server has no metadata",
            "sign-in-not-requested": "an address in a challenge or in metadata was not requested, "
            "since it is unsafe",
            "sign-in-resource-mismatch": "the protected resource metadata is about another server",
            "sign-in-unreadable": "a metadata document cannot be read: status, size, time or JSON",
        },
    ),
    **of_severity(
        WARNING,
        {
            "sign-in-dpop": "DPoP is requested, which the revisions of MCP do not have",
            "sign-in-lenient": "a failed check was set aside for this connection (`--lenient`)",
            "sign-in-many-scopes": "the challenge names very many scopes",
            "sign-in-no-challenge": "401 without a Bearer challenge",
            "sign-in-no-registration": "clients can be registered only by hand",
            "sign-in-not-kept": "a sign-in could not be stored, or a stored one not used",
            "sign-in-repeated-key": "a metadata document has a key twice",
            "sign-in-resource-differs": "`resource` is a parent of the server's URL, or differs by "
            "a slash",
            "sign-in-several-challenges": "more than one Bearer challenge, or a parameter twice",
            "sign-in-token-lifetime": "`expires_in` of a token is not a usable number of seconds",
            "sign-in-token-auth": "the token endpoint is only for clients with a key",
        },
    ),
    **of_severity(
        NOTE,
        {
            "sign-in-metadata-elsewhere": "the challenge names resource metadata at another origin",
            "sign-in-metadata-not-named": "the challenge does not name the resource metadata",
            "sign-in-no-iss": "the authorization server does not promise `iss` in its answers",
            "sign-in-no-scope": "neither the challenge nor the metadata names a scope",
            "sign-in-offline-scope": "the server names the scope `offline_access`",
            "sign-in-registration-deprecated": "dynamic registration only, which is deprecated",
        },
    ),
}
"""Findings on the sign-in of a server over HTTP."""

SKILL: Final = {
    **of_severity(
        ERROR,
        {
            "skill-digest-differs": "the content of a file is not what its digest covers",
            "skill-file-outside": "a file of an entry is outside of the skill's directory",
            "skill-files-incomplete": "the files of a skill are not listed whole, each once",
            "skill-frontmatter-differs": "the frontmatter of an entry is not that of `SKILL.md`",
            "skill-get-differs": "`skills/get` contradicts `skills/list`, or accepts any URI",
            "skill-invalid": "an entry lacks a required member, or has it in another form",
            "skill-list-failed": "`skills/list` is declared, and fails",
            "skill-name-differs": "the last segment of the path is not the name",
            "skill-name-invalid": "the name breaks the rules of Agent Skills",
            "skill-size-differs": "a file has another length than its entry",
            "skill-unreadable": "a listed file, or its frontmatter, cannot be read",
        },
    ),
    **of_severity(
        WARNING,
        {
            "skill-changed": "a skill is another than at the last look",
            "skill-directory-differs": "a directory has files that the entry does not list",
            "skill-grants-tools": "the frontmatter requests permissions for the model",
            "skill-name-collides": "several skills have one name",
            "skill-not-read": "a file was not approved, so that it was not checked",
            "skill-over-limit": "more than every host takes",
            "skill-result": "a result lacks `ttlMs`, `cacheScope` or `resultType`",
            "skill-tool-unknown": "the text names a tool that the server lacks",
            "skill-yaml-version": "the frontmatter has two readings, by the version of YAML",
        },
    ),
    "skill-runs-code": Code((NOTE, WARNING), "a skill has scripts, or starts programs"),
    **of_severity(
        NOTE,
        {
            "skill-dynamic": "the files have no digests",
            "skill-external-url": "the text leads to other places",
            "skill-nested": "a skill is inside another one",
        },
    ),
}
"""What `--experimental skills` sees."""

CARD: Final = {
    "card-contradicts": Code(
        (ERROR, WARNING), "the card and the live server contradict each other"
    ),
    "card-secret": Code((ERROR, WARNING), "a secret in the card, or one that is not marked"),
    **of_severity(
        ERROR,
        {
            "card-invalid": "a member of the card is missing, or breaks its rule",
            "card-missing": "no server card was found",
        },
    ),
    **of_severity(
        WARNING,
        {
            "card-elsewhere": "the card was not followed to another origin",
            "card-headers": "a header of the response is missing, or another one",
            "card-place": "the card is at a place that the draft does not have",
            "card-tools-differ": "the tools in the card are not those of `tools/list`",
        },
    ),
    **of_severity(
        NOTE,
        {
            "card-first-cut": "the card has the shape of an earlier draft",
            "card-not-compared": "the live server was not there to be compared with",
        },
    ),
}
"""What `--experimental server-cards` sees."""

OURS: Final = {
    **of_severity(
        ERROR,
        {
            "audit-unwritable": "the audit log cannot be written: calls that may destroy stop",
            "fault": "internal error; its trace is in a file",
        },
    ),
    **of_severity(
        WARNING,
        {
            "capture-failed": "`--capture` stopped writing; the earlier part is kept",
            "arguments-not-kept": "earlier arguments could not be kept",
            "store-failed": "the store could not be read or written",
            "store-unusable": "the store cannot be used: approvals are not remembered",
        },
    ),
    **of_severity(
        NOTE,
        {
            "approvals-voided": "approvals were revoked because the definition or the program "
            "changed"
        },
    ),
}
"""Codes of findings about Signoff itself."""

GROUPS: Final[Mapping[str, Mapping[str, Code]]] = {
    "a definition": DEFINITION,
    "a resource, a template or a prompt": OFFERED,
    "a call": CALLING,
    "a response": ANSWER,
    "pages (`--pages`)": PAGES,
    "a list": LISTS,
    "the protocol": PROTOCOL,
    "the wire": WIRE,
    "the sign-in": SIGN_IN,
    "a draft (`--experimental`)": EXPERIMENTAL,
    "a skill": SKILL,
    "a server card": CARD,
    "Signoff itself": OURS,
}
CODES: Final[Mapping[str, Code]] = {
    code: row for group in GROUPS.values() for code, row in group.items()
}


def meaning_of(code: str) -> str:
    """The meaning of a code of the register, in words."""
    return CODES[code].meaning


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
