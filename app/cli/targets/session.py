"""Merges options, settings, variables and defaults into the configuration of a session."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from ...approval.approval import NO_LIMIT, OFF
from ...engine.session_config import SessionConfig
from ...presentation.feature import hook
from ...protocol.extensions.register import EXTENSIONS, read_names
from ...protocol.server import Start, Trust
from ...storage.settings.file import STRICT, STRICT_WORDS, load_settings
from ...storage.settings.values import DEFAULT, FILE, Mistake, Settings
from ..options.meaning import Repeat
from ..options.session import SessionOptions, session_options
from .targets import UsageError, read_target, watched_target

if TYPE_CHECKING:
    from ...approval.policies.policy import Policy
    from ...engine.engine import Engine
    from ...engine.session_config import Target
    from ...presentation.starts import AskStart
    from ...protocol.server_requests.capabilities import Root
    from ...storage.sign_ins import SignInStore

INSECURE: Final = (
    "--insecure: no certificate is checked, so any machine between can read and change all messages"
)
LENIENT: Final = (
    "--lenient {}: a sign-in goes on although this check fails, so its code or its tokens may "
    "reach somebody else"
)
EXPERIMENTAL: Final = "experimental: {}, revision {} of a draft, which may change"
_SHORT: Final = 10


class Recorder(Protocol):
    """Records a session for a flow file; the feature `flows` has it."""

    def attach(self, engine: Engine) -> None:
        """Record from now on."""

    def write(self) -> None:
        """Write the file, if one was named."""

    def text(self) -> tuple[str, int]:
        """What was done so far as a flow file, and how many steps that has."""


@dataclass(slots=True)
class PreparedSession:
    """A session that can begin: its configuration, the settings, and what records it."""

    config: SessionConfig
    settings: Settings
    recorder: Recorder | None = None
    given: SessionOptions = field(default_factory=SessionOptions)

    def tell_mistakes(self) -> None:
        """Print the mistakes of the settings, and a warning on each check that is left out."""
        if self.settings.mistakes:
            print_mistakes(self.settings)
        target = self.config.target
        told = [INSECURE] if target.is_insecure else []
        told += map(LENIENT.format, target.browser.lenient if target.browser is not None else ())
        told += (
            EXPERIMENTAL.format(name, EXTENSIONS[name].revision[:_SHORT])
            for name in sorted(target.experimental)
        )
        if told:
            from ..output.printing import print_error

            for words in told:
                print_error(words)

    def recorded(self) -> tuple[str, int]:
        """Return what was done so far as a flow file, and how many steps that has."""
        return ("", 0) if self.recorder is None else self.recorder.text()

    def record(self, engine: Engine) -> None:
        """Record from now on, for a flow file that may be saved at the end."""
        if self.recorder is None:
            target = self.config.target
            self.recorder = hook("record")("", target, self.given)
        self.recorder.attach(engine)

    def end(self) -> None:
        """Finish capture, recording and watcher."""
        _end(self.config.target, self.recorder)


def print_mistakes(settings: Settings) -> None:
    """Print mistakes of the settings on standard error."""
    from ..output.printing import print_error

    for one in settings.mistakes:
        print_error(one.words)
    if not settings.is_policy_sure:
        print_error(STRICT_WORDS)


@contextlib.contextmanager
def prepared_session(
    given: SessionOptions,
    argv: tuple[str, ...],
    *,
    watches: bool = False,
    memory: Path | None = None,
    ask: AskStart | None = None,
) -> Iterator[PreparedSession]:
    """Prepare a session; at its end `--capture` and `--record` are finished, and the watcher's
    folder is removed.

    `ask` asks for consent to a start in the place of a question on the terminal.

    `argv` is the server's command. `watches`: its process is watched in any case. `memory` is the
    folder for remembered approvals, in place of the usual one. Raises UsageError for contradictory
    options, an unreadable policy among them.
    """
    target = read_session_target(given, argv, watches=watches, ask=ask)
    if target.argv:
        from .own_environment import server_words, tell_own_environment

        tell_own_environment(server_words(target))
    session: PreparedSession | None = None
    try:
        recorder = _recorder(given, target)
        config, settings = session_config(given, target, os.environ, memory)
        if recorder is not None:
            config = config.recorded_by(recorder.attach)
        session = PreparedSession(config, settings, recorder, given)
        yield session
    finally:
        _end(target, session.recorder if session is not None else None)


def _end(target: Target, recorder: Recorder | None) -> None:
    target.wire.close()
    if target.watch is not None:
        target.watch.close()
    if recorder is not None:
        recorder.write()
    if words := target.wire.trouble:
        from ..output.printing import print_error

        print_error(words)


def session_config(
    given: SessionOptions,
    target: Target,
    environment: Mapping[str, str],
    memory: Path | None = None,
) -> tuple[SessionConfig, Settings]:
    """Merge what was given over variables, settings file and defaults; returns the settings, too.

    If the settings name an unknown policy, or one that lets everything run, that is one of their
    mistakes, and the policy is STRICT. Raises UsageError for options that make no sense.
    """
    if target.policy and given.policy is None and given.host is None:
        given = given._replace(policy=target.policy)
    settings, policy = read_policy_setting(load_settings(environment))
    words = given.policy
    if given.policy is not None or given.host is not None:
        settings = replace(settings, is_policy_sure=True)
        policy = _named_policy(given.policy, given.host)
    elif not settings.is_policy_sure:
        policy, words = _named_policy(STRICT, None), STRICT
    elif policy is not None:
        words = settings.text("policy")

    def seconds(option: float | None, name: str) -> float:
        return settings.seconds(name) if option is None else option

    given = given._replace(policy=words)
    is_trusted = (given.trust or given.is_bundled or target.is_trusted) and not given.no_trust
    names = given.experimental or read_names(settings.text("experimental"))
    target = replace(target, experimental=frozenset(names))
    if target.browser is not None:
        store = _sign_ins(memory) if not given.no_memory else None
        target = replace(target, browser=replace(target.browser, store=store))
    config = SessionConfig(
        target,
        Trust.TRUSTED if is_trusted else Trust.UNTRUSTED,
        policy,
        timeout=seconds(given.timeout, "timeout"),
        max_time=seconds(given.max_time, "max_time"),
        connect_timeout=seconds(given.connect_timeout, "connect_timeout"),
        decision_seconds=seconds(given.decision_seconds, "decision_seconds"),
        audit=Path(given.audit) if given.audit is not None else None,
        keeps_audit=not given.no_audit,
        memory=memory,
        keeps_memory=not given.no_memory,
        roots=_roots(given.roots or target.roots),
        log_level=given.log_level or "",
        as_task=given.as_task,
        start=_start(given, target, settings),
    )
    return config, settings


def _sign_ins(memory: Path | None) -> SignInStore:
    from ...storage.sign_ins import FOLDER, SignInStore

    return SignInStore(memory / FOLDER if memory is not None else None)


def read_policy_setting(settings: Settings) -> tuple[Settings, Policy | None]:
    """Read the policy that the settings name; its fault is one of their mistakes.

    Returns None for the policy if none is named, or if it cannot be used.
    """
    found = settings.of("policy")
    if found.source == DEFAULT:
        return settings, None
    from ...approval.policies.policy_text import PolicyError
    from ...storage.policy_files import PolicyNotFound, find_policy
    from ...storage.settings.settings import LOUD

    try:
        policy = find_policy(str(found.value))
    except (PolicyError, PolicyNotFound) as problem:
        fault = " ".join(str(problem).splitlines())
    else:
        if not policy.is_loud:
            return settings, policy
        fault = f"policy {LOUD}"
    from ...content.files.tree import Problem, SourceLocation
    from ...content.text import visible

    is_of_file = found.source == FILE
    place = visible(settings.file.rpartition("/")[2]) if is_of_file else found.source
    mistake = Mistake(place, Problem(SourceLocation(found.line), fault))
    others = {name: one for name, one in settings.found.items() if name != "policy"}
    mistakes = tuple(sorted((*settings.mistakes, mistake)))
    return replace(settings, found=others, mistakes=mistakes, is_policy_sure=False), None


def _named_policy(name: str | None, host: str | None) -> Policy:
    from .policies import chosen_policy

    return chosen_policy(name or "", host or "")


def read_session_target(
    given: SessionOptions,
    argv: tuple[str, ...],
    *,
    watches: bool = False,
    ask: AskStart | None = None,
) -> Target:
    """Read the target server; `watches`: its process is watched in any case. Raises UsageError."""
    if given.is_several:
        raise UsageError("this command is for one server: give one --server NAME")
    headers = _headers(given)
    if given.server is not None or given.described is not None:
        is_configured = True
    else:
        is_configured = bool(given.config) or given.config_host is not None
    if is_configured:
        from .configured import configured_target

        target = configured_target(given, argv, headers, ask)
        return watched(target, given, watches=watches)
    if given.start or given.values:
        raise UsageError("--start and --value are for --server, a server of a configuration file")
    target = read_target(given, argv, headers)
    if given.folder and target.argv and not target.is_bundled:
        if not os.path.isdir(given.folder):
            from ...content.text import visible

            raise UsageError(f"the folder {visible(given.folder)} does not exist any more")
        target = replace(target, folder=given.folder)
    return watched(target, given, watches=watches)


def watched(target: Target, given: SessionOptions, *, watches: bool) -> Target:
    """The target with a watcher of its process, if that is wanted. Raises UsageError."""
    is_meant = given.evidence or given.evidence_by is not None or given.scratch is not None
    if not (watches or is_meant):
        return target
    return watched_target(target, given.evidence_by or "", given.scratch)


def _headers(given: SessionOptions) -> tuple[tuple[str, str], ...]:
    if not given.headers:
        return ()
    from ..options.arguments import ask_on_terminal, read_headers
    from ..output.printing import print_error

    found = read_headers(given.headers, os.environ, ask_on_terminal)
    for one in found:
        if one.is_literal:
            print_error(
                f"--header {one.name}: the list of processes shows this value to everyone on this "
                f"machine; use {one.name}=@FILE, '{one.name}=$VARIABLE' or {one.name}=-"
            )
    return tuple((one.name, one.value) for one in found)


def _roots(given: tuple[str, ...]) -> tuple[Root, ...]:
    if not given:
        return ()
    from ...protocol.server_requests.capabilities import read_root

    try:
        return tuple(read_root(one) for one in given)
    except ValueError as problem:
        raise UsageError(f"--root: {problem}") from None


def _recorder(given: SessionOptions, target: Target) -> Recorder | None:
    if given.record is None:
        return None
    found: Recorder = hook("record")(given.record, target, given)
    return found


def _start(given: SessionOptions, target: Target, settings: Settings) -> Start:
    """The words that a command for one call has to repeat."""
    policy = ("--policy", given.policy) if given.policy is not None else ()
    if given.host is not None:
        policy = ("--as", given.host)
    return Start(
        bundled=target.is_bundled,
        url="" if target.configured else target.url,
        argv=() if target.is_bundled or target.configured else target.argv,
        configured=target.configured,
        env=given.env,
        policy=policy,
        options=tuple(_repeated_options(given, settings)),
    )


def _repeated_options(
    given: SessionOptions, settings: Settings
) -> Iterator[tuple[str] | tuple[str, str]]:
    """The options that such a command has beside its server and its rules, each with its value."""
    for name, one, means in session_options():
        flag, value = one.flags[0], getattr(given, name)
        if means.repeat is Repeat.SOURCE and isinstance(value, str):
            yield flag, value
        elif means.repeat is Repeat.SOURCE and value:
            from ..options.arguments import repeated

            yield from ((flag, repeated(each)) for each in value)
        if means.repeat is not Repeat.GIVEN:
            continue
        if value in (None, ()) and means.is_setting and settings.of(name).source != DEFAULT:
            found = settings.value(name)
            value = tuple(sorted(read_names(found))) if isinstance(found, str) else found
        if isinstance(value, tuple):
            yield from ((flag, each) for each in value)
        elif isinstance(value, bool):
            if value:
                yield (flag,)
        elif value is not None:
            yield flag, value if isinstance(value, str) else _number(value)


def _number(seconds: float) -> str:
    short = f"{seconds:g}"
    return OFF if seconds == NO_LIMIT else short if float(short) == seconds else repr(seconds)
