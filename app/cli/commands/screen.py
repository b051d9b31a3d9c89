"""`signoff` and `signoff demo`: a server on the screen, or in plain mode."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from ...platforms.collector import collect_seldom, pause_collection
from ...platforms.output import other_charset
from ...platforms.vanishing import hang_up_with_terminal
from ...transport import NoLink
from ..command import Command
from ..options.declared import OptionGroup, add_options, opt, options, read_values
from ..options.parser import VERB, Parser, add_described
from ..options.server import PERSON
from ..options.session import EVERY_USE, SessionOptions, Targets, add_session, read_session
from ..process import EarlySignal, why_plain
from ..targets.recents import noted_session
from ..targets.session import PreparedSession, prepared_session
from ..targets.targets import NotStarted, UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ...approval.approval import Decision
    from ...approval.questions.questions import Question
    from ...transport import Link
    from ...tui.startup import AppConfig, ServerNotOpened


_SCREEN: Final = OptionGroup("screen options")


def _theme(text: str) -> str:
    from ...storage.settings.settings import BY_NAME

    value, problem = BY_NAME["theme"].of_text(text, "theme")
    if problem:
        raise argparse.ArgumentTypeError(problem.message)
    return str(value)


@options
class ScreenOptions(NamedTuple):
    """Appearance of the screen; None if not given."""

    plain: bool = opt(
        "--plain",
        "print numbered lines in place of the screen: for screen readers, serial lines, logs and "
        "scripts (default if the terminal cannot place a cursor)",
        group=_SCREEN,
        only=("lines",),
    )
    graphics: str | None = opt(
        "--graphics",
        "draw images in pixels. auto: in known terminals; on: always, also in tmux; off: never; or "
        "name a protocol (default: auto)",
        group=_SCREEN,
        choices=("auto", "on", "off", "kitty", "iterm2", "sixel"),
    )
    person: str = PERSON._replace(group=_SCREEN)
    """Who answers every question on the screen: `slow:3`."""
    save_as: str = opt(
        "--save-as NAME",
        "keep this command or URL in Signoff's own file, for --server NAME",
        group=_SCREEN,
        only=(Targets.SEVERAL,),
    )
    """The name in Signoff's own file that the server is kept under."""
    restart_on: tuple[str, ...] = opt(
        "--restart-on PATH",
        "start the server again when this file changes, or a file in this folder",
        group=_SCREEN,
    )
    """Files and folders; after a change in them the server is started again."""
    on_change: str = opt(
        "--on-change",
        "call: after such a start make the newest call again, if that is harmless",
        group=_SCREEN,
        choices=("call",),
    )
    """`call` makes the newest call again after such a start."""
    theme: str | None = opt(
        "--theme NAME",
        "auto (light if the terminal is light), dark, light, or a theme of Textual",
        group=_SCREEN,
        type=_theme,
    )


class TourOptions(NamedTuple):
    """How the tour runs over the bundled server."""

    is_presenting: bool = False
    """Whether it is large and slow, for those who watch."""


def add(parser: Parser) -> None:
    """Add the options of every command that opens the main screen."""
    add_screen(parser)
    parser.set_defaults(read_command=_read)


def add_demo(parser: Parser) -> None:
    """Add the options of `signoff demo`."""
    add_screen(parser, takes_target=False)
    parser.set_defaults(read_command=_read)
    from . import demo_serve

    parser.usage = f"{parser.prog} [OPTIONS]\n       {parser.prog} serve [OPTIONS]"
    kinds = parser.add_subparsers(dest="verb", metavar=VERB, prog=parser.prog)
    words = "serve the bundled server over HTTP behind a sign-in, to test a client"
    add_described(kinds, "serve", words, demo_serve.add)


def add_screen(parser: Parser, *, has_lines: bool = True, takes_target: bool = True) -> None:
    """Add options of the screen, and of the session on it.

    Without `has_lines` it has no plain lines in its place; without `takes_target` it is for the
    bundled server, and has nothing that chooses or keeps another one.
    """
    targets = Targets.SEVERAL if takes_target else Targets.BUNDLED
    add_options(parser, ScreenOptions, {targets, *(("lines",) if has_lines else ())})
    add_session(parser, EVERY_USE, targets)


def _read(given: argparse.Namespace) -> Command:
    return OpenScreen(read_session(given), read_values(ScreenOptions, given))


