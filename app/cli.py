"""The command line: opens the terminal interface, or runs without a screen.

Nothing heavy is imported before the server process has been started.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from signoff.app.core.exit_status import ExitStatus
from signoff.app.faults import tell_fault, watch
from signoff.app.leaving import end_process
from signoff.app.link import NoLink
from signoff.app.options import read_options
from signoff.app.output import GONE, as_typed, let_go_of_output, other_charset, prepare_output
from signoff.app.system.signals import ENDING
from signoff.app.system.vanishing import hang_up_with_terminal
from signoff.app.targets import DEMO, Target, UsageError, read_target

if TYPE_CHECKING:
    from signoff.app.bench.setup import Setup
    from signoff.app.core.calls import CallLimits
    from signoff.app.core.start import Start
    from signoff.app.core.trust import Trust
    from signoff.app.flows.headless import CallOptions

CONNECT_SECONDS = 60.0
LIVE = ("tools", "call", "read", "matrix", "archetypes", "diff", "policy")
"""Commands that run a server without a screen."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run Signoff; ends the process with the exit status."""
    prepare_output()
    words = as_typed(sys.argv[1:]) if argv is None else list(argv)
    command: tuple[str, ...] = ()
    if "--" in words:
        at = words.index("--")
        words, command = words[:at], tuple(words[at + 1 :])
    given = vars(read_options(words, DEMO))
    watch()
    status = _status(given, command)
    let_go_of_output()
    if argv is None:
        end_process(status)
    sys.exit(status)


def _status(given: dict[str, Any], command: tuple[str, ...]) -> int:
    """Do what was asked for; what goes wrong is told, and has an exit status."""
    try:
        return _run(given, command)
    except UsageError as problem:
        print(f"signoff: {problem}", file=sys.stderr)
        return ExitStatus.USAGE
    except NoLink as problem:
        print(f"signoff: {problem}", file=sys.stderr)
        return ExitStatus.LOST
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except SystemExit as early:
        return early.code if isinstance(early.code, int) else ExitStatus.FAULT
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in GONE:
            # Whoever read the output has left, or the terminal is gone.
            return ExitStatus.BROKEN_PIPE if problem.errno == errno.EPIPE else ExitStatus.HUNG_UP
        # Python's own traceback would print what an exception says, and that may hold a secret.
        tell_fault(problem, "while it ran a command")
        return ExitStatus.FAULT


def _run(given: dict[str, Any], command: tuple[str, ...]) -> int:
    mode, verb = given.get("mode"), given.get("verb")
    if mode == "tour":
        return _run_tour(given, command)
    needs_server = mode not in ("grants", "audit", "config") and verb in (None, "explain")
    if not needs_server:
        if command:
            raise UsageError(f"signoff {mode} {verb} takes no server")
        return _run_alone(mode, verb, given)
    target = _target(given, command, demo=mode == DEMO or given.get("bundled") == DEMO)
    if mode in LIVE:
        _collect_seldom()
        _keep_to_settings(given)
        return _run_headless(mode, given, target)
    return _run_screen(given, target)


def _collect_seldom() -> None:
    """Imports make many objects and hardly any garbage."""
    gc.set_threshold(50_000, 20, 100)


def _keep_to_settings(given: dict[str, Any]) -> None:
    """What the person keeps counts for commands, too; what is wrong with it is said first."""
    from signoff.app.kept import fill_in

    settings = fill_in(given, os.environ)
    if settings.mistakes:
        from signoff.app.flows.settings import complain_of

        complain_of(settings)


def _run_alone(mode: str | None, verb: str | None, given: dict[str, Any]) -> int:
    """What needs no server."""
    if mode == "policy":
        from signoff.app.flows import policies

        if verb == "list":
            return policies.run_list(given["json"])
        if verb == "show":
            return policies.run_show(given["name"])
        from signoff.app.flows.policy_check import run_check

        return run_check(given["file"])
    if mode == "config":
        from signoff.app.flows import settings

        return settings.run(str(verb), given.get("json", False))
    if mode == "grants":
        from signoff.app.flows import grants

        if verb == "list":
            return grants.run_list(given["json"])
        return (
            grants.run_revoke(given["id"]) if verb == "revoke" else grants.run_clear(given["reset"])
        )
    from signoff.app.flows import audit

    if verb == "verify":
        return audit.run_verify(given["audit"], given["expect"], given["first"])
    return audit.run_show(given, given["json"], given["audit"])


