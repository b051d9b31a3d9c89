"""Resolves the hints of one call before the policy decides (draft `tool-resolution`).

The request leaves before any approval and carries the arguments, so it is sent only if the answer
can count: never for a call that would be refused anyway, never with arguments that break their
schema, and never with a secret to a server that is not trusted. It is sent once, with a time limit,
without a sign-in, and the server may not ask for anything during it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...approval.policies.verdicts import VerdictAnswer
from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.extensions.register import not_in_use
from ...protocol.extensions.tool_resolution import (
    MILDEST,
    NAME,
    Resolution,
    ResolutionStatus,
    is_resolvable,
    read_result,
    resolve_params,
    worst_first,
)
from ...protocol.findings.findings import Finding, error, note, warning
from ...protocol.requests import ToolCall
from ...protocol.rpc import INVALID_PARAMS, RESOLVE_METHOD, RpcError
from ...protocol.server import Trust
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.schema import SchemaAnswer
from ...schemas.secrets.arguments import mask_arguments
from ...storage.auditing.events import raw_sent, resolving
from ...transport.events import ConnectionClosed, NoResponse
from ...transport.gate import OnceGate, SendRefused, only
from .context import NOT_CONNECTED
from .evaluate_policy import tried_verdict

if TYPE_CHECKING:
    from ...protocol.tool import ToolDefinition
    from .call_state import CallUpdater
    from .context import EngineContext

RESOLVE_SECONDS: Final = 10.0
"""Time limit of one resolution: it should be much cheaper than the call ("Server requirements", 8).
"""
MISSING_CAPABILITY: Final = -32021
"""Spec 2026-07-28, `MissingRequiredClientCapabilityError`."""
_QUOTED: Final = 200
_ASKED_MAX: Final = 5
_ASKED: Final = "the server sent a request during it"
_CHANGED: Final = "the tools changed during it"


async def resolve_call(
    engine: EngineContext, updates: CallUpdater, problems: Sequence[str]
) -> Resolution | None:
    """Resolve the hints of a call, and add findings to it; None if its tool is not marked.

    `problems`: how the arguments break the input schema.
    """
    call = updates.call
    is_on = NAME in engine.link.capabilities.experimental
    if (
        not is_on
        or not isinstance(call.request, ToolCall)
        or not is_resolvable(call.request.tool.raw)
    ):
        return None
    arguments = call.snapshot.arguments()
    if why := await _why_not(engine, call.request, arguments, problems):
        updates.add_findings(note("resolution-not-sent", f"the hints were not resolved: {why}"))
        found = Resolution(ResolutionStatus.NOT_SENT, reason=why)
    else:
        found = await _Asking(engine, updates, call.request).run()
    updates.change(resolution=found)
    return found


async def _why_not(
    engine: EngineContext,
    request: ToolCall,
    arguments: dict[str, JsonValue],
    problems: Sequence[str],
) -> str:
    """Why the arguments are not sent for a resolution; empty if they are."""
    server = engine.server
    if (missing := not_in_use(NAME, server.capabilities)) is not None:
        return missing.value
    if not engine.sends:
        return "no call is sent in this session"
    if not server.is_open:
        return NOT_CONNECTED
    if problems:
        return "the arguments do not match the input schema"
    if engine.definitions.change_of(request):
        return "the definition of the tool changed"
    has_secret = mask_arguments(arguments, request.tool.input_schema).count > 0
    if has_secret and server.trust is not Trust.TRUSTED:
        return "the arguments contain a secret, and the server is not trusted"
    mildest = Resolution(ResolutionStatus.RESOLVED, MILDEST)
    verdict = await tried_verdict(engine, request, arguments, problems, mildest)
    if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        return "the policy refuses the call, however it is resolved"
    return ""


class _Asking:
    """One request, for one call."""

    def __init__(self, engine: EngineContext, updates: CallUpdater, request: ToolCall) -> None:
        self._engine = engine
        self._updates = updates
        self._request = request
        self._snapshot = updates.call.snapshot
        self._announced = engine.definitions.announced
        self._was_sent = False
        self._asked: list[str] = []

    async def run(self) -> Resolution:
        """Send it once, and read the response. Nothing but cancelling is raised."""
        engine, updates = self._engine, self._updates
        if not await engine.ledger.write_through(lambda: resolving(updates.call, engine.server)):
            why = _log_failed(engine)
            return Resolution(ResolutionStatus.NOT_SENT, reason=why)
        updates.change(resolution=Resolution(ResolutionStatus.SENT, was_sent=True))
        params = resolve_params(self._request.name, self._snapshot.arguments())
        with engine.resolutions.waiting(self._note_asked):
            answer = await engine.link.ask(
                RESOLVE_METHOD, params, RESOLVE_SECONDS, OnceGate(self._compare)
            )
        found = _read(answer, self._request, updates.add_findings)
        if self._asked and found.status is ResolutionStatus.RESOLVED:
            found = Resolution(ResolutionStatus.FAILED, reason=_ASKED)
        elif found.status is ResolutionStatus.RESOLVED and self._is_stale:
            found = Resolution(ResolutionStatus.STALE, reason=_CHANGED)
        return replace(found, was_sent=self._was_sent, announced=self._announced)

    @property
    def _is_stale(self) -> bool:
        definitions = self._engine.definitions
        is_same = definitions.digest(self._request) == self._snapshot.definition_digest
        return definitions.announced != self._announced or not is_same

    def _compare(self, message: dict[str, JsonValue]) -> None:
        """Check in the last gate that the arguments of the call leave, and nothing else does."""
        engine, snapshot, params = self._engine, self._snapshot, message.get("params")
        is_same = (
            message.get("method") == RESOLVE_METHOD
            and isinstance(params, dict)
            and params.keys() <= {"name", "arguments", "_meta"}
            and snapshot.same_arguments(self._request.asks_for(params))
        )
        if not is_same:
            raise SendRefused("the resolution to send differs from the call")
        if engine.runs != snapshot.runs and engine.server.is_open:
            raise SendRefused("another program runs as the server")
        if self._was_sent:
            raise SendRefused("a call is resolved once")
        self._was_sent = True

    def _note_asked(self, method: str) -> None:
        if method in self._asked or len(self._asked) >= _ASKED_MAX:
            return
        self._asked.append(method)
        name = visible(cut(method, 80).text)
        words = f"the server sent the request “{name}” during tools/resolve: it was refused"
        self._updates.add_findings(error("resolution-asks", words))


async def resolve_arguments(
    engine: EngineContext, tool: ToolDefinition, arguments: dict[str, JsonValue]
) -> Resolution:
    """Resolve the hints of a tool for arguments with which nothing is called.

    The same rules as before a call decide whether it is sent; it is in the audit log before.
    """
    request = ToolCall(tool)
    if not is_resolvable(tool.raw):
        return Resolution(ResolutionStatus.NOT_SENT, reason="the tool is not marked as resolvable")
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    is_valid = checked.answer in (SchemaAnswer.VALID, SchemaAnswer.NO_SCHEMA)
    problems = () if is_valid else (checked.answer.value,)
    if why := await _why_not(engine, request, arguments, problems):
        return Resolution(ResolutionStatus.NOT_SENT, reason=why)
    params = resolve_params(tool.name, arguments)
    logged: dict[str, JsonValue] = {"method": RESOLVE_METHOD, "params": dict(params)}
    if not await engine.ledger.write_through(raw_sent(engine.server, logged)):
        why = _log_failed(engine)
        return Resolution(ResolutionStatus.NOT_SENT, reason=why)
    announced, asked = engine.definitions.announced, list[str]()
    with engine.resolutions.waiting(asked.append):
        answer = await engine.link.ask(
            RESOLVE_METHOD, params, RESOLVE_SECONDS, only(RESOLVE_METHOD, params)
        )
    found = _read(answer, request, _ignore)
    if found.status is ResolutionStatus.RESOLVED and asked:
        found = Resolution(ResolutionStatus.FAILED, reason=_ASKED)
    elif found.status is ResolutionStatus.RESOLVED and engine.definitions.announced != announced:
        found = Resolution(ResolutionStatus.STALE, reason=_CHANGED)
    return replace(found, was_sent=True, announced=announced)


def _ignore(*_: Finding) -> None:
    """Findings belong to a call; the reason of a resolution has their words."""


def _log_failed(engine: EngineContext) -> str:
    return f"the audit log failed: {engine.ledger.problem}"


def _read(answer: object, request: ToolCall, add: Callable[..., None]) -> Resolution:
    """Read a response, and `add` findings on it."""
    match answer:
        case RpcError() as failed:
            return _read_error(failed, add)
        case ConnectionClosed():
            return _failed("the connection was lost", add)
        case NoResponse():
            return _failed(f"no response within {RESOLVE_SECONDS:g} s", add)
    raw: JsonValue = answer  # type: ignore[assignment]
    hints, found = read_result(raw, request.name, request.hints)
    add(*found[:10])
    if found:
        # Of hints that exceed the static ones the stricter ones count all the same.
        return Resolution(ResolutionStatus.FAILED, hints, worst_first(found))
    return Resolution(ResolutionStatus.RESOLVED, hints)


def _read_error(failed: RpcError, add: Callable[..., None]) -> Resolution:
    said = visible(cut(failed.message, _QUOTED).text)
    if failed.code is None:
        # It was not written, or no response could be read.
        return _failed(said, add)
    words = f"error {visible(str(failed.code))}: “{said}”"
    if failed.code == INVALID_PARAMS:
        return Resolution(ResolutionStatus.REFUSED, reason=words)
    if failed.code == MISSING_CAPABILITY:
        told = f"the server reports a missing capability, which was declared: {words}"
        add(error("resolution-not-negotiated", told))
        return Resolution(ResolutionStatus.FAILED, reason=words)
    return _failed(words, add)


def _failed(why: str, add: Callable[..., None]) -> Resolution:
    words = f"the hints were not resolved, the static ones count: {why}"
    add(warning("resolution-failed", words))
    return Resolution(ResolutionStatus.FAILED, reason=why)
