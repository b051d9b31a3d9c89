"""One proxy: the calls of a host, decided on or watched, and what the host is answered.

With a policy each call is held until it is decided: the engine judges it, asks, logs and compares
it as a call of a person, and the very line of the host is sent. Without one the line is sent at
once, and the call is followed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Final, TypeAlias

from ...approval.approval import (
    BY_HOST,
    BY_NO_APPROVER,
    Decision,
    approve,
    deny,
    withdrawn,
)
from ...approval.questions.questions import AboutAnswer, AboutCall, AboutRead, Question
from ...calls.call import Call, Outcome
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, compact
from ...content.labels import some_named
from ...content.text import cut, shortened, visible
from ...engine.engine import Engine
from ...engine.events import (
    CallChanged,
    DefinitionsCompared,
    EngineEvent,
    FindingAdded,
    QuestionVoided,
    ServerChanged,
    ToolsChanged,
)
from ...engine.server_requests import RESOLVING
from ...engine.session_config import Target
from ...hosts.measured.patience import PROGRESS, SILENCE, packaged_slow_calls, patience_of
from ...protocol.definitions.change_values import ListDiff
from ...protocol.extensions.denials import STRUCTURED_DENIALS, refusal_envelope
from ...protocol.extensions.register import EXTENSIONS
from ...protocol.requests import PromptGet, Request, ResourceRead, ToolCall
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD, RpcError
from ...protocol.tool import ToolDefinition
from ...protocol.tool_reading import read_tool
from ...storage.auditing.events import relayed
from ...transport.host import HostCall
from ...transport.open_requests import OpenRequest
from ...transport.protocol import DISCOVER, MODERN
from .hub import WatchHub
from .messages import HELLO, NOTE, question_message
from .words import HostsOf, call_message

if TYPE_CHECKING:
    from ...transport.http.relay import HttpRelayLink
    from ...transport.stdio.relay import RelayLink

RelayingLink: TypeAlias = "RelayLink | HttpRelayLink"
DENIED_CODE: Final = -32000
TOOL_ERROR: Final = "tool-error"
PROTOCOL_ERROR: Final = "protocol-error"
DENIALS: Final = (TOOL_ERROR, PROTOCOL_ERROR)
"""The ways in which a host gets a denial."""
GOT_NOTHING: Final = "The server got nothing."
ONLY_RESOLVED: Final = "The server got the arguments for tools/resolve alone."
"""What the server has got of a call that was not sent."""
HOLD_SECONDS: Final = 45.0
"""How long a call waits for an answer if the host was not measured."""
_LEAST: Final = 5.0
_MOST: Final = 600.0
_SHARE: Final = 0.8
"""Of the seconds that a host was measured to wait."""
_PROGRESS_SECONDS: Final = 3.0
_NAMES_SHOWN: Final = 5
_ARGUMENTS_MAX: Final = 2_000
"""Characters of changed arguments that the host gets."""
_LIST_SECONDS: Final = 10.0
_GREETING_SECONDS: Final = 15.0
_END_STEP: Final = 0.05
_RESTS: Final = 4
"""Steps without a write after which nothing more comes, if something else has the server's pipe."""
_RECORDS: Final = 60
"""Steps that a call may take to its end, once its response came."""
_LAST_RESPONSES: Final = 10
"""Steps in which a response that the host has read reaches its call."""


@frozen
class HoldLimit:
    """How long a call of this host may wait, and whether reports of progress keep it waiting."""

    seconds: float
    with_progress: float
    """Seconds if progress is reported."""


def hold_limit(client: str) -> HoldLimit:
    """The limit for a host by the name that it gives itself, as it was measured to wait."""
    name = "".join(filter(str.isalnum, client.casefold()))
    found: dict[str, list[float]] = {SILENCE: [], PROGRESS: []}
    for one in patience_of(packaged_slow_calls()):
        host = "".join(filter(str.isalnum, one.measurement.host.casefold()))
        if len(host) < 4 or host not in name:
            continue
        for condition, seconds in found.items():
            call = one.calls.get(condition)
            if call is not None:
                seconds.append(_MOST if call.gave_up is None else call.gave_up)
    silent = min(found[SILENCE], default=HOLD_SECONDS / _SHARE) * _SHARE
    reported = min(found[PROGRESS], default=silent / _SHARE) * _SHARE
    return HoldLimit(_within(silent), max(_within(silent), _within(reported)))


