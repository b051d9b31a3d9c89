"""Reads the wire log and reports where the server breaks the specification.

It knows nothing but the frames, in either direction: so it judges the messages as sent, rather than
as some part of Signoff read them. It has no opinion on frames that were cut or dropped from the
log.

Also finds capabilities that are declared and not served, or served and not declared. Spec
2025-11-25 and 2026-07-28: "Capabilities" of server/tools, server/resources, server/prompts.

Checks notifications and requests of a server against the declared capabilities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from ...content.json.jsonio import JsonError, JsonValue
from ..clients.findings import greeting_findings, null_error_findings
from ..findings.findings import Finding, error, note, warning
from ..rpc import METHOD_NOT_FOUND
from ..server_requests.capabilities import OF_METHOD
from ..wire.frames import BEGAN, CLIENT, SIGNOFF, Frame, FrameKind, WireLog
from ..wire.reading import Id, body_of, key_of, messages_of, read
from .results import (
    LISTS,
    MODERN,
    REVISIONS,
    Fields,
    check_discover,
    check_error,
    check_initialize,
    check_result,
    declares,
    json_pointer,
    quoted,
)

LOG_MESSAGE: Final = "notifications/message"
UPDATED: Final = "notifications/resources/updated"
_LISTEN_KEY: Final = "io.modelcontextprotocol/subscriptionId"
_NEEDS: Final[Mapping[str, tuple[str, str]]] = {
    "notifications/tools/list_changed": ("tools", "listChanged"),
    "notifications/resources/list_changed": ("resources", "listChanged"),
    "notifications/prompts/list_changed": ("prompts", "listChanged"),
    UPDATED: ("resources", "subscribe"),
    LOG_MESSAGE: ("logging", ""),
}
"""By the notification, the capability that covers it, and the flag of that capability."""
_LEVELS: Final = (
    *("debug", "info", "notice", "warning"),
    *("error", "critical", "alert", "emergency"),
)


def check_notification(
    method: str,
    params: JsonValue,
    version: str,
    capabilities: Mapping[str, JsonValue],
    streams: Collection[JsonValue],
    subscribed: Collection[str],
) -> list[Finding]:
    """Check a notification.

    `streams` are the ids of all subscriptions; `subscribed` are the URIs subscribed to before
    2026-07-28.
    """
    held: JsonValue = params if isinstance(params, dict) else {}
    fields = Fields(method)
    if (needed := _NEEDS.get(method)) is not None and not declares(capabilities, *needed):
        wanted = ".".join(one for one in needed if one)
        words = f"the server sent {method} without the capability {wanted}"
        fields.add([warning("notice-undeclared", words)])
    if method == UPDATED:
        uri = fields.want(held, "text", "params", "uri")
        # It may be a part of what was subscribed to.
        if version != MODERN and isinstance(uri, str) and not uri.startswith(tuple(subscribed)):
            words = f"the server sent an update of {quoted(uri)} without a subscription"
            fields.add([warning("update-not-subscribed", words, json_pointer("params", "uri"))])
    elif method == LOG_MESSAGE:
        _check_log_message(fields, held, version)
    if version == MODERN and method in _NEEDS and method != LOG_MESSAGE:
        fields.add(_about_stream(method, held, streams))
    return fields.findings


def check_request(
    method: str, params: JsonValue, version: str, declared: Mapping[str, JsonValue]
) -> list[Finding]:
    """Check a request of the server; `declared` are the client's capabilities."""
    if method.startswith("notifications/"):
        words = f"the notification {quoted(method)} has an id, which is not allowed"
        return [error("notification-with-id", words, json_pointer("id"))]
    if version == MODERN:
        words = f"the server sent the request {quoted(method)}, which is not allowed since {MODERN}"
        return [error("request-of-server", words, json_pointer("method"))]
    capability = OF_METHOD.get(method)
    if capability is not None and capability not in declared:
        words = f"the server sent {method}, and Signoff did not declare {capability}"
        return [warning("asked-undeclared", words, json_pointer("method"))]
    wanted = params.get("includeContext") if isinstance(params, dict) else None
    if method == "sampling/createMessage" and wanted in ("thisServer", "allServers"):
        words = f"includeContext {quoted(wanted)} is deprecated"
        return [note("deprecated-feature", words, json_pointer("params", "includeContext"))]
    return []


def _check_log_message(fields: Fields, params: JsonValue, version: str) -> None:
    level = fields.want(params, "text", "params", "level")
    if isinstance(level, str) and level not in _LEVELS:
        words = f"a log message has the unknown level {quoted(level)}"
        fields.add([warning("unknown-log-level", words, json_pointer("params", "level"))])
    if isinstance(params, dict) and "data" not in params:
        words = "a log message has no data"
        fields.add([error("missing-field", words, json_pointer("params", "data"))])
    if version == MODERN:
        words = f"log messages are deprecated since {MODERN}"
        fields.add([note("deprecated-feature", words, json_pointer("method"))])


