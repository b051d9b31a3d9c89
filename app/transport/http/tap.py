"""The tap of an HTTP link: records the received responses of each request, beside the SDK.

The SDK reads bodies strictly and drops whole answers for one odd field. So the SDK's copy of an
answer is made here, and the answer itself is kept as it came.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.findings.findings import Finding, error, warning
from ...protocol.rpc import Oversized, RpcError
from ...protocol.server_requests.capabilities import NO_CAPABILITIES, ClientCapabilities
from ..calls import CallTable, request_in
from ..events import Ending, LinkEvent, Listing, Noticed
from ..exchange import NoResponse, read_error
from ..gate import Gate
from ..listing import told_in
from ..protocol import (
    MODERN,
    declare,
    has_batches,
    is_same_id,
    logged,
    misspelt_answer,
    number_in,
    stray_answer,
)
from ..session import words_of
from ..stdio.inbound import BATCH, Inbound, Message, MessageReader, Unreadable

Kept = dict[str, JsonValue] | RpcError
_CACHING: dict[str, JsonValue] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


class HttpTap:
    """Knows the requests of one connection and their responses. Lives on the event loop."""

    def __init__(
        self,
        emit: Callable[[LinkEvent], None],
        on_unreachable: Callable[[str], None],
        capabilities: ClientCapabilities = NO_CAPABILITIES,
    ) -> None:
        self.gate = Gate(emit)
        """Checks every message that is posted."""
        self._emit = emit
        self._capabilities = capabilities
        self.version = ""
        """The revision that was agreed; empty before."""
        self.log_level = ""
        """From which one on log messages are wanted; empty for no word on it."""
        self.on_unreachable = on_unreachable
        """Told in words that the server is not there any more."""
        self.on_doubt: Callable[[], None] = lambda: None
        """Told that the server may be gone: a connection broke."""
        self.table = CallTable(self.notice, emit, self.gate)
        self.unanswered: dict[str | int, str] = {}
        """Why the answer of a request was cut off: what it did is not known."""
        self.refused: dict[str, int] = {}
        """The HTTP status of the refusals, by method: the newest of each that is no call."""
        self.awaited: dict[str, Callable[[Kept], None]] = {}
        """Who is told what comes for a request that the SDK knows nothing of."""
        self._methods: dict[str | int, str] = {}
        self._newest: dict[str, str | int] = {}
        self._kept: dict[str, Kept] = {}

    def kept(self, method: str) -> Kept | None:
        """Return the response to the newest request of a method other than a call."""
        return self._kept.get(method)

    async def outcome(
        self, method: str, asking: Awaitable[object], seconds: float
    ) -> dict[str, JsonValue] | RpcError | NoResponse:
        """Return the response to a request that the SDK makes, even one that the SDK rejects."""
        import anyio

        failure = ""
        with anyio.move_on_after(seconds):
            try:
                await asking
            except Exception as problem:
                failure = words_of(problem)
        kept = self.kept(method)
        if kept is not None:
            return kept
        return RpcError(None, failure) if failure else NoResponse()

    def outgoing(self, message: Any) -> None:
        """A message is about to be written; runs in the task that sends it."""
        method, identity = getattr(message, "method", None), getattr(message, "id", None)
        if method is None or identity is None:
            return
        declare(method, message.params, self._capabilities, self.log_level)
        self.table.outgoing(identity, method, message.params)
        if not self.table.is_call(identity):
            self._methods[identity] = method
            self._newest[method] = identity
            self._kept.pop(method, None)
            self.refused.pop(method, None)

    def incoming(self, body: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
        """Take a message in; returns what the SDK has to see of it, None for nothing."""
        if (told := told_in(body)) is not None:
            self._emit(told)
        if (message := logged(body)) is not None:
            self._emit(message)
            return None
        if "method" in body:
            if self.version == MODERN and (request := request_in(body)) is not None:
                # Servers send no requests in it; it is told, and the SDK would respond to a ping.
                self._emit(request)
                return None
            return self.table.incoming(body)
        identity = body.get("id")
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            self.notice(stray_answer(identity))
            return None
        if (take := self.awaited.get(str(identity))) is not None:
            problem, result = body.get("error"), body.get("result")
            if isinstance(problem, dict):
                take(read_error(problem))
            elif isinstance(result, dict):
                take(result)
            else:
                take(RpcError(None, "the result is not an object"))
            return _failure(identity)
        method = self._methods.pop(identity, "")
        shown = self.table.incoming(body)
        if shown is not body:
            return shown
        problem = body.get("error")
        if isinstance(problem, dict):
            self._keep(method, identity, read_error(problem))
            return _failure(identity)
        result = body.get("result")
        if not isinstance(result, dict):
            return self.failed(identity, "the result is not an object", method)
        self._keep(method, identity, result)
        return {"jsonrpc": "2.0", "id": identity, "result": _shown_result(method, result)}

    def failed(
        self,
        identity: str | int,
        reason: str,
        method: str | None = None,
        whole: Oversized | None = None,
        ending: Ending = "unreadable",
    ) -> dict[str, JsonValue]:
        """No answer that can be read will come; returns the error that ends the SDK's waiting."""
        if (take := self.awaited.get(str(identity))) is not None:
            take(RpcError(None, reason))
        method = self._methods.pop(identity, "") if method is None else method
        self.table.unreadable(identity, reason, whole, ending)
        self._keep(method, identity, RpcError(None, reason))
        return _failure(identity)

    def cut_off(self, identity: str | int, reason: str) -> dict[str, JsonValue]:
        """The connection broke before the answer of a request."""
        if (take := self.awaited.get(str(identity))) is not None:
            take(RpcError(None, reason))
        else:
            self.unanswered[identity] = reason
        self.on_doubt()
        self._keep(self._methods.pop(identity, ""), identity, RpcError(None, reason))
        return _failure(identity)

    def note_status(self, identity: str | int, status: int) -> None:
        """A request is refused with an HTTP status, whatever else the answer says."""
        if method := self._methods.get(identity):
            self.refused[method] = status

    def take(
        self, items: Sequence[Inbound], identity: str | int | None
    ) -> list[dict[str, JsonValue]]:
        """Take in what one JSON text holds; returns its messages as the SDK has to see them.

        `identity` is the request whose answer is awaited there, None on a stream of its own.
        """
        shown: list[dict[str, JsonValue]] = []
        for item in items:
            match item:
                case Finding():
                    if item.code != BATCH or not has_batches(self.version):
                        self.notice(_on_http(item))
                case Unreadable():
                    if identity is not None and _answers(item.id, identity):
                        shown.append(self.failed(identity, item.reason))
                case Message(body):
                    shown += self._routed(body, identity)
        return shown

    def notice(self, finding: Finding) -> None:
        self._emit(Noticed(finding))

    def _routed(
        self, body: dict[str, JsonValue], identity: str | int | None
    ) -> list[dict[str, JsonValue]]:
        """A message that came for a request is an answer to no other."""
        if "method" not in body and identity is not None:
            given = body.get("id")
            if not _answers(given, identity):
                is_misspelt = isinstance(identity, int) and number_in(given) == identity
                self.notice(
                    misspelt_answer(given, int(identity)) if is_misspelt else stray_answer(given)
                )
                return []
            body = body | {"id": identity}
        shown = self.incoming(body)
        return [] if shown is None or not _is_readable(shown) else [shown]

    def _keep(self, method: str, identity: str | int, answer: Kept) -> None:
        if self._newest.get(method) == identity:
            self._kept[method] = answer


