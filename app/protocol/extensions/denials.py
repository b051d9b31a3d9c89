"""Structured authorization denials: what a server reports about a call that it refused.

SEP-2643, "Authorization Denial Envelope" and "Where the envelope attaches": the envelope is in
`_meta` of the result, and means that the operation was not performed. Earlier texts of the draft
had it in `data.authorization` of an error; servers of the field still send it so.

An envelope is data of a server. Nothing here leads to a retry, to a sign-in or to a URL.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, compact
from ...content.json.quoting import quoted
from ...content.text import hidden, shortened, visible
from ..findings.findings import Finding, error, warning
from ..findings.model_texts import texts_in

STRUCTURED_DENIALS: Final = "structured-authorization-denials"
"""The word of `--experimental`."""
ENVELOPE: Final = "io.modelcontextprotocol/authorization"
CONTEXT_ID: Final = "io.modelcontextprotocol/authorization-context-id"
"""The key of `_meta` under which a retry sends the handle back."""
NOT_AUTHORIZED: Final = "insufficient_authorization"
"""The only `reason` of the draft."""
URL_HINT, TASK_HINT, CREDENTIAL_HINT = "url", "task", "authorization_remediation"
KNOWN_HINTS: Final = (URL_HINT, TASK_HINT, CREDENTIAL_HINT)
HANDLE_MAX: Final = 512
"""Characters of a handle that is sent back."""
_HINTS_MAX: Final = 10
_SHOWN: Final = 300
_WORD: Final = 60
_PLACE: Final = f"$._meta.{ENVELOPE}"
_PLACE_BEFORE: Final = "$.data.authorization"
_SERVERS: Final = ("authorization_server", "authorization_servers", "issuer", "as_uri")
_SCOPES: Final = ("scope", "scopes", "requiredScopes", "required_scopes")
_RESOURCES: Final = ("locations", "resource", "resource_metadata")


class Remediation(StrEnum):
    """Whether the denial can be acted on."""

    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"
    UNDISCLOSED = "undisclosed"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS: Final = {
    Remediation.AVAILABLE: "a remedy exists",
    Remediation.UNAVAILABLE: "final, without a remedy",
    Remediation.UNDISCLOSED: "a remedy is not disclosed",
}


@frozen
class RemedyHint:
    """One hint at a remedy. `kind` and `words` are safe to show."""

    kind: str
    words: str
    is_known: bool


@frozen
class Denial:
    """One envelope."""

    remediation: Remediation
    """UNDISCLOSED if it cannot be read, which allows the least."""
    hints: tuple[RemedyHint, ...] = ()
    handle: str = ""
    """`authorizationContextId`, raw; empty if it is missing or cannot be sent back."""
    is_malformed: bool = False

    @property
    def words(self) -> str:
        """Words of Signoff's own alone, which also name a response that is withheld."""
        return f"denied by the server: {self.remediation.words}"

    @property
    def invites_retry(self) -> bool:
        """True if a call may be made again, with the handle."""
        return self.remediation is Remediation.AVAILABLE and bool(self.handle)

    @property
    def awaits_task(self) -> bool:
        """True if a decision at the server is pending, and the task holds the request."""
        kinds = [one.kind for one in self.hints]
        return self.remediation is Remediation.AVAILABLE and TASK_HINT in kinds

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "remediation": self.remediation.value,
            "hints": [one.kind for one in self.hints],
            "handle": visible(self.handle) or None,
            "malformed": self.is_malformed,
        }


def envelope_in(result: JsonValue) -> tuple[bool, JsonValue]:
    """Whether a result or a task has an envelope, and the raw envelope."""
    meta = result.get("_meta") if isinstance(result, dict) else None
    if not isinstance(meta, dict) or ENVELOPE not in meta:
        return False, None
    return True, meta[ENVELOPE]


def read_denial(result: JsonValue, origin: str = "") -> tuple[Denial | None, tuple[Finding, ...]]:
    """Read the envelope of a result or of a task; None if it has none.

    `origin` is the URL of the server; empty for one that is not reached by a URL.
    """
    has_one, raw = envelope_in(result)
    return _read(raw, _PLACE, origin) if has_one else (None, ())


