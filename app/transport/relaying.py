"""What passes between a host and a server, whatever the transport behind.

With `holds` false a line of the host passes at once. With `holds` each call waits until `request`
sends it, with the gate of its approval; a line that could be read in two ways is refused, and what
a server answers to a call that it has not got is dropped.

A request of Signoff's own has an id that begins with `ours`; its response stays here.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from ..content.json.jsonio import JsonError, JsonValue, parse
from ..content.text import cut, visible
from ..protocol.findings.findings import warning
from ..protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from .events import Ending, Greeting, LinkEvent, ListChanged, Listing, Noticed, Reply, reply_in
from .gate import Gate, SendRefused, without_approval
from .host import (
    LIMITS,
    Alters,
    HostCall,
    HostPipe,
    HostRequest,
    Key,
    RelayListener,
    key_of,
    read_agreement,
    read_messages,
)
from .protocol import (
    CANCELLED,
    DISCOVER,
    INITIALIZE,
    LIST_CHANGED,
    MODERN,
    PROGRESS,
    answer_to,
)
from .stdio.inbound import Inbound, Message, Unreadable
from .stdio.lines import Line, Overlong
from .tap import Refused, passable

if TYPE_CHECKING:
    from ..protocol.rpc import RpcError
    from .peer import PendingRequest

HELD: Final = frozenset({CALL_METHOD, READ_METHOD, PROMPT_METHOD})
"""What a policy decides on."""
_META: Final = "io.modelcontextprotocol/"
_OF_A_CLIENT: Final = (
    f"{_META}protocolVersion",
    f"{_META}clientInfo",
    f"{_META}clientCapabilities",
)
_NOT_BOUND: Final = "no message of the host belongs to this call"
_OPEN_MAX: Final = 5_000
"""Requests of the host without a response that are kept."""
NO_RESPONSE: Final = -32000
"""The code of the error for a request whose response cannot come."""
_LISTED_MAX: Final = 10_000
"""Tools of a list that are kept."""
NOT_READ: Final = "a line of the host could not be read: {}"


def sent_by_host(message: dict[str, JsonValue]) -> None:
    """Gate of a relay that only watches: what the host sends is its own."""


class Relaying:
    """The host's side of a link; mixed into the link of a transport, which writes to the server."""

    def __init__(self, host: HostPipe, *, holds: bool) -> None:
        self.ours = f"signoff-{uuid.uuid4().hex[:12]}-"
        """The beginning of the ids of requests that the host has not made."""
        self.host = host
        self.holds = holds
        self.delays = False
        """Whether a call that is not held waits for `request`, since its server is watched."""
        self.on_host = RelayListener()
        self.host_info: dict[str, JsonValue] = {}
        """`clientInfo` of the host: raw."""
        self.agreed: Greeting | None = None
        """What host and server agreed on."""
        self.alter: Alters | None = None
        """What changes messages on purpose; None for nothing."""
        self.passed = [0, 0]
        """Messages of the host, and of the server, that were passed on."""
        self.refused = 0
        """Lines of the host that were not."""
        self._mark = self.ours.encode()
        self._requests: dict[Key, HostRequest] = {}
        self._bound: dict[int, HostCall] = {}
        """Calls of the host by the number of the call in the engine."""
        self._tokens: dict[Key, HostRequest] = {}
        self._early: list[Callable[[], None]] | None = []
        """What waits for the event loop; None once there is one."""
        self._guard = threading.Lock()
        self._meta: dict[str, JsonValue] = {}
        self._entries: list[JsonValue] = []
        """Tools of the list that the host is reading, page by page."""

    def _post_line(
        self, line: bytes, message: dict[str, JsonValue] | None, gate: Gate | None, number: int
    ) -> None:
        """Write a line of the host to the server; `message` is None where it is not one message.

        May raise SendRefused.
        """
        raise NotImplementedError

    def _put(self, action: Callable[[], None]) -> None:
        """Run it on the event loop, from any thread."""
        raise NotImplementedError

    def _tell_event(self, event: LinkEvent) -> None:
        """Report an event, from any thread."""
        raise NotImplementedError

    def _begin_to_read(self) -> None:
        """Read the host's lines in a thread from now on."""
        threading.Thread(target=self._relay_host, name="host", daemon=True).start()

    def _let_early_go(self) -> None:
        """There is an event loop: what waited for it goes there."""
        with self._guard:
            early, self._early = self._early or [], None
        for action in early:
            self._put(action)

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
        key = key_of(call.id)
        with self._guard:
            known = self._requests.get(key)
            if known is None:
                return Reply(problem="the host took it back", ending="not-taken")
            known.settle = lambda reply: None if came.done() else came.set_result(reply)
            known.progress, known.was_refused = pending.on_progress, False
            early = None if self.holds else known.reply
        if early is not None:
            self._forget(key)
            return early
        if known.is_unsent:
            self._send(call.line, call.message, sent_by_host, pending.number)
        elif self.holds:
            try:
                self._send(call.line, call.to_compare(), pending.gate, pending.number)
            except SendRefused as refused:
                known.settle = known.progress = None
                return Reply(problem=str(refused))
        try:
            return await came
        finally:
            if not known.was_refused:
                self._forget(key)

    def bind(self, number: int, call: HostCall) -> None:
        """Let `request` with this number of the engine mean that call."""
        self._bound[number] = call

    def answer_host(self, call: HostCall, answer: dict[str, JsonValue] | RpcError) -> bool:
        """Answer a call that was not sent, in a thread; False if the host waits for none."""
        if not self._forget(key_of(call.id)):
            return False
        self._tell_host(answer_to(call.id, answer))
        return True

    def tell_progress(self, call: HostCall, step: int, words: str) -> None:
        """Tell the host that a held call goes on, if it asked for progress."""
        token = call.progress_token
        if token is None or key_of(call.id) not in self._requests:
            return
        params: dict[str, JsonValue] = {"progressToken": token, "progress": step, "message": words}
        self._tell_host({"jsonrpc": "2.0", "method": PROGRESS, "params": params})

    @property
    def waiting(self) -> int:
        """Requests of the host that have no response yet."""
        return len(self._requests)

    @property
    def is_greeted(self) -> bool:
        """True once host and server have agreed on a revision."""
        return self.agreed is not None

    def refuse_sending(self, identity: str | int | None, words: str) -> bool:
        """A call was not written after all; False if it is none of the host's."""
        known = None if identity is None else self._requests.get(key_of(identity))
        if known is None:
            return False
        settle, known.settle, known.progress = known.settle, None, None
        known.was_refused = True
        if settle is not None:
            settle(Reply(problem=words))
        return True

    def fail_host(self, identity: str | int | None, words: str, ending: Ending) -> bool:
        """No response can come to a request of the host; False if it is none of its own."""
        known = None if identity is None else self._requests.get(key_of(identity))
        if known is None or identity is None:
            return False
        if known.message.get("method") in HELD:
            self._settle(key_of(identity), known, Reply(problem=words, ending=ending))
        else:
            self._forget(key_of(identity))
        error: dict[str, JsonValue] = {"code": NO_RESPONSE, "message": f"signoff: {words}"}
        self._tell_host({"jsonrpc": "2.0", "id": identity, "error": error})
        return True

    def waits_for(self, identity: str | int) -> bool:
        """True if it is the id of a request of the host without a response."""
        return key_of(identity) in self._requests

    def lose(self, words: str) -> None:
        """The server is gone: no call gets a response any more. Call it on the event loop."""
        with self._guard:
            still_open = list(self._requests.values())
        for one in still_open:
            if one.settle is not None:
                one.settle(Reply(lost=True, problem=words))

    def _relay_host(self) -> None:
        self.host.read(self._take_host_line)
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
            self._requests[key_of(called[0].id)].is_unsent = True
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
            # Without an id nobody could be answered.
            self._refuse(f"{message['method']} without an id", message.get("id"))
        elif not self._is_taken_back(message):
            self._send(raw, message, without_approval)

    def _take_overlong(self, line: Overlong) -> None:
        words = f"a line of {line.size:,} bytes"
        if self.holds or line.whole is None:
            self._refuse(words, None)
            return
        self._tell_event(Noticed(warning("host-line", NOT_READ.format(words))))
        self._send(b"".join(line.whole.chunks()), None, sent_by_host)

    def _refuse(self, reason: str, identity: object) -> None:
        """Answer a line of the host that is not passed on."""
        self.refused += 1
        words = f"signoff: not passed on: {reason}"
        known = identity if isinstance(identity, str | int) and identity is not True else None
        error: dict[str, JsonValue] = {"code": -32700, "message": words}
        self._tell_host({"jsonrpc": "2.0", "id": known, "error": error})
        shown = visible(cut(reason, 200).text)
        self._tell_event(Noticed(warning("host-line", f"{NOT_READ.format(shown)}; refused")))

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
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            if self.holds and method in HELD:
                raise Refused("an id that is neither a string nor an integer")
            return None
        self._note_meta(message)
        opened = HostRequest(message)
        with self._guard:
            if self.holds and key_of(identity) in self._requests:
                raise Refused("an id that another request of the host has", identity)
            self._requests[key_of(identity)] = opened
            if len(self._requests) > _OPEN_MAX:
                self._drop_oldest()
        if method not in HELD:
            return None
        call = HostCall(raw, message)
        if call.progress_token is not None:
            self._tokens[key_of(call.progress_token)] = opened
        return call

    def _drop_oldest(self) -> None:
        """Forget the oldest request that is no call: the server has not answered it for long."""
        kept = self._requests.items()
        oldest = next((key for key, one in kept if one.message["method"] not in HELD), None)
        if oldest is not None:
            del self._requests[oldest]

    def _note_meta(self, message: dict[str, JsonValue]) -> None:
        """Keep what each request since 2026-07-28 carries, for requests of Signoff's own."""
        params = message.get("params")
        if not isinstance(params, dict):
            return
        if message["method"] == INITIALIZE:
            self._keep_info(params.get("clientInfo"))
        meta = params.get("_meta")
        if not isinstance(meta, dict) or f"{_META}protocolVersion" not in meta:
            return
        self._keep_info(meta.get(f"{_META}clientInfo"))
        self._meta = {name: meta[name] for name in _OF_A_CLIENT if name in meta}
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
        params = message.get("params")
        identity = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            return False
        known = self._requests.get(key_of(identity))
        if known is None or known.message.get("method") not in HELD:
            return False
        call = HostCall(b"", known.message)
        if known.settle is not None:
            self._note_cancelled(message)
            return False
        self._forget(key_of(identity))
        self._on_loop(lambda: self.on_host.cancelled(call))
        return True

    def _note_cancelled(self, message: dict[str, JsonValue]) -> None:
        """The host does not wait for a call any more that was sent."""
        params = message.get("params")
        identity = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            return
        known = self._requests.get(key_of(identity))
        if known is not None and known.message.get("method") in HELD:
            reply = Reply(problem="cancelled by the host; the work may already be done")
            self._settle(key_of(identity), known, reply)

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
        line = json.dumps(message, separators=(",", ":")).encode("ascii")
        write = threading.Thread(
            target=self.host.write, args=(line + b"\n",), name="to-host", daemon=True
        )
        write.start()

    def _pass_back(self, pieces: Sequence[bytes | bytearray], found: Sequence[Inbound]) -> None:
        """Give the host what the server sent, and take note of it; `found` is what it has.

        Responses to requests of Signoff's own are not among them.
        """
        if self.holds and any(
            isinstance(one, Message) and self._is_invented(one.body) for one in found
        ):
            words = "the server answered a call that it has not got: not passed on"
            self._tell_event(Noticed(warning("answer-invented", words)))
            return
        if self.alter is None:
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

    def _is_invented(self, body: dict[str, JsonValue]) -> bool:
        """True for the response to a call that is still held."""
        identity = body.get("id")
        if "method" in body or isinstance(identity, bool) or not isinstance(identity, str | int):
            return False
        known = self._requests.get(key_of(identity))
        return known is not None and known.message.get("method") in HELD and known.settle is None

    def _note_unreadable(self, found: Unreadable) -> None:
        """The host gets it as it came; what it makes of it is not known."""
        with self._guard:
            answered = None if found.id is None else self._requests.get(key_of(found.id))
        if found.id is not None and answered is not None:
            self._settle(key_of(found.id), answered, Reply(problem=found.reason))

    def _is_ours(self, body: dict[str, JsonValue]) -> bool:
        identity = body.get("id")
        return "method" not in body and isinstance(identity, str) and identity.startswith(self.ours)

    def _note_message(self, body: dict[str, JsonValue]) -> None:
        """Take in what the server sent, which the host has by now."""
        method = body.get("method")
        if method == LIST_CHANGED and self.holds:
            self._tell_event(ListChanged())
        elif method == PROGRESS:
            params = body.get("params")
            token = params.get("progressToken") if isinstance(params, dict) else None
            known = self._tokens.get(key_of(token)) if isinstance(token, str | int) else None
            if known is not None and known.progress is not None:
                report = known.progress
                self._on_loop(lambda: report(params))
        elif "method" not in body and isinstance(identity := body.get("id"), str | int):
            with self._guard:
                answered = self._requests.get(key_of(identity))
            if answered is not None:
                self._take_response(key_of(identity), answered, body)

    def _take_response(self, key: Key, answered: HostRequest, body: dict[str, JsonValue]) -> None:
        method, reply = answered.message.get("method"), reply_in(body)
        if method in HELD:
            self._settle(key, answered, reply)
            return
        self._forget(key)
        result = reply.result if isinstance(reply.result, dict) else None
        if result is None:
            return
        if method in (INITIALIZE, DISCOVER):
            self._take_greeting(read_agreement(str(method), result))
        elif method == "tools/list":
            self._take_page(answered.message, result)

    def _settle(self, key: Key, answered: HostRequest, reply: Reply) -> None:
        """Hand the response over, or keep it for whoever comes to wait."""

        def hand_over() -> None:
            if answered.settle is not None:
                answered.settle(reply)
            else:
                answered.reply = reply

        self._on_loop(hand_over)

    def _take_greeting(self, greeting: Greeting) -> None:
        self.agreed = greeting
        self._tell_event(greeting)

    def _take_page(self, message: dict[str, JsonValue], result: dict[str, JsonValue]) -> None:
        params, listed = message.get("params"), result.get("tools")
        if not (isinstance(params, dict) and params.get("cursor")):
            self._entries = []
        if isinstance(listed, list):
            self._entries += listed[: _LISTED_MAX - len(self._entries)]
        missing = "the host has not listed the next page" if result.get("nextCursor") else ""
        self._tell_event(Listing(tuple(self._entries), missing=missing))

    def _forget(self, key: Key) -> bool:
        """Forget a request of the host; False if it was not known."""
        with self._guard:
            known = self._requests.pop(key, None)
            for token in [one for one, what in self._tokens.items() if what is known]:
                del self._tokens[token]
        return known is not None