def _trust(given: dict[str, Any], target: Target) -> Trust:
    from signoff.app.core.trust import Trust

    trusted = given.get("trust", target.is_bundled) and not given.get("no_trust", False)
    return Trust.TRUSTED if trusted else Trust.UNTRUSTED


def _start(given: dict[str, Any], target: Target) -> Start:
    """The words that a command for one call has to repeat."""
    from signoff.app.core.start import Start

    policy = ("--policy", given["policy"]) if "policy" in given else ()
    if "host" in given:
        policy = ("--as", given["host"])
    valued = ("name", "protocol", "timeout", "max_time", "audit")
    flags = ("no_audit", "no_memory")
    return Start(
        bundled=target.is_bundled,
        url=target.url,
        argv=() if target.is_bundled else target.argv,
        env=tuple(given.get("env", ())),
        policy=policy,
        options=(
            *(
                (_flag(one), f"{given[one]:g}" if isinstance(given[one], float) else given[one])
                for one in valued
                if one in given
            ),
            *((_flag(one),) for one in flags if given.get(one)),
        ),
    )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _limits(given: dict[str, Any]) -> CallLimits:
    from signoff.app.core.calls import CallLimits

    return CallLimits(given.get("timeout", 60.0), given.get("max_time", 600.0))


def _setup(given: dict[str, Any]) -> Setup:
    """How the bench is to judge. Raises UsageError for a policy that cannot be read."""
    from signoff.app.bench.setup import Setup

    policy = None
    if "policy" in given or "host" in given:
        from signoff.app.flows.policies import chosen_policy

        policy = chosen_policy(given.get("policy", ""), given.get("host", ""))
    from pathlib import Path

    return Setup(
        policy=policy,
        audit=Path(given["audit"]) if "audit" in given else None,
        keeps_audit=not given.get("no_audit", False),
        memory=Path(given["memory"]) if "memory" in given else None,
        keeps_memory=not given.get("no_memory", False),
    )


def _run_headless(mode: str, given: dict[str, Any], target: Target) -> int:
    from signoff.app.flows import headless
    from signoff.app.flows.live import Options

    options = Options(
        target,
        _trust(given, target),
        _limits(given),
        given.get("connect_timeout", CONNECT_SECONDS),
        given.get("json", False),
        _setup(given),
        given["show_secrets"],
        tells_trust=given.get("trust", False),
    )
    if mode == "tools":
        return headless.run_tools(options)
    if mode == "call":
        return headless.run_call(options, _call_options(given))
    if mode == "read":
        return headless.run_read(options, given["uri"], given["approve"], _decision_seconds(given))
    from signoff.app.flows import survey

    if mode == "matrix":
        return survey.run_matrix(
            options, given["shape"], given["columns"], only_differing=given["only_differing"]
        )
    if mode == "archetypes":
        from signoff.app.flows.archetypes import run_archetypes

        return run_archetypes(options, given["shape"], only_differing=given["only_differing"])
    if mode == "diff":
        return survey.run_diff(options, given["pin"], update=given["update"])
    return survey.run_explain(options, _call_options(given))


def _call_options(given: dict[str, Any]) -> CallOptions:
    from signoff.app.flows.headless import CallOptions

    return CallOptions(
        given["tool"],
        given["assign"],
        given["args"],
        given.get("approve", "never"),
        given.get("preset", ""),
        given["although_invalid"],
        _decision_seconds(given),
        given.get("pages", 0),
        given.get("page_parameter", ""),
        given.get("twice", False),
    )


def _decision_seconds(given: dict[str, Any]) -> float:
    from signoff.app.core.approvals.time_limit import DECISION_SECONDS

    seconds: float = given.get("decision_seconds", DECISION_SECONDS)
    return seconds


PAGE_NEEDS: Final = frozenset({"mode", "html", "present"})
"""All that counts where the tour is written as a page."""


