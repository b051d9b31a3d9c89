"""Opens an engine without a screen for one command, or several at once, and closes each in order.

Also restores the terminal around Ctrl+Z.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from ...approval.trusting import TrustEffect, told_in_a_line
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.suggest import LONGEST, did_you_mean, shown_name
from ...content.text import cut, visible
from ...engine.engine import Engine
from ...engine.events import EngineEvent
from ...engine.session_config import SessionConfig
from ...platforms import jobs
from ...platforms.signals import ENDING, HANG_UP, hear
from ...platforms.vanishing import hang_up_with_terminal, outlives_hang_up
from ...presentation.exit_status import ExitStatus
from ...protocol.findings.findings import stdout_noise, why_left_out
from ...protocol.server import LATE_SECONDS, Phase, Server
from ...protocol.tool import ToolDefinition, filter_tools
from ...storage.fault_log import watch_loop
from ..approving.approvers import LineApprover
from ..approving.keyboard import Keyboard
from ..approving.start_consent import is_person_there
from ..output.printing import Hiding, print_error, tell
from ..output.readable import ended_lines, stderr_words
from .targets import UsageError

if TYPE_CHECKING:
    from ...calls.call import Call
    from ...calls.effects.watch import Watch
    from ...engine.calls.context import Approver
    from ...protocol.wire.frames import WireLog

T = TypeVar("T")

SUGGESTED = 3
"""Names of tools that are suggested in place of an unknown one."""
STEP_SECONDS = 0.5
"""How often a limit is compared while a person may be signing in."""
STDERR_SHOWN = 5
"""Lines of stderr beside the words on a slow start."""
SUGGESTED_FOR = 200
"""Characters of a name that is looked for, and repeated."""


class OpenSession(Protocol):
    """A session of plain mode, on whose server a command works."""

    def rows(
        self, kind: str, found: Sequence[T], key: Callable[[T], str], text: Callable[[T], str]
    ) -> list[tuple[str, T]]:
        """The rows of a list that have all typed words in their `text`, each with its number.

        A number means the `key` of its row until the list of this kind is printed again.
        """

    async def ended(self, begin: Callable[[], int], *, is_told: bool) -> Call:
        """Begin a call, follow it to its end, and print it if `is_told`."""


@frozen
class Options:
    """A session and the output of a command with a server."""

    config: SessionConfig
    as_json: bool = False
    shows_secrets: bool = False
    """True if the output may hold secrets; they are masked otherwise."""
    tells_trust: bool = False
    """True to note on stderr which calls a trusted server may run without asking: trust was set by
    an option, without the dialog that lists them.
    """
    late_seconds: float = LATE_SECONDS
    """Seconds until a note on stderr names the cause of the wait."""
    session: OpenSession | None = None
    """The session that the server was opened for; None if it is opened for this command."""

    def rows(
        self, kind: str, found: Sequence[T], key: Callable[[T], str], text: Callable[[T], str]
    ) -> list[tuple[str, T]]:
        """The rows of a list, each with its number, which is empty on a command line."""
        if self.session is None:
            return [("", one) for one in found]
        return self.session.rows(kind, found, key, text)

    def tool_rows(self, tools: Sequence[ToolDefinition]) -> list[tuple[str, ToolDefinition]]:
        """The same for tools."""
        return self.rows(
            "tool",
            tools,
            lambda tool: tool.name,
            lambda tool: f"{tool.search_text}\n{tool.effect.value}",
        )

    def hiding(
        self,
        engine: Engine,
        tool: ToolDefinition | None = None,
        arguments: Mapping[str, JsonValue] | None = None,
    ) -> Hiding:
        """Mask secrets of the server, and of the arguments of a call of `tool`."""
        return Hiding(self.shows_secrets, engine.server, tool, arguments, self.config.target.env)


class NotConnected(Exception):
    """The server could not be reached, or did not list its tools in time."""


class ListNotWhole(NotConnected):
    """The server may have more tools than it listed."""


_NOTHING_DONE: Final = "nothing is compared or written"


class NoTools(NotConnected):
    """The server lists no tools: a check of them has no result."""

    def __init__(self, unless: str = _NOTHING_DONE) -> None:
        super().__init__(f"the server lists no tools; {unless}")


def missing_words(engine: Engine, options: Options) -> str:
    """Why the list of tools is not whole, safe to show; empty if it is."""
    missing = engine.definitions.missing
    if not missing:
        return ""
    return f"the list of tools is not whole: {visible(options.hiding(engine).said(missing))}"


def check_whole(engine: Engine, options: Options, unless: str = _NOTHING_DONE) -> None:
    """Raise ListNotWhole for a list without its end; `unless` names the step that is left out."""
    if words := missing_words(engine, options):
        raise ListNotWhole(f"{words}; {unless}")


def status_with_list(
    engine: Engine, options: Options, status: ExitStatus = ExitStatus.OK
) -> ExitStatus:
    """The exit status of a report on listed tools; a list that is not whole is named on stderr."""
    words = missing_words(engine, options)
    if words:
        tell(f"signoff: {visible(engine.server.name)}: {words}")
    return ExitStatus.LOST if words and status in (ExitStatus.OK, ExitStatus.DOUBTFUL) else status


@contextlib.asynccontextmanager
async def opened(
    options: Options,
    on_failure: Callable[[Engine], None] = lambda engine: None,
    listener: Callable[[EngineEvent], None] = lambda event: None,
    *,
    approver: Approver | None = None,
    asks_person: bool = True,
) -> AsyncIterator[Engine]:
    """Open an engine with listed tools; `listener` gets its events, and `approver` its questions
    from the beginning. Raises NotConnected; `on_failure` gets the engine first, for its findings.
    `asks_person`: a person at the terminal is asked to sign in where the server requires it.
    """
    config = options.config
    link = config.target.link()
    settled = asyncio.Event()

    def listen(event: EngineEvent) -> None:
        if engine.is_listed or engine.server.phase in (Phase.FAILED, Phase.LOST):
            settled.set()
        listener(event)

    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(link.close)
        link.begin()
        engine = config.engine(link, listener=listen)
        if approver is not None:
            engine.approver = approver
        elif asks_person and config.target.browser is not None and is_person_there():
            # Until the command has an approver of its own: a sign-in comes before the list.
            engine.approver = LineApprover(config.decision_seconds)
        # It closes the link itself, in its order.
        closing.pop_all()
        closing.push_async_callback(engine.close)
        engine.open()
        late = asyncio.get_running_loop().call_later(
            options.late_seconds, lambda: tell_late(engine, options)
        )
        try:
            await _in_time(engine, settled, config.connect_timeout)
        except TimeoutError:
            on_failure(engine)
            limit = f"no list of tools within {config.connect_timeout:g} s"
            noise = options.hiding(engine).said(stdout_noise(engine.findings))
            told = [f"{limit}; it was {engine.server.stage}", *stderr_lines(engine, options)]
            raise NotConnected("\n".join([*told, noise] if noise else told)) from None
        finally:
            late.cancel()
        if not engine.is_listed:
            on_failure(engine)
            lines = ended_lines(engine.server, options.hiding(engine))
            noise = options.hiding(engine).said(stdout_noise(engine.findings))
            raise NotConnected("\n".join([*lines, noise] if noise else lines))
        yield engine


async def _in_time(engine: Engine, settled: asyncio.Event, limit: float) -> None:
    """Wait for an event; what a person takes for a sign-in does not count. Raises TimeoutError."""
    left = limit
    while True:
        began = time.monotonic()
        try:
            await asyncio.wait_for(settled.wait(), min(left, STEP_SECONDS))
        except TimeoutError:
            if not engine.is_signing_in:
                left -= time.monotonic() - began
            if left <= 0:
                raise
        else:
            return


@contextlib.asynccontextmanager
async def started_again(
    options: Options, first: Watch, wire: WireLog
) -> AsyncIterator[tuple[Engine, Watch]]:
    """A new process of the server, in a new copy of the scratch folder. Raises NotConnected."""
    try:
        watch = first.another()
    except OSError as problem:
        raise NotConnected(str(problem)) from None
    try:
        target = replace(options.config.target, watch=watch, wire=wire)
        again = replace(options, config=replace(options.config, target=target))
        async with opened(again) as engine:
            try:
                yield engine, watch
            finally:
                await watch.meet()
    finally:
        watch.close()


def tell_late(engine: Engine, options: Options) -> None:
    """Name the cause of the wait for a start, with the end of the server's stderr."""
    if engine.is_signing_in:
        # The server waits for the person here.
        return
    tell("\n".join([late_words(engine.server, options), *stderr_lines(engine, options)]))