class OpenScreen(NamedTuple):
    """Open a server on the screen."""

    session: SessionOptions
    screen: ScreenOptions
    read: Callable[[list[str]], Command] | None = None
    """Reads the command line of a choice on the start screen."""

    def run(self, argv: tuple[str, ...]) -> int:
        if self._is_for_choice(argv):
            return self._choose()
        return open_screen(self.session, self.screen, argv, read=self.read)

    def _choose(self) -> int:
        """Show the start screen until a server was opened or the screen was left.

        What could not be opened is reported there.
        """
        from ..targets.start_screen import choose, merged_session

        failed = ""
        while True:
            row, status = choose(self.session, self.screen.theme, failed)
            if row is None or self.read is None:
                return status
            words = list(row.words)
            at = words.index("--") if "--" in words else len(words)
            chosen = self.read(words[:at])
            if isinstance(chosen, OpenScreen):
                session = merged_session(self.session, chosen.session, row)
                chosen = self._replace(session=session)
            try:
                return chosen.run(tuple(words[at + 1 :]))
            except (UsageError, NoLink, NotStarted) as problem:
                failed = str(problem)

    def _is_for_choice(self, argv: tuple[str, ...]) -> bool:
        """True if no server is named, and a person can choose one on a screen."""
        given = self.session
        if given.has_target or argv or self.screen.plain or not is_on_terminal():
            return False
        if why_plain(os.environ.get("TERM", "")) or other_charset():
            return False
        if not given.config:
            return True
        from ..targets.configured import count_servers

        return count_servers(given.config, given.config_host or "") != 1


def is_on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def open_screen(
    session: SessionOptions,
    screen: ScreenOptions,
    argv: tuple[str, ...],
    tour: TourOptions | None = None,
    memory: Path | None = None,
    read: Callable[[list[str]], Command] | None = None,
) -> int:
    """Run a session on a screen or in lines, until it is left; returns the exit status.

    `memory` is a folder for remembered approvals, in place of the usual one. `read` reads the
    command line of a server that is added on the screen.
    """
    can_draw = not screen.plain and is_on_terminal()
    why = why_plain(os.environ.get("TERM", "")) if can_draw else ""
    is_plain = screen.plain or bool(why)
    if is_plain and screen.restart_on:
        raise UsageError("--restart-on needs a screen, which plain lines have not got")
    if screen.on_change and not screen.restart_on:
        raise UsageError("--on-change is for --restart-on PATH")
    if screen.save_as:
        from ..targets.own_file import save_server

        save_server(screen.save_as, session, argv)
    is_configured = session.has_target and not session.is_bundled and session.url is None
    is_configured = is_configured or bool(session.config)
    with _asking(screen, can_draw=is_configured and can_draw and not is_plain):
        return _open(session, screen, argv, why, is_plain, tour, memory, read)


@contextlib.contextmanager
def _asking(screen: ScreenOptions, *, can_draw: bool) -> Iterator[None]:
    """Let consent to a start be asked for in a dialog, if a screen can be drawn."""
    if not can_draw or other_charset():
        yield
        return
    from ..approving.start_consent import asked_by
    from ..targets.start_screen import asker_on_screen

    with asked_by(asker_on_screen(screen.theme)):
        yield


def _open(
    session: SessionOptions,
    screen: ScreenOptions,
    argv: tuple[str, ...],
    why: str,
    is_plain: bool,
    tour: TourOptions | None,
    memory: Path | None,
    read: Callable[[list[str]], Command] | None,
) -> int:
    if session.is_several:
        from ...tui.startup import ServerNotOpened
        from ..targets.several import prepared_sessions

        with prepared_sessions(session, argv) as found:
            missing = [ServerNotOpened(one.name, one.shown, one.problem) for one in found]
            missing = [one for one in missing if one.problem]
            prepared = [one.prepared for one in found if one.prepared is not None]
            if not prepared:
                raise NotStarted("; ".join(one.problem for one in missing))
            if is_plain:
                return _run_plain(prepared, missing, screen, why)
            _check_terminal()
            return _run_screen(prepared, missing, screen, tour, session, read)
    with prepared_session(session, argv, memory=memory) as prepared_one:
        if is_plain:
            return _run_plain([prepared_one], [], screen, why)
        _check_terminal()
        return _run_screen([prepared_one], [], screen, tour, session, read)


