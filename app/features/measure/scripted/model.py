"""The scripted model: a server on 127.0.0.1 that makes the calls of a script, one a turn.

It answers whatever else hosts ask of a model, such as a title or a summary, with a harmless
sentence, and keeps what it did not understand.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import re
import secrets
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from ....content.json.jsonio import JsonError, JsonValue, Limits, parse
from ..probes.whole import places_in
from ..running.judging import judgement, judging_text, smallest
from ..running.naming import by_description, by_form, by_template, by_words, template_of
from .dialects import MODEL, Given, ModelRequest, Offered, ScriptedCall, Step, dialect_of

HARMLESS: Final = "Done."
QUESTION: Final = "/signoff/question"
"""Where an agent without a terminal asks its person: POST of any JSON, answered by
`{"approved": true}` or `{"approved": false}`.
"""
BODY_MAX: Final = 32 * 1024 * 1024
"""Bytes of a request that are read."""
CONNECTIONS_MAX: Final = 200
"""Connections at once, of which hosts need a few: more would leave no descriptors to the rest."""
HELD_MAX: Final = 4 * BODY_MAX
"""Bytes of all requests that are read at once."""
OFFERED_MAX: Final = 10_000
"""Tools of a run that are remembered."""
QUESTIONS_MAX: Final = 1_000
"""Questions of a run that are answered."""
DESCRIPTION_KEPT: Final = 4_000
"""Characters of a description that are remembered."""
_LIMITS: Final = Limits(size=BODY_MAX)
_NOTES_MAX: Final = 50
_NOTE: Final = 300
_ASIDE: Final = "aside_"
"""How the ids of calls begin that answer a request beside the measurement."""
_NO_WORD: Final = re.compile(r"[\W_]+")


class Planned(NamedTuple):
    """A call that the script is to make."""

    key: str
    tool: str
    """The name that the server gave the tool; the host's own name is looked for."""
    arguments: dict[str, JsonValue]
    needs_session: bool = False
    """Whether it waits until a new session has begun."""
    server: str = ""
    """The other name under which the new session has the server; empty for its usual one."""
    with_next: bool = False
    """Whether the next call is made in the same turn."""


@dataclass
class ScriptedAttempt:
    """A call that the model made, and what came of it."""

    planned: Planned
    call_id: str
    name: str
    namespace: str
    is_offered: bool
    at: float
    """Seconds since 1970, as in the log of the probe server."""
    turn: int = 1
    """The number of the model's turn: calls of one turn are open at once."""
    prompts: int = 1
    """How often the prompt was in the conversation when the call was made."""
    given: JsonValue = None
    has_answer: bool = False
    answered_at: float = 0.0
    is_name_known: bool = True
    """Whether the host would offer the tool by this name: if not, its absence proves nothing."""


