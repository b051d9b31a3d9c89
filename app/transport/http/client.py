"""The HTTP client of one server: sealed messages go out, responses come back unread.

Headers and sessions are those of Streamable HTTP (basic/transports). Redirects are followed within
the origin only, as everything in a request was configured for it, and never for a message that
needs an approval: it is written once. Each request and each status is recorded.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import httpx2

from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.findings.findings import Finding, error
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from ..gate import CallGate, Gate, LastGate, OnceGate, SendRefused, without_approval
from ..protocol import DISCOVER, INITIALIZE, MODERN
from ..sign_in.challenge import Demand
from ..sign_in.explaining import demand_of
from ..sign_in.sign_in import SignIn, SignInDeclined, TokenAuth
from ..sign_in.tokens import SignInFailed
from .bodies import EVENTS, SESSION_ID
from .frames import Came, HttpFrames, credentials, header_secrets, hide_tokens
from .param_headers import header_rules
from .reach import (
    DIRECT,
    SOCKET_HOST,
    NoCertificates,
    Reach,
    socket_transport,
    split_socket,
)
from .refusals import CONNECT_SECONDS, broken_words, certificates_words, status_words

if TYPE_CHECKING:
    import ssl
    from types import TracebackType

COURTESY_SECONDS: Final = 5.0
"""For notifications and responses, which get no answer, and which other messages queue behind."""
FAREWELL_SECONDS: Final = 1.0
REDIRECTS_MAX: Final = 5
SIGN_INS_MAX: Final = 5
"""How often one request is sent again with another token."""
_IDENTITY: Final = "signoff.request"
_NUMBER: Final = "signoff.call"
_NAMED_BY: Final = {CALL_METHOD: "name", PROMPT_METHOD: "name", READ_METHOD: "uri"}
"""Which of the params `Mcp-Name` repeats (spec 2026-07-28, basic/transports); tasks likewise, by
the extension `io.modelcontextprotocol/tasks`."""
_PLAIN: Final = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_BYTES: Final = "latin-1"
"""Each byte is one character."""


class NoProxy(Exception):
    """The proxy that the environment names cannot be used; the message is safe to show."""


class NotFollowed(Exception):
    """A redirect that is not followed; `words` are safe to show."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.words = words
        self.status = status


class NotSignedIn(NotFollowed):
    """A response that requires a sign-in, or more rights, which could not be had."""


def request_id(message: dict[str, JsonValue]) -> str | int | None:
    """Return the id of a request; None for a notification or a response."""
    identity = message.get("id") if "method" in message else None
    return identity if isinstance(identity, str | int) else None


