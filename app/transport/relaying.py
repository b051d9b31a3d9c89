"""What passes between a host and a server, whatever the transport behind.

With `holds` false a line of the host passes at once. With `holds` each call waits until `request`
sends it, with the gate of its approval; a line that could be read in two ways is refused, and what
a server answers to a call that it has not got is dropped.

A request of Signoff's own has an id that begins with `ours`; its response stays here. Extensions
in `declares` are declared to the server beside those of the host, which changes those lines.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from ..content.json.jsonio import JsonError, JsonValue, parse
from ..content.text import cut, visible
from ..protocol.answers.task_states import (
    CANCEL_TASK,
    GET_TASK,
    TASK_NOTIFICATIONS,
    TASK_RESULT,
)
from ..protocol.extensions.register import declared_extensions
from ..protocol.extensions.tool_resolution import NAME as RESOLUTION
from ..protocol.findings.findings import warning
from ..storage.fault_log import note_fault
from .events import (
    Blocked,
    Ending,
    Greeting,
    LinkEvent,
    ListChanged,
    Noticed,
    Reply,
    reply_in,
)
from .gate import Gate, SendRefused, sent_by_host, without_approval
from .host import (
    CLIENT_INFO,
    LIMITS,
    TOOLS_LIST,
    Alters,
    HostCall,
    HostPipe,
    ListedPages,
    RelayListener,
    client_meta,
    declaring,
    meta_declaring,
    read_agreement,
    read_messages,
)
from .open_requests import HELD, USED_AGAIN, OpenRequest, OpenRequests, key_of
from .protocol import (
    CANCELLED,
    DISCOVER,
    INITIALIZE,
    LIST_CHANGED,
    MODERN,
    PING,
    PROGRESS,
    answer_to,
)
from .stdio.inbound import Inbound, Message, Unreadable
from .stdio.lines import Line, Overlong
from .tap import Refused, passable

if TYPE_CHECKING:
    from ..protocol.rpc import RpcError
    from .peer import PendingRequest

_NOT_BOUND: Final = "no message of the host belongs to this call"
NO_RESPONSE: Final = -32000
"""The code of the error for a request whose response cannot come."""
_TAKEN_BACK: Final = "the host took it back"
OF_TASKS: Final = frozenset({GET_TASK, TASK_RESULT, CANCEL_TASK})
"""Requests whose responses have a status or the result of a task."""
NOT_READ: Final = "a line of the host could not be read: {}"


class Relaying:
    """The host's side of a link; mixed into the link of a transport, which writes to the server."""

    def __init__(self, host: HostPipe, *, holds: bool) -> None:
        self.ours = f"signoff-{uuid.uuid4().hex[:12]}-"
        """The beginning of the ids of requests that the host has not made."""
        self.host = host
        self.holds = holds
        self.delays = False
        """Whether a call that is not held waits for `request`, since its server is watched."""
        self.declares: dict[str, JsonValue] = {}
        """Extensions that are declared for a host that declares none of them, with their settings;
        only if calls are held."""
        self.has_declared = False
        """True once something was declared that the host had not."""
        self.forbids: Callable[[str], RpcError | None] = lambda method: None
        """Returns the error that the server gets for a request of its own, by the method; None to
        pass it on. May be called from any thread."""
        self.on_host = RelayListener()
        self.host_info: dict[str, JsonValue] = {}
        """`clientInfo` of the host: raw."""
        self.host_capabilities: JsonValue = None
        """What the host declared in `initialize`: raw; None if it has sent none."""
        self.agreed: Greeting | None = None
        """What host and server agreed on."""
        self.alter: Alters | None = None
        """What changes messages on purpose; None for nothing."""
        self.passed = [0, 0]
        """Messages of the host, and of the server, that were passed on."""
        self.refused = 0
        """Lines of the host that were not."""
        self._mark = self.ours.encode()
        self._requests = OpenRequests()
        self._bound: dict[int, HostCall] = {}
        """Calls of the host by the number of the call in the engine."""
        self._early: list[Callable[[], None]] | None = []
        """What waits for the event loop; None once there is one."""
        self._guard = threading.Lock()
        self._sending = threading.Lock()
        """Held while a call is sent or taken back: one of them comes first."""
        self._meta: dict[str, JsonValue] = {}
        self._pages = ListedPages()

    def _post_line(
        self, line: bytes, message: dict[str, JsonValue] | None, gate: Gate | None, number: int
    ) -> None:
        """Write a line of the host to the server; `message` is None for a line without exactly one.

        May raise SendRefused.
        """
        raise NotImplementedError

    def _put(self, action: Callable[[], None]) -> None:
        """Run it on the event loop, from any thread."""
        raise NotImplementedError

    def _tell_event(self, event: LinkEvent) -> None:
        """Report an event, from any thread."""
        raise NotImplementedError

    def _declare(self, experimental: Collection[str]) -> None:
        """Declare the drafts that need it and that only add requests of Signoff's own; before any
        line of the host is read."""
        if self.holds and RESOLUTION in experimental:
            # Nothing is resolved unless both sides declare it, and no host is known to.
            self.declares = declared_extensions((RESOLUTION,))

    def _begin_to_read(self) -> None:
        """Read the host's lines in a thread from now on."""
        threading.Thread(target=self._relay_host, name="host", daemon=True).start()

    def _let_early_go(self) -> None:
        """There is an event loop: what waited for it goes there."""
        with self._guard:
            # One that comes now waits, so that their order stays.
            for action in self._early or []:
                action()
            self._early = None

    def _on_loop(self, action: Callable[[], None]) -> None:
        """Run it on the event loop, also if there is none yet."""
        with self._guard:
            if self._early is not None:
                self._early.append(action)
                return
        self._put(action)

    async def request_of_host(self, pending: PendingRequest) -> Reply:
        """Send a held call of the host if its gate agrees, and wait for the response; of one that
        was passed on already, wait alone."""
        import asyncio

        call = self._bound.pop(pending.number, None)
        if call is None:
            return Reply(problem=_NOT_BOUND, ending="not-taken")
        came: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        known = call.opened
        known.settle = lambda reply: None if came.done() else came.set_result(reply)
        known.progress = pending.on_progress
        try:
            if known.reply is not None:
                return known.reply
            if known.is_held:
                self._send_held(call, pending)
            return await came
        except SendRefused as refused:
            return Reply(problem=str(refused))
        finally:
            if not known.is_held:
                self._requests.forget(known)
            known.settle = known.progress = None

    def _send_held(self, call: HostCall, pending: PendingRequest) -> None:
        """Send a call whose gate agrees. Raises SendRefused; the host still waits then."""
        message = call.to_compare() if self.holds else call.message
        gate = pending.gate if self.holds else sent_by_host
        with self._sending:
            if not self._requests.has(call.opened):
                raise SendRefused(_TAKEN_BACK)
            call.opened.is_held = False
            try:
                self._send(call.line, message, gate, pending.number)
            except SendRefused:
                call.opened.is_held = True
                raise

    def bind(self, number: int, call: HostCall) -> None:
        """Let `request` with this number of the engine mean that call."""
        self._bound[number] = call

    def answer_host(self, call: HostCall, answer: dict[str, JsonValue] | RpcError) -> bool:
        """Answer a call that was not sent, in a thread; False if the host waits for none."""
        if not self._requests.forget(call.opened):
            return False
        self._tell_host(answer_to(call.id, answer))
        return True

    def tell_progress(self, call: HostCall, step: int, words: str) -> None:
        """Report to the host that a held call goes on, if it asked for progress."""
        token = call.progress_token
        if token is None or not self.is_open(call):
            return
        params: dict[str, JsonValue] = {"progressToken": token, "progress": step, "message": words}
        self._tell_host({"jsonrpc": "2.0", "method": PROGRESS, "params": params})

    def is_open(self, call: HostCall) -> bool:
        """True while the host waits for the response to a call."""
        return self._requests.has(call.opened)

    def let_go(self, call: HostCall) -> None:
        """Forget a call that was passed on, and that is not followed."""
        self._requests.forget(call.opened)

    @property
    def waiting(self) -> int:
        """Requests of the host that have no response yet."""
        return len(self._requests)

    @property
    def is_undiscovered(self) -> bool:
        """True if the host began without asking for the capabilities of the server."""
        return self.agreed is not None and self.agreed.raw is None

    def take_discovery(self, result: dict[str, JsonValue]) -> None:
        """Take in the result of a discovery of Signoff's own."""
        self._take_greeting(read_agreement(DISCOVER, result))

    @property
    def has_sent_calls(self) -> bool:
        """True while a call of the host is at the server."""
        return any(one.is_call and not one.is_held for one in self._requests.all())

    @property
    def own_meta(self) -> dict[str, JsonValue]:
        """The `_meta` of a request of Signoff's own: that of the host, with `declares`."""
        return meta_declaring(self._meta, self.declares)

    @property
    def is_greeted(self) -> bool:
        """True once host and server have agreed on a revision."""
        return self.agreed is not None

    @property
    def is_greeting(self) -> bool:
        """True while the host waits for the server to agree on a revision."""
        methods = {one.message.get("method") for one in self._requests.all()}
        return not methods.isdisjoint((INITIALIZE, DISCOVER))

    def refuse_sending(self, identity: str | int | None, words: str) -> bool:
        """A call was not written after all; False if it is none of the host's."""
        known = self._requests.find(identity)
        if known is None:
            return False
        known.is_held = True
        if known.settle is not None:
            known.settle(Reply(problem=words))
        return True

    def fail_host(self, identity: str | int | None, words: str, ending: Ending) -> bool:
        """No response can come to a request of the host; False if it is none of its own."""
        known = self._requests.find(identity)
        if known is None:
            return False
        if known.is_call:
            self._settle(known, Reply(problem=words, ending=ending))
        else:
            self._requests.forget(known)
        self._tell_error(identity, NO_RESPONSE, words)
        return True

    def waits_for(self, identity: str | int) -> bool:
        """True if it is the id of a request of the host without a response."""
        return self._requests.find(identity) is not None

    def lose(self, words: str) -> None:
        """The server is gone: no call gets a response any more. Call it on the event loop."""
        for one in self._requests.all():
            one.hand_over(Reply(lost=True, problem=words))

    def _relay_host(self) -> None:
        try:
            self.host.read(self._take_host_line, keeps_overlong=not self.holds)
        except Exception as problem:
            # A line that was not understood is not passed on, and nothing after it.
            words = note_fault(problem, "while it read a line of the host")
            self._tell_event(Noticed(warning("host-line", words)))
        self._on_loop(lambda: self.on_host.host_ended())

    def _take_host_line(self, line: Line) -> None:
        if isinstance(line, Overlong):
            self._take_overlong(line)
            return
        raw = bytes(line)
        if self.holds:
            self._hold_or_send(raw)
            return
        messages = read_messages(raw) if raw.strip() else []
        called = [call for one in messages or () if (call := self._note_request(one, raw))]
        if self.delays and called and messages is not None and len(messages) == 1:
            self._report_call(called[0])
            return
        message = messages[0] if messages is not None and len(messages) == 1 else None
        self._send(raw, message if isinstance(message, dict) else None, sent_by_host)
        if messages is None:
            self._tell_event(Noticed(warning("host-line", NOT_READ.format("not JSON"))))
        for call in called:
            self._report_call(call)

    def _hold_or_send(self, raw: bytes) -> None:
        if not raw.strip():
            return
        try:
            raw = passable(raw)
            message = parse(raw, LIMITS).value
            assert isinstance(message, dict)
            call = self._note_request(message, raw)
        except Refused as problem:
            self._refuse(str(problem), problem.identity)
            return
        except JsonError as problem:
            self._refuse(problem.reason, None)
            return
        if call is not None:
            self._report_call(call)
        elif message.get("method") in HELD:
            # Without an id it could have no answer.
            self._refuse(f"{message['method']} without an id", message.get("id"))
        elif not self._is_taken_back(message):
            if (more := declaring(message, self.declares)) is not None:
                self.has_declared = True
                raw, message = _line_of(more)[:-1], more
            self._send(raw, message, without_approval)

    def _take_overlong(self, line: Overlong) -> None:
        words = f"a line of {line.size:,} bytes"
        whole = line.whole
        if self.holds or whole is None or whole.kept < whole.size:
            self._refuse(words, None)
            return
        self._tell_event(Noticed(warning("host-line", NOT_READ.format(words))))
        self._send(b"".join(whole.chunks()), None, sent_by_host)

    def _refuse(self, reason: str, identity: object) -> None:
        """Answer a line of the host that is not passed on."""
        known = identity if isinstance(identity, str | int) else None
        self._tell_error(known, -32700, f"not passed on: {reason}")
        self.note_refused(f"{NOT_READ.format(visible(cut(reason, 200).text))}; refused", "", known)

    def note_refused(self, words: str, method: str, identity: JsonValue) -> None:
        """Report that something of the host was refused; `words` are safe to show."""
        self.refused += 1
        self._tell_event(Blocked(warning("host-line", words), method, identity))

    def _note_request(self, message: JsonValue, raw: bytes) -> HostCall | None:
        """Note what the host asks; returns a call. Raises Refused for an id that is in use."""
        if not isinstance(message, dict):
            return None
        method, identity = message.get("method"), message.get("id")
        if not isinstance(method, str):
            return None
        if identity is None:
            if method == CANCELLED and not self.holds:
                self._note_cancelled(message)
            return None
        if key_of(identity) is None:
            if self.holds and method in HELD:
                raise Refused("an id that is neither a string nor an integer")
            return None
        self._note_meta(message)
        is_call = method in HELD
        opened = OpenRequest(message, is_held=is_call and (self.holds or self.delays))
        if self.holds and self._requests.find(identity) is not None:
            # An error with this id would be taken for the response to the other request.
            raise Refused("an id that another request of the host has")
        call = HostCall(raw, message, opened)
        before = self._requests.add(opened, call.progress_token if is_call else None)
        if before is not None:
            self._on_loop(lambda: before.hand_over(Reply(problem=USED_AGAIN)))
        return call if is_call else None

    def _note_meta(self, message: dict[str, JsonValue]) -> None:
        """Keep what each request since 2026-07-28 carries, for requests of Signoff's own."""
        params = message.get("params")
        if not isinstance(params, dict):
            return
        if message["method"] == INITIALIZE:
            self._keep_info(params.get("clientInfo"))
            self.host_capabilities = params.get("capabilities")
        meta = client_meta(params)
        if not meta:
            return
        self._keep_info(meta.get(CLIENT_INFO))
        self._meta = meta
        if not self.is_greeted and message["method"] != DISCOVER:
            # A client that knows the revision needs no discovery.
            self._take_greeting(Greeting("modern", MODERN, {}, {"tools": {}}, "", None))

    def _keep_info(self, info: JsonValue) -> None:
        if isinstance(info, dict):
            self.host_info = info

    def _report_call(self, call: HostCall) -> None:
        self._on_loop(lambda: self.on_host.called(call))

    def _is_taken_back(self, message: dict[str, JsonValue]) -> bool:
        """True if the host cancels a call that the server has not got: it need not hear of it."""
        if message.get("method") != CANCELLED:
            return False
        with self._sending:
            known = self._note_cancelled(message)
            return known is not None and known.is_held

    def _note_cancelled(self, message: dict[str, JsonValue]) -> OpenRequest | None:
        """The host does not wait for a call any more; returns it, None if it is none of its."""
        params = message.get("params")
        known = self._requests.find(params.get("requestId") if isinstance(params, dict) else None)
        if known is None or not known.is_call:
            return None
        call = HostCall(b"", known.message, known)
        self._requests.forget(known)
        self._on_loop(lambda: self.on_host.cancelled(call))
        return known

    def _send(
        self,
        line: bytes,
        message: dict[str, JsonValue] | None,
        gate: Gate | None,
        number: int = 0,
    ) -> None:
        if self.alter is not None and message is not None:
            altered = self.alter.to_server(line, message, self.host)
            if altered is None:
                return
            line = altered
        self._post_line(line, message, gate, number)
        self.passed[0] += 1

    def _tell_host(self, message: dict[str, JsonValue]) -> None:
        self.host.tell(_line_of(message))

    def _tell_error(self, identity: JsonValue, code: int, words: str) -> None:
        known = identity if key_of(identity) is not None else None
        error: dict[str, JsonValue] = {"code": code, "message": f"signoff: {words}"}
        self._tell_host({"jsonrpc": "2.0", "id": known, "error": error})

    def _pass_back(self, pieces: Sequence[bytes | bytearray], found: Sequence[Inbound]) -> None:
        """Give the host what the server sent, and take note of it; `found` is what it has.

        Responses to requests of Signoff's own are not among them.
        """
        kept_back = [one for one in found if self._is_early(one) or self._has_refused(one)]
        if kept_back:
            if any(self._is_early(one) for one in kept_back):
                words = "the server answered a call that it has not got: not passed on"
                self._tell_event(Noticed(warning("answer-invented", words)))
            for one in found:
                if isinstance(one, Message) and one not in kept_back:
                    self._pass_back((_line_of(one.body),), (one,))
            return
        for one in found:
            if isinstance(one, Message) and "method" not in one.body:
                self._requests.note_answered(one.body.get("id"))
        if any(map(self._preface_of, found)):
            for one in found:
                if isinstance(one, Message):
                    self.host.write(_line_of(_with_preface(one.body, self._preface_of(one))))
        elif self.alter is None:
            self.host.write(*pieces)
        else:
            self.alter.to_host(b"".join(pieces), self.host)
        self.passed[1] += 1
        for one in found:
            if isinstance(one, Message):
                self._note_message(one.body)
            elif isinstance(one, Unreadable):
                self._note_unreadable(one)
            else:
                self._tell_event(Noticed(one))

    def _is_early(self, found: Inbound) -> bool:
        """True for the response to a call that is still held."""
        if isinstance(found, Unreadable) and found.id is None:
            # Another reader may find the id of a held call in it.
            return any(one.is_held for one in self._requests.all())
        identity = found.id if isinstance(found, Unreadable) else None
        if isinstance(found, Message) and "method" not in found.body:
            identity = found.body.get("id")  # type: ignore[assignment]
        known = self._requests.find(identity)
        return known is not None and known.is_held

    def _has_refused(self, found: Inbound) -> bool:
        """Refuse a request of the server that `forbids` is about; False for all else."""
        if not isinstance(found, Message):
            return False
        method, identity = found.body.get("method"), found.body.get("id")
        if not isinstance(method, str) or method == PING or key_of(identity) is None:
            return False
        error = self.forbids(method)
        if error is not None and not self._meta:
            # Since 2026-07-28 a server has no requests, and gets no response.
            assert isinstance(identity, str | int)
            message = answer_to(identity, error)
            self._post_line(_line_of(message)[:-1], message, None, 0)
        return error is not None

    def _preface_of(self, found: Inbound) -> str:
        """The words that the result of a request is to begin with; empty for none."""
        if not isinstance(found, Message) or "method" in found.body:
            return ""
        known = self._requests.find(found.body.get("id"))
        return "" if known is None else known.preface

    def _note_unreadable(self, found: Unreadable) -> None:
        """The host gets it as it came; what it makes of it is not known."""
        answered = self._requests.find(found.id)
        if answered is not None:
            self._settle(answered, Reply(problem=found.reason))

    def _is_ours(self, body: dict[str, JsonValue]) -> bool:
        identity = body.get("id")
        return "method" not in body and isinstance(identity, str) and identity.startswith(self.ours)

    def _note_message(self, body: dict[str, JsonValue]) -> None:
        """Take in what the server sent, which the host has by now."""
        method = body.get("method")
        if method == LIST_CHANGED and self.holds:
            self._tell_event(ListChanged())
        elif method in TASK_NOTIFICATIONS:
            params = body.get("params")
            self._tell_task(str(method), params, Reply(result=params, has_result=True))
        elif method == PROGRESS:
            params = body.get("params")
            known = self._requests.of_token(
                params.get("progressToken") if isinstance(params, dict) else None
            )
            if known is not None and known.progress is not None:
                report = known.progress
                self._on_loop(lambda: report(params))
        elif "method" not in body:
            answered = self._requests.find(body.get("id"))
            if answered is not None:
                self._take_response(answered, body)

    def _take_response(self, answered: OpenRequest, body: dict[str, JsonValue]) -> None:
        method, reply = answered.message.get("method"), reply_in(body)
        if method in OF_TASKS:
            params = answered.message.get("params")
            self._tell_task(str(method), params, reply)
        if answered.is_call:
            self._settle(answered, reply)
            return
        result = reply.result if isinstance(reply.result, dict) else None
        if result is not None and method in (INITIALIZE, DISCOVER):
            self._take_greeting(read_agreement(str(method), result))
        elif result is not None and method == TOOLS_LIST:
            self._tell_event(self._pages.take(answered.message, result))
        # A call that waits for what was agreed on goes on now.
        self._requests.forget(answered)

    def _tell_task(self, method: str, params: JsonValue, reply: Reply) -> None:
        identity = params.get("taskId") if isinstance(params, dict) else None
        if isinstance(identity, str):
            self._on_loop(lambda: self.on_host.task_told(method, identity, reply))

    def _settle(self, answered: OpenRequest, reply: Reply) -> None:
        self._on_loop(lambda: answered.hand_over(reply))

    def _take_greeting(self, greeting: Greeting) -> None:
        self.agreed = greeting
        self._tell_event(greeting)


def _line_of(message: dict[str, JsonValue]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _with_preface(body: dict[str, JsonValue], words: str) -> dict[str, JsonValue]:
    """A response whose content begins with these words; any other one as it is."""
    result = body.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    if not words or not isinstance(result, dict) or not isinstance(content, list):
        return body
    first: JsonValue = {"type": "text", "text": words}
    return {**body, "result": {**result, "content": [first, *content]}}
