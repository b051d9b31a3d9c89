"""`signoff proxy`: a server for a host, and a client of the real server behind it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from dataclasses import replace
from typing import Final, NamedTuple

from ...cli.command import Command
from ...cli.options.declared import add_options, opt, options, read_values
from ...cli.options.parser import Parser, seconds
from ...cli.options.session import SessionOptions, Use, add_session, read_session
from ...cli.output.printing import print_error, tell
from ...cli.targets.live import run
from ...cli.targets.session import PreparedSession, prepared_session
from ...cli.targets.targets import UsageError
from ...content.text import visible
from ...engine.engine import Engine
from ...engine.events import EngineEvent
from ...engine.session_config import Target
from ...platforms.collector import collect_seldom
from ...presentation.exit_status import ExitStatus
from ...protocol.server_requests.capabilities import NO_CAPABILITIES
from ...storage.state_dir import StoreError
from ...transport.host import HostPipe
from ...transport.stdio.relay import RelayLink
from .session import DENIALS, TOOL_ERROR, ProxySession, RelayingLink

_NO_LIMIT: Final = 1e8
"""Seconds: the time limits of a call are those of the host."""


@options
class ProxyOptions(NamedTuple):
    """Options of `proxy`."""

    hold: float | None = opt(
        "--hold S",
        "deny a held call after S seconds without an answer (default: somewhat less than the host "
        "was measured to wait, see signoff hosts; 45 for others)",
        type=seconds,
    )
    denial: str = opt(
        "--deny-as",
        "tell the host of a denial as the result of the tool, which most models read, or as a "
        "JSON-RPC error",
        choices=DENIALS,
        default=TOOL_ERROR,
    )


class Proxy(NamedTuple):
    """The command, with its options."""

    session: SessionOptions
    own: ProxyOptions

    def run(self, argv: tuple[str, ...]) -> int:
        if not (argv or self.session.has_target):
            raise UsageError(
                "give the command of the server: signoff proxy -- COMMAND [ARG...], or its "
                "--url URL"
            )
        with prepared_session(self.session, argv) as prepared:
            collect_seldom()
            prepared.tell_mistakes()
            holds = self.session.policy is not None or self.session.host is not None
            return run(_relay(prepared, self.own, holds=holds))


def add(proxy: Parser) -> None:
    proxy.usage = f"{proxy.prog} [OPTIONS] -- COMMAND [ARG...]"
    add_options(proxy, ProxyOptions)
    add_session(proxy, {Use.ONE_CONNECTION, Use.POLICY, Use.TRUST, Use.RECORD})
    proxy.set_defaults(read_command=_read)


def _read(given: argparse.Namespace) -> Command:
    return Proxy(read_session(given), read_values(ProxyOptions, given))


async def _relay(prepared: PreparedSession, own: ProxyOptions, *, holds: bool) -> int:
    config = replace(prepared.config, timeout=_NO_LIMIT, max_time=_NO_LIMIT)
    target = config.target
    link = _link(target, holds=holds)
    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(link.close)
        link.begin()
        engine = config.engine(link)
        closing.pop_all()
        closing.push_async_callback(engine.close)
        stderr = _Stderr(engine)
        engine.subscribe(stderr.heard)
        session = ProxySession(engine, link, target, hold=own.hold, denial=own.denial)
        try:
            session.hub.open()
        except (OSError, StoreError) as problem:
            print_error(f"nobody can watch: {problem}")
        closing.callback(session.hub.close)
        engine.open()
        try:
            await session.run()
        finally:
            await asyncio.sleep(0)
            stderr.heard(None)
        server = engine.server
        if not server.ended_words:
            return ExitStatus.OK
        if server.exit_code is None:
            print_error(server.ended_words)
            return ExitStatus.LOST
        return server.exit_code if server.exit_code >= 0 else 128 - server.exit_code


def _link(target: Target, *, holds: bool) -> RelayingLink:
    host = HostPipe()
    if not target.url:
        return RelayLink(
            target.argv,
            host,
            holds=holds,
            env={**os.environ, **dict(target.env)},
            wire=target.wire,
            shown=target.shown,
        )
    from ...transport.http.reach import Reach
    from ...transport.http.relay import HttpRelayLink

    return HttpRelayLink(
        host,
        target.url,
        target.protocol,
        NO_CAPABILITIES,
        target.wire,
        dict(target.headers),
        "".join(target.shown),
        target.transport,
        Reach(target.ca, target.is_insecure),
        target.credentials,
        target.browser,
        holds=holds,
    )


class _Stderr:
    """Passes on what the server writes to its stderr: the host keeps it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._passed = 0

    def heard(self, event: EngineEvent | None) -> None:
        new = self._engine.stderr_count - self._passed
        if new <= 0:
            return
        self._passed += new
        for line in list(self._engine.stderr)[-new:]:
            if sys.stderr.isatty():
                tell(visible(line))
            else:
                with contextlib.suppress(OSError, ValueError):
                    sys.stderr.write(f"{line}\n")
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
