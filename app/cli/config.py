"""Merges options with the settings file into typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..headless.targets import Target, UsageError, read_target, watched_target
from ..storage.settings.file import STRICT, load_settings
from ..storage.settings.values import DEFAULT, FILE, Mistake, Settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from ..approval.approval import Decision
    from ..calls.call import CallLimits
    from ..engine.setup import Setup
    from ..headless.live import Options
    from ..protocol.server import Start, Trust
    from ..protocol.server_requests.capabilities import Root
    from ..questions.questions import Question
    from ..testing.run.recorder import Recorder
    from .options.live import Live
    from .options.server import ServerOptions, SessionOptions, TimeOptions

CONNECT_SECONDS = 60.0


def trust_of(given: ServerOptions) -> Trust:
    """Return the trust in a server's hints."""
    from ..protocol.server import Trust

    is_trusted = (given.trust or given.is_bundled) and not given.no_trust
    return Trust.TRUSTED if is_trusted else Trust.UNTRUSTED


def start_of(given: SessionOptions, target: Target) -> Start:
    """The words that a command for one call has to repeat."""
    from ..protocol.server import Start

    server, judging, times = given
    policy = ("--policy", judging.policy) if judging.policy is not None else ()
    if judging.host is not None:
        policy = ("--as", judging.host)
    valued = {
        "--name": server.name,
        "--protocol": server.protocol,
        "--log-level": server.log_level,
        "--timeout": _number(times.timeout),
        "--max-time": _number(times.max_time),
        "--audit": judging.audit,
        "--evidence-by": server.evidence_by,
        "--scratch": server.scratch,
    }
    flags = {
        "--as-task": server.as_task,
        "--evidence": server.evidence,
        "--no-audit": judging.no_audit,
        "--no-memory": judging.no_memory,
    }
    return Start(
        bundled=target.is_bundled,
        url=target.url,
        argv=() if target.is_bundled else target.argv,
        env=server.env,
        policy=policy,
        options=(
            *((name, value) for name, value in valued.items() if value is not None),
            *(("--without", name) for name in server.without),
            *(("--root", root) for root in server.roots),
            *((name,) for name, is_given in flags.items() if is_given),
        ),
    )


def _number(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:g}"


def limits_of(given: TimeOptions) -> CallLimits:
    """Return the time limits of a call."""
    from ..calls.call import CallLimits

    limits = CallLimits()
    return CallLimits(given.timeout or limits.idle, given.max_time or limits.absolute)


def roots_of(given: ServerOptions) -> tuple[Root, ...]:
    """Read the roots of `--root`. Raises UsageError."""
    if not given.roots:
        return ()
    from ..protocol.server_requests.capabilities import read_root

    try:
        return tuple(read_root(one) for one in given.roots)
    except ValueError as problem:
        raise UsageError(f"--root: {problem}") from None


def setup_of(session: SessionOptions, memory: Path | None = None) -> Setup:
    """Build the engine's setup, with policy and roots.

    Raises UsageError for an unreadable policy, and for an invalid root.
    """
    from ..engine.setup import Setup

    given, policy = session.judging, None
    if given.policy is not None or given.host is not None:
        from ..headless.policies import chosen_policy

        policy = chosen_policy(given.policy or "", given.host or "")
    from pathlib import Path

    return Setup(
        policy=policy,
        audit=Path(given.audit) if given.audit is not None else None,
        keeps_audit=not given.no_audit,
        memory=memory,
        keeps_memory=not given.no_memory,
        roots=roots_of(session.server),
        log_level=session.server.log_level or "",
        as_task=session.server.as_task,
    )


def recorder_of(given: ServerOptions, target: Target) -> Recorder | None:
    """Make the recorder of `--record`, if given. Raises UsageError."""
    if given.record is None:
        return None
    from ..testing.run.recorder import Recorder

    return Recorder(given.record, target, given.without)


def person_of(words: str) -> Callable[[Question], Awaitable[Decision]] | None:
    """Make the simulated person of `--person`. Raises UsageError."""
    if not words:
        return None
    import math

    from ..testing.flow import Person
    from ..testing.run.person import ScriptedPerson, simulated_by

    people = simulated_by(words).people()
    # The dialog has the time limit.
    person = ScriptedPerson(
        Person(), {}, math.inf, people=people, by="script", reason=f"--person {words}"
    )
    return person.ask


