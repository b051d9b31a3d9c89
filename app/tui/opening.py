"""A bench that is made after the first paint: importing it takes a tenth of the way there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..engine.setup import Setup
from ..protocol.server import Server, Trust
from ..storage.settings.values import DARK, Settings

if TYPE_CHECKING:
    from ..approval.approval import Decision
    from ..engine.engine import Bench
    from ..protocol.server import Start
    from ..questions.questions import Question
    from ..transport import Link


@dataclass(slots=True)
class Opening:
    """What is known of a server before its bench is there. Times are seconds, None the default.

    `decision_seconds` may be `NO_LIMIT`: no question of the session is ever denied by the clock.
    """

    link: Link
    name: str
    trust: Trust
    idle_seconds: float | None = None
    absolute_seconds: float | None = None
    decision_seconds: float | None = None
    setup: Setup = field(default_factory=Setup)
    settings: Settings = field(default_factory=Settings)
    """What the person keeps; the options above count before it."""
    theme: str = DARK
    relink: Callable[[], Link] | None = None
    """Makes another link to the same server, for when the connection is lost."""
    is_bundled: bool = False
    """Whether it is the server that comes with Signoff, on which the tour runs."""
    begins_tour: bool = False
    is_presenting: bool = False
    """Whether the tour is large and slow, for those who watch."""
    keeps_tour: bool = True
    """Whether the tour goes on where it was left, and is kept for next time."""
    early_signal: Callable[[], int | None] = lambda: None
    """The number of a signal that came before the app heard signals, None where none did."""
    start: Start | None = None
    """With what words the program was started; None where it was not by a command line."""
    recorded: Callable[[], tuple[str, int]] = lambda: ("", 0)
    """What was done so far as a flow file, and how many steps that has."""
    person: Callable[[Question], Awaitable[Decision]] | None = None
    """Who answers every question; None for whoever sits there."""
    person_words: str = ""
    """What that person is called on the command line."""
    _bench: Bench | None = field(default=None, repr=False)

    @classmethod
    def of(cls, bench: Bench) -> Opening:
        """The opening of a bench that is there already."""
        return cls(bench.link, bench.server.name, bench.server.trust, _bench=bench)

    @property
    def current_link(self) -> Link:
        """The link of now: a bench that has connected again has another."""
        return self.link if self._bench is None else self._bench.link

    @property
    def server(self) -> Server:
        if self._bench is not None:
            return self._bench.server
        return Server(
            self.name, self.link.command, self.link.identity, self.trust, is_bundled=self.is_bundled
        )

    @property
    def bench(self) -> Bench:
        """The bench, made at the first use."""
        if self._bench is None:
            from ..calls.call import CallLimits

            limits = CallLimits()
            self._bench = self.setup.bench(
                self.link,
                self.name,
                self.trust,
                CallLimits(
                    self.idle_seconds or limits.idle, self.absolute_seconds or limits.absolute
                ),
                relink=self.relink,
                is_bundled=self.is_bundled,
            )
        return self._bench
