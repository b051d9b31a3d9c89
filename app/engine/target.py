"""A server and how to reach it: by a command, or by its URL."""

from __future__ import annotations

import json
import os
from dataclasses import field
from typing import TYPE_CHECKING

from ..analysis.evidence.scratch import SCRATCH
from ..content.frozen import frozen
from ..protocol.wire.frames import WireLog
from ..transport import NoLink

if TYPE_CHECKING:
    from ..analysis.evidence.watch import Watch
    from ..transport import Link


@frozen
class Target:
    """A server by command (`argv`) or by `url`; exactly one of them is set."""

    name: str
    argv: tuple[str, ...] = ()
    url: str = ""
    is_bundled: bool = False
    folder: str = ""
    """Where the server's process starts; empty for the folder of this program."""
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Variables for the server's process, beyond the few that every server inherits."""
    shown: tuple[str, ...] = ()
    """The words of the command, or the URL, without secrets that were filled in; empty: as is."""
    configured: tuple[str, ...] = ()
    """The configuration file and the name in it; empty for any other server."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Headers of every request to `url`."""
    apart: str = ""
    """Its name in a session, if another server there is started in exactly the same way: approvals
    of one count for no other. Empty otherwise."""
    is_trusted: bool = False
    """Whether the person's own entry trusts its hints, unless an option decides."""
    policy: str = ""
    """The policy of that entry, likewise; empty for none."""
    roots: tuple[str, ...] = ()
    """The roots of that entry, likewise."""
    transport: str = "auto"
    """How `url` is reached: auto, http (Streamable HTTP alone) or sse (HTTP+SSE of 2024-11-05)."""
    protocol: str = "auto"
    """Which era to ask for: auto, legacy or a revision without the handshake."""
    without: frozenset[str] = frozenset()
    """Capabilities that are not declared to the server, so that it must not use them."""
    wire: WireLog = field(default_factory=WireLog, compare=False, repr=False)
    """All that is sent and received, over every link that is made to it."""

    watch: Watch | None = field(default=None, compare=False, repr=False)
    """The observer of the server's process, if one is set."""

    def link(self) -> Link:
        """A link that has not begun yet. Raises NoLink if none can be made."""
        link = self._link()
        if self.apart:
            link.identity = (
                f"{link.identity} {json.dumps(self.apart)}"
                if self.url
                else json.dumps([*json.loads(link.identity), self.apart])
            )
        return link

    def _link(self) -> Link:
        from ..protocol.server_requests.capabilities import ClientCapabilities

        capabilities = ClientCapabilities(self.without)
        if self.url:
            from ..transport.http.http import HttpLink

            return HttpLink(
                self.url,
                self.protocol,
                capabilities,
                self.wire,
                dict(self.headers),
                "".join(self.shown),
                self.transport,
            )
        from ..transport.stdio.stdio import StdioLink

        try:
            return StdioLink(
                self.argv,
                self._variables(),
                self.protocol,
                capabilities,
                self.wire,
                self.watch,
                self.folder,
                self.shown,
            )
        except OSError as problem:
            raise NoLink(_why_no_link(problem)) from None

    def _variables(self) -> dict[str, str]:
        """The variables, with the path of the scratch folder if the server is watched."""
        if self.watch is None:
            return dict(self.env)
        return {name: value.replace(SCRATCH, self.watch.scratch) for name, value in self.env}


def _why_no_link(problem: OSError) -> str:
    try:
        os.getcwd()
    except OSError:
        return (
            "the folder that Signoff was started in was deleted, and approvals are bound to it: "
            "start Signoff in an existing folder"
        )
    return f"the server cannot be started: {(problem.strerror or 'the system refuses').lower()}"
