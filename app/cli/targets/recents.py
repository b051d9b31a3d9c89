"""Notes a session among the recent servers, so that the start screen can open it again."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...engine.session_config import SessionConfig
from ...protocol.server import option_words
from ...storage.state_dir import StoreError
from ..options.meaning import OptionMeaning, Repeat
from ..options.session import session_options

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ...protocol.server import Start

CLOSED: Final = "closed"
"""Outcome of a session that a person has left."""


@contextlib.contextmanager
def noted_session(config: SessionConfig) -> Iterator[SessionConfig]:
    """Give a configuration with which the session is noted at its end.

    The bundled server, sessions without memory and those of the tour are not noted.
    """
    if not config.keeps_memory or config.target.is_bundled or config.memory is not None:
        yield config
        return
    engines: list[Engine] = []
    began = time.time()

    def attach(engine: Engine) -> None:
        engines.append(engine)
        if config.attach is not None:
            config.attach(engine)

    try:
        yield replace(config, attach=attach)
    finally:
        for engine in engines[:1]:
            _note(config, engine, began)


def _note(config: SessionConfig, engine: Engine, began: float) -> None:
    from ...schemas.secrets.commands import mask_command
    from ...storage.store import Store

    server = engine.server
    is_pasted = bool(config.target.shown) and not config.target.configured
    words = () if config.start is None or is_pasted else words_of(config.start)
    folder = "" if server.identity.startswith("http:") else config.target.folder or os.getcwd()
    with Store.open() as store, contextlib.suppress(StoreError):
        store.recents.note(
            server.identity,
            server.name,
            mask_command(server.command),
            words,
            folder,
            began,
            server.ended_words or CLOSED,
        )


def words_of(start: Start) -> tuple[str, ...]:
    """The words that open the same server again; none if they would have a secret."""
    from ...schemas.secrets.commands import mask_words

    # A secret is kept as where its value comes from.
    sources = _kept(start, lambda means: means.repeat is Repeat.SOURCE)
    kept = _kept(start, lambda means: means.repeat is not Repeat.SOURCE)
    env = [word for one in start.env for word in option_words("--env", one.partition("=")[0])]
    if start.configured:
        file, name = start.configured
        return (*sources, *kept, *env, *option_words("--config", file), f"--server={name}")
    words = [*kept, *env, *(["--url", start.url] if start.url else ["--", *start.argv])]
    return (*sources, *words) if mask_words(words) == words else ()


def _kept(start: Start, is_meant: Callable[[OptionMeaning], bool]) -> list[str]:
    """The words of the options that belong to the server."""
    flags = {
        one.flags[0] for _, one, means in session_options() if means.is_kept and is_meant(means)
    }
    return [
        word for option in start.options if option[0] in flags for word in option_words(*option)
    ]