def read_text(data: bytes | bytearray) -> list[Inbound]:
    """Parse one JSON text; a bytearray is emptied. It may run in a thread."""
    items = MessageReader().read(data)
    if items or not data.strip():
        return items
    reason = "the JSON ends too early, or more follows it"
    if b'"jsonrpc"' in data:
        return [
            error("unreadable-message", f"a message cannot be read: {reason}"),
            Unreadable(None, reason),
        ]
    return [warning("no-message", f"the server sent what is no message ({reason})")]


class TappedWriter:
    """The SDK's way to its transport, with the tap in it."""

    def __init__(self, inner: Any, tap: HttpTap) -> None:
        self._inner = inner
        self._tap = tap

    async def send(self, item: Any, /) -> None:
        self._tap.outgoing(item.message)
        await self._inner.send(item)

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> TappedWriter:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def without_bad_headers(listing: Listing) -> Listing:
    """Without the tools that ask for impossible headers, with a finding for each.

    Spec 2026-07-28, basic/transports "x-mcp-header": over HTTP clients must not offer them.
    """
    from mcp.shared.inbound import find_invalid_x_mcp_header

    kept: list[JsonValue] = []
    findings: list[Finding] = []
    for entry in listing.entries:
        schema = entry.get("inputSchema") if isinstance(entry, dict) else None
        reason = find_invalid_x_mcp_header(schema)
        if reason is None or not isinstance(entry, dict):
            kept.append(entry)
            continue
        name = visible(cut(str(entry.get("name")), 128).text)
        words = f"“{name}” is left out, as its x-mcp-header is invalid"
        why = visible(cut(reason, 300).text)
        findings.append(error("invalid-param-header", f"{words}: {why}"))
    return Listing(tuple(kept), (*listing.findings, *findings))


def _answers(given: JsonValue, identity: str | int) -> bool:
    """True if a response is meant for a request; an error before the id was read has none."""
    return given is None or is_same_id(given, identity)


def _failure(identity: str | int) -> dict[str, JsonValue]:
    problem: JsonValue = {"code": -32000, "message": "kept by Signoff"}
    return {"jsonrpc": "2.0", "id": identity, "error": problem}


def _shown_result(method: str, result: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if method == "initialize":
        return {
            "protocolVersion": result.get("protocolVersion"),
            "capabilities": {},
            "serverInfo": {"name": "server", "version": "0"},
        }
    if method == "tools/list":
        return {"tools": _readable_tools(result.get("tools")), **_CACHING}
    return _CACHING


def _is_readable(shown: dict[str, JsonValue]) -> bool:
    """True if the SDK can read a message; an unreadable one would cost a call its response."""
    from mcp.types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        jsonrpc_message_adapter.validate_python(shown, by_name=False)
    except ValidationError:
        return False
    return True


def _readable_tools(entries: JsonValue) -> list[JsonValue]:
    """The definitions that the SDK accepts: it reads from them which arguments become headers."""
    import mcp.types as types
    from pydantic import ValidationError

    readable: list[JsonValue] = []
    for entry in entries if isinstance(entries, list) else []:
        try:
            types.Tool.model_validate(entry, by_name=False)
        except (ValidationError, ValueError):
            continue
        readable.append(entry)
    return readable


def _on_http(finding: Finding) -> Finding:
    """A finding of the reader of lines, in the words of HTTP."""
    if finding.code != "noise-on-stdout":
        return finding
    return replace(
        finding,
        code="no-message",
        message=finding.message.replace("stdout carries", "the server sent", 1),
    )