class HttpClient:
    """Sends to one URL. The caller closes the responses."""

    def __init__(
        self,
        url: str,
        gate: LastGate,
        frames: HttpFrames,
        headers: Mapping[str, str] | None = None,
        reach: Reach = DIRECT,
        sign_in: SignIn | None = None,
    ) -> None:
        """`headers` are sent with every request, to this origin only; `reach` has the certificates;
        `sign_in` gets tokens.

        Raises NoProxy and NoCertificates.
        """
        url, self.socket = split_socket(url)
        self.verify: ssl.SSLContext | bool = True
        try:
            # Made once, also for the requests of a sign-in: it takes a while.
            self.verify = httpx2.create_ssl_context(reach.context())
            self._web = httpx2.AsyncClient(
                verify=self.verify,
                transport=socket_transport(self.socket),
                timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
                limits=httpx2.Limits(max_connections=None),
                # A compressed answer could unfold to any size.
                headers={"Accept-Encoding": "identity"},
                # There a request has all its headers.
                event_hooks={"request": [self._record]},
                auth=None if sign_in is None else TokenAuth(sign_in),
            )
        except OSError as problem:
            raise NoCertificates(certificates_words(problem)) from problem
        except (ImportError, ValueError) as problem:
            # httpx2 knows SOCKS only with another package, and writes no password.
            is_socks = isinstance(problem, ImportError)
            why = "Signoff does not support SOCKS" if is_socks else str(problem)
            where = "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be used"
            words = visible(cut(why, 200).text)
            raise NoProxy(f"{where}: {words}; unset it, or name the host in NO_PROXY") from problem
        self._url = url
        self.post_url = url
        """Where messages are posted: where the first of them was redirected to, if it was."""
        self._given = dict(headers or {})
        self._gate = gate
        self._frames = frames
        self._sign_in = sign_in
        if sign_in is not None:
            sign_in.reached_by(self.verify, socket_transport(self.socket))
        self._own_secrets = (*credentials(url), *header_secrets(self._given.values()))
        self.session_id = ""
        self.version = ""
        """The revision that was agreed, for a header; empty before."""
        self.param_headers: dict[str, dict[tuple[str, ...], str]] = {}
        """By tool: which of its arguments, by their path, are repeated in which header."""
        self.sent: set[str | int] = set()
        """Requests of which something was written, and whose response is not read to its end."""
        self.demand: Demand | None = None
        """The newest response that a sign-in would answer."""
        self.why_not_signed_in = ""
        """Why the newest sign-in did not succeed, safe to show; empty if none failed."""

    async def __aenter__(self) -> HttpClient:
        await self._web.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._sign_in is not None:
            await self._sign_in.aclose()
        await self._web.__aexit__(kind, problem, trace)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Credentials that no word of a server may repeat."""
        return (*self._own_secrets, *self._tokens)

    def came(self, body: Came) -> Came:
        """Record a body that came; returns it without what Signoff has signed in with."""
        kept = hide_tokens(body, self._tokens)
        self._frames.came(kept)
        return kept

    @property
    def _tokens(self) -> tuple[str, ...]:
        return self._sign_in.secrets if self._sign_in is not None else ()

    async def post(
        self, message: dict[str, JsonValue], gate: Gate | None, number: int, line: bytes = b""
    ) -> httpx2.Response:
        """Send one message, as it came if it is the `line` of a host.

        Raises SendRefused, NotFollowed and httpx2.TransportError.
        """
        headers = self._headers() | await self._routing_headers(message)
        identity = request_id(message)
        extensions: dict[str, Any] = {_NUMBER: number}
        given: dict[str, Any] = {"extensions": extensions}
        if identity is None:
            given["timeout"] = httpx2.Timeout(COURTESY_SECONDS)
        else:
            extensions |= {_IDENTITY: identity, "trace": self._tracer(identity)}
        # Nothing is awaited between the gate and the client.
        content = (
            self._gate.pass_on(line, message, gate) if line else self._gate.seal(message, gate)
        )
        request = self._web.build_request(
            "POST", self.post_url, headers=_encoded(headers), content=content, **given
        )
        again = gate.again if isinstance(gate, CallGate) else without_approval
        return await self._send(
            request,
            lambda: again(message),
            is_written_once=_is_written_once(message) or isinstance(gate, OnceGate),
            may_sign_in=not isinstance(gate, OnceGate),
        )

    async def get(self, last_event_id: str = "") -> httpx2.Response:
        """Open an event stream, after an event if one is named; raises likewise."""
        named = self._headers() | {"Cache-Control": "no-store"}
        if last_event_id:
            named["Last-Event-ID"] = last_event_id.encode().decode(_BYTES)
        headers = _encoded(named)
        return await self._send(self._web.build_request("GET", self._url, headers=headers))

    async def delete(self) -> None:
        """End the session; raises likewise."""
        limit = httpx2.Timeout(FAREWELL_SECONDS)
        response = await self._send(
            self._web.build_request(
                "DELETE", self._url, headers=_encoded(self._headers()), timeout=limit
            )
        )
        await response.aclose()

    @property
    def url(self) -> httpx2.URL:
        return httpx2.URL(self._url)

    def broken_words(self, problem: BaseException, when: str, url: httpx2.URL | None = None) -> str:
        """Describe a broken connection to this server; `when`: how far the response had come."""
        place = self.url if url is None else url
        proxy = self.proxy_of(place)
        return broken_words(place, problem, when=when, proxy=proxy, socket=self.socket)

    def proxy_of(self, url: httpx2.URL) -> str:
        """The host of the proxy that the environment sets between; empty for none."""
        if self.socket:
            return ""
        pool = getattr(self._web._transport_for_url(url), "_pool", None)
        found = getattr(pool, "_proxy_url", None)
        if found is None:
            return ""
        host = bytes(found.host).decode("ascii", "replace")
        return visible(f"{host}:{found.port}" if found.port else host)

    async def _send(
        self,
        request: httpx2.Request,
        may_go_again: Callable[[], None] = lambda: None,
        *,
        is_written_once: bool = False,
        may_sign_in: bool = True,
    ) -> httpx2.Response:
        """`may_go_again` raises SendRefused if the request must not be sent again after a sign-in,
        for which a person may have taken minutes.
        """
        hops = sign_ins = 0
        while True:
            response = await self._web.send(request, stream=True, follow_redirects=False)
            self._frames.answered(response, request.extensions.get(_IDENTITY))
            demand = self._keep_demand(response)
            if demand is not None and sign_ins == SIGN_INS_MAX:
                await response.aclose()
                raise self._never_accepted(response.status_code)
            if may_sign_in and await self._has_signed_in(response, demand):
                # RFC 9110, 15.5.2: what was answered 401 has not been applied.
                may_go_again()
                sign_ins += 1
                continue
            following = response.next_request
            if following is None:
                if hops and request.method == "POST" and response.is_success:
                    self.post_url = str(request.url)
                return response
            await response.aclose()
            hops += 1
            if hops > REDIRECTS_MAX or is_written_once or not _stays(request, following):
                status = response.status_code
                raise NotFollowed(_redirect_words(status, request, following, hops), status)
            following.extensions = dict(request.extensions)
            request = following

    def _never_accepted(self, status: int) -> NotSignedIn:
        told = f"the server answered {status_words(status)} to {SIGN_INS_MAX + 1} tokens"
        words = f"{told}, one after the other; to be fixed by the server's author"
        self.why_not_signed_in = words
        return NotSignedIn(words, status)

    async def _has_signed_in(self, response: httpx2.Response, demand: Demand | None) -> bool:
        """True if a request has to be sent again, with the token of a new sign-in.

        Closes the response then. Raises NotSignedIn.
        """
        sign_in, status = self._sign_in, response.status_code
        if sign_in is None:
            return False
        sent = response.request.headers.get("Authorization", "")
        if status != 401:
            sign_in.accepted(sent)
        if demand is None:
            return False
        try:
            if status == 403:
                await sign_in.rights_demanded(demand, sent)
            else:
                await sign_in.demanded(demand, sent)
        except SignInDeclined:
            return False
        except asyncio.CancelledError:
            await response.aclose()
            raise
        except SignInFailed as failed:
            await response.aclose()
            words = f"the server requires a sign-in ({status_words(status)}): {failed.words}"
            self.why_not_signed_in = failed.words if status == 403 else words
            raise NotSignedIn(self.why_not_signed_in, status) from None
        await response.aclose()
        return True

    def _keep_demand(self, response: httpx2.Response) -> Demand | None:
        """The demand of a response, which is kept; None if a sign-in would not answer it."""
        if response.status_code not in (401, 403):
            return None
        is_direct = not (self.socket or self.proxy_of(response.request.url))
        demand = demand_of(response, is_direct=is_direct)
        if not demand.is_sign_in:
            return None
        self.demand = demand
        return demand

    def _tracer(self, identity: str | int) -> Callable[[str, Any], Awaitable[None]]:
        """Note when a request begins to be written: until then it can be taken back."""

        async def trace(event: str, about: Any) -> None:
            if event.endswith("send_request_headers.started"):
                self.sent.add(identity)

        return trace

    async def _record(self, request: httpx2.Request) -> None:
        body = await request.aread()
        about = request.extensions
        self._frames.sent(request, body, about.get(_IDENTITY), about.get(_NUMBER, 0))

    def keep_session(self, response: httpx2.Response) -> list[Finding]:
        """Keep the session id of a response, if it names one; returns a finding on a malformed one.

        Spec, basic/transports "Session Management": visible ASCII only. The bytes are sent back.
        """
        response.headers.encoding = _BYTES
        self.session_id = response.headers.get(SESSION_ID, "") or self.session_id
        odd = next((at for at, one in enumerate(self.session_id) if not "!" <= one <= "~"), None)
        if odd is None:
            return []
        place = f"byte {ord(self.session_id[odd]):02x} at position {odd + 1}"
        words = f"the session id that the server sent is not visible ASCII: {place}"
        return [error("malformed-session-id", words)]

    def _headers(self) -> dict[str, str]:
        headers = self._given | {
            "Accept": f"application/json, {EVENTS}",
            "Content-Type": "application/json",
        }
        if self.socket:
            headers["Host"] = SOCKET_HOST
        if self.session_id:
            headers[SESSION_ID] = self.session_id
        if self.version:
            headers["MCP-Protocol-Version"] = self.version
        return headers

    async def _routing_headers(self, message: dict[str, JsonValue]) -> dict[str, str]:
        """Headers that repeat the body (spec 2026-07-28, basic/transports). Raises SendRefused."""
        method = str(message.get("method", ""))
        if method == INITIALIZE or (self.version != MODERN and method != DISCOVER):
            return {}
        headers = {"MCP-Protocol-Version": MODERN}
        if not method:
            return headers
        headers["Mcp-Method"] = header_value(method)
        params = message.get("params")
        if isinstance(params, dict):
            key = "taskId" if method.startswith("tasks/") else _NAMED_BY.get(method, "")
            if isinstance(name := params.get(key), str):
                headers["Mcp-Name"] = header_value(name)
            if method == CALL_METHOD:
                headers |= await self._headers_of_arguments(params)
        return headers

    async def _headers_of_arguments(self, params: dict[str, JsonValue]) -> dict[str, str]:
        name, arguments = params.get("name"), params.get("arguments")
        paths = self.param_headers.get(name) if isinstance(name, str) else None
        if paths is None or not isinstance(arguments, dict):
            return {}
        rules = await header_rules()
        try:
            made: dict[str, str] = rules.mcp_param_headers(paths, arguments)
        except UnicodeEncodeError:
            raise SendRefused(_UNENCODABLE) from None
        return made


_UNENCODABLE: Final = "a header would need a text that UTF-8 cannot encode (a lone surrogate)"


def header_value(text: str) -> str:
    """Encode a text for a header, as itself or in base64 (spec 2026-07-28, "Value Encoding").

    Raises SendRefused for what UTF-8 cannot have.
    """
    is_marked = text.startswith("=?base64?") and text.endswith("?=")
    if _PLAIN.fullmatch(text) and not is_marked:
        return text
    try:
        return f"=?base64?{b64encode(text.encode()).decode('ascii')}?="
    except UnicodeEncodeError:
        raise SendRefused(_UNENCODABLE) from None


def _encoded(headers: Mapping[str, str]) -> httpx2.Headers:
    """Headers whose characters are bytes, so that a session id is sent back as it came."""
    return httpx2.Headers(headers, encoding=_BYTES)


def _is_written_once(message: dict[str, JsonValue]) -> bool:
    """True for what needs an approval of its own: calls, reads, prompt requests and replies."""
    return message.get("method") in {*_NAMED_BY} or "method" not in message


def _stays(request: httpx2.Request, following: httpx2.Request) -> bool:
    """True if a redirect is followed: same method, same origin, or from http to https there."""
    here, there = request.url, following.url
    is_upgrade = (here.scheme, there.scheme, here.port, there.port) == ("http", "https", None, None)
    same = (here.scheme, here.port) == (there.scheme, there.port) or is_upgrade
    is_ours = not there.userinfo or there.userinfo == here.userinfo
    return request.method == following.method and here.host == there.host and same and is_ours


def _redirect_words(
    status: int, request: httpx2.Request, following: httpx2.Request, hops: int
) -> str:
    there = following.url.copy_with(userinfo=b"", query=None, fragment=None)
    where, why = visible(cut(str(there), 200).text), ""
    if hops > REDIRECTS_MAX:
        return f"the server redirects in a circle ({hops} times, last to {where})"
    if request.url.scheme == "https" and there.scheme == "http":
        why = "from https to http"
    elif request.url.host != there.host or request.url.port != there.port:
        why = "to another origin"
    elif request.method != following.method:
        why = "in a way that loses the message"
    else:
        why = "which would write an approved message again"
    use = "use that URL if it is the right server"
    return f"the server redirects to {where} ({status_words(status)}), {why}; not followed: {use}"
