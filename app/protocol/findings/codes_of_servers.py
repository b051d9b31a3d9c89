"""Finding codes of a server: its definitions, lists, messages, connection and sign-in."""

from __future__ import annotations

from typing import Final

from .findings import ERROR, NOTE, WARNING, Code, of_severity

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
