"""Events of a link and answers to its requests: facts about one server, immutable values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Final, Literal

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..protocol.findings.findings import Finding
from ..protocol.rpc import Oversized, RpcError
from ..protocol.server import VersionSource

if TYPE_CHECKING:
    from .sign_in.asking import SignInAsking, SignInVisit

Era = Literal["modern", "legacy"]
"""Without or with the initialize handshake."""


@frozen
class Stage:
    """Connecting goes on; `words` name what it waits for."""

    words: str


@frozen
class Started:
    """A server process runs. `pid` is the operating system's."""

    pid: int


@frozen
class Greeting:
    """Result of `initialize` or `server/discover`. `info` describes the server: raw, untrusted."""

    era: Era
    version: str
    info: dict[str, JsonValue]
    capabilities: dict[str, JsonValue]
    instructions: str
    raw: JsonValue = field(repr=False)
    basis: VersionSource = VersionSource.SAID


@frozen
class Listing:
    """All entries of tools/list, raw, in the order of the server."""

    entries: tuple[JsonValue, ...]
    findings: tuple[Finding, ...] = ()
    missing: str = ""
    """Why the server may have more than these entries; empty if the list is whole."""
    first_page: int = 0
    """The number of entries on the first page; 0 if it is the only one."""


@frozen
class ListChanged:
    """The server notified a change of its tools, or may have had one that it could not announce."""

    is_announced: bool = True


@frozen
class OfferListChanged:
    """The server notified a change of another list: `resources` or `prompts`."""

    capability: str


@frozen
class ResourceUpdated:
    """The server notified an update of a resource. `uri` is raw."""

    uri: str


@frozen
class Subscribed:
    """The server confirmed a subscription to updates of `uris`, which are raw."""

    uris: tuple[str, ...]


@frozen
class Stderr:
    """Lines that the server wrote to stderr, raw, without their line ends."""

    lines: tuple[str, ...]


@frozen
class Logged:
    """A log message of the server; all of it is raw (spec, server/utilities/logging)."""

    level: JsonValue
    logger: JsonValue
    data: JsonValue = field(repr=False)


@frozen
class Noticed:
    """Something on the wire that breaks or bends the protocol."""

    finding: Finding


@frozen
class Blocked:
    """The last gate stopped a message that no approval covers. `id` is that of the request."""

    finding: Finding
    method: str
    id: JsonValue


@frozen
class Ended:
    """The server is gone. `code` is its exit status, negative for a signal, None for HTTP."""

    words: str
    pid: int | None = None
    code: int | None = None
    last_words: tuple[str, ...] = ()
    needs_sign_in: bool = False
    """Whether the reason is a sign-in that the server requires."""


Ending = Literal["unreadable", "not-taken", "server-failed"]
"""The kind of failure in place of a response. "unreadable": invalid data came. "not-taken": a
refusal or a failed connection, so the request was not carried out as far as is known.
"server-failed": a failure that leaves it open.
"""


@frozen
class Requested:
    """The server asks for something, and waits for `Link.answer`. `params` are raw."""

    id: str | int
    method: str
    params: JsonValue


@frozen
class Withdrawn:
    """The server cancels a request of its own: no answer is to be given any more."""

    id: str | int


@frozen
class ElicitationComplete:
    """The server reported a URL elicitation as complete. `id` is the elicitation's, raw."""

    id: str


@frozen
class SignInAsked:
    """A sign-in is needed, and a person is to decide."""

    asking: SignInAsking


@frozen
class SignInOpened:
    """The page of an allowed sign-in is ready to be opened."""

    visit: SignInVisit


@frozen
class SignInClosed:
    """The question or the visit is over."""

    words: str = ""
    """Why it ended without a token, safe to show; empty if it did not."""


SignInEvent = SignInAsked | SignInOpened | SignInClosed
"""Steps of a sign-in that a person sees."""
FromServer = Requested | Withdrawn | ElicitationComplete
"""What a server wants of a person."""
LinkEvent = (
    Stage
    | Started
    | Greeting
    | Listing
    | ListChanged
    | OfferListChanged
    | ResourceUpdated
    | Subscribed
    | Stderr
    | Logged
    | Noticed
    | Blocked
    | Requested
    | Withdrawn
    | ElicitationComplete
    | SignInAsked
    | SignInOpened
    | SignInClosed
    | Ended
)
Listener = Callable[[LinkEvent], None]


NOT_ATTACHED: Final = "the link is not attached"


@frozen
class Reply:
    """Response to one call: exactly one of a raw result, an error or a problem.

    `problem` is the reason, in words, for a missing response, if known, and `ending` its meaning
    for the request; `lost` means that no response can come any more.
    """

    result: JsonValue = None
    has_result: bool = False
    error: RpcError | None = None
    problem: str = ""
    oversized: Oversized | None = None
    """What came, where the problem is its size."""
    lost: bool = False
    why_unfinished: str = ""
    """Why what the server asks for in it was not given, in words."""
    ending: Ending = "unreadable"
    findings: tuple[Finding, ...] = ()


@frozen
class ConnectionClosed:
    """No answer can come any more: the process ended, or the link was closed."""


@frozen
class NoResponse:
    """No answer came in time."""


Answered = dict[str, JsonValue] | RpcError | ConnectionClosed | NoResponse


def answered(reply: Reply) -> Answered:
    """Return a reply as the answer to a request other than a call."""
    if reply.lost:
        return ConnectionClosed()
    if reply.error is not None:
        return reply.error
    if isinstance(reply.result, dict):
        return reply.result
    return RpcError(None, reply.problem or "the result is not an object")


def read_error(problem: dict[str, JsonValue]) -> RpcError:
    """Read the `error` of a response."""
    message = problem.get("message")
    return RpcError(
        problem.get("code"),
        message if isinstance(message, str) else "(no message)",
        problem.get("data"),
    )


def reply_in(body: dict[str, JsonValue]) -> Reply:
    """Read a response as the reply to its request."""
    if isinstance(problem := body.get("error"), dict):
        return Reply(error=read_error(problem))
    if "result" not in body:
        return Reply(problem="the response has neither a result nor an error")
    return Reply(result=body["result"], has_result=True)
