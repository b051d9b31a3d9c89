"""Sections of the specification behind each finding code.

Of the revisions that begin with `initialize` the newest is cited, and beside it 2026-07-28, whose
pages are others. Codes without a section - limits of Signoff, doubts about names - have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..extensions.register import EXTENSIONS

HANDSHAKE: Final = "2025-11-25"
MODERN: Final = "2026-07-28"
_SITE: Final = "https://modelcontextprotocol.io/specification"
_DROPPED: Final = str.maketrans("", "", "`()$_,")


class SpecSection(NamedTuple):
    """One section of one revision."""

    revision: str
    page: str
    heading: str = ""
    address: str = ""
    """The URL of the page, if it is a draft, which is not on the site."""

    @property
    def words(self) -> str:
        """Revision and page, for people: `2025-11-25 basic/utilities/progress`."""
        return f"{self.revision} {self.page}"

    @property
    def clause(self) -> str:
        """The same with the heading: `draft skills.mdx, “Names”`."""
        return f"{self.words}, “{self.heading}”"

    @property
    def url(self) -> str:
        """The section on its page."""
        anchor = self.heading.translate(_DROPPED).lower().replace(" ", "-")
        page = self.address or f"{_SITE}/{self.revision}/{self.page}"
        return page + (f"#{anchor}" if anchor else "")

    def as_json(self) -> dict[str, str]:
        return {
            "revision": self.revision,
            "page": self.page,
            "section": self.heading,
            "url": self.url,
        }


class Sections(NamedTuple):
    """The section in either era; None if that era has no such rule."""

    legacy: SpecSection | None
    modern: SpecSection | None

    def of(self, version: str) -> SpecSection | None:
        """Return the section for the era of a version, or else that of the other era."""
        if version == MODERN:
            return self.modern or self.legacy
        return self.legacy or self.modern


def _both(page: str, heading: str = "", modern: str = "", modern_heading: str = "") -> Sections:
    """A rule of both eras; `modern` and `modern_heading` where they are others since then."""
    return Sections(
        SpecSection(HANDSHAKE, page, heading),
        SpecSection(MODERN, modern or page, modern_heading or heading),
    )


def _legacy(page: str, heading: str) -> Sections:
    return Sections(SpecSection(HANDSHAKE, page, heading), None)


def _modern(page: str, heading: str) -> Sections:
    return Sections(None, SpecSection(MODERN, page, heading))


def _draft(name: str, heading: str) -> Sections:
    """A rule of an extension, in the revision that Signoff was built on."""
    draft = EXTENSIONS[name]
    page = draft.address.rpartition("/")[2]
    return Sections(None, SpecSection("draft", page, heading, draft.address))


_PROGRESS = _both("basic/utilities/progress", "Behavior Requirements", "basic/patterns/progress")
_PROGRESS_FLOW = _both("basic/utilities/progress", "Progress Flow", "basic/patterns/progress")
_CANCELLING = _both(
    "basic/utilities/cancellation", "Behavior Requirements", "basic/patterns/cancellation"
)
_LATE = _both(
    "basic/utilities/cancellation", "Timing Considerations", "basic/patterns/cancellation"
)
_RESPONSES = _both("basic", "Responses")
_MESSAGES = _both("basic", "Messages")
_STDIO = _both("basic/transports", "stdio", "basic/transports/stdio", "Receiving Messages")
_RECEIPT = _both(
    "basic/transports",
    "Sending Messages to the Server",
    "basic/transports/streamable-http",
    "Sending Messages",
)
_OWN_STREAM = _legacy("basic/transports", "Listening for Messages from the Server")
_UTF8 = _both("basic/transports", "", "basic/transports", "Messages")
_TOOL = _both("server/tools", "Tool")
_TOOL_NAMES = _both("server/tools", "Tool Names")
_TOOL_RESULT = _both("server/tools", "Tool Result")
_TOOL_ERRORS = _both("server/tools", "Error Handling")
_STRUCTURED = _both("server/tools", "Structured Content")
_OUTPUT_SCHEMA = _both("server/tools", "Output Schema")
_HINTS = _both("schema", "ToolAnnotations")
_READING = _both("server/resources", "Reading Resources")
_PROMPT = _both("server/prompts", "Getting a Prompt")
_PAGES = _both("server/utilities/pagination", "Response Format")
_TASK_TOOLS = _legacy("basic/utilities/tasks", "Tool-Level Negotiation")
_VISITS = _legacy("client/elicitation", "Completion Notifications for URL Mode Elicitation")
_META = _both("basic", "_meta")
_CAPABILITIES = _both("basic/lifecycle", "Capability Negotiation", "schema", "ServerCapabilities")
_UNDECLARED = _both("basic/lifecycle", "Capability Negotiation", "basic", "_meta")
_SIGN_IN: Final = "basic/authorization"


def _sign_in(heading: str, part: str = "", modern_heading: str = "") -> Sections:
    """A rule on authorization, in a page of its own since 2026-07-28 if it has a `part`."""
    page = f"{_SIGN_IN}/{part}" if part else _SIGN_IN
    return _both(_SIGN_IN, heading, page, modern_heading)


_FINDING_SERVERS = "authorization-server-discovery"
_RESOURCE_METADATA = _sign_in(
    "Protected Resource Metadata Discovery Requirements", _FINDING_SERVERS
)
_SERVER_LOCATION = _sign_in("Authorization Server Location", _FINDING_SERVERS)
_SERVER_METADATA = _sign_in("Authorization Server Metadata Discovery", _FINDING_SERVERS)
_REGISTRATION = _sign_in(
    "Client Registration Approaches", "client-registration", "Pre-registration"
)
_CODE_PROTECTION = _sign_in("Authorization Code Protection", "security-considerations")
_ENDPOINTS = _sign_in("Communication Security", "security-considerations")
_SCOPES = _sign_in("Scope Selection Strategy")

SECTIONS: Final[Mapping[str, Sections]] = {
    # A definition.
    "contradictory-hints": _HINTS,
    "duplicate-name": _TOOL_NAMES,
    "malformed-execution": _TASK_TOOLS,
    "malformed-hint": _HINTS,
    "malformed-icon": _both("schema", "Icon"),
    "malformed-schema": _TOOL,
    "malformed-tool": _TOOL,
    "task-only": _TASK_TOOLS,
    "task-support-unknown": _TASK_TOOLS,
    "titles-disagree": _both("schema", "Tool"),
    "unknown-annotation": _HINTS,
    "unusual-name": _TOOL_NAMES,
    # A resource, a template or a prompt.
    "duplicate-offer": _both("schema"),
    "malformed-offer": _both("schema"),
    "malformed-template": _both("server/resources", "Resource Templates"),
    "uri-without-scheme": _both("server/resources", "Custom URI Schemes"),
    # A call.
    "response-late": _LATE,
    "asked-undeclared": _UNDECLARED,
    "cancel-unknown": _CANCELLING,
    "input-not-declared": _modern("basic/patterns/mrtr", "Server Requirements (Basic Workflow)"),
    "call-response-late": _LATE,
    "form-not-allowed": _both("client/elicitation", "Requested Schema"),
    "malformed-request": _both("schema"),
    "progress-late": _PROGRESS,
    "progress-not-increasing": _PROGRESS_FLOW,
    "progress-over-total": _PROGRESS_FLOW,
    "progress-unknown": _PROGRESS,
    "progress-unreadable": _PROGRESS_FLOW,
    "request-id-reused": _both("basic", "Requests"),
    "request-withdrawn": _CANCELLING,
    "secret-asked": _both("client/elicitation", "User Interaction Model"),
    "visit-done": _VISITS,
    "visit-unknown": _VISITS,
    # An answer.
    "capability-denied": _modern("basic", "Error Codes"),
    "malformed-annotations": _both("server/resources", "Annotations"),
    "malformed-block": _TOOL_RESULT,
    "malformed-content": _TOOL_RESULT,
    "malformed-contents": _READING,
    "malformed-input-required": _modern("basic/patterns/mrtr", "InputRequiredResult"),
    "malformed-is-error": _TOOL_ERRORS,
    "malformed-messages": _PROMPT,
    "malformed-role": _both("server/prompts", "PromptMessage"),
    "malformed-task": _legacy("basic/utilities/tasks", "Creating Tasks"),
    "misspelt-is-error": _TOOL_ERRORS,
    "image-not-for-models": _both("schema", "ImageContent"),
    "media-not-whole": _both("schema", "ImageContent"),
    "media-type-differs": _both("schema", "ImageContent"),
    "missing-content": _TOOL_RESULT,
    "missing-contents": _READING,
    "missing-messages": _PROMPT,
    "model-view-differs": _STRUCTURED,
    "not-validated": _both("basic", "Schema Validation"),
    "other-uri": _READING,
    "error-breaks-schema": _OUTPUT_SCHEMA,
    "schema-mismatch": _OUTPUT_SCHEMA,
    "structured-missing": _OUTPUT_SCHEMA,
    "structured-without-schema": _STRUCTURED,
    "text-and-blob": _both("server/resources", "Resource Contents"),
    "text-copy-differs": _STRUCTURED,
    "unknown-content": _TOOL_RESULT,
    "unknown-result-type": _modern("basic", "ResultType"),
    "unreadable-content": _TOOL_RESULT,
    # A list.
    "cursor-ignored": _PAGES,
    "list-cursor-loops": _PAGES,
    "malformed-cursor": _PAGES,
    "malformed-list": _both("schema"),
    "no-tools": _both("server/tools", "Capabilities"),
    # The protocol.
    "capability-of-other-version": _both("schema", "ServerCapabilities"),
    "declared-not-served": _CAPABILITIES,
    "deprecated-feature": _modern("deprecated", "Deprecated"),
    "get-not-served": _OWN_STREAM,
    "header-mismatch": _modern("basic/transports/streamable-http", "Server Validation"),
    "input-not-allowed": _modern("basic/patterns/mrtr", "Supported Requests"),
    "malformed-meta-key": _META,
    "method-missing": _both(
        "basic/utilities/ping",
        "Behavior Requirements",
        "basic/versioning",
        "Protocol Version Negotiation",
    ),
    "missing-field": _both("schema"),
    "notice-undeclared": _CAPABILITIES,
    "notification-with-id": _both("basic", "Notifications"),
    "other-version": _legacy("basic/lifecycle", "Version Negotiation"),
    "ping-unanswered": _legacy("basic/utilities/ping", "Behavior Requirements"),
    "request-of-server": _modern("basic/transports", "Messages"),
    "reserved-error-code": _modern("basic", "Error Codes"),
    "reserved-meta-key": _META,
    "served-not-declared": _both("server/tools", "Capabilities"),
    "subscription-unknown": _modern("basic/patterns/subscriptions", "Receiving Notifications"),
    "task-undeclared": _TASK_TOOLS,
    "too-many-completions": _both("server/utilities/completion", "Completion Results"),
    "unknown-log-level": _both("server/utilities/logging", "Log Levels"),
    "unknown-version": _both(
        "basic/lifecycle",
        "Version Negotiation",
        "basic/versioning",
        "Protocol Version Negotiation",
    ),
    "update-not-subscribed": _legacy("server/resources", "Subscriptions"),
    "version-refused": _modern("basic/versioning", "Protocol Version Negotiation"),
    "wrong-type": _both("schema"),
    # The sign-in.
    "sign-in-endpoint-missing": _SERVER_METADATA,
    "sign-in-endpoint-unsafe": _ENDPOINTS,
    "sign-in-issuer-mismatch": _SERVER_METADATA,
    "sign-in-many-scopes": _SCOPES,
    "sign-in-metadata-elsewhere": _RESOURCE_METADATA,
    "sign-in-metadata-not-named": _RESOURCE_METADATA,
    "sign-in-no-authorization-server": _SERVER_LOCATION,
    "sign-in-no-challenge": _RESOURCE_METADATA,
    "sign-in-no-code-flow": _sign_in("Authorization Flow Steps"),
    "sign-in-no-header-tokens": _sign_in("Token Requirements"),
    "sign-in-no-iss": _modern("basic/authorization", "Authorization Response Validation"),
    "sign-in-no-pkce": _CODE_PROTECTION,
    "sign-in-no-registration": _REGISTRATION,
    "sign-in-no-resource-metadata": _RESOURCE_METADATA,
    "sign-in-no-s256": _CODE_PROTECTION,
    "sign-in-no-scope": _SCOPES,
    "sign-in-no-server-metadata": _SERVER_METADATA,
    "sign-in-not-requested": _ENDPOINTS,
    "sign-in-offline-scope": _modern("basic/authorization", "Refresh Tokens"),
    "sign-in-registration-deprecated": _modern(
        "basic/authorization/client-registration", "Dynamic Client Registration"
    ),
    "sign-in-resource-differs": _sign_in("Canonical Server URI"),
    "sign-in-resource-mismatch": _sign_in("Canonical Server URI"),
    "sign-in-several-challenges": _RESOURCE_METADATA,
    "sign-in-unreadable": _SERVER_METADATA,
    # The wire.
    "answer-other-id": _RESPONSES,
    "answer-unknown": _RESPONSES,
    "answer-without-id": _RESPONSES,
    "answered-twice": _RESPONSES,
    "byte-order-mark": _STDIO,
    "invalid-param-header": _modern("server/tools", "x-mcp-header"),
    "invalid-utf8": _UTF8,
    "late-discovery": _modern("basic/transports/stdio", "Backward Compatibility"),
    "malformed-id": _RESPONSES,
    "malformed-session-id": _legacy("basic/transports", "Session Management"),
    "message-over-lines": _STDIO,
    "messages-on-one-line": _STDIO,
    "notification-answered": _RECEIPT,
    "notification-refused": _RECEIPT,
    "nul-on-stdout": _STDIO,
    "stream-ends": _OWN_STREAM,
    "text-beside-message": _STDIO,
    "invalid-message": _MESSAGES,
    "noise-on-stdout": _STDIO,
    "request-and-answer": _MESSAGES,
    "result-and-error": _RESPONSES,
    "subscription-lost": _modern("basic/patterns/subscriptions", "Cancellation"),
    "unreadable-message": _MESSAGES,
    # Drafts of extensions.
    "resolution-malformed": _draft("tool-resolution", "Result"),
    "resolution-other-tool": _draft("tool-resolution", "Result"),
    "resolution-weakens": _draft("tool-resolution", "Marking resolvable tools"),
    "resolution-asks": _draft("tool-resolution", "Server requirements"),
    "resolution-has-effect": _draft("tool-resolution", "Server requirements"),
    "resolution-not-refused": _draft("tool-resolution", "Server requirements"),
    "resolution-error-code": _draft("tool-resolution", "Fallback and errors"),
    "resolution-not-negotiated": _draft("tool-resolution", "Negotiation"),
    "resolution-failed": _draft("tool-resolution", "Fallback and errors"),
    "resolution-differs": _draft("tool-resolution", "Caching, staleness, and TOCTOU"),
    "resolution-not-sent": _draft("tool-resolution", "Client requirements"),
    "marker-malformed": _draft("tool-resolution", "Marking resolvable tools"),
    "marker-undeclared": _draft("tool-resolution", "Negotiation"),
    "marker-in-vain": _draft("tool-resolution", "Marking resolvable tools"),
    "skill-digest-differs": _draft("skills", "Verification on Read"),
    "skill-file-outside": _draft("skills", "Resources"),
    "skill-files-incomplete": _draft("skills", "Resources"),
    "skill-frontmatter-differs": _draft("skills", "Frontmatter Verification"),
    "skill-get-differs": _draft("skills", "Getting a Skill"),
    "skill-invalid": _draft("skills", "Skill Entries"),
    "skill-list-failed": _draft("skills", "Capability Negotiation"),
    "skill-name-differs": _draft("skills", "Resource Mapping"),
    "skill-name-invalid": _draft("skills", "Resource Mapping"),
    "skill-size-differs": _draft("skills", "Resources"),
    "skill-unreadable": _draft("skills", "Reading Skill Content"),
    "skill-changed": _draft("skills", "Security Considerations"),
    "skill-approval-ended": _draft("skills", "Security Considerations"),
    "skill-not-approved": _draft("skills", "Security Considerations"),
    "skill-yaml-version": _draft("skills", "Frontmatter Verification"),
    "skill-directory-differs": _draft("skills", "Directory Reads and the Held Entry"),
    "skill-grants-tools": _draft("skills", "Security Considerations"),
    "skill-name-collides": _draft("skills", "Names"),
    "skill-over-limit": _draft("skills", "Limits"),
    "skill-result": _draft("skills", "Listing Skills"),
    "skill-runs-code": _draft("skills", "Security Considerations"),
    "skill-dynamic": _draft("skills", "Resources"),
    "skill-nested": _draft("skills", "Nested Skills"),
    "card-caching": _draft("server-cards", "Caching"),
    "card-contradicts": _draft("server-cards", "Consistency with Runtime Behavior"),
    "card-invalid": _draft("server-cards", "MCP Server Cards"),
    "card-missing": _draft("server-cards", "Hosted Server Card Location"),
    "card-secret": _draft("server-cards", "Information Disclosure"),
    "card-headers": _draft("server-cards", "CORS Requirements"),
    "card-place": _draft("server-cards", "Alternatives considered"),
    "card-tools-differ": _draft("server-cards", "MCP Server Cards"),
    "card-first-cut": _draft("server-cards", "MCP Server Cards"),
}


_DISCOVERED = ("server/discover", "DiscoverResult")
_COMPLETED = _both("server/utilities/completion", "CompleteResult")
_LOGGED = _both("server/utilities/logging", "Log Message Notifications")
_ERRORS = _both("basic", "Error Responses")
FIELDS: Final[Mapping[str, Sections]] = {
    "cacheScope": _modern("server/utilities/caching", "Cache Scope Field"),
    "capabilities": _both("basic/lifecycle", "Capability Negotiation", *_DISCOVERED),
    "completion": _COMPLETED,
    "data": _LOGGED,
    "error": _ERRORS,
    "io.modelcontextprotocol~1serverInfo": _modern(*_DISCOVERED),
    "io.modelcontextprotocol~1subscriptionId": _modern(
        "basic/patterns/subscriptions", "Receiving Notifications"
    ),
    "level": _LOGGED,
    "protocolVersion": _legacy("basic/lifecycle", "Version Negotiation"),
    "resultType": _modern("basic", "ResultType"),
    "serverInfo": _both("basic/lifecycle", "Initialization", *_DISCOVERED),
    "supportedVersions": _modern(*_DISCOVERED),
    "ttlMs": _modern("server/utilities/caching", "Time-to-Live (TTL) Field"),
}
"""Of a field that is missing or of another type, the section that wants it: by the outermost name
on its JSON Pointer that is here."""


def section_behind(code: str, version: str = MODERN, path: str = "") -> SpecSection | None:
    """The section behind a finding on a server that speaks this version; None if none is.

    `path` is the place that the finding names.
    """
    sections = SECTIONS.get(code)
    if code in ("missing-field", "wrong-type"):
        named = (FIELDS[step] for step in path.split("/") if step in FIELDS)
        sections = next(named, sections)
    return None if sections is None else sections.of(version)