@dataclass
class Script:
    """The calls that are still to be made, and the attempts.

    Args:
        marker: a word of the prompt; a request without it does not belong to the measurement.
        guess: the group and name by which the host's model would call a tool that is not offered,
            from the name of the tool and of the server (empty for its usual one).
    """

    marker: str
    guess: Callable[[str, str], tuple[str, str]]
    server: str = ""
    """The name of the only server whose tools are called; empty for any."""
    tools: AbstractSet[str] = frozenset()
    """The names of its tools, if they are known."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """Tool to description, if a tool may be found by it."""
    template: str = ""
    """How the host names its tools, if a person gave that: `mcp__{server}__{tool}`."""
    knows_names: bool = True
    """Whether `guess` is how the host names its tools."""
    planned: list[Planned] = field(default_factory=list)
    attempts: list[ScriptedAttempt] = field(default_factory=list)
    watched: dict[str, set[str]] = field(default_factory=dict)
    """Texts that are looked for in every request, with the places that have them."""
    offered: dict[tuple[str, str], Offered] = field(default_factory=dict)
    """Every tool that was offered in a request of the measurement."""
    found: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The name by which each tool was found among them."""
    requests: int = 0
    """Requests of the measurement."""
    side_requests: int = 0
    allows: bool = False
    """Whether calls are allowed if the host has its model judge them."""
    judgements: int = 0
    """Requests while a call was open that may have been judgements of it."""
    newest_at: float = 0.0
    """The monotonic time of the newest request of any kind."""
    is_over: bool = False
    """True if the model answered that it has no more calls to make."""
    waits_for_session: bool = False
    before_call: Callable[[Planned], Awaitable[None]] | None = None
    """What happens before a call is made, such as a change of the server's definitions."""
    more_calls: Callable[[], list[Planned]] = list
    """Calls to make when all planned ones were made."""
    on_attempt: Callable[[ScriptedAttempt], None] | None = None

    def step(self, request: ModelRequest) -> Step:
        """The next step of the model."""
        if not self._is_ours(request) or self._is_aside(request):
            self.side_requests += 1
            return self._judged(request) if self.open_calls else _harmless(request)
        self.requests += 1
        for one in request.offered:
            key = (one.namespace, one.name)
            if key in self.offered or len(self.offered) < OFFERED_MAX:
                kept = one.description[:DESCRIPTION_KEPT] if self.descriptions else ""
                self.offered[key] = one._replace(parameters=None, description=kept)
        self._take_answers(request.given)
        if not self.planned:
            self.planned = self.more_calls()
        if not self.planned:
            self.is_over = True
            return _harmless(request)
        first = self.planned[0]
        if first.needs_session and (self.attempts or first.server):
            self.waits_for_session = True
            return _harmless(request)
        turn = self.attempts[-1].turn + 1 if self.attempts else 1
        calls = [self._call(self.planned.pop(0), turn, request)]
        while self.attempts[-1].planned.with_next and self.planned:
            calls.append(self._call(self.planned.pop(0), turn, request))
        return tuple(calls)

    def _judged(self, request: ModelRequest) -> Step:
        """The answer to a request beside an open call, which may be a judgement of it."""
        is_answer = any(one.call_id.startswith(_ASIDE) for one in request.given)
        if request.counts or is_answer:
            return _harmless(request)
        self.judgements += 1
        if request.wanted is not None:
            return json.dumps(judgement(request.wanted, allows=self.allows))
        tool = request.wanted_tool
        if tool is not None and (tool.namespace, tool.name) not in self.offered:
            given = judgement(tool.parameters, allows=self.allows)
            arguments = given if isinstance(given, dict) else {}
            identity = f"{_ASIDE}{self.side_requests}"
            return (ScriptedCall(identity, tool.name, tool.namespace, arguments),)
        return judging_text(request, allows=self.allows) or HARMLESS

    def _call(self, planned: Planned, turn: int, request: ModelRequest) -> ScriptedCall:
        server = planned.server or self.server
        found = self.offered_as(planned.tool, server)
        form = None if self.knows_names or found else self._form()
        namespace, name = (
            found
            or (by_form(form, planned.tool, server) if form else None)
            or self.guess(planned.tool, server)
        )
        attempt = ScriptedAttempt(
            planned,
            f"call_{len(self.attempts) + 1}",
            name,
            namespace,
            found is not None,
            time.time(),
            turn,
            request.text.count(self.marker),
            is_name_known=bool(found or form or self.knows_names),
        )
        self.attempts.append(attempt)
        if self.on_attempt is not None:
            self.on_attempt(attempt)
        return ScriptedCall(attempt.call_id, name, namespace, planned.arguments)

    def _is_ours(self, request: ModelRequest) -> bool:
        """True for a request with tools that has the prompt, or an answer to a call.

        A conversation that the API keeps (`previous_response_id`) is sent without its beginning.
        """
        made = {one.call_id for one in self.attempts}
        has_answer = any(one.call_id in made for one in request.given)
        return bool(request.offered) and (has_answer or self.marker in request.text)

    def _is_aside(self, request: ModelRequest) -> bool:
        """True for a request about the open calls, such as a host's own judgement of one: it has
        neither an answer to them nor a new prompt.
        """
        open_calls = self.open_calls
        if not open_calls:
            return False
        given = {one.call_id for one in request.given}
        is_answered = any(one.call_id in given for one in open_calls)
        return not is_answered and request.text.count(self.marker) <= open_calls[0].prompts

    def begin_session(self) -> None:
        """A new session has begun: what was offered before does not count."""
        self.waits_for_session = False
        self.offered.clear()
        self.planned[0] = self.planned[0]._replace(needs_session=False)

    def offered_as(self, tool: str, server: str = "") -> tuple[str, str] | None:
        """The group and name under which a tool is offered: its own name, or one that ends in it.

        Names of probes are chosen so that none is the end of another. With a name of the server,
        the rest of the offered name is that of the server, as hosts write it, or empty.
        """
        same = [one for one in self.offered if _is_name(one, tool, server, self.tools)]
        found = min(same, key=lambda one: len("".join(one)), default=None)
        if self.template:
            found = by_template(self.offered, self.template, tool, server) or found
        if found is None and self.descriptions and not server:
            found = self._found_otherwise(tool)
        if found is not None and not server:
            self.found[tool] = found
        return found

    def _found_otherwise(self, tool: str) -> tuple[str, str] | None:
        earlier = self.found.get(tool)
        if earlier in self.offered:
            return earlier
        if tool not in self.descriptions:
            return None
        return by_words(self.offered, tool) or by_description(self.offered, tool, self.descriptions)

    def _form(self) -> tuple[str, str] | None:
        """How the host names its tools, from those of its tools that it offers."""
        names = {one: self.offered_as(one) for one in self.descriptions}
        return template_of({one: name for one, name in names.items() if name is not None})

    @property
    def open_calls(self) -> list[ScriptedAttempt]:
        """The calls of the newest turn to which the model was given no answer."""
        turn = self.attempts[-1].turn if self.attempts else 0
        return [one for one in self.attempts if one.turn == turn and not one.has_answer]

    @property
    def outstanding(self) -> ScriptedAttempt | None:
        """The first of the open calls."""
        return next(iter(self.open_calls), None)

    def _take_answers(self, given: Sequence[Given]) -> None:
        by_id = {one.call_id: one.value for one in given}
        for attempt in self.attempts:
            if not attempt.has_answer and attempt.call_id in by_id:
                attempt.given, attempt.has_answer = by_id[attempt.call_id], True
                attempt.answered_at = time.time()


