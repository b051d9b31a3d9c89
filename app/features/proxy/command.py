"""`signoff proxy`: a server for a host, and a client of the real server behind it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from ...calls.effects.deeds import Method
from ...calls.effects.watch import Watch
from ...cli.command import Command
from ...cli.options.declared import add_options, opt, options, read_values
from ...cli.options.parser import Parser, seconds
from ...cli.options.session import SessionOptions, Use, add_session, read_session
from ...cli.output.printing import print_error, tell
from ...cli.targets.live import run
from ...cli.targets.session import prepared_session
from ...cli.targets.targets import UsageError
from ...content.frozen import frozen
from ...content.text import visible
from ...engine.engine import Engine
from ...engine.events import EngineEvent
from ...engine.findings import KeptFrames
from ...engine.session_config import SessionConfig, Target
from ...hosts.entries.proxied import read_header_env
from ...platforms.collector import collect_seldom
from ...presentation.exit_status import ExitStatus
from ...presentation.feature import hook
from ...protocol.server import Server
from ...storage.state_dir import StoreError
from ...transport.host import HostPipe
from ...transport.stdio.relay import RelayLink
from .faults import FAULTS, Fault, FaultError
from .session import DENIALS, TOOL_ERROR, ProxySession, RelayingLink

_NO_LIMIT: Final = 1e8
"""Seconds: the time limits of a call are those of the host."""


@options
class ProxyOptions(NamedTuple):
    """Options of `proxy`."""

    url_env: str | None = opt(
        "--url-env NAME", "the variable with the URL of the server, if the URL has a secret"
    )
    header_env: tuple[str, ...] = opt(
        "--header-env NAME=VARIABLE",
        "send this header to the URL, with its value from a variable (NAME='Bearer VARIABLE': with "
        "Bearer before it), in a form that no host fills in itself",
    )
    hold: float | None = opt(
        "--hold S",
        "deny a held call after S seconds without an answer (default: somewhat less than the host "
        "was measured to wait, see signoff hosts; 45 for others)",
        type=seconds,
    )
    denial: str = opt(
        "--deny-as",
        "give the host a denial as the result of the tool, which most models read, or as a "
        "JSON-RPC error",
        choices=DENIALS,
        default=TOOL_ERROR,
    )
    listen: str = opt(
        "--listen [HOST:]PORT",
        "let hosts connect by Streamable HTTP to this port of this machine, at /mcp (0: any free "
        "one), each session to a server process of its own (default: the host starts signoff "
        "proxy, and speaks to it on stdio)",
    )
    html: str = opt(
        "--html FILE",
        "write a page to FILE at the end: what ran, what was asked, and what other hosts would "
        "have asked",
    )
    write_baseline: str = opt(
        "--write-baseline FILE",
        "write the decisions of twelve hosts on the tools that this host got to FILE at the end, "
        "for signoff decide --baseline",
    )
    fault: str = opt(
        "--fault KIND[:N]",
        f"be a server on its worst day, as a test of the host: {', '.join(FAULTS)}",
    )


class Proxy(NamedTuple):
    """The command, with its options."""

    session: SessionOptions
    own: ProxyOptions

    def run(self, argv: tuple[str, ...]) -> int:
        session = _with_variables(self.session, self.own)
        if not (argv or session.has_target):
            raise UsageError(
                "give the command of the server: signoff proxy -- COMMAND [ARG...], or its "
                "--url URL"
            )
        given = session._replace(
            record=_unused(self.session.record), capture=_unused(self.session.capture)
        )
        if given.scratch is None:
            # It is watched in its own folder; a scratch folder would change its work.
            given = given._replace(evidence=False, evidence_by=None)
        with prepared_session(given, argv) as prepared:
            collect_seldom()
            prepared.tell_mistakes()
            holds = self.session.policy is not None or self.session.host is not None
            _check_fault(self.own.fault)
            if self.own.fault and holds:
                raise UsageError("--fault is a test of a host: leave out --policy and --as")
            config = replace(prepared.config, timeout=_NO_LIMIT, max_time=_NO_LIMIT)
            wire = config.target.wire
            kept = KeptFrames(wire.sink) if self.own.write_baseline else None
            wire.sink = kept if kept is not None else wire.sink
            watches = self.session.evidence or self.session.evidence_by is not None
            if watches and config.target.url:
                raise UsageError("--url servers cannot be watched: only started ones can")
            plan = _Plan(config, self.own, holds, watches, self.session.evidence_by or "", kept)
            return run(_on_http(plan, self.own.listen) if self.own.listen else _on_stdio(plan))


def add(proxy: Parser) -> None:
    proxy.usage = f"{proxy.prog} [OPTIONS] -- COMMAND [ARG...]"
    add_options(proxy, ProxyOptions)
    add_session(
        proxy,
        {Use.ONE_CONNECTION, Use.POLICY, Use.TRUST, Use.RECORD, Use.EVIDENCE, Use.RELAYS},
    )
    proxy.set_defaults(read_command=_read)


def _read(given: argparse.Namespace) -> Command:
    return Proxy(read_session(given), read_values(ProxyOptions, given))


def _with_variables(session: SessionOptions, own: ProxyOptions) -> SessionOptions:
    """The options with the URL and the headers of variables. Raises UsageError."""
    url = session.url
    if own.url_env is not None:
        if url is not None:
            raise UsageError("give --url or --url-env, not both")
        url = _variable("--url-env", own.url_env)
    headers = []
    for one in own.header_env:
        name, scheme, variable = read_header_env(one)
        if not (name and variable):
            raise UsageError("--header-env: expected NAME=VARIABLE or NAME='Bearer VARIABLE'")
        _variable("--header-env", variable)
        headers.append(f"{name}={scheme}${variable}")
    return session._replace(url=url, headers=(*session.headers, *headers))


def _variable(option: str, name: str) -> str:
    if name not in os.environ:
        raise UsageError(f"{option}: the environment has no variable {visible(name)}")
    return os.environ[name]


def _unused(path: str | None) -> str | None:
    """A name for a file that is not there yet: a host starts a proxy again and again."""
    if path is None or not os.path.lexists(path):
        return path
    folder, name = os.path.split(path)
    begin, dot, end = name.partition(".")
    number = 2
    while os.path.lexists(found := os.path.join(folder, f"{begin}-{number}{dot}{end}")):
        number += 1
    return found


def _check_fault(words: str) -> None:
    """Raises UsageError."""
    try:
        if words:
            Fault(words)
    except FaultError as problem:
        raise UsageError(f"--fault: {problem}") from None


@frozen
class _Plan:
    """What every session of the proxy is made with."""

    config: SessionConfig
    own: ProxyOptions
    holds: bool
    watches: bool
    """Whether the process of each server is watched, in its own folder."""
    method: str
    """How it is watched; empty for the best that works."""
    kept: KeptFrames | None = None
    """The messages of which a baseline is made."""

    def link(self, host: HostPipe) -> RelayingLink:
        """A link on which this host speaks."""
        target = self.config.target
        if self.watches and target.watch is None:
            try:
                watch = Watch(Method(self.method) if self.method else None, stays=True)
            except OSError as problem:
                raise UsageError(f"it cannot be watched: {problem}") from None
            target = replace(target, watch=watch)
        link = _link(target, host, holds=self.holds)
        link.delays = target.watch is not None
        if self.own.fault:
            fault = Fault(self.own.fault)
            fault.end_server = link.kill
            link.alter = fault
        return link


async def _on_stdio(plan: _Plan) -> int:
    """Relay for the host that started this program; returns the exit status."""
    server = await _relay(plan, HostPipe())
    if not server.ended_words:
        return ExitStatus.OK
    if server.exit_code is None:
        print_error(server.ended_words)
        return ExitStatus.LOST
    return server.exit_code if server.exit_code >= 0 else 128 - server.exit_code


async def _on_http(plan: _Plan, place: str) -> int:
    """Relay for every host that connects, until Ctrl+C; returns the exit status."""
    from ...transport.http.listening import HostsServer, HttpHost

    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[Server]] = set()

    def begin(host: HttpHost) -> None:
        task = asyncio.create_task(_relay(plan, host))
        running.add(task)

        def ended(done: asyncio.Task[Server]) -> None:
            running.discard(done)
            host.end()

        task.add_done_callback(ended)

    def begin_soon(host: HttpHost) -> None:
        loop.call_soon_threadsafe(begin, host)

    name, _, port = place.rpartition(":")
    try:
        hosts = HostsServer(
            name or "127.0.0.1",
            int(port),
            begin_soon,
        )
    except (OSError, ValueError, OverflowError) as problem:
        raise UsageError(f"--listen {visible(place)}: {problem}") from None
    tell(f"signoff: hosts connect to {hosts.url}")
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.to_thread(hosts.close)
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return ExitStatus.OK


async def _relay(plan: _Plan, host: HostPipe) -> Server:
    """One session, until host or server has ended; returns the server as it was last."""
    own, target, link = plan.own, plan.config.target, plan.link(host)
    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(link.close)
        link.begin()
        engine = plan.config.engine(link)
        closing.pop_all()
        closing.push_async_callback(engine.close)
        stderr = _Stderr(engine)
        engine.subscribe(stderr.heard)
        session = ProxySession(engine, link, target, hold=own.hold, denial=own.denial)
        try:
            session.hub.open()
        except (OSError, StoreError) as problem:
            print_error(f"signoff watch cannot show this proxy: {problem}")
        closing.callback(session.hub.close)
        if link.watch is not None:
            closing.callback(link.watch.close)
        engine.open()
        try:
            await session.run()
        finally:
            await asyncio.sleep(0)
            stderr.heard(None)
        if own.html:
            await asyncio.to_thread(hook("session page"), engine, _unused(own.html))
        if plan.kept is not None:
            write = hook("session baseline")
            await write(engine, plan.kept.frames, _unused(own.write_baseline))
        return engine.server


def _link(target: Target, host: HostPipe, *, holds: bool) -> RelayingLink:
    if not target.url:
        return RelayLink(
            target.argv,
            host,
            holds=holds,
            env={**os.environ, **dict(target.env)},
            wire=target.wire,
            watch=target.watch,
            shown=target.shown,
            experimental=target.experimental,
        )
    from ...transport.http.relay import HttpRelayLink

    return target.over_http(partial(HttpRelayLink, host, holds=holds))


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
