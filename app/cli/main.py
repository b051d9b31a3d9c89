"""The entry point: opens the terminal interface, or runs without a screen.

Nothing heavy is imported before the server process has been started.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, cast

from ..headless.exit_status import ExitStatus
from ..headless.targets import Target, UsageError
from ..platforms.collector import collect_seldom, pause_collection
from ..platforms.output import (
    FULL,
    GONE,
    as_typed,
    close_stdio,
    other_charset,
    prepare_output,
    reopen_closed_streams,
)
from ..platforms.vanishing import hang_up_with_terminal
from ..storage.fault_log import tell_fault, watch
from ..transport import NoLink
from .config import (
    decision_seconds_of,
    limits_of,
    live_options,
    person_of,
    recorded,
    recorder_for_later,
    recorder_of,
    setup_of,
    start_of,
    target_of,
    trust_of,
)
from .options import calling, live, reading
from .options.lint import Lint
from .options.reading import read_options
from .process import end_process

if TYPE_CHECKING:
    from pathlib import Path

    from ..engine.engine import Engine
    from ..testing.run.recorder import Recorder
    from .options.reading import Command
    from .options.server import SessionOptions


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run Signoff; ends the process with the exit status."""
    reopen_closed_streams()
    prepare_output()
    words = as_typed(sys.argv[1:]) if argv is None else list(argv)
    argv_of_server: tuple[str, ...] = ()
    if "--" in words:
        at = words.index("--")
        words, argv_of_server = words[:at], tuple(words[at + 1 :])
    command = read_options(words)
    watch()
    status = _status(command, argv_of_server)
    close_stdio()
    if argv is None:
        end_process(status)
    sys.exit(status)


def _status(command: Command, argv: tuple[str, ...]) -> int:
    """Run the command; failures are reported and have an exit status."""
    try:
        status = _run_command(command, argv)
        _flush()
        return status
    except (UsageError, NoLink) as problem:
        from ..headless.printing import print_error

        print_error(str(problem))
        return ExitStatus.USAGE if isinstance(problem, UsageError) else ExitStatus.LOST
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except SystemExit as early:
        return early.code if isinstance(early.code, int) else ExitStatus.FAULT
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in FULL and not problem.filename:
            from ..headless.printing import print_error

            print_error(f"standard output was not written to its end: {os.strerror(problem.errno)}")
            return ExitStatus.USAGE
        if isinstance(problem, OSError) and problem.errno in GONE:
            # Whoever read the output has left, or the terminal is gone.
            return ExitStatus.BROKEN_PIPE if problem.errno == errno.EPIPE else ExitStatus.HUNG_UP
        # Python's own traceback would print what an exception says, and that may hold a secret.
        tell_fault(problem, "while it ran a command")
        return ExitStatus.FAULT


def _flush() -> None:
    """Flush the output. Raises OSError if there is no room for it."""
    try:
        sys.stdout.flush()
    except OSError as problem:
        # The reader of a pipe may leave before the end of the output.
        if problem.errno in FULL:
            raise


def _run_command(command: Command, argv: tuple[str, ...]) -> int:
    match command:
        case reading.OpenScreen(session):
            return _run_screen(command, target_of(session.server, argv))
        case reading.Tour():
            return _run_tour(command, argv)
        case live.Live(session, _, live.Compat() as compat) if _is_of_a_file(command, argv):
            from .commands.compat import run_compat_file

            return run_compat_file(compat)
        case live.Live(session):
            is_watched = isinstance(command.work, live.Evidence)
            target = target_of(session.server, argv, watches=is_watched)
            recorder = recorder_of(session.server, target)
            collect_seldom()
            try:
                return _run_live(command._replace(session=_kept(session)), target, recorder)
            finally:
                _end(target, recorder)
        case _:
            if argv:
                raise UsageError(f"signoff {command.words} takes no server")
            from .offline import run_alone

            return run_alone(command.work)


def _is_of_a_file(command: live.Live, argv: tuple[str, ...]) -> bool:
    """True if a capture is judged alone: it was given, and no server."""
    server = command.session.server
    has_server = bool(argv or server.url or server.is_bundled)
    return isinstance(command.work, live.Compat) and bool(
        command.work.capture_file and not has_server
    )


def _end(target: Target, recorder: Recorder | None) -> None:
    """Finish `--capture` and `--record`, with their errors reported; the watcher removes its
    folder.
    """
    target.wire.close()
    if target.watch is not None:
        target.watch.close()
    if recorder is not None:
        recorder.write()
    if words := target.wire.trouble:
        from ..headless.printing import print_error

        print_error(words)


def _kept(given: SessionOptions) -> SessionOptions:
    """Apply the settings file to a command; its mistakes are reported first."""
    from .config import fill_in

    session, settings = fill_in(given, os.environ)
    if settings.mistakes:
        from .commands.config import complain_of

        complain_of(settings)
    return session


