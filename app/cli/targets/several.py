"""Several configured servers at once: found, agreed to one by one, and named apart."""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...content.frozen import frozen
from ...content.text import shortened, visible
from ...hosts.files.choosing import Found, NoSuchServer, choose_server, servers_of
from ...presentation.exit_status import ExitStatus
from ..approving.start_consent import asked_together, require_consent
from ..options.meaning import OptionScope
from ..options.session import SessionOptions, session_options
from .configured import check_targets, filled_start, not_found, read_files, target_of, this_machine
from .own_environment import server_words, tell_own_environment
from .policies import chosen_policy
from .session import PreparedSession, session_config, watched
from .targets import NotStarted, UsageError

if TYPE_CHECKING:
    from ...engine.session_config import Target
    from ...hosts.files.servers import FileReport
    from ...hosts.files.starting import ServerStart
    from ...presentation.starts import AskStart

REACHED: Final = ("stdio", "http", "sse")
"""The transports of servers that can be opened."""


@frozen
class OneOfSeveral:
    """One of several servers: a session that can begin, or why there is none."""

    name: str
    """Its name, or `HOST/NAME` if others have the same name."""
    shown: str
    """Its command or its URL, masked and safe to show."""
    prepared: PreparedSession | None = None
    problem: str = ""
    """Why it was not started, safe to show; empty if it can be."""
    status: int = ExitStatus.OK


@contextlib.contextmanager
def prepared_sessions(
    given: SessionOptions, argv: tuple[str, ...], *, watches: bool = False
) -> Iterator[list[OneOfSeveral]]:
    """Prepare a session for each server that was named, or for all; ask for each consent.

    A server without consent, or one that cannot be started, holds no other up. Raises UsageError
    for options that make no sense, and for a name that no server has.
    """
    check_targets(given, argv)
    for name, one, means in session_options():
        if means.scope is OptionScope.SERVER and getattr(given, name):
            raise UsageError(f"{one.flags[0]} is for one server: give one --server NAME")
    if given.is_all and given.servers:
        raise UsageError("give --all, or --server NAME for each server, but not both")
    with contextlib.ExitStack() as ending:
        named = [(name, one, _start_of(one)) for name, one in named_apart(_found(given))]
        starts = [start for _, _, start in named if not isinstance(start, UsageError)]
        ask = asked_together(starts, given.start, keeps_memory=not given.no_memory)
        found = [
            _prepared(one, start, name, given, ending, ask=ask, watches=watches)
            for name, one, start in named
        ]
        tell_apart([one.prepared for one in found if one.prepared is not None])
        yield found


def tell_apart(sessions: Sequence[PreparedSession]) -> None:
    """Remember nothing of one server for another that is started in exactly the same way."""
    identities = [one.config.target.link().identity for one in sessions]
    for one, identity in zip(sessions, identities, strict=True):
        if identities.count(identity) > 1:
            target = replace(one.config.target, apart=one.config.target.name)
            one.config = replace(one.config, target=target)


def _found(given: SessionOptions) -> list[Found]:
    machine = this_machine()
    files = read_files(given.config, given.config_host or "", machine)
    if given.is_all:
        found = all_servers(files, machine.folder)
        if not found:
            raise UsageError("no servers were found (signoff servers lists the places)")
        return found
    try:
        chosen = [choose_server(files, name, None, machine.folder) for name in given.servers]
    except NoSuchServer as problem:
        raise UsageError(not_found(problem, files)) from None
    return without_doubles(chosen)


def all_servers(files: Sequence[FileReport], folder: str) -> list[Found]:
    """The servers that their hosts would load in this folder, each exact entry once."""
    return without_doubles(
        [
            (server, file)
            for server, file in servers_of(files)
            if server.is_effective
            and server.is_enabled
            and server.transport in REACHED
            and server.details.get("project") in (None, "", folder)
        ]
    )


def without_doubles(found: Sequence[Found]) -> list[Found]:
    """The same without entries that differ in the host alone; the first of such stays."""
    kept: dict[tuple[object, ...], Found] = {}
    for one in found:
        entry = one[0].entry
        texts = [(name, repr(tree.value)) for name, tree in sorted(entry.env.items())]
        heads = [(name, repr(tree.value)) for name, tree in sorted(entry.headers.items())]
        key = (entry.name, *entry.words, entry.url, entry.cwd, entry.env_file, *texts, *heads)
        kept.setdefault(key, one)
    return list(kept.values())


def named_apart(found: Sequence[Found]) -> Iterator[tuple[str, Found]]:
    """Each with a name that no other has."""
    names = Counter(one.name for one, _ in found)
    wholes = Counter((one.host, one.name) for one, _ in found)
    seen: set[str] = set()
    for server, file in found:
        name = shown_server(server.name)
        if names[server.name] > 1:
            name = f"{server.host}/{name}"
        if wholes[server.host, server.name] > 1:
            name = f"{name} ({server.scope})"
        free, number = name, 2
        while free in seen:
            free, number = f"{name} {number}", number + 1
        seen.add(free)
        yield free, (server, file)


def shown_server(name: str) -> str:
    """A name of a file, safe to show: it cannot pass for another by letters that look alike."""
    shown = shortened(name, 60) or "(no name)"
    if shown != shown.strip() or name != name.strip():
        shown = f"“{shown}”"
    scripts = sorted({_script(one) for one in name[:200] if one.isalpha()})
    return f"{shown} (letters: {', '.join(scripts)})" if len(scripts) > 1 else shown


def _script(letter: str) -> str:
    """The script of a letter, by its name in Unicode: `Latin`."""
    return unicodedata.name(letter, "other").partition(" ")[0].capitalize()


def _start_of(found: Found) -> ServerStart | UsageError:
    """All that starts a server, or why it cannot be started."""
    try:
        return filled_start(found, this_machine())
    except UsageError as problem:
        return problem


def _prepared(
    found: Found,
    start: ServerStart | UsageError,
    name: str,
    given: SessionOptions,
    ending: contextlib.ExitStack,
    *,
    ask: AskStart | None,
    watches: bool,
) -> OneOfSeveral:
    server = found[0]
    if given.policy is not None or given.host is not None:
        # A mistake there is one of the command line, and of no server.
        chosen_policy(given.policy or "", given.host or "")
    shown = visible(server.url or " ".join((server.command or "", *server.args)))
    try:
        if isinstance(start, UsageError):
            raise start
        target = _target(start, name, given, ask=ask, watches=watches)
        tell_own_environment(server_words(target))
        prepared = PreparedSession(*session_config(given, target, os.environ), given=given)
    except NotStarted as problem:
        return OneOfSeveral(name, shown, None, str(problem), ExitStatus.NOT_APPROVED)
    except UsageError as problem:
        return OneOfSeveral(name, shown, None, str(problem), ExitStatus.LOST)
    ending.callback(prepared.end)
    return OneOfSeveral(name, shown, prepared)


def _target(
    start: ServerStart, name: str, given: SessionOptions, *, ask: AskStart | None, watches: bool
) -> Target:
    keeps_memory = not given.no_memory
    require_consent(start, _digests(start, given), keeps_memory=keeps_memory, ask=ask)
    return watched(target_of(start, given._replace(name=name)), given, watches=watches)


def _digests(start: ServerStart, given: SessionOptions) -> tuple[str, ...]:
    """The digests that decide on a start: of several servers, each has its own or is asked for."""
    return tuple(one for one in given.start if one.strip().lower() == start.digest)