def read_denial_before(
    data: JsonValue, origin: str = ""
) -> tuple[Denial | None, tuple[Finding, ...]]:
    """Read the `data` of an error, where the envelope was before 2026-08; None if it has none."""
    raw = data.get("authorization") if isinstance(data, dict) else None
    if not isinstance(raw, dict) or "reason" not in raw:
        return None, ()
    denial, findings = _read({"remediation": Remediation.UNDISCLOSED.value, **raw}, "", origin)
    if denial is None:
        return None, ()
    words = "the envelope is in the data of an error, which the draft no longer has: use `_meta`"
    old = warning("malformed-denial", words, _PLACE_BEFORE)
    # Such a server is of another revision: its handle is not sent back.
    kept = Denial(denial.remediation, denial.hints, is_malformed=True)
    return kept, (old, *(one for one in findings if one.code != "malformed-denial"))


def _read(raw: JsonValue, place: str, origin: str) -> tuple[Denial, tuple[Finding, ...]]:
    faults = [_malformed(words, f"{place}{path}") for words, path in _faults(raw)]
    given = raw if isinstance(raw, dict) else {}
    found = given.get("remediation")
    known = [one for one in Remediation if one.value == found]
    handle, hints = given.get("authorizationContextId"), given.get("remediationHints")
    entries = [one for one in hints if isinstance(one, dict)] if isinstance(hints, list) else []
    is_usable = isinstance(handle, str) and 0 < len(handle) <= HANDLE_MAX
    return Denial(
        known[0] if known else Remediation.UNDISCLOSED,
        tuple(_hint(one) for one in entries[:_HINTS_MAX]),
        handle if isinstance(handle, str) and is_usable and not faults else "",
        is_malformed=bool(faults),
    ), (*faults, *_lures(entries, place, origin), *_hidden(given, place))


def _faults(raw: JsonValue) -> list[tuple[str, str]]:
    """What breaks the shape of an envelope, in words, each with its place below it."""
    if not isinstance(raw, dict):
        return [(f"the envelope is {quoted(raw)}, not an object", "")]
    found: list[tuple[str, str]] = []
    reason, remediation = raw.get("reason"), raw.get("remediation")
    if not isinstance(reason, str):
        found.append((f"`reason` is {_or_missing(raw, 'reason')}, not a string", ".reason"))
    if remediation not in [one.value for one in Remediation]:
        words = f"`remediation` is {_or_missing(raw, 'remediation')}, which the draft does not have"
        found.append((words, ".remediation"))
    handle = raw.get("authorizationContextId", "-")
    if not isinstance(handle, str) or not handle:
        words = f"`authorizationContextId` is {quoted(handle)}, not a text"
        found.append((words, ".authorizationContextId"))
    elif len(handle) > HANDLE_MAX:
        words = f"`authorizationContextId` has {len(handle):,} characters: it is not sent back"
        found.append((words, ".authorizationContextId"))
    if "remediationHints" in raw:
        found += _faults_of_hints(raw["remediationHints"], remediation)
    return found


def _faults_of_hints(hints: JsonValue, remediation: JsonValue) -> list[tuple[str, str]]:
    place = ".remediationHints"
    if not isinstance(hints, list):
        return [(f"`remediationHints` is {quoted(hints)}, not an array", place)]
    found: list[tuple[str, str]] = []
    if remediation in (Remediation.UNAVAILABLE.value, Remediation.UNDISCLOSED.value):
        found.append((f"`remediationHints` is there although none is {remediation}", place))
    if len(hints) > _HINTS_MAX:
        found.append((f"{len(hints):,} hints: {_HINTS_MAX} are read", place))
    for number, one in enumerate(hints[:_HINTS_MAX]):
        if not isinstance(one, dict) or not isinstance(one.get("type"), str):
            found.append((f"the hint {quoted(one)} has no `type`", f"{place}[{number}]"))
        elif one["type"] == CREDENTIAL_HINT and not _are_details(one.get("authorization_details")):
            words = "`authorization_details` is not an array of objects with a `type` (RFC 9396)"
            found.append((words, f"{place}[{number}]"))
    return found