def _is_name(offered: tuple[str, str], tool: str, server: str, tools: AbstractSet[str]) -> bool:
    """True if a group and name mean a tool, of this server if one is given.

    `tools` are the names that the server lists, if they are known: one can be the end of another.
    """
    group, name = offered
    if name != tool and not name.endswith(tuple(f"{mark}{tool}" for mark in "_./-")):
        return False
    if any(len(one) > len(tool) and name.endswith(one) for one in tools):
        return False
    before = _NO_WORD.sub("", f"{group}{name.removesuffix(tool)}").casefold()
    plain = _NO_WORD.sub("", server).casefold()
    return not server or before.removeprefix("mcp") in ("", plain)


def _harmless(request: ModelRequest) -> str:
    """A harmless sentence, or the smallest JSON of the schema that the host wants."""
    return HARMLESS if request.wanted is None else json.dumps(smallest(request.wanted))


class _Quiet(uvicorn.Server):
    """A server that leaves signals to its program."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Bounded(H11Protocol):
    """A connection that is broken off if there are too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS_MAX:
            transport.abort()


class ScriptedModel:
    """The server: `url` and `token` are what a host is configured with."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.token = f"signoff-{secrets.token_hex(12)}"
        self.url = ""
        self.not_understood: list[str] = []
        """Requests that no dialect could read, in words."""
        self._questions = 0
        self._held = 0
        self.on_question: Callable[[JsonValue], Awaitable[bool]] | None = None
        """Answers a question that an agent puts to its person; see `QUESTION`."""

    @contextlib.asynccontextmanager
    async def serving(self, own: socket.socket | None = None) -> AsyncIterator[ScriptedModel]:
        """Listen on a free port of 127.0.0.1 until the block ends, or at a socket bound to one."""
        listening = socket.socket() if own is None else own.dup()
        if own is None:
            listening.bind(("127.0.0.1", 0))
        # A quick host may come before the server runs.
        listening.listen(100)
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        every = ["GET", "POST", "PUT", "DELETE", "PATCH"]
        app = Starlette(routes=[Route("/{path:path}", self._answer, methods=every)])
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
            ws="none",
            http=_Bounded,
            log_level="critical",
        )
        server = _Quiet(config)
        running = asyncio.ensure_future(server.serve(sockets=[listening]))
        try:
            yield self
        finally:
            server.should_exit = True
            with contextlib.suppress(Exception):
                await asyncio.wait_for(running, 5.0)
            listening.close()

    async def _answer(self, request: Request) -> Response:
        self.script.newest_at = time.monotonic()
        path = request.url.path
        if not self._is_ours(request):
            return JSONResponse({"error": {"message": "wrong key", "code": 401}}, 401)
        if request.method == "GET" and path.rstrip("/").endswith("/models"):
            one: JsonValue = {"id": MODEL, "object": "model", "created": 0, "owned_by": "signoff"}
            return JSONResponse({"object": "list", "data": [one]})
        if request.method == "POST" and path == QUESTION and self.on_question is not None:
            asked = await self._body(request)
            self._questions += 1
            is_heard = self._questions <= QUESTIONS_MAX
            return JSONResponse({"approved": is_heard and await self.on_question(asked)})
        query = f"?{request.url.query}" if request.url.query else ""
        return await self._reply(request, path + query)

    async def _reply(self, request: Request, path: str) -> Response:
        dialect = dialect_of(path) if request.method == "POST" else None
        if dialect is None:
            return self._refuse(f"{request.method} {path}: no API that the scripted model knows")
        value = await self._body(request)
        if not isinstance(value, dict):
            return self._refuse(f"POST {path}: the body is not a JSON object, too deep or too long")
        read = dialect.read(path, value)
        for text, place in places_in(value, self.script.watched):
            self.script.watched[text].add(place)
        before = len(self.script.attempts)
        step = self.script.step(read)
        made = self.script.attempts[before:]
        if made and self.script.before_call:
            await self.script.before_call(made[0].planned)
            now = time.time()
            for attempt in made:
                attempt.at = now
        reply = dialect.write(read, step)
        return Response(reply.body, media_type=reply.media_type)

    async def _body(self, request: Request) -> JsonValue:
        """The body as JSON; None if it is not JSON, nested too deeply, or too long."""
        body = bytearray()
        held = 0
        try:
            async for part in request.stream():
                held += len(part)
                self._held += len(part)
                if held > BODY_MAX or self._held > HELD_MAX:
                    return None
                body += part
            return parse(body, _LIMITS).value
        except (JsonError, ClientDisconnect):
            return None
        finally:
            self._held -= held

    def _is_ours(self, request: Request) -> bool:
        """True if the request has the token, wherever the APIs put their keys."""
        headers = request.headers
        keys = (
            headers.get("authorization", "").removeprefix("Bearer "),
            headers.get("x-api-key", ""),
            headers.get("x-goog-api-key", ""),
            headers.get("api-key", ""),
            request.query_params.get("key", ""),
        )
        return any(hmac.compare_digest(key.encode(), self.token.encode()) for key in keys if key)

    def _refuse(self, words: str) -> Response:
        if len(self.not_understood) < _NOTES_MAX:
            self.not_understood.append(words[:_NOTE])
        return JSONResponse({"error": {"message": words, "code": 404}}, 404)
