"""One more server beside those of a session on the screen: chosen there, and prepared here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...transport import NoLink
from ...tui.startup import AppConfig, MoreServers
from ..options.meaning import OptionScope, Repeat
from ..options.session import SessionOptions, session_options
from .session import PreparedSession, prepared_session
from .targets import NotStarted, UsageError

if TYPE_CHECKING:
    from ...presentation.openings import Opening, Section
    from ...presentation.starts import AskStart
    from ..command import Command

ALONE: Final = "the tour is a session of its own: leave this one, then start signoff tour"
ON_TERMINAL: Final = "typed on the terminal, which the screen has now: open it with signoff alone"


def more_servers(
    given: SessionOptions,
    read: Callable[[list[str]], Command],
    opened: Callable[[PreparedSession], AppConfig],
    ending: contextlib.ExitStack,
) -> MoreServers:
    """How a server is added to a session that began with `given`.

    `read` reads the command line of a row, `opened` starts what was prepared, and `ending` ends it
    with the whole session.
    """
    kept = _of_any_server(given)

    # What reads the files of hosts is imported when it is needed: no start waits for it.
    def sections() -> Sequence[Section]:
        from .start_screen import read_sections

        return read_sections(SessionOptions(no_memory=given.no_memory))

    def forget(row: Opening) -> None:
        from .start_screen import forget_recent

        forget_recent(row)

    def prepare(row: Opening, others: Sequence[AppConfig], ask: AskStart) -> AppConfig:
        from .start_screen import merged_session

        words = list(row.words)
        at = words.index("--") if "--" in words else len(words)
        chosen = getattr(read(words[:at]), "session", None)
        if not isinstance(chosen, SessionOptions) or row.words[:1] == ("tour",):
            raise UsageError(ALONE)
        session = merged_session(kept, chosen, row)
        for name, option, means in session_options():
            asked = means.repeat is Repeat.SOURCE and getattr(session, name)
            if isinstance(asked, tuple) and any(one.endswith("=-") for one in asked):
                raise UsageError(f"{option.flags[0]} of it is {ON_TERMINAL}")
        with contextlib.ExitStack() as own:
            argv = tuple(words[at + 1 :])
            prepared = own.enter_context(prepared_session(session, argv, ask=ask))
            target = prepared.config.target
            name = _free_name(target.name, [one.session.target.name for one in others])
            is_there = target.link().identity in {one.current_link.identity for one in others}
            apart = name if is_there else ""
            target = replace(target, name=name, apart=apart)
            prepared.config = replace(prepared.config, target=target)
            opening = opened(prepared)
            ending.push(own.pop_all())
        return opening

    return MoreServers(sections, forget, prepare, (UsageError, NotStarted, NoLink))


def _of_any_server(given: SessionOptions) -> SessionOptions:
    """The options that apply to whichever server is added."""
    found = {
        name: getattr(given, name)
        for name, _, means in session_options()
        if means.scope is OptionScope.SESSION
    }
    return SessionOptions(**found)


def _free_name(name: str, taken: Sequence[str]) -> str:
    """The name, with a number if another server has it."""
    number = 2
    free = name
    while free in taken:
        free = f"{name} {number}"
        number += 1
    return free