def recorder_for_later(given: ServerOptions, target: Target) -> Recorder:
    """Make a recorder for a flow file that may be saved at the end."""
    from ..testing.run.recorder import Recorder

    return Recorder("", target, given.without)


def recorded(setup: Setup, recorder: Recorder | None) -> Setup:
    """Return the setup of a recorded engine."""
    return setup if recorder is None else setup.recorded_by(recorder.attach)


def live_options(command: Live, target: Target, recorder: Recorder | None = None) -> Options:
    """Build the options of a command without a screen. Raises UsageError as `setup_of` does."""
    from ..headless.live import Options

    server, _, times = command.session
    return Options(
        target,
        trust_of(server),
        limits_of(times),
        times.connect_timeout or CONNECT_SECONDS,
        decision_seconds_of(times),
        command.output.json,
        recorded(setup_of(command.session), recorder),
        command.output.show_secrets,
        tells_trust=server.trust,
    )


def decision_seconds_of(given: TimeOptions) -> float:
    """Return the time limit of a dialog; `NO_LIMIT` if it is off."""
    from ..approval.approval import DECISION_SECONDS

    return given.decision_seconds or DECISION_SECONDS


def target_of(given: ServerOptions, argv: tuple[str, ...], *, watches: bool = False) -> Target:
    """Read the target server; `watches`: its process is watched in any case. Raises UsageError."""
    target = read_target(
        demo=given.is_bundled,
        url=given.url or "",
        argv=argv,
        name=given.name or "",
        env=given.env,
        protocol=given.protocol or "auto",
        without=frozenset(given.without),
        capture=given.capture or "",
    )
    is_meant = given.evidence or given.evidence_by is not None or given.scratch is not None
    if not (watches or is_meant):
        return target
    return watched_target(target, given.evidence_by or "", given.scratch)


def fill_in(
    given: SessionOptions, environment: Mapping[str, str]
) -> tuple[SessionOptions, Settings]:
    """Fill unset options from the settings file; returns them with all settings.

    An unknown policy, or one that lets everything run, is a mistake, and STRICT stands for it.
    """
    settings = checked(load_settings(environment))
    times, judging = given.times, given.judging

    def kept(seconds: float | None, name: str) -> float | None:
        return settings.seconds(name) if seconds is None else seconds

    times = times._replace(
        timeout=kept(times.timeout, "timeout"),
        max_time=kept(times.max_time, "max_time"),
        connect_timeout=kept(times.connect_timeout, "connect_timeout"),
        decision_seconds=kept(times.decision_seconds, "decision_seconds"),
    )
    if judging.policy is not None or judging.host is not None:
        settings = replace(settings, is_policy_sure=True)
    elif not settings.is_policy_sure:
        judging = judging._replace(policy=STRICT)
    elif settings.of("policy").source != DEFAULT:
        judging = judging._replace(policy=settings.text("policy"))
    return given._replace(times=times, judging=judging), settings


def checked(settings: Settings) -> Settings:
    """Return the settings, with the fault of the policy that they name."""
    found = settings.of("policy")
    fault = "" if found.source == DEFAULT else _policy_fault(str(found.value))
    if not fault:
        return settings
    from ..content.files.tree import Problem, SourceLocation
    from ..content.text import visible

    is_of_file = found.source == FILE
    place = visible(settings.file.rpartition("/")[2]) if is_of_file else found.source
    mistake = Mistake(place, Problem(SourceLocation(found.line), fault))
    others = {name: one for name, one in settings.found.items() if name != "policy"}
    mistakes = tuple(sorted((*settings.mistakes, mistake)))
    return replace(settings, found=others, mistakes=mistakes, is_policy_sure=False)


def _policy_fault(name: str) -> str:
    from ..approval.policies.policy_text import PolicyError
    from ..storage.policy_files import PolicyNotFound, find_policy
    from ..storage.settings.settings import LOUD

    try:
        policy = find_policy(name)
    except (PolicyError, PolicyNotFound) as problem:
        return " ".join(str(problem).splitlines())
    return f"policy {LOUD}" if policy.is_loud else ""