def _within(seconds: float) -> float:
    return min(max(round(seconds, 1), _LEAST), _MOST)


class ProxySession:
    """Relays between one host and one server, until either ends."""

    def __init__(
        self,
        engine: Engine,
        link: RelayingLink,
        target: Target,
        *,
        hold: float | None = None,
        denial: str = TOOL_ERROR,
    ) -> None:
        """`hold`: how long a call may wait for an answer; None for as long as the host waits."""
        self._engine = engine
        self._link = link
        self._hold = hold
        self._is_told = False
        """Whether the log has the host."""
        self._denial = denial
        self._experimental = target.experimental
        loop = asyncio.get_running_loop()

        def tell_soon() -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._tell_calls)

        self._hosts = HostsOf(engine, target, tell_soon)
        self._calls: dict[int, HostCall] = {}
        """Calls of the host that are followed, by the number of the engine."""
        self._numbers: dict[OpenRequest, int] = {}
        self._cancelled_early: set[OpenRequest] = set()
        """Calls that the host took back before they had a number."""
        self._running: set[asyncio.Task[None]] = set()
        self._listing = asyncio.Lock()
        self._comparing: set[asyncio.Task[None]] = set()
        self._told_diff: ListDiff | None = None
        """The changes of definitions that were shown last."""
        self._host_ended = asyncio.Event()
        self._server_ended = asyncio.Event()
        self.hub = WatchHub(self._hello)
        self._loop = loop
        self._has_discovered = False
        link.forbids = self._forbids
        link.on_host.called = self._called
        link.on_host.cancelled = self._cancelled
        link.on_host.host_ended = self._host_ended.set
        link.on_host.task_told = engine.relayed_tasks.take
        engine.approver = self
        engine.subscribe(self._heard)

    async def run(self) -> None:
        """Relay until the server has ended, or the host and all that it waits for."""
        host, server = self._host_ended.wait(), self._server_ended.wait()
        waits = [asyncio.create_task(host), asyncio.create_task(server)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for one in waits:
            one.cancel()
        # What a task comes to is known only if the host asks.
        self._engine.relayed_tasks.leave()
        if not self._link.holds:
            self._link.end_input()
        while self._running and not self._is_over:
            await asyncio.sleep(_END_STEP)
        self._link.end_input()
        while self._link.waiting and not self._is_over:
            await asyncio.sleep(_END_STEP)
        await self._pass_the_rest()
        await self._record_the_rest()

    async def _record_the_rest(self) -> None:
        """Let calls end by the responses that came, before the end of the engine cancels them."""
        for step in range(_RECORDS):
            is_unanswered = self._link.waiting and not self._server_ended.is_set()
            if not self._running or (is_unanswered and step >= _LAST_RESPONSES):
                return
            await asyncio.sleep(_END_STEP)

    @property
    def _is_over(self) -> bool:
        return self._link.host.is_broken or self._server_ended.is_set()

    async def _pass_the_rest(self) -> None:
        """Give the host the messages that wait for it, as long as it reads."""
        host, rests = self._link.host, 0
        while rests < _RESTS and not host.is_broken:
            rests = 0 if host.is_busy else rests + 1
            if rests and self._link.has_passed_all:
                return
            await asyncio.sleep(_END_STEP)

    async def ask(self, question: Question) -> Decision:
        """Ask those who watch; denied in time for the host."""
        if isinstance(question, AboutAnswer):
            return approve(BY_HOST, "the host has the response already")
        if not isinstance(question, AboutCall | AboutRead):
            # A sign-in needs a browser, and a person who has not been surprised by it.
            return deny(BY_NO_APPROVER, "sign in first: signoff sign-in URL")
        number = question.call.number
        call = self._calls[number]
        if self._is_further_round(question, call):
            return approve("you", "a further round of the call that was approved before")
        seconds = self._hold_seconds(call, question)
        before = self._before(question)
        message = question_message(question, before, seconds)
        told = asyncio.create_task(self._report_progress(call))
        try:
            decision, arguments = await self.hub.ask(number, message, seconds)
        finally:
            told.cancel()
        if arguments is not None:
            self._calls[number] = call.with_arguments(arguments)
            given = shortened(compact(arguments), _ARGUMENTS_MAX)
            call.opened.preface = f"Signoff: a person changed the arguments of this call to {given}"
            return withdrawn("its arguments were changed")
        return decision

    def _is_further_round(self, question: AboutCall | AboutRead, call: HostCall) -> bool:
        """True if the host repeats an approved call with the input that its server wanted.

        Spec 2026-07-28, basic/patterns/mrtr: it has the same arguments, and the state that the
        server gave. One approval covers one such round after the other.
        """
        if "inputResponses" not in call.params and "requestState" not in call.params:
            return False
        for before in reversed(self._engine.calls.values()):
            is_same = before.snapshot.digest == question.snapshot.digest
            if before.id == question.call.number or not is_same:
                continue
            raw = before.raw if isinstance(before.raw, dict) else {}
            return (
                before.sent
                and before.outcome is Outcome.INPUT_REQUIRED
                and raw.get("requestState") == call.params.get("requestState")
            )
        return False

    def _hold_seconds(self, call: HostCall, question: AboutCall | AboutRead) -> float:
        seconds = self._hold
        if seconds is None:
            limit = hold_limit(self._client)
            seconds = limit.seconds if call.progress_token is None else limit.with_progress
        resolution = question.resolution if isinstance(question, AboutCall) else None
        if resolution is None or not resolution.was_sent:
            return seconds
        # The host has waited for the resolution, too.
        judged = self._engine.calls[question.call.number]
        return max(min(seconds, _LEAST), round(seconds - judged.elapsed(time.monotonic()), 1))

    def _forbids(self, method: str) -> RpcError | None:
        """The error for a request of the server while hints are resolved; in any thread.

        Nothing on the wire links the two: while a call of the host runs, it may be about that.
        """
        if not self._engine.resolutions.is_open or self._link.has_sent_calls:
            return None
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._engine.resolutions.take, method)
        return RESOLVING

    async def _discover(self) -> None:
        """Ask for the server's capabilities, if hints are resolved and the host has not asked."""
        async with self._listing:
            if not self._link.declares or not self._link.is_undiscovered or self._has_discovered:
                return
            self._has_discovered = True
            found = await self._link.ask(DISCOVER, {})
            if isinstance(found, dict):
                self._link.take_discovery(found)

    @property
    def _client(self) -> str:
        name = self._link.host_info.get("name")
        return name if isinstance(name, str) else ""

    async def _report_progress(self, call: HostCall) -> None:
        step = 0
        while True:
            await asyncio.sleep(_PROGRESS_SECONDS)
            step += 1
            self._link.tell_progress(call, step, "waiting for an approval in signoff watch")

    def _before(self, question: AboutCall | AboutRead) -> JsonValue:
        """The definition that its difference was made with."""
        if not isinstance(question, AboutCall) or question.diff is None:
            return None
        wanted = question.diff.old_digest
        for past in self._engine.memory.versions(question.tool):
            if past.digest == wanted:
                return past.raw
        return self._engine.memory.earlier(question.tool.name)

    def _called(self, call: HostCall) -> None:
        task = asyncio.create_task(self._follow(call))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _cancelled(self, call: HostCall) -> None:
        number = self._numbers.get(call.opened)
        if number is None:
            self._cancelled_early.add(call.opened)
        else:
            self._engine.cancel(number)

    async def _follow(self, call: HostCall) -> None:
        """One call, from the host's line to its end."""
        try:
            if self._link.holds:
                await self._decide(call)
            elif (request := self._request(call)) is None or not isinstance(call.arguments, dict):
                self._link.let_go(call)
            else:
                await self._decided(call, request)
        finally:
            self._cancelled_early.discard(call.opened)

    async def _decide(self, call: HostCall) -> None:
        """Decide on a call, also after a person has changed its arguments."""
        request = await self._listed(call)
        if not self._link.is_open(call):
            return
        if request is None or not isinstance(call.arguments, dict):
            self._refuse_unknown(call)
            return
        await self._discover()
        if STRUCTURED_DENIALS in self._experimental:
            await self._read_all()
        edited, was_resolved = call, False
        while True:
            ended = await self._decided(edited, request)
            if ended is None or ended.sent:
                return
            later = self._calls.pop(ended.id, edited)
            was_resolved |= ended.resolution is not None and ended.resolution.was_sent
            if later is edited:
                got = ONLY_RESOLVED if was_resolved else GOT_NOTHING
                self._link.answer_host(call, self._denial_of(call, ended, got))
                return
            edited = later

    async def _decided(self, call: HostCall, request: Request) -> Call | None:
        given: dict[str, JsonValue]
        match request:
            case ResourceRead(uri):
                given = {"uri": uri}
            case PromptGet(name):
                given = {"name": name, "arguments": call.arguments}
            case _:
                given = dict(call.arguments) if isinstance(call.arguments, dict) else {}
        try:
            number = self._engine.relay(request, given, is_sent=not self._link.holds)
        except ValueError as problem:
            if self._link.holds:
                self._refuse(call, str(problem))
            else:
                self._link.let_go(call)
            return None
        self._link.bind(number, call)
        self._calls[number] = call
        self._numbers[call.opened] = number
        if call.opened in self._cancelled_early:
            self._engine.cancel(number)
        try:
            return await self._engine.ended(number)
        finally:
            self._numbers.pop(call.opened, None)

    async def _listed(self, call: HostCall) -> Request | None:
        """The request of a call; the tools are listed if the host has not listed this one."""
        async with self._listing:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GREETING_SECONDS):
                    while self._link.is_greeting:
                        await asyncio.sleep(_END_STEP)
            request = self._request(call)
            if request is None and self._link.is_greeted:
                with contextlib.suppress(TimeoutError):
                    listing = await asyncio.wait_for(self._link.list_tools(), _LIST_SECONDS)
                    if listing is not None:
                        self._engine.definitions.take(listing)
                        request = self._request(call)
        return request

    async def _read_all(self) -> None:
        """Wait for calls whose response the host has: a denial counts for the same call again."""

        def is_read() -> bool:
            found = [(self._engine.calls.get(one), call) for one, call in self._calls.items()]
            return all(
                one is None or not call.opened.is_answered or one.task is not None
                for one, call in found
            )

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LIST_SECONDS):
                while not is_read():
                    await asyncio.sleep(_END_STEP)

    def _request(self, call: HostCall) -> Request | None:
        """The request of a call; None for a tool that is not listed, if a policy decides."""
        if call.method == READ_METHOD:
            return ResourceRead(call.name)
        if call.method == PROMPT_METHOD:
            return PromptGet(call.name)
        found = [one for one in self._engine.tools if one.name == call.name]
        if found:
            return ToolCall(found[0])
        return None if self._link.holds else ToolCall(_unlisted(call.name))

    def _refuse_unknown(self, call: HostCall) -> None:
        name = visible(cut(call.name, 100).text)
        reason = f"the server does not list a tool “{name}”"
        if not self._link.is_greeted:
            reason = "host and server have agreed on no revision of the protocol yet"
        if not isinstance(call.arguments, dict):
            reason = "its arguments are not an object"
        self._refuse(call, reason)

    def _takes_envelope(self, call: HostCall) -> bool:
        """True if the draft is turned on here, and the host declares it (SEP-2643, SEP-2133)."""
        if STRUCTURED_DENIALS not in self._experimental:
            return False
        declared = call.capabilities or self._link.host_capabilities
        extensions = declared.get("extensions") if isinstance(declared, dict) else None
        return (
            isinstance(extensions, dict) and EXTENSIONS[STRUCTURED_DENIALS].identifier in extensions
        )

    def _refuse(self, call: HostCall, reason: str) -> None:
        self._link.note_refused(f"a call of the host was refused: {reason}", call.method, call.id)
        self._link.answer_host(call, _refusal(call, self._denial, reason, self._version))

    def _denial_of(self, call: HostCall, ended: Call, got: str) -> dict[str, JsonValue] | RpcError:
        reason = self._engine.server.ended_words or ended.reason or ended.status
        if ended.outcome is Outcome.DENIED and ended.decision is not None:
            by = ended.decision.by_words
            reason = f"denied by {'a person' if by == 'you' else by}"
            reason += f": {ended.decision.reason}" if ended.decision.reason else ""
            answer = _refusal(call, self._denial, reason, self._version, got)
            if isinstance(answer, dict) and self._takes_envelope(call):
                # It is about an authorization, unlike a call that could not be sent.
                return {**answer, "_meta": refusal_envelope()}
            return answer
        return _refusal(call, self._denial, reason, self._version, got)

    @property
    def _version(self) -> str:
        return self._engine.server.version

    def _heard(self, event: EngineEvent) -> None:
        match event:
            case CallChanged(call):
                self.hub.tell_call(call.id, call_message(call, self._hosts))
                if call.is_over and call.sent:
                    self._calls.pop(call.id, None)
            case FindingAdded(finding):
                words = f"{finding.severity.value}: {finding.message}"
                self.hub.tell_note({"kind": NOTE, "code": finding.code, "words": words})
            case ToolsChanged():
                self._compare()
            case DefinitionsCompared():
                self._tell_changes()
            case QuestionVoided(name, reason):
                self.hub.void(name.number, reason)
            case ServerChanged():
                if self._engine.server.ended_words:
                    self._server_ended.set()
                if self._engine.server.version and not self._is_told:
                    self._is_told = True
                    policy = self._engine.policy.name if self._link.holds else ""
                    self._engine.ledger.write(
                        relayed(self._engine.server, self._link.host_info, policy)
                    )
                self.hub.tell_hello()
            case _:
                self.hub.tell_hello()

    def _tell_calls(self) -> None:
        """Show the calls again: what other hosts do is known by now."""
        for call in self._engine.calls.values():
            self.hub.tell_call(call.id, call_message(call, self._hosts))

    def _compare(self) -> None:
        """Compare the tools with those of earlier; the engine reports the result."""
        task = asyncio.create_task(self._engine.compared())
        self._comparing.add(task)
        task.add_done_callback(self._comparing.discard)

    def _tell_changes(self) -> None:
        diff = self._engine.list_diff
        if diff.is_empty or diff is self._told_diff:
            return
        self._told_diff = diff
        names = [visible(cut(one.tool, 60).text) for one in diff.changed]
        words = f"warning: the tools are others than before: {diff.summary}"
        words += f" ({some_named(names, _NAMES_SHOWN)})" if names else ""
        self.hub.tell_note({"kind": NOTE, "code": "definition-changed", "words": words})

    def _hello(self) -> dict[str, JsonValue]:
        server, link = self._engine.server, self._link
        return {
            "kind": HELLO,
            "server": server.name,
            "command": server.command,
            "calls_itself": server.calls_itself,
            "version": visible(server.version),
            "host": visible(cut(self._client, 60).text),
            "policy": self._engine.policy.shown_name if link.holds else "",
            "experimental": list(server.experimental),
            "declared": link.has_declared,
            "tools": len(self._engine.tools),
            "passed": list(link.passed),
            "refused": link.refused,
            "ended": server.ended_words,
            "watchers": self.hub.watchers,
        }


def _unlisted(name: str) -> ToolDefinition:
    return read_tool(0, {"name": name, "inputSchema": {"type": "object"}})


def _refusal(
    call: HostCall, denial: str, reason: str, version: str, got: str = GOT_NOTHING
) -> dict[str, JsonValue] | RpcError:
    """What the host is answered in the place of the server; true, and short enough for a model."""
    words = f"Signoff did not send this call: {reason}. {got}"
    if call.method != CALL_METHOD or denial == PROTOCOL_ERROR:
        return RpcError(DENIED_CODE, words)
    result: dict[str, JsonValue] = {
        "content": [{"type": "text", "text": words}],
        "isError": True,
    }
    return {"resultType": "complete", **result} if version == MODERN else result