def _are_details(details: JsonValue) -> bool:
    return isinstance(details, list) and all(
        isinstance(one, dict) and isinstance(one.get("type"), str) for one in details
    )


def _or_missing(raw: Mapping[str, JsonValue], name: str) -> str:
    return quoted(raw[name]) if name in raw else "missing"


def _malformed(words: str, path: str) -> Finding:
    return error("malformed-denial", words, path)


def _hint(raw: Mapping[str, JsonValue]) -> RemedyHint:
    kind = raw.get("type")
    name = shortened(kind, _WORD) if isinstance(kind, str) else "without a type"
    is_known = kind in KNOWN_HINTS
    rest = {key: value for key, value in raw.items() if key != "type"}
    words = _written(rest) if rest else ""
    return RemedyHint(name, words if is_known else f"unknown, ignored {words}".rstrip(), is_known)


def _written(value: JsonValue) -> str:
    try:
        return shortened(compact(value), _SHOWN)
    except JsonError as problem:
        return f"that cannot be written: {problem.reason}"


def _lures(hints: list[dict[str, JsonValue]], place: str, origin: str) -> list[Finding]:
    """Hints that would lead a sign-in elsewhere, or to more than a person agreed to."""
    found: list[Finding] = []
    for number, one in enumerate(hints[:_HINTS_MAX]):
        path = f"{place}.remediationHints[{number}]"
        for name, value in _members(one):
            if name in _SERVERS:
                words = f"a hint names the authorization server {quoted(value)}: it is not used"
            elif name in _SCOPES:
                words = f"a hint names scopes, {quoted(value)}: none is requested"
            elif name in _RESOURCES and (elsewhere := _elsewhere(value, origin)):
                words = f"a hint names another resource than this server, {quoted(elsewhere)}"
            else:
                continue
            found.append(warning("denial-leads-elsewhere", words, path))
    return found


def _members(hint: Mapping[str, JsonValue]) -> list[tuple[str, JsonValue]]:
    """The members of a hint and of its authorization details."""
    details = hint.get("authorization_details")
    inner = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    return [pair for one in (hint, *inner[:_HINTS_MAX]) for pair in one.items()]


def _elsewhere(value: JsonValue, origin: str) -> str:
    """The first URL of another origin than the server's; empty for none, or if it has no URL."""
    if not origin:
        return ""
    urls = value if isinstance(value, list) else [value]
    others = (one for one in urls if isinstance(one, str) and _origin(one) != _origin(origin))
    return next(others, "")


def _origin(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme.lower(), parts.netloc.lower()


def _hidden(envelope: Mapping[str, JsonValue], place: str) -> list[Finding]:
    marks = [mark for _, text in texts_in(dict(envelope)) for mark in hidden(text)]
    if not marks:
        return []
    words = f"the envelope has {', '.join(dict.fromkeys(marks))}"
    return [warning("hidden-characters", words, place)]


def contradictions(result: JsonValue, denial: Denial | None) -> tuple[Finding, ...]:
    """How a final result contradicts its envelope.

    The envelope asserts that the operation was not performed, on a result with `isError`.
    """
    if denial is None or not isinstance(result, dict):
        return ()
    found = []
    if result.get("isError") is not True:
        words = "the result reports success, but its envelope means that nothing was performed"
        found.append(_contradicts(words))
    kinds = {URL_HINT: "input_required", TASK_HINT: "task"}
    for one in denial.hints:
        if one.kind in kinds:
            words = f"the hint `{one.kind}` belongs to a result with resultType `{kinds[one.kind]}`"
            found.append(_contradicts(words))
    return tuple(found)


def _contradicts(words: str) -> Finding:
    return error("denial-contradicts", words, _PLACE)


def refusal_envelope() -> dict[str, JsonValue]:
    """The `_meta` of a call that Signoff itself has denied as a proxy.

    A person or another policy may decide otherwise later, which is not described here.
    """
    remediation = Remediation.UNDISCLOSED.value
    return {ENVELOPE: {"reason": NOT_AUTHORIZED, "remediation": remediation}}