def _check_terminal() -> None:
    """Raises UsageError unless a screen can be drawn here."""
    if not is_on_terminal():
        raise UsageError(
            "the screen needs a terminal; without one use --plain, signoff tools or signoff call"
        )
    if charset := other_charset():
        # Its terminal may take bytes of UTF-8 for control characters, which a server could write.
        raise UsageError(
            f"the screen is drawn in UTF-8 and this locale is {charset}: set LC_ALL=C.UTF-8 "
            "where the terminal is UTF-8, or use signoff tools or signoff call"
        )


def _run_screen(
    prepared: Sequence[PreparedSession],
    missing: Sequence[ServerNotOpened],
    screen: ScreenOptions,
    tour: TourOptions | None,
    session: SessionOptions,
    read: Callable[[list[str]], Command] | None,
) -> int:
    # Until the app has handlers of its own: whatever ends Signoff, the servers end with it.
    early = EarlySignal.listening()
    hang_up_with_terminal()
    # The screen collects again once it is complete.
    pause_collection()
    person = _person(screen.person)
    watched = _watched_paths(screen, prepared)
    with contextlib.ExitStack() as ending:

        def opened(one: PreparedSession) -> AppConfig:
            # The modules of the screen are imported after the server was started.
            config = ending.enter_context(noted_session(one.config.recorded_by(one.record)))
            link = config.target.link()
            ending.callback(link.kill)
            link.begin()
            from ...tui.startup import AppConfig

            opening = AppConfig(
                link,
                config,
                one.settings,
                theme=screen.theme or one.settings.text("theme"),
                begins_tour=tour is not None,
                is_presenting=tour is not None and tour.is_presenting,
                keeps_tour=config.keeps_memory,
                early_signal=lambda: early.number,
                person=person,
                person_words=screen.person,
                # Of the server that was given, and of none that is added.
                restart_on=watched if one is prepared[0] else (),
                calls_on_change=screen.on_change == "call",
                recorded=one.recorded,
            )
            ending.callback(lambda: opening.current_link.kill())
            return opening

        first, *others = map(opened, prepared)
        from ....widgets.images.terminal_detection import Mode, prepare_graphics
        from ...platforms.terminal import pixel_size
        from ...tui.app import run

        mode = screen.graphics or first.settings.text("graphics")
        prepare_graphics(cast("Mode", mode), pixel_size)
        more = None
        if read is not None and tour is None:
            from ..targets.adding import more_servers

            more = more_servers(session, read, opened, ending)
        return run(first, others, missing, more)


def _watched_paths(screen: ScreenOptions, prepared: Sequence[PreparedSession]) -> tuple[Path, ...]:
    """The paths of `--restart-on`. Raises UsageError if one is missing, or has no use here."""
    if not screen.restart_on:
        return ()
    if len(prepared) > 1 or prepared[0].config.target.url:
        raise UsageError("--restart-on is for one server that Signoff starts")
    paths = tuple(Path(one) for one in screen.restart_on)
    for path in paths:
        if not path.exists():
            from ...content.text import visible

            raise UsageError(f"--restart-on {visible(str(path))}: no such file or folder")
    return paths


def _person(words: str) -> Callable[[Question], Awaitable[Decision]] | None:
    """Make the simulated person of `--person`. Raises UsageError."""
    if not words:
        return None
    import math

    from ..approving.people import Person
    from ..approving.person import ScriptedPerson, simulated_by

    people = simulated_by(words).people()
    # The dialog has the time limit.
    person = ScriptedPerson(
        Person(), {}, math.inf, people=people, by="script", reason=f"--person {words}"
    )
    return person.ask


def _run_plain(
    prepared: Sequence[PreparedSession],
    missing: Sequence[ServerNotOpened],
    screen: ScreenOptions,
    why: str = "",
) -> int:
    if screen.person:
        from ..approving.person import simulated_by

        simulated_by(screen.person)
    collect_seldom()
    EarlySignal.listening()
    hang_up_with_terminal()
    prepared[0].tell_mistakes()
    links: list[Link] = []
    try:
        for one in prepared:
            links.append(one.config.target.link())
            links[-1].begin()
        from ..plain.run import PlainOptions, PlainServer, run

        servers = [PlainServer(link, one.config) for link, one in zip(links, prepared, strict=True)]
        told = [f"{one.name}: {one.problem}" for one in missing]
        return run(servers, PlainOptions(why, screen.person), told)
    finally:
        for link in links:
            link.kill()
