"""Commands of the command line: the typed values of their options, and what runs them.

A command is a module of `commands`: `add(parser)` adds its options and registers what reads them
with `on_server` or `without_server`; the function that is registered does the work.
"""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from ..platforms.collector import collect_seldom
from .options.calling import add_time_limit
from .options.declared import add_options, read_values
from .options.parser import Parser
from .options.server import OutputOptions, add_bundled
from .options.session import SessionOptions, Targets, Use, add_session, read_session
from .targets.targets import UsageError

if TYPE_CHECKING:
    from ..engine.engine import Engine
    from .targets.live import Options, ServerOptions, SeveralOptions
    from .targets.several import OneOfSeveral

Own = TypeVar("Own", bound=NamedTuple)
Ready = TypeVar("Ready")


class Command(Protocol):
    """A command line that was read."""

    def run(self, argv: tuple[str, ...]) -> int:
        """Run it on the server of this command, if there is one; returns the exit status."""


class NoOptions(NamedTuple):
    """The options of a command that has none of its own."""


class OnServer(NamedTuple):
    """A command with a server and without a screen."""

    session: SessionOptions
    output: OutputOptions
    own: Any
    """The options of this command alone."""
    work: Callable[[Options, Any], int]
    watches: bool = False
    """Whether the server's process is watched in any case."""
    several: Callable[[SeveralOptions, Any], int] | None = None
    """The work on several servers at once; None for a command that is for one."""
    means_all: Callable[[Any], bool] = lambda own: False
    """Whether it is for every server of the configuration files if none is given."""
    advice: str = ""
    """What to write instead if no server is given but the command line shows the intention."""

    def run(self, argv: tuple[str, ...]) -> int:
        if not (argv or self.session.has_target):
            if self.means_all(self.own):
                return self._replace(session=self.session._replace(is_all=True)).run(argv)
            if self.advice:
                raise UsageError(self.advice)
        if self.session.is_several and self.several is not None:
            return self._run_on_several(self.several, argv)
        from .targets.session import prepared_session

        with prepared_session(self.session, argv, watches=self.watches) as prepared:
            from .targets.live import Options

            collect_seldom()
            prepared.tell_mistakes()
            options = Options(
                prepared.config,
                self.output.json,
                self.output.show_secrets,
                tells_trust=self.session.trust,
            )
            return self.work(options, self.own)

    def _run_on_several(
        self, work: Callable[[SeveralOptions, Any], int], argv: tuple[str, ...]
    ) -> int:
        from .targets.several import prepared_sessions

        with prepared_sessions(self.session, argv, watches=self.watches) as found:
            from .targets.live import SeveralOptions

            collect_seldom()
            first = next((one.prepared for one in found if one.prepared is not None), None)
            if first is not None:
                first.tell_mistakes()
            return work(SeveralOptions(tuple(map(self._one_of, found)), self.output.json), self.own)

    def _one_of(self, one: OneOfSeveral) -> ServerOptions:
        from .targets.live import Options, ServerOptions

        if one.prepared is None:
            return ServerOptions(one.name, one.shown, None, one.problem, one.status)
        options = Options(
            one.prepared.config,
            self.output.json,
            self.output.show_secrets,
            tells_trust=self.session.trust,
        )
        return ServerOptions(one.name, one.shown, options)


class WithoutServer(NamedTuple):
    """A command that is given no server; `name` is how it is called."""

    name: str
    own: Any
    work: Callable[[Any], int]

    def run(self, argv: tuple[str, ...]) -> int:
        if argv:
            raise UsageError(f"signoff {self.name} takes no server")
        return self.work(self.own)


class OnOpen(Generic[Own, Ready]):
    """The work of a command on an open server, such as that of plain mode.

    As the work of a command line it opens the server first.
    """

    def __init__(
        self,
        work: Callable[[Options, Engine, Ready], Awaitable[int]],
        *,
        before: Callable[[Own], Ready],
        alone: Callable[[Options, Own], int] | None = None,
    ) -> None:
        """`before` checks the options without a server: the work gets what it returns. `alone` is
        what a command line runs that does more than opening the server.
        """
        self._work = work
        self._before = before
        self._alone = alone

    def __call__(self, options: Options, own: Own) -> int:
        """Open the server of a command line, and work on it; returns the exit status."""
        if self._alone is not None:
            return self._alone(options, own)
        from .targets.live import opened, run

        ready = self._before(own)

        async def work() -> int:
            async with opened(options) as engine:
                return await self._work(options, engine, ready)

        return run(work())

    async def on(self, options: Options, engine: Engine, own: Own) -> int:
        """Work on an open server; returns the exit status."""
        return await self._work(options, engine, self._before(own))


def on_open(work: Callable[[Options, Engine, Own], Awaitable[int]]) -> OnOpen[Own, Own]:
    """Make the work of a command of a function on an open server, which gets the options."""
    return OnOpen(work, before=lambda own: own)


class AlsoOnOpen(Generic[Own]):
    """The work of a command without a server, and what plain mode runs on its own one."""

    def __init__(
        self,
        alone: Callable[[Own], int],
        work: Callable[[Options, Engine, Own], Awaitable[int]],
    ) -> None:
        self._alone = alone
        self.on = work

    def __call__(self, own: Own) -> int:
        """Work without a server; returns the exit status."""
        return self._alone(own)


def on_server(
    parser: Parser,
    own: type[Own],
    work: Callable[[Options, Own], int],
    *,
    uses: Collection[Use],
    watches: bool = False,
    several: Callable[[SeveralOptions, Own], int] | None = None,
    means_all: Callable[[Own], bool] = lambda own: False,
) -> None:
    """Add the options of a command with a server: its `own`, and those that have an effect in it,
    by its `uses`. `work` gets the values of its own, and so does `several`, for several servers at
    once. `means_all`: it is for all servers of this machine if none is given.
    """

    def read(given: argparse.Namespace) -> Command:
        command = read_on_server(given, own, work, watches=watches, several=several)
        return command._replace(means_all=means_all)

    targets = Targets.ONE if several is None else Targets.SEVERAL
    add_options(parser, own)
    add_bundled(parser)
    if Use.QUESTIONS in uses:
        add_time_limit(parser)
    add_shared(parser, set(uses) - {Use.QUESTIONS}, targets)
    parser.set_defaults(read_command=read)


def add_shared(parser: Parser, uses: Collection[Use], targets: Targets = Targets.ONE) -> None:
    """Add the options of a command that opens a server without a screen."""
    add_session(parser, {*uses, Use.PRINTS}, targets)
    add_options(parser, OutputOptions, names=("show_secrets",))


def read_on_server(
    given: argparse.Namespace,
    own: type[Own],
    work: Callable[[Options, Own], int],
    *,
    watches: bool = False,
    several: Callable[[SeveralOptions, Own], int] | None = None,
) -> OnServer:
    """Read a command with a server."""
    return OnServer(
        read_session(given),
        read_values(OutputOptions, given),
        read_values(own, given),
        work,
        watches,
        several,
    )


def without_server(
    parser: Parser, own: type[Own], work: Callable[[Own], int], having: Collection[Any] = ()
) -> None:
    """Add the options of a command that is given no server, by what it is `having`; `work` gets
    their values.
    """
    name = parser.prog.partition(" ")[2]
    add_options(parser, own, having)

    def read(given: argparse.Namespace) -> Command:
        return WithoutServer(name, read_values(own, given), work)

    parser.set_defaults(read_command=read)