def _about_stream(method: str, params: JsonValue, streams: Collection[JsonValue]) -> list[Finding]:
    """Spec 2026-07-28, basic/patterns/subscriptions, "Receiving Notifications"."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    path = json_pointer("params", "_meta", _LISTEN_KEY)
    if not isinstance(meta, dict) or _LISTEN_KEY not in meta:
        return [error("missing-field", f"{method} has no subscription id", path)]
    given = meta[_LISTEN_KEY]
    if not any(type(one) is type(given) and one == given for one in streams):
        words = f"{method} has the unknown subscription {quoted(given)}"
        return [warning("subscription-unknown", words, path)]
    return []


_SERVED: Final[Mapping[str, tuple[str, str]]] = {
    "tools/list": ("tools", ""),
    "resources/list": ("resources", ""),
    "prompts/list": ("prompts", ""),
    "completion/complete": ("completions", ""),
    "logging/setLevel": ("logging", ""),
    "resources/subscribe": ("resources", "subscribe"),
}
"""Methods that a capability makes required. Resources do not require templates."""
_ALWAYS: Final = {"ping": False, "server/discover": True}
"""Methods without a capability; the value is True for methods of the modern era."""


def about_refusal(
    method: str,
    problem: Mapping[str, JsonValue],
    version: str,
    capabilities: Mapping[str, JsonValue],
) -> list[Finding]:
    """The findings on a method that the server refuses as not found."""
    if problem.get("code") != METHOD_NOT_FOUND:
        return []
    path = json_pointer("error", "code")
    if _ALWAYS.get(method) is (version == MODERN):
        words = f"the server does not have {method}, which is required"
        return [error("method-missing", words, path)]
    needed = _SERVED.get(method)
    if needed is None or not declares(capabilities, *needed):
        return []
    wanted = ".".join(one for one in needed if one)
    words = f"the server declares {wanted}, but does not have {method}"
    return [error("declared-not-served", words, path)]


def about_list(
    method: str, result: Mapping[str, JsonValue], capabilities: Mapping[str, JsonValue]
) -> list[Finding]:
    """Report a list that is not empty without the server's declaring it."""
    capability = method.partition("/")[0]
    if declares(capabilities, capability) or not result.get(LISTS[method]):
        return []
    words = (
        f"the server has {capability}, but does not declare them: other clients will not request "
        "them"
    )
    return [error("served-not-declared", words, json_pointer("result", LISTS[method]))]


FOUND_MAX: Final = 200
"""Different findings of one server; what else it does wrong adds nothing."""
AT_ONCE: Final = 500
"""Frames that are read at once, so that a flood does not block the screen."""
_KEPT: Final = 2_000
"""Requests of either side whose answers are awaited or known."""
_PROGRESS: Final = b'"notifications/progress"'
_JSONRPC: Final = b'"jsonrpc"'
_LOOKED_AT: Final = 200

_Key = tuple[bool, Id]
_Value = TypeVar("_Value", str, bool)


@dataclass(slots=True)
class _Talk:
    """State of one connection."""

    version: str = ""
    """The negotiated revision; empty before the response to the handshake."""
    capabilities: dict[str, JsonValue] = field(default_factory=dict)
    declared: dict[str, JsonValue] = field(default_factory=dict)
    """The client's capabilities, of the handshake."""
    asked_version: str = ""
    requests: dict[_Key, str] = field(default_factory=dict)
    """The client's, by id: their methods."""
    streams: list[JsonValue] = field(default_factory=list)
    subscribed: list[str] = field(default_factory=list)
    """URIs, before 2026-07-28."""
    theirs: dict[_Key, bool] = field(default_factory=dict)
    """The server's requests, and whether they were answered."""


def _is_progress(raw: bytes) -> bool:
    """True for a frame that is one progress notification, recognised without parsing it.

    These are most messages of a busy server, and judged where they are counted.
    """
    return _PROGRESS in raw[:_LOOKED_AT] and raw[:1] == b"{" and raw.count(_JSONRPC) == 1