def _run_live(command: live.Live, target: Target, recorder: Recorder | None) -> int:
    from .commands import call

    options, work = live_options(command, target, recorder), command.work
    match work:
        case live.Tools():
            return call.run_tools(options)
        case calling.Call():
            return call.run_call(options, work)
        case calling.Read():
            return call.run_read(options, work)
        case calling.Prompt():
            return call.run_prompt(options, work)
        case calling.Resources() | calling.Prompts():
            from .commands import resources

            is_prompts = isinstance(work, calling.Prompts)
            return (resources.run_prompts if is_prompts else resources.run_resources)(options)
        case calling.Tasks():
            from .commands.resources import run_tasks

            return run_tasks(options)
        case live.Doctor():
            from .commands.doctor import run_doctor

            return run_doctor(options, work)
        case live.Compat():
            from .commands.compat import run_compat

            return run_compat(options, work)
        case live.Report():
            from .commands.survey import run_report

            return run_report(options, work)
        case live.Evidence():
            from .evidence.evidence import run_evidence

            return run_evidence(options, work)
        case Lint():
            from .commands.lint import run_lint

            return run_lint(options, work)
        case live.Archetypes():
            from .commands.archetypes import run_archetypes

            return run_archetypes(options, work)
    from .commands import survey

    match work:
        case live.Matrix():
            return survey.run_matrix(options, work)
        case live.Diff():
            return survey.run_diff(options, work)
        case live.Explain(arguments, ""):
            return survey.run_explain(options, arguments)
        case live.Explain(arguments, on):
            from .commands.policy import run_explain_request

            return run_explain_request(options, on, arguments.args)


def _run_tour(tour: reading.Tour, argv: tuple[str, ...]) -> int:
    """The bundled server with the tour over it, or the tour as a page."""
    if argv or tour.session.server.url is not None:
        raise UsageError("the tour runs on the bundled server: signoff tour takes no target")
    if tour.html:
        from .commands.tour import write_page

        if tour.useless:
            words = ", ".join(tour.useless)
            raise UsageError(
                f"the page of the tour is made in a setting of its own: leave {words} out"
            )
        return write_page(tour.html)
    target = target_of(tour.session.server, ())
    import tempfile
    from pathlib import Path

    # What was approved or changed in earlier runs would answer its questions beforehand.
    with tempfile.TemporaryDirectory(prefix="signoff-tour-") as folder:
        return _run_screen(tour, target, Path(folder))


def _run_screen(
    command: reading.OpenScreen | reading.Tour, target: Target, memory: Path | None = None
) -> int:
    """Run a session on a screen or in lines, until it is left; `memory` of its own for the tour."""
    if command.screen.plain:
        return _run_plain(command, target, memory)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screen needs a terminal; without one use --plain, signoff tools or signoff call"
        )
    from .process import why_plain

    if why := why_plain(os.environ.get("TERM", "")):
        return _run_plain(command, target, memory, why)
    if charset := other_charset():
        # Its terminal may take bytes of UTF-8 for control characters, which a server could write.
        raise UsageError(
            f"the screen is drawn in UTF-8 and this locale is {charset}: "
            "set LC_ALL=C.UTF-8 where the terminal is UTF-8, or use signoff tools or signoff call"
        )
    from .process import EarlySignal

    # Until the app has handlers of its own: whatever ends Signoff, the server ends with it.
    early = EarlySignal.listening()
    hang_up_with_terminal()
    # The screen collects again once it is complete.
    pause_collection()
    from .config import fill_in

    session, settings = fill_in(command.session, os.environ)
    recorder = recorder_of(session.server, target)

    def attach(engine: Engine) -> None:
        # After the first paint, which does not wait for it.
        nonlocal recorder
        recorder = recorder or recorder_for_later(session.server, target)
        recorder.attach(engine)

    person = person_of(command.screen.person)
    setup = setup_of(session, memory).recorded_by(attach)
    link = target.link()
    try:
        link.begin()
        from ...widgets.images.graphics import Mode, prepare_graphics
        from ..platforms.terminal import pixel_size
        from ..tui.app import run
        from ..tui.startup import AppConfig

        mode = cast("Mode", command.screen.graphics or settings.text("graphics"))
        prepare_graphics(mode, pixel_size)
        tour = command if isinstance(command, reading.Tour) else None
        opening = AppConfig(
            link,
            target.name,
            trust_of(session.server),
            idle_seconds=session.times.timeout,
            absolute_seconds=session.times.max_time,
            decision_seconds=session.times.decision_seconds,
            setup=setup,
            settings=settings,
            theme=command.screen.theme or settings.text("theme"),
            relink=target.link,
            is_bundled=target.is_bundled,
            begins_tour=tour is not None,
            is_presenting=tour is not None and tour.present,
            keeps_tour=not session.judging.no_memory,
            early_signal=lambda: early.number,
            start=start_of(session, target),
            person=person,
            person_words=command.screen.person,
            recorded=lambda: ("", 0) if recorder is None else recorder.text(),
        )
        try:
            return run(opening)
        finally:
            opening.current_link.kill()
    finally:
        link.kill()
        _end(target, recorder)


def _run_plain(
    command: reading.OpenScreen | reading.Tour,
    target: Target,
    memory: Path | None,
    why: str = "",
) -> int:
    from .process import EarlySignal

    if command.screen.person:
        from ..testing.run.person import simulated_by

        simulated_by(command.screen.person)
    collect_seldom()
    EarlySignal.listening()
    hang_up_with_terminal()
    given = _kept(command.session)
    recorder = recorder_of(given.server, target)
    setup = recorded(setup_of(given, memory), recorder)
    link = target.link()
    try:
        link.begin()
        from .plain.run import PlainOptions, run

        options = PlainOptions(
            target,
            trust_of(given.server),
            limits_of(given.times),
            setup,
            decision_seconds_of(given.times),
            why,
            command.screen.person,
        )
        return run(link, options)
    finally:
        link.kill()
        _end(target, recorder)