def _run_tour(given: dict[str, Any], command: tuple[str, ...]) -> int:
    """The bundled server with the tour over it, or the tour as a page."""
    if command or "url" in given:
        raise UsageError("the tour runs on the bundled server: signoff tour takes no target")
    if given["html"]:
        from signoff.app.tour_page import write_page

        if useless := [f"--{name.replace('_', '-')}" for name in given if name not in PAGE_NEEDS]:
            words = ", ".join(useless)
            raise UsageError(
                f"the page of the tour is made in a setting of its own: leave {words} out"
            )
        return write_page(given["html"])
    keeps = not given.get("no_memory", False)
    given = {**given, "begins_tour": True, "keeps_tour": keeps}
    target = _target(given, command, demo=True)
    import tempfile

    # What was approved or changed in earlier runs would answer its questions beforehand.
    with tempfile.TemporaryDirectory(prefix="signoff-tour-") as folder:
        return _run_screen({**given, "memory": folder}, target)


def _target(given: dict[str, Any], command: tuple[str, ...], *, demo: bool) -> Target:
    return read_target(
        demo=demo,
        url=given.get("url", ""),
        argv=command,
        name=given.get("name", ""),
        env=given.get("env", ()),
        protocol=given.get("protocol", "auto"),
    )


def _run_screen(given: dict[str, Any], target: Target) -> int:
    if given.get("plain"):
        return _run_plain(given, target)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screen needs a terminal; without one use --plain, signoff tools or signoff call"
        )
    from signoff.app.terminals import why_plain

    if why := why_plain(os.environ.get("TERM", "")):
        return _run_plain(given, target, why)
    if charset := other_charset():
        # Its terminal may take bytes of UTF-8 for control characters, which a server could write.
        raise UsageError(
            f"the screen is drawn in UTF-8 and this locale is {charset}: "
            "set LC_ALL=C.UTF-8 where the terminal is UTF-8, or use signoff tools or signoff call"
        )
    # Until the app has handlers of its own: whatever ends Signoff, the server ends with it.
    early = EarlySignal()
    for number in ENDING:
        signal.signal(number, early)
    hang_up_with_terminal()
    # Imports make many objects and no garbage; the screen collects again once it is complete.
    gc.disable()
    from signoff.app.kept import fill_in

    settings = fill_in(given, os.environ)
    setup = _setup(given)
    link = target.link()
    try:
        link.begin()
        from signoff.app.screens.app import run
        from signoff.app.screens.opening import Opening
        from signoff.widgets.pictures.graphics import prepare_graphics

        prepare_graphics(given.get("graphics", "auto"))
        opening = Opening(
            link,
            target.name,
            _trust(given, target),
            idle_seconds=given.get("timeout"),
            absolute_seconds=given.get("max_time"),
            decision_seconds=given.get("decision_seconds"),
            setup=setup,
            settings=settings,
            theme=given.get("theme", "auto"),
            relink=target.link,
            is_bundled=target.is_bundled,
            begins_tour=given.get("begins_tour", False),
            is_presenting=given.get("present", False),
            keeps_tour=given.get("keeps_tour", not given.get("no_memory", False)),
            early_signal=lambda: early.number,
            start=_start(given, target),
        )
        try:
            return run(opening)
        finally:
            opening.current_link.kill()
    finally:
        link.kill()


def _run_plain(given: dict[str, Any], target: Target, why: str = "") -> int:
    _collect_seldom()
    early = EarlySignal()
    for number in ENDING:
        signal.signal(number, early)
    hang_up_with_terminal()
    setup = _setup(given)
    link = target.link()
    try:
        link.begin()
        from signoff.app.core.approvals.time_limit import DECISION_SECONDS
        from signoff.app.plain.run import PlainOptions, run

        seconds = given.get("decision_seconds", DECISION_SECONDS)
        options = PlainOptions(target, _trust(given, target), _limits(given), setup, seconds, why)
        return run(link, options)
    finally:
        link.kill()


class EarlySignal:
    """Ends the program on a signal, and remembers it.

    Python swallows what is raised while it cleans up after an import or an object; the app looks
    here once it hears signals itself.
    """

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, number: int, frame: object) -> None:
        # Once: a second one must not interrupt the ending of the server.
        if self.number is None:
            self.number = number
            sys.exit(128 + number)