def stderr_lines(engine: Engine, options: Options) -> list[str]:
    """The last lines that a server wrote on stderr while it was waited for; safe to show."""
    newest = list(engine.stderr)[-STDERR_SHOWN:]
    return stderr_words(newest, options.hiding(engine))


def late_words(server: Server, options: Options) -> str:
    """The cause of the wait for a start, the remaining time, and how to leave; safe to show."""
    name, stage = visible(cut(server.name, SUGGESTED_FOR).text), visible(server.stage)
    limit = f"gives up after {options.config.connect_timeout:g} s (--connect-timeout)"
    return f"signoff: {name} is slow: {stage}; {limit}; Ctrl+C leaves now"


def tell_trust(options: Options, effect: TrustEffect) -> None:
    """One line on stderr, where trust was asked for on the command line."""
    if options.tells_trust:
        print_error(told_in_a_line(effect))


def find_tool(engine: Engine, name: str) -> ToolDefinition:
    """The tool of this exact name. Raises UsageError."""
    found = [tool for tool in engine.tools if tool.name == name]
    if found:
        return found[0]
    raise UsageError(no_tool_words(engine, name))


def no_tool_words(engine: Engine, name: str) -> str:
    """Report an unknown tool name, and suggest others; safe to show."""
    if why := why_left_out(engine.definitions.findings, name):
        return f"the tool {why}"
    hint = did_you_mean(name, [tool.name for tool in engine.tools], SUGGESTED)
    if not hint and (near := filter_tools(engine.tools, name[:SUGGESTED_FOR])):
        # Its title or its description has the words.
        names = [shown_name(tool.name) for tool in near[:SUGGESTED] if len(tool.name) <= LONGEST]
        hint = f"; did you mean {', '.join(names)}?" if names else ""
    shown = visible(cut(name, SUGGESTED_FOR).text)
    return f"the server has no tool “{shown}”{hint} (signoff tools SERVER lists them)"


