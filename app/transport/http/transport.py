"""Streamable HTTP: each message in a POST, its answers in the body or in an event stream.

One bad answer costs its request and nothing else: whatever happens to a POST, the peer gets either
the answer or the reason why none can come.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import ClassVar, Final

import httpx2

from ...content.json.jsonio import JsonValue
from ...content.text import cut, size, visible
from ...protocol.findings.findings import Finding, error, note, warning
from ...protocol.rpc import METHOD_NOT_FOUND, Oversized
from ...storage.fault_log import fault_words
from ..events import LinkEvent, Noticed, Subscribed
from ..gate import Gate, SendRefused
from ..messages import (
    Response,
    classify,
    id_shown,
    is_same_id,
    misspelt_answer,
    number_in,
    stray_answer,
)
from ..peer import Peer
from ..protocol import INITIALIZE, MODERN, has_batches
from ..stdio.inbound import BATCH, Message, Unreadable
from . import streams
from .bodies import (
    BODY_LIMIT,
    ENDPOINT,
    JSON,
    OLD_SSE,
    PAGE_SECONDS,
    SESSION_ID,
    UncompressedBody,
    Unpackable,
    beginning,
    ends_session,
    events_in,
    is_stream,
    kind_of,
    odd_kind_words,
    read_text,
    refusal_of,
    status_and_kind,
    whole,
)
from .client import HttpClient, NotFollowed, request_id
from .frames import HttpFrames
from .refusals import (
    BODY_READ,
    never_left,
    quoted,
    said_in,
    session_words,
)
from .streams import (
    ENDED_AT_ONCE,
    RETRY_MAX,
    RETRY_MIN,
    StreamEnd,
    StreamPace,
    UnfinishedBody,
    why_unread,
)

_EVENT_FIELDS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
_IN_WORDS: Final = (401, 403, 429)
"""Refusals that stay refusals although a JSON-RPC error comes with them."""
_BREATH: Final = 64
_BREATH_SECONDS: Final = 0.005
"""How often, and how long, a stream that does not stop waits for the rest of the program."""
_IN_THREAD: Final = 200_000
"""Bytes from which a text is parsed in a thread, so that the screen keeps responding."""
TRIES: Final = 2
"""Failures in a row after which a stream is not opened again."""


class HttpTransport:
    """Posts the messages of one peer, and reads what comes back to it."""

    is_one_stream: ClassVar[bool] = False
    """Whether all responses come on one stream, instead of those of their POSTs."""

    def __init__(
        self,
        client: HttpClient,
        peer: Peer,
        frames: HttpFrames,
        emit: Callable[[LinkEvent], None],
        on_unreachable: Callable[[str], None],
    ) -> None:
        """`on_unreachable` gets the reason, in words, if the server cannot be reached."""
        self.client = client
        self._peer = peer
        self._frames = frames
        self._emit = emit
        self._on_unreachable = on_unreachable
        self.on_doubt: Callable[[], None] = lambda: None
        """Called if the server may be gone: a connection broke."""
        self.on_subscribed: Callable[[str | int], None] = lambda identity: None
        """Called with the id of a request whose subscription the server confirmed."""
        self.refused: dict[str, int] = {}
        """The HTTP status of the newest refusal, by method."""
        self._pace = StreamPace()

    async def post(
        self,
        message: dict[str, JsonValue],
        gate: Gate | None,
        number: int = 0,
        line: bytes = b"",
    ) -> None:
        """Send a message, and read its answers to the end; `line` is it as a host wrote it.

        A request that is refused by its gate fails; for other messages this raises SendRefused.
        """
        identity = request_id(message)
        try:
            await self._post(message, gate, number, line)
        except SendRefused as refused:
            if identity is None:
                raise
            self._peer.refuse(identity, refused)
        except NotFollowed as problem:
            self._note_status(message, problem.status)
            if identity is None:
                self._notice(error("notification-refused", f"{_what(message)}: {problem.words}"))
            else:
                self._peer.fail(identity, problem.words, ending="not-taken")
        except Exception as problem:
            words = fault_words(problem, "while it read a response over HTTP")
            if identity is not None:
                told = visible(cut(str(problem) or type(problem).__name__, 300).text)
                self._peer.fail(identity, words or told)
        finally:
            if identity is not None:
                self.client.sent.discard(identity)

    async def _post(
        self, message: dict[str, JsonValue], gate: Gate | None, number: int, line: bytes
    ) -> None:
        try:
            response = await self.client.post(message, gate, number, line)
        except httpx2.TransportError as problem:
            identity, url = request_id(message), self.client.url
            self._broken(url, identity, problem, "before a response came")
            return
        try:
            await self._read_response(response, message)
        finally:
            await response.aclose()

    async def _read_response(
        self, response: httpx2.Response, message: dict[str, JsonValue]
    ) -> None:
        """Read the HTTP response to a message."""
        identity = request_id(message)
        if identity is None:
            await self._read_receipt(response, message)
        elif is_stream(response):
            self._keep_session(response, message)
            await self._read_stream(response, identity)
        else:
            if response.status_code >= 300:
                self._note_status(message, response.status_code)
            self._keep_session(response, message)
            await self._read_body(response, identity)

    async def listen(self) -> None:
        """Read the stream of the server's own messages, again and again.

        Spec until 2025-11-25, basic/transports "Listening for Messages from the Server". Returns
        if the server has no such stream.
        """
        failures, last_id, retry = 0, "", streams.FIRST_PAUSE
        while failures < TRIES:
            pause = retry
            try:
                response = await self.client.get(last_id)
            except NotFollowed as problem:
                self._notice(warning("get-not-served", problem.words))
                return
            except httpx2.TransportError as problem:
                self._broken(self.client.url, None, problem, "before a response came")
                failures += 1
            else:
                try:
                    if not is_stream(response):
                        failures += 1
                        if response.status_code < 500 or failures == TRIES:
                            await self._report_no_stream(response)
                            return
                    else:
                        end = await self._read_events(response, None)
                        last_id, retry = end.last_id or last_id, end.retry or retry
                        failures = failures + 1 if end.problem is not None else 0
                        pause = self._pace.ended(end.count) or retry
                        if self._pace.ended_at_once == ENDED_AT_ONCE:
                            words = "the server's own event stream keeps ending immediately"
                            self._notice(warning("stream-ends", words))
                finally:
                    await response.aclose()
            await asyncio.sleep(pause / 1000)

    async def end_session(self) -> None:
        """End the session on the server, if it has one."""
        if self.client.session_id:
            with contextlib.suppress(httpx2.HTTPError, NotFollowed):
                await self.client.delete()

    async def _report_no_stream(self, response: httpx2.Response) -> None:
        """Spec, basic/transports: GET is answered with an event stream, or with 405."""
        if response.status_code == 405:
            return
        body = self.client.came(await beginning(response))
        said = quoted(said_in(body, kind_of(response), self.client.hidden))
        words = f"GET was answered {status_and_kind(response)}, not with a stream or 405"
        self._notice(warning("get-not-served", f"{words}{f': {said}' if said else ''}"))

    async def _read_receipt(self, response: httpx2.Response, message: dict[str, JsonValue]) -> None:
        """Spec, basic/transports: a notification or a response is received with 202, no body."""
        status = response.status_code
        has_body = response.headers.get("content-length", "0") != "0"
        if status == 202 and not has_body:
            return
        body = self.client.came(await beginning(response))
        what = _what(message)
        if status == 202:
            words = f"{what} was answered 202 with a body, which should be empty"
            self._notice(note("notification-answered", words))
            return
        words = f"{what} was answered {status_and_kind(response)} in place of 202"
        if status < 400:
            self._notice(warning("notification-answered", words))
            return
        said = quoted(said_in(body, kind_of(response), self.client.hidden))
        words = f"{words}, so the server may have dropped it{f': {said}' if said else ''}"
        self._notice(error("notification-refused", words))

    async def _read_body(self, response: httpx2.Response, identity: str | int) -> None:
        """Read a response that is not an event stream."""
        kind, is_refused = kind_of(response), response.status_code >= 300
        body: bytes | bytearray | Oversized
        length = 0
        try:
            if kind != JSON:
                body = await beginning(response)
            else:
                reading = UncompressedBody(response)
                try:
                    async with asyncio.timeout(PAGE_SECONDS if is_refused else None):
                        body = await whole(reading)
                finally:
                    length = reading.length
        except (TimeoutError, Unpackable, httpx2.TransportError) as problem:
            # A refusal counts although the rest of it does not come.
            body = b""
            self._frames.note(f"the response to request {identity} broke off")
            if isinstance(problem, Unpackable) and not is_refused:
                self._peer.fail(identity, problem.words)
                return
            if isinstance(problem, httpx2.TransportError) and not is_refused:
                when = f"in the middle of the response, after {length:,} bytes"
                self._broken(response.request.url, identity, problem, when)
                return
        body = self.client.came(body)
        if isinstance(body, Oversized):
            reason = f"a body of {body.size:,} bytes, over the limit of {BODY_LIMIT:,}"
            self._peer.fail(identity, reason, body)
        elif is_refused and not self._says_more(response, body):
            self._refused(response, identity, body)
        elif kind != JSON or not body or response.status_code == 202:
            self._peer.fail(identity, odd_kind_words(response, kind, body, self.client.hidden))
        elif bytes(body[:200]).lstrip().startswith(_EVENT_FIELDS):
            said = quoted(said_in(bytes(body[:BODY_READ]), "text/plain", self.client.hidden))
            self._peer.fail(identity, f"the body is an event stream, declared as {JSON}: {said}")
        else:
            beginning_of = bytes(body[:BODY_READ])
            if not await self._take(body, identity):
                said = quoted(said_in(beginning_of, "text/plain", self.client.hidden))
                reason = f"the body of {length:,} bytes is not a response to the request"
                self._peer.fail(identity, f"{reason}{f': {said}' if said else ''}")

    async def _read_stream(self, response: httpx2.Response, identity: str | int) -> None:
        """Read the event stream of a request until its answer, across interruptions.

        Spec until 2025-11-25, basic/transports "Resumability": a server may close it, so that the
        client requests the rest after a while.
        """
        end = await self._read_events(response, identity)
        pace, failures, more = StreamPace(), 0, ""
        why = why_unread(end.rest) if end.problem is None else ""
        # Since 2026-07-28 a stream is not taken up again, whatever ids its events have.
        can_go_on = self._peer.version != MODERN
        while can_go_on and not end.has_answered and not why and end.last_id and failures < TRIES:
            await asyncio.sleep((pace.ended(end.count) or end.retry or streams.FIRST_PAUSE) / 1000)
            if not self._peer.waits_for(identity):
                return
            more = ", and it was not taken up again"
            try:
                response = await self.client.get(end.last_id)
            except NotFollowed as problem:
                more = f"{more}: {problem.words}"
                break
            except httpx2.TransportError as problem:
                self._broken(self.client.url, None, problem, "before a response came")
                failures += 1
                continue
            try:
                if not is_stream(response):
                    await self._report_no_stream(response)
                    more = f"{more}: GET was answered {status_and_kind(response)}"
                    failures += 1
                    if response.status_code < 500:
                        break
                    continue
                before, end = end, await self._read_events(response, identity)
            finally:
                await response.aclose()
            failures = 0 if end.problem is None else failures + 1
            end.last_id, end.retry = end.last_id or before.last_id, end.retry or before.retry
        if end.has_answered:
            return
        if why:
            self._peer.fail(identity, f"{end.reason}: {why}")
            return
        self._peer.fail(identity, f"{end.reason}{more}", is_lost=True)
        if not more:
            self.on_doubt()

    async def _read_events(
        self, response: httpx2.Response, identity: str | int | None
    ) -> StreamEnd:
        """Hand the events of one stream to the peer, until the answer to `identity` if one is due.

        What cannot be read on fails the request here, which counts as its answer.
        """
        end = StreamEnd()
        try:
            body = UnfinishedBody(UncompressedBody(response))
        except Unpackable as problem:
            end.problem, end.has_answered = problem, identity is not None
            if identity is not None:
                self._peer.fail(identity, problem.words)
            return end
        try:
            async with contextlib.aclosing(events_in(body, response, BODY_LIMIT)) as events:
                async for event in events:
                    body.renew()
                    end.count += 1
                    if end.count % _BREATH == 0:
                        await asyncio.sleep(_BREATH_SECONDS)
                    end.last_id = event.id or end.last_id
                    if event.retry is not None:
                        end.retry = min(max(event.retry, RETRY_MIN), RETRY_MAX)
                    if event.event == ENDPOINT and identity is not None:
                        self._peer.fail(identity, OLD_SSE)
                        end.has_answered = True
                    elif event.event == ENDPOINT:
                        self._endpoint_named(event.data)
                    elif event.event == "message" and event.data:
                        data = self.client.came(event.data.encode("utf-8", "surrogatepass"))
                        end.has_answered = await self._take(data, identity) or end.has_answered
                    if end.has_answered:
                        return end
        except (Unpackable, httpx2.SSEError) as problem:
            words = f"one event of more than the limit of {size(BODY_LIMIT)}"
            if isinstance(problem, Unpackable):
                words = problem.words
            self._notice(error("event-too-long", words))
            end.problem = problem
            if identity is not None:
                self._peer.fail(identity, words)
                end.has_answered = True
            return end
        except httpx2.TransportError as problem:
            url, when = response.request.url, "in the middle of the event stream"
            end.problem = problem
            end.reason = self.client.broken_words(problem, when, url)
        end.rest = bytes(body.rest).strip()
        if end.rest:
            end.rest = self.client.came(end.rest)
        return end

    async def _take(self, data: bytes | bytearray, identity: str | int | None) -> bool:
        """Take in what one JSON text holds; True if the answer to `identity` was there.

        `identity` is the request whose answer is awaited there, None on a stream of its own: a
        message that came for a request is an answer to no other.
        """
        if len(data) < _IN_THREAD:
            items = read_text(data)
        else:
            items = await asyncio.to_thread(read_text, data)
        has_answered = False
        for item in items:
            match item:
                case Message(body):
                    has_answered = self._take_message(body, identity) or has_answered
                case Unreadable():
                    if identity is not None and _answers(item.id, identity):
                        self._peer.fail(identity, item.reason, item.whole)
                        has_answered = True
                    elif self.is_one_stream:
                        self._peer.fail(item.id, item.reason, item.whole)
                case _ if item.code != BATCH or not has_batches(self._peer.version):
                    self._notice(item)
        return has_answered

    def _take_message(self, body: dict[str, JsonValue], identity: str | int | None) -> bool:
        message = classify(body)
        if isinstance(message, Response) and identity is not None:
            if not _answers(message.id, identity):
                self._notice(self._stray(message.id, identity))
                return False
            self._peer.take(Response(identity, body))
            return True
        if isinstance(message, Subscribed) and identity is not None:
            self.on_subscribed(identity)
        self._peer.take(message)
        return False

    def _stray(self, given: JsonValue, identity: str | int) -> Finding:
        """Finding for an answer that came for a request and names another one."""
        if isinstance(identity, int) and number_in(given) == identity:
            return misspelt_answer(given, identity)
        if self._peer.knows(given):
            words = (
                f"the response to request {id_shown(given)} came in the HTTP response to {identity}"
            )
            return warning("answer-unknown", words)
        return stray_answer(given)

    def _refused(
        self, response: httpx2.Response, identity: str | int, body: bytes | bytearray
    ) -> None:
        proxy = self.client.proxy_of(response.request.url)
        refusal = refusal_of(response, bytes(body), self.client.hidden, proxy)
        if ends_session(response, refusal.said):
            words = session_words(refusal)
            self._peer.fail(identity, words, ending="not-taken")
            self._on_unreachable(words)
        else:
            self._peer.fail(identity, refusal.words, ending=refusal.ending)

    def _says_more(self, response: httpx2.Response, body: bytes | bytearray) -> bool:
        """True if a refusal has a JSON-RPC error in its body."""
        if response.status_code in _IN_WORDS or b'"jsonrpc"' not in body or b'"error"' not in body:
            return False
        if SESSION_ID not in response.request.headers:
            return True
        if response.status_code == 404:
            return str(METHOD_NOT_FOUND).encode() in body
        said = said_in(body, JSON)
        return not ends_session(response, said)

    def _broken(
        self,
        url: httpx2.URL,
        identity: str | int | None,
        problem: httpx2.TransportError,
        when: str,
    ) -> None:
        reason = self.client.broken_words(problem, when, url)
        self._frames.note(reason)
        is_gone = never_left(problem)
        if identity is not None and is_gone:
            self._peer.fail(identity, reason, ending="not-taken")
        elif identity is not None:
            self._peer.fail(identity, reason, is_lost=True)
            self.on_doubt()
        if is_gone:
            self._on_unreachable(reason)

    def _endpoint_named(self, data: str) -> None:
        """An event `endpoint` came on a stream of its own; it has no meaning here."""

    def _keep_session(self, response: httpx2.Response, message: dict[str, JsonValue]) -> None:
        """Spec, basic/transports "Session Management": the answer to initialize may name one."""
        if message.get("method") == INITIALIZE and response.status_code < 300:
            for finding in self.client.keep_session(response):
                self._notice(finding)

    def _note_status(self, message: dict[str, JsonValue], status: int) -> None:
        self.refused[str(message.get("method"))] = status

    def _notice(self, finding: Finding) -> None:
        self._emit(Noticed(finding))


def _answers(given: JsonValue, identity: str | int) -> bool:
    """True if a response is meant for a request; an error before the id was read has none."""
    return given is None or is_same_id(given, identity)


def _what(message: dict[str, JsonValue]) -> str:
    return visible(cut(str(message.get("method", "a response")), 60).text)
