"""Prepares the engine and modules after the first paint."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen

from ..content.frozen import frozen
from ..engine.session_config import SessionConfig, Target
from ..protocol.server import Server
from ..storage.settings.values import DARK, Settings

if TYPE_CHECKING:
    from ..approval.approval import Decision
    from ..approval.questions.questions import Question
    from ..engine.engine import Engine
    from ..engine.events import EngineEvent
    from ..presentation.openings import Opening, Section
    from ..presentation.starts import AskStart
    from ..transport import Link
    from .approving.asker import DialogApprover


@dataclass(slots=True)
class AppConfig:
    """A session on a screen, before its engine exists."""

    link: Link
    session: SessionConfig
    settings: Settings = field(default_factory=Settings)
    """Appearance and keys."""
    theme: str = DARK
    begins_tour: bool = False
    is_presenting: bool = False
    """Whether the tour is large and slow, for those who watch."""
    keeps_tour: bool = True
    """Whether the tour continues from its last step, and saves its progress."""
    early_signal: Callable[[], int | None] = lambda: None
    """The number of a signal that came before the app heard signals, None where none did."""
    recorded: Callable[[], tuple[str, int]] = lambda: ("", 0)
    """What was done so far as a flow file, and how many steps that has."""
    restart_on: tuple[Path, ...] = ()
    """Files and folders; after a change in them the server is started again."""
    calls_on_change: bool = False
    """Whether the newest call is then made again, if that is harmless."""
    person: Callable[[Question], Awaitable[Decision]] | None = None
    """The simulated person for every question; None for the real one."""
    person_words: str = ""
    """What that person is called on the command line."""
    approver: DialogApprover | None = field(default=None, repr=False)
    """What asks the questions of this server, once there is a screen for them."""
    is_open: bool = False
    """Whether the engine listens to the link."""
    _engine: Engine | None = field(default=None, repr=False)

    @classmethod
    def of(cls, engine: Engine) -> AppConfig:
        """The opening of an existing engine."""
        server = engine.server
        target = Target(server.name, is_bundled=server.is_bundled)
        return cls(engine.link, SessionConfig(target, server.trust), _engine=engine)

    @property
    def current_link(self) -> Link:
        """The current link: an engine that has reconnected has another."""
        return self.link if self._engine is None else self._engine.link

    @property
    def server(self) -> Server:
        if self._engine is not None:
            return self._engine.server
        target, link = self.session.target, self.link
        return Server(
            target.name,
            link.command,
            link.identity,
            self.session.trust,
            is_bundled=target.is_bundled,
            lenient=link.lenient,
            experimental=tuple(sorted(link.capabilities.experimental)),
        )

    @property
    def engine(self) -> Engine:
        """The engine, made at the first use."""
        if self._engine is None:
            self._engine = self.session.engine(self.link)
        return self._engine

    def open(self, listener: Callable[[EngineEvent], None]) -> None:
        """Give events of the engine to `listener`, and listen to the link unless it does already.

        Call it on the event loop.
        """
        self.engine.subscribe(listener)
        if not self.is_open:
            self.is_open = True
            self.engine.open()


@frozen
class ServerNotOpened:
    """A server that was not started, and why; all safe to show."""

    name: str
    shown: str
    problem: str


@frozen
class MoreServers:
    """How one more server is chosen and prepared, beside those of a session."""

    sections: Callable[[], Sequence[Section]]
    """The rows to choose from; read in a thread."""
    forget: Callable[[Opening], None]
    prepare: Callable[[Opening, Sequence[AppConfig], AskStart], AppConfig]
    """Prepares the server of a row in a thread, with a name that none of the others has; asks for
    consent. Raises one of `problems`."""
    problems: tuple[type[Exception], ...]


REST_SECONDS: Final = 1.0
"""After so long without a key or a click the person reads."""
LOOKS_A_SECOND: Final = 10
MODULES: Final = (
    # Modules that show a call, and that show a server's requests to a person.
    "signoff.app.engine.calls.call_task",
    "signoff.app.engine.request_handler",
    "signoff.app.calls.paging",
    # Its parser is large, and few answers are Markdown.
    "signoff.app.content.texts.markdown",
    # The dialogs and the screens that a key opens.
    "signoff.app.tui.approving.answer_form",
    "signoff.app.tui.approving.trust_dialog",
    "signoff.app.features.resources.roots_screen",
    "signoff.app.features.resources.screen",
    "signoff.app.features.resources.form",
    "signoff.app.features.wire.screen",
    "signoff.app.features.wire.composing",
    "signoff.app.features.policies.screen",
    "signoff.app.features.matrix.screen",
    "signoff.app.tui.text.server_screen",
    "signoff.app.tui.text.keys_screen",
)
SHEETS: Final = (
    "approving/approval.tcss",
    "approving/form_screen.tcss",
    "../features/wire/screen.tcss",
    "../features/matrix/screen.tcss",
)
"""Style sheets of this folder. Textual would parse each at its first use, and all others again with
it."""


class Preload:
    """Brings one piece in at each look, as long as it is quiet."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen
        self._began = time.monotonic()
        self._pieces = self._bring_in()
        self._importing: asyncio.Task[None] | None = None
        self._timer = screen.set_interval(1 / LOOKS_A_SECOND, self._look)

    def _look(self) -> None:
        if self._importing is not None and not self._importing.done():
            return
        quiet_since = max(getattr(self._screen.app, "last_input", 0.0), self._began)
        if time.monotonic() - quiet_since < REST_SECONDS or not self._screen.is_active:
            return
        if next(self._pieces, None) is None:
            self._timer.stop()

    def _bring_in(self) -> Iterator[str]:
        """Import modules one by one in a thread; yields their names."""
        for name in MODULES:
            self._importing = asyncio.create_task(asyncio.to_thread(_import, name))
            yield name
        known = self._screen.app.stylesheet
        for sheet in SHEETS:
            # The name that Textual uses: with another one the sheet is parsed a second time.
            path = os.path.normpath(Path(__file__).parent / sheet)
            if not known.has_source(path, ""):
                known.read(path)
                known.parse()
            yield sheet


def _import(name: str) -> None:
    # If it fails, its first use fails as well, with the reason.
    with contextlib.suppress(Exception):
        importlib.import_module(name)