def run(work: Coroutine[Any, Any, int]) -> int:
    """Run to the end. Ctrl-C cancels the call; SIGTERM and SIGHUP end everything in order."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        watch_loop(loop)
        task = loop.create_task(work)
        received: list[int] = []

        def stop(number: int) -> Callable[[], None]:
            def on_signal() -> None:
                # A second one would interrupt the ending of the server, which has its own limits.
                if not received:
                    task.cancel()
                received.append(number)

            return on_signal

        ignored = HANG_UP if outlives_hang_up() else None
        for number in ENDING:
            if number != ignored:
                hear(loop, number, stop(number))
        hang_up_with_terminal()
        try:
            status = runner.run(_wait(task))
            return _signalled(received[0]) if received else status
        except asyncio.CancelledError:
            return _signalled(received[0])
        except NotConnected as problem:
            print_error(str(problem))
            return ExitStatus.LOST


def _signalled(number: int) -> int:
    return ExitStatus.INTERRUPTED if number == signal.SIGINT else 128 + number


async def _wait(task: asyncio.Task[int]) -> int:
    return await task


def print_json(report: dict[str, Any]) -> None:
    """One JSON object on standard output, without a control character in it."""
    print(json_text(report), end="", flush=True)


def json_text(report: dict[str, Any]) -> str:
    """One JSON object as lines, without a control character but line breaks."""
    # JSON leaves DEL as it is; it is the one control character that is not escaped.
    return json.dumps(report, indent=2).replace("\x7f", "\\u007f") + "\n"


@contextlib.contextmanager
def telling_of_stops(keyboard: Keyboard, on_continued: Callable[[float], None]) -> Iterator[None]:
    """Call `on_continued` on the loop with the seconds that the program was stopped.

    The terminal is restored before a stop, and taken again after; a stop of unknown length counts
    as 0.
    """
    loop = asyncio.get_running_loop()

    def tell(seconds: float) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(on_continued, seconds)

    with jobs.telling_of_stops(keyboard.give_back, keyboard.take_again, tell):
        yield


AT_ONCE: Final = 32
"""Servers that run at the same time; the others wait for one of them to end."""


@frozen
class ServerOptions:
    """One of several servers; `options` is None if it was not started."""

    name: str
    shown: str
    """Its command or its URL, masked and safe to show."""
    options: Options | None
    problem: str = ""
    """Why it was not started."""
    status: int = ExitStatus.OK


@frozen
class SeveralOptions:
    """The servers of a command, and its output."""

    servers: tuple[ServerOptions, ...]
    as_json: bool = False


@frozen
class ServerResult(Generic[T]):
    """The result on one server, or the problem that left none."""

    name: str
    shown: str
    result: T | None = None
    problem: str = ""
    """Safe to show; empty if there is a result."""
    status: int = ExitStatus.OK

    def as_json(self) -> dict[str, str]:
        """A server without a result, as reports have it."""
        return {"name": self.name, "command": self.shown, "problem": self.problem}


async def on_each(
    servers: Sequence[ServerOptions], work: Callable[[Engine, Options], Awaitable[T]]
) -> list[ServerResult[T]]:
    """Open each server, do the work on it and close it; the results are in the order given.

    What goes wrong on one server is its own result, and affects no other.
    """
    places = asyncio.Semaphore(AT_ONCE)

    async def one(server: ServerOptions) -> ServerResult[T]:
        if server.options is None:
            return ServerResult(server.name, server.shown, None, server.problem, int(server.status))
        async with places:
            try:
                async with opened(server.options) as engine:
                    result = await work(engine, server.options)
            except NotConnected as problem:
                words = visible(" ".join(str(problem).split("\n")))
                return ServerResult(server.name, server.shown, None, words, ExitStatus.LOST)
        return ServerResult(server.name, server.shown, result)

    tasks = [asyncio.create_task(one(server)) for server in servers]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        # Where one has failed, as for a closed pipe, the others end their servers in order.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def print_problems(results: Sequence[ServerResult[T]]) -> None:
    """Print on standard error which servers have no result, and why."""
    for one in results:
        if one.problem:
            is_named = one.problem.startswith(f"{one.name} ")
            print_error(one.problem if is_named else f"{one.name}: {one.problem}")


def status_of_all(results: Sequence[ServerResult[T]], own: Sequence[int] = ()) -> int:
    """The exit status: that of the results first, then that of servers without one.

    `own` are the statuses of the results. A server without consent counts before one that could
    not be reached.
    """
    missing = [one.status for one in results if one.problem]
    order = [*sorted((int(one) for one in own if one), reverse=True)]
    order += [one for one in missing if one == ExitStatus.NOT_APPROVED]
    return next(iter([*order, *missing]), ExitStatus.OK)