class Watcher:
    """Reads one log as it grows. For one reader, which calls `update` now and then."""

    def __init__(self, log: WireLog) -> None:
        self._log = log
        self._seen = 0
        self._talk = _Talk()
        self._found: dict[tuple[str, str, str], Finding] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was seen so far, each once."""
        return tuple(self._found.values())

    @property
    def is_behind(self) -> bool:
        """True if there are frames that were not read yet."""
        return self._seen < self._log.count

    def update(self, most: int = AT_ONCE) -> None:
        """Read new frames, up to a number."""
        if not self.is_behind:
            return
        new = self._log.since(self._seen)[:most]
        for frame in new:
            self.take(frame)
        self._seen = new[-1].number if new else self._log.count

    def catch_up(self) -> None:
        """Read all that came."""
        while self.is_behind:
            self.update()

    def take(self, frame: Frame) -> None:
        """Read one frame; of a batch, or a line with other text, each message in it."""
        if _is_progress(frame.raw):
            return
        for message in messages_of(frame):
            for finding in self._about(message):
                if len(self._found) < FOUND_MAX:
                    self._found.setdefault((finding.code, finding.path, finding.message), finding)

    def _about(self, frame: Frame) -> Iterator[Finding]:
        if frame.sender == SIGNOFF:
            if frame.raw.startswith(BEGAN.encode()):
                self._talk = _Talk()
            return
        if frame.is_cut or frame.is_http_only or _PROGRESS in frame.raw[:_LOOKED_AT]:
            return
        if frame.sender == CLIENT:
            self._sent(frame)
            return
        found, talk = read(frame), self._talk
        match found.kind:
            case FrameKind.ANSWER | FrameKind.ERROR if found.id is not None:
                yield from self._answered(found.id, _body(frame))
            case FrameKind.NOTIFICATION:
                params = _body(frame).get("params")
                if talk.version and _is_whole(frame):
                    yield from check_notification(
                        found.method,
                        params,
                        talk.version,
                        talk.capabilities,
                        talk.streams,
                        talk.subscribed,
                    )
            case FrameKind.REQUEST:
                yield from self._asked(found.id, found.method, _body(frame).get("params"))

    def _sent(self, frame: Frame) -> None:
        found, talk = read(frame), self._talk
        if found.id is None:
            return
        if found.kind in (FrameKind.ANSWER, FrameKind.ERROR):
            if key_of(found.id) in talk.theirs:
                talk.theirs[key_of(found.id)] = True
            return
        if found.kind is not FrameKind.REQUEST:
            return
        _keep(talk.requests, key_of(found.id), found.method)
        if found.method == "subscriptions/listen":
            talk.streams.append(found.id)
        elif found.method == "resources/subscribe":
            talk.subscribed.append(found.subject)
        elif found.method == "initialize":
            params = _object(_body(frame).get("params"))
            talk.declared = _object(params.get("capabilities"))
            talk.asked_version = str(params.get("protocolVersion"))

    def _answered(self, identity: Id, body: dict[str, JsonValue]) -> Iterator[Finding]:
        talk = self._talk
        method = talk.requests.pop(key_of(identity), "")
        if not method or not body:
            return
        problem = body.get("error")
        if isinstance(problem, dict):
            yield from check_error(method, problem, talk.version)
            if talk.version:
                yield from about_refusal(method, problem, talk.version, talk.capabilities)
            return
        result = body.get("result")
        yield from greeting_findings(body) if method == "initialize" else null_error_findings(body)
        if method in ("initialize", "server/discover") and isinstance(result, dict):
            yield from self._greeted(method, result)
        if talk.version:
            yield from check_result(method, result, talk.version, talk.capabilities)
            if method in LISTS:
                yield from about_list(method, _object(result), talk.capabilities)

    def _greeted(self, method: str, result: dict[str, JsonValue]) -> Iterator[Finding]:
        talk = self._talk
        if method == "initialize":
            yield from check_initialize(result, talk.asked_version)
            version = result.get("protocolVersion")
            is_known = version in REVISIONS
        elif "supportedVersions" not in result:
            # Some answer everything that they do not know with a result.
            return
        else:
            yield from check_discover(result)
            versions = result["supportedVersions"]
            version, is_known = MODERN, isinstance(versions, list) and MODERN in versions
        # A server that wakes up late answers both; from the handshake on it is of that era.
        is_later = method == "initialize" and talk.version == MODERN
        if is_known and (is_later or not talk.version):
            talk.version = str(version)
            talk.capabilities = _object(result.get("capabilities"))

    def _asked(self, identity: Id | None, method: str, params: JsonValue) -> Iterator[Finding]:
        talk = self._talk
        if talk.version:
            yield from check_request(method, params, talk.version, talk.declared)
        if identity is None:
            return
        key = key_of(identity)
        # The id of an open one is reported at its response.
        if talk.theirs.get(key):
            words = "the server gave a request the id of an earlier one of its requests"
            yield error("request-id-reused", words, "/id")
        _keep(talk.theirs, key, False)


def _keep(kept: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    kept[key] = value
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]


def _body(frame: Frame) -> dict[str, JsonValue]:
    try:
        return _object(body_of(frame))
    except JsonError:
        return {}


def _is_whole(frame: Frame) -> bool:
    """False if its JSON cannot be read, which is a finding of its own."""
    try:
        body_of(frame)
    except JsonError:
        return False
    return True


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}
