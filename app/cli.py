"""The command line: opens the terminal interface, or runs without a screen.

Nothing heavy is imported before the server process has been started.
"""

from __future__ import annotations

import errno
import gc
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from app.faults import tell_fault, watch
from app.link import NoLink
from app.options import read_options
from app.output import GONE, as_typed, let_go_of_output, other_charset, prepare_output
from app.targets import DEMO, Target, UsageError, read_target
from app.vanishing import hang_up_with_terminal

if TYPE_CHECKING:
    from app.core.calls import CallLimits
    from app.core.trust import Trust
    from app.flows.headless import CallOptions
    from app.setup import Setup

USAGE_STATUS = 2
LOST_STATUS = 5
FAULT_STATUS = 70
"""`EX_SOFTWARE` of sysexits.h."""
BROKEN_PIPE = 128 + 13
HUNG_UP = 128 + 1
LIVE = ("tools", "call", "read", "matrix", "diff", "policy")
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
    try:
        sys.exit(_run(given, command))
    except UsageError as problem:
        print(f"signoff: {problem}", file=sys.stderr)
        sys.exit(USAGE_STATUS)
    except NoLink as problem:
        print(f"signoff: {problem}", file=sys.stderr)
        sys.exit(LOST_STATUS)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in GONE:
            # Whoever read the output has left, or the terminal is gone.
            sys.exit(BROKEN_PIPE if problem.errno == errno.EPIPE else HUNG_UP)
        # Python's own traceback would print what an exception says, and that may hold a secret.
        tell_fault(problem, "while it ran a command")
        sys.exit(FAULT_STATUS)
    finally:
        let_go_of_output()


def _run(given: dict[str, Any], command: tuple[str, ...]) -> int:
    mode, verb = given.get("mode"), given.get("verb")
    needs_server = mode not in ("grants", "audit") and verb in (None, "explain")
    if not needs_server:
        if command:
            raise UsageError(f"signoff {mode} {verb} takes no server")
        return _run_alone(mode, verb, given)
    target = read_target(
        demo=mode == DEMO or given.get("bundled") == DEMO,
        url=given.get("url", ""),
        argv=command,
        name=given.get("name", ""),
        env=given.get("env", ()),
        protocol=given.get("protocol", "auto"),
    )
    if mode in LIVE:
        return _run_headless(mode, given, target)
    return _run_screen(given, target)


def _run_alone(mode: str | None, verb: str | None, given: dict[str, Any]) -> int:
    """What needs no server."""
    if mode == "policy":
        from app.flows import policies

        if verb == "list":
            return policies.run_list(given["json"])
        if verb == "show":
            return policies.run_show(given["name"])
        from app.flows.policy_check import run_check

        return run_check(given["file"])
    if mode == "grants":
        from app.flows import grants

        if verb == "list":
            return grants.run_list(given["json"])
        return (
            grants.run_revoke(given["id"]) if verb == "revoke" else grants.run_clear(given["reset"])
        )
    from app.flows import audit

    if verb == "verify":
        return audit.run_verify(given["audit"], given["expect"], given["first"])
    return audit.run_show(given, given["json"], given["audit"])


def _trust(given: dict[str, Any], target: Target) -> Trust:
    from app.core.trust import Trust

    trusted = given.get("trust", target.is_bundled) and not given.get("no_trust", False)
    return Trust.TRUSTED if trusted else Trust.UNTRUSTED


def _limits(given: dict[str, Any]) -> CallLimits:
    from app.core.calls import CallLimits

    return CallLimits(given.get("timeout", 60.0), given.get("max_time", 600.0))


def _setup(given: dict[str, Any]) -> Setup:
    """How the bench is to judge. Raises UsageError for a policy that cannot be read."""
    from app.setup import Setup

    policy = None
    if "policy" in given or "host" in given:
        from app.flows.policies import chosen_policy

        policy = chosen_policy(given.get("policy", ""), given.get("host", ""))
    from pathlib import Path

    return Setup(
        policy=policy,
        audit=Path(given["audit"]) if "audit" in given else None,
        keeps_audit=not given.get("no_audit", False),
        keeps_memory=not given.get("no_memory", False),
    )


def _run_headless(mode: str, given: dict[str, Any], target: Target) -> int:
    from app.flows import headless
    from app.flows.live import Options

    options = Options(
        target,
        _trust(given, target),
        _limits(given),
        given["connect_timeout"],
        given.get("json", False),
        _setup(given),
        given["show_secrets"],
    )
    if mode == "tools":
        return headless.run_tools(options)
    if mode == "call":
        return headless.run_call(options, _call_options(given))
    if mode == "read":
        return headless.run_read(options, given["uri"], given["approve"])
    from app.flows import survey

    if mode == "matrix":
        return survey.run_matrix(
            options, given["shape"], given["columns"], only_differing=given["only_differing"]
        )
    if mode == "diff":
        return survey.run_diff(options, given["pin"], update=given["update"])
    return survey.run_explain(options, _call_options(given))


def _call_options(given: dict[str, Any]) -> CallOptions:
    from app.flows.headless import CallOptions

    return CallOptions(
        given["tool"],
        given["assign"],
        given["args"],
        given.get("approve", "never"),
        given.get("preset", ""),
    )


def _run_screen(given: dict[str, Any], target: Target) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screen needs a terminal; without one use signoff tools or signoff call"
        )
    if charset := other_charset():
        # Its terminal may take bytes of UTF-8 for control characters, which a server could write.
        raise UsageError(
            f"the screen is drawn in UTF-8 and this locale is {charset}: "
            "set LC_ALL=C.UTF-8 where the terminal is UTF-8, or use signoff tools or signoff call"
        )
    # Until the app has handlers of its own: whatever ends Signoff, the server ends with it.
    early = EarlySignal()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, early)
    hang_up_with_terminal()
    # Imports make many objects and no garbage; the screen collects again once it is complete.
    gc.disable()
    setup = _setup(given)
    link = target.link()
    try:
        link.begin()
        from app.screens.app import run
        from app.screens.opening import Opening
        from widgets.pictures.graphics import prepare_graphics

        prepare_graphics(given.get("graphics", "auto"))
        opening = Opening(
            link,
            target.name,
            _trust(given, target),
            idle_seconds=given.get("timeout"),
            absolute_seconds=given.get("max_time"),
            decision_seconds=given.get("decision_seconds"),
            setup=setup,
            relink=target.link,
            early_signal=lambda: early.number,
        )
        try:
            return run(opening)
        finally:
            opening.current_link.kill()
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
