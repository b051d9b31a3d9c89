"""Transports: the interface of a link to a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

# Nothing is imported here at run time: an import of any module of the link runs this first, and the
# server is started after it.
if TYPE_CHECKING:
    from ..approval.fingerprint import ServerFingerprint
    from ..calls.effects.watch import Watch
    from ..content.json.jsonio import JsonValue
    from ..protocol.rpc import RpcError
    from ..protocol.server_requests.capabilities import ClientCapabilities
    from ..protocol.wire.frames import WireLog
    from .events import Answered, Listener, Listing, Reply, Requested
    from .gate import Gate
    from .peer import PendingRequest


class NoLink(Exception):
    """A link to a server cannot even be made; why, in words of our own that are safe to show."""


class Link(Protocol):
    """One way to one server. Everything but `begin` and `kill` belongs on the event loop."""

    command: str
    """The exact command line or URL, for people."""
    identity: str
    """Which server is meant, from one run to the next, whatever runs as it."""
    lenient: tuple[str, ...]
    """Checks of a sign-in that the person has set aside, in the words of `--lenient`."""
    capabilities: ClientCapabilities
    """The capabilities that are declared to the server."""
    wire: WireLog
    """All that was sent and received."""

    watch: Watch | None
    """What sees what the server's process does; None where nothing does."""

    log_level: str
    """The lowest level of log messages that requests ask for since 2026-07-28; empty if it is not
    set in them. Before that a server gets it once, by `logging/setLevel`.
    """

    def begin(self) -> None:
        """Start connecting at once; needs no event loop."""

    def attach(self, listener: Listener) -> None:
        """Deliver past and future events to `listener`."""

    async def fingerprint(self, key: bytes) -> ServerFingerprint | None:
        """Return the program that runs as the server, examined once; None if only its identity is
        known. `key` is that of the keyed digests.
        """

    def changed_files(self) -> tuple[str, ...]:
        """Return the names of the program's files that are others on disk than at its start.

        May block, and may be called from any thread.
        """

    async def list_tools(self) -> Listing | None:
        """List the tools again; None if that failed."""

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        """Send a call: a request that needs approval, which its gate compares in the last moment.

        Cancelling the task cancels the call on the wire.
        """

    async def ask(
        self,
        method: str,
        params: dict[str, JsonValue],
        seconds: float | None = 30.0,
        gate: Gate = ...,
    ) -> Answered:
        """Make a request that needs no approval; `seconds` None waits until the end.

        `gate` compares one that carries the arguments of a call. Cancelling the task cancels it on
        the wire.
        """

    async def send_raw(
        self,
        message: dict[str, JsonValue],
        seconds: float | None = 30.0,
        gate: Gate = ...,
    ) -> Answered | None:
        """Send a whole message unchanged; the caller has had it approved.

        `gate` as for `ask`. A request has a new id of Signoff's own. Returns None for messages
        without a response.
        """

    def request_meta(self) -> dict[str, JsonValue]:
        """Return the `_meta` that the params of each request carry; empty if none."""

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        """Answer what the server asked for: a result, or an error. Returns at once."""

    def tell_roots_changed(self) -> None:
        """Notify the server of changed roots, if its revision has that notification."""

    async def close(self) -> None:
        """End the connection, and a process with all that it started."""

    def kill(self) -> None:
        """End a process at once, from any thread."""
