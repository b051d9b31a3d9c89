"""A server process between which and a host messages pass as they came."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...content.json.jsonio import JsonValue
from ...platforms.ending_with_parent import ends_with_parent
from ...protocol.server_requests.capabilities import relayed_capabilities
from ...protocol.wire.frames import WireLog
from ..events import Ended, Greeting, LinkEvent, Listener, Reply
from ..gate import Gate
from ..host import HostPipe
from ..messages import classify
from ..relaying import Relaying
from .inbound import Inbound, Message, MessageReader
from .lines import Line, Overlong
from .stdio import StdioLink

if TYPE_CHECKING:
    from ...calls.effects.watch import Watch
    from ..peer import Peer, PendingRequest


class RelayLink(Relaying, StdioLink):
    """One server process, and the host that speaks to it."""

    def __init__(
        self,
        argv: Sequence[str],
        host: HostPipe,
        *,
        holds: bool,
        env: Mapping[str, str] | None = None,
        wire: WireLog | None = None,
        watch: Watch | None = None,
        shown: Sequence[str] = (),
        experimental: frozenset[str] = frozenset(),
    ) -> None:
        """`env` is all that the server is started with, as the host gave it; `experimental` the
        names of drafts that are read along.
        """
        Relaying.__init__(self, host, holds=holds)
        self._declare(experimental)
        StdioLink.__init__(
            self,
            argv,
            env,
            capabilities=relayed_capabilities(experimental),
            wire=wire,
            watch=watch,
            shown=shown,
            prefix=self.ours,
            start_as=ends_with_parent,
        )
        # The variables of a host change from start to start, and the server with them does not.
        words = tuple(shown) or self.argv
        self.identity = json.dumps(["stdio", os.getcwd(), [], words])
        self._bound_env = {}
        self.command = shlex.join(words)

    def begin(self) -> None:
        """Start the process, and relay from now on. Needs no event loop."""
        peer = self._life.start()
        if peer is None:
            return
        # Its end is reported from now on: no handshake is waited for.
        self._life.note_greeted(lambda: None)
        peer.meta = lambda: self.own_meta
        self._begin_to_read()

    def attach(self, listener: Listener) -> None:
        """Give events to `listener`; then the calls that the host has made so far."""
        super().attach(listener)
        self._let_early_go()

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        """Do what `request_of_host` does: the params are those of the host's line."""
        return await self.request_of_host(pending)

    def end_input(self) -> None:
        """Close the input of the server, as the host closed ours."""
        process = self._life.process
        if process is not None:
            process.end_input()

    @property
    def has_passed_all(self) -> bool:
        """True once all that the process wrote was given to the host."""
        process = self._life.process
        return self.host.is_broken or process is None or process.is_read

    def _post_line(
        self, line: bytes, message: dict[str, JsonValue] | None, gate: Gate | None, number: int
    ) -> None:
        process = self._life.process
        if process is not None:
            process.send(self._life.gate.pass_on(line, message or {}, gate), number)

    def _put(self, action: Callable[[], None]) -> None:
        self._announcing.on_loop(action)

    def _tell_event(self, event: LinkEvent) -> None:
        self._announcing.emit(event)

    def _take_greeting(self, greeting: Greeting) -> None:
        peer = self._life.peer
        self._greeting = greeting
        if peer is not None:
            peer.version = greeting.version
        super()._take_greeting(greeting)

    def _reader(self, peer: Peer) -> Callable[[Line], None]:
        reader = MessageReader()

        def take(line: Line) -> None:
            if isinstance(line, Overlong):
                chunks = () if line.whole is None else line.whole.chunks()
                self._pass_back((*chunks, b"\n"), reader.read(line))
                return
            # A bytearray is emptied by the reader.
            raw = bytes(line) + b"\n"
            found = reader.read(line)
            own = self._own(found) if self._mark in raw else []
            if not own:
                self._pass_back((raw,), found)
                return
            for one in own:
                peer.take(classify(one.body))
            for other in found:
                if isinstance(other, Message) and other not in own:
                    line = json.dumps(other.body, separators=(",", ":")).encode("ascii")
                    self._pass_back((line + b"\n",), (other,))

        return take

    def _own(self, found: Sequence[Inbound]) -> list[Message]:
        """The responses to requests of Signoff's own."""
        return [one for one in found if isinstance(one, Message) and self._is_ours(one.body)]

    def _tell(self, event: LinkEvent) -> None:
        if isinstance(event, Ended):
            self.lose(event.words)
        super()._tell(event)
