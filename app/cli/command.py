"""Commands of the command line: the typed values of their options, and what runs them.

A command is a module of `commands`: `add(parser)` adds its options and registers what reads them
with `on_server` or `without_server`; the function that is registered does the work.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from ..headless.targets import UsageError
from ..platforms.collector import collect_seldom
from .options.calling import ArgumentOptions
from .options.parser import Parser, picked, shared_options
from .options.server import (
    OutputOptions,
    SessionOptions,
    add_connect_timeout,
    add_session,
    add_show_secrets,
    read_session,
)

if TYPE_CHECKING:
    from ..headless.live import Options

Own = TypeVar("Own", bound=NamedTuple)


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

    def run(self, argv: tuple[str, ...]) -> int:
        from .session import prepared_session

        with prepared_session(self.session, argv, watches=self.watches) as prepared:
            from ..headless.live import Options

            collect_seldom()
            prepared.tell_mistakes()
            options = Options(
                prepared.config,
                self.output.json,
                self.output.show_secrets,
                tells_trust=self.session.trust,
            )
            return self.work(options, self.own)


class WithoutServer(NamedTuple):
    """A command that is given no server; `name` is how it is called."""

    name: str
    own: Any
    work: Callable[[Any], int]

    def run(self, argv: tuple[str, ...]) -> int:
        if argv:
            raise UsageError(f"signoff {self.name} takes no server")
        return self.work(self.own)


def on_server(
    parser: Parser,
    own: type[Own],
    work: Callable[[Options, Own], int],
    *,
    watches: bool = False,
) -> None:
    """Add the options of every command with a server; `work` gets the values of its own, as a
    tuple of the type `own`.
    """

    def read(given: argparse.Namespace) -> Command:
        return read_on_server(given, own, work, watches=watches)

    add_shared(parser)
    parser.set_defaults(read_command=read)


def add_shared(parser: Parser) -> None:
    """Add the options of every command that opens a server without a screen."""
    shared = shared_options(parser)
    add_session(shared)
    add_connect_timeout(shared)
    add_show_secrets(shared)


def read_on_server(
    given: argparse.Namespace,
    own: type[Own],
    work: Callable[[Options, Own], int],
    *,
    watches: bool = False,
) -> OnServer:
    """Read a command with a server."""
    if "assign" in given:
        given.arguments = picked(ArgumentOptions, given)
    return OnServer(
        read_session(given), picked(OutputOptions, given), picked(own, given), work, watches
    )


def without_server(parser: Parser, own: type[Own], work: Callable[[Own], int]) -> None:
    """Register a command that is given no server; `work` gets the values of its options."""
    name = parser.prog.partition(" ")[2]

    def read(given: argparse.Namespace) -> Command:
        return WithoutServer(name, picked(own, given), work)

    parser.set_defaults(read_command=read)
