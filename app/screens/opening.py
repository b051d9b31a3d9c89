"""A bench that is made after the first paint: importing it takes a tenth of the way there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.core.server import Server
from app.core.trust import Trust

if TYPE_CHECKING:
    from app.bench import Bench
    from app.link import Link


@dataclass(slots=True)
class Opening:
    """What is known of a server before its bench is there. Times are seconds, None the default."""

    link: Link
    name: str
    trust: Trust
    idle_seconds: float | None = None
    absolute_seconds: float | None = None
    decision_seconds: float | None = None
    _bench: Bench | None = field(default=None, repr=False)

    @classmethod
    def of(cls, bench: Bench) -> Opening:
        """The opening of a bench that is there already."""
        return cls(bench.link, bench.server.name, bench.server.trust, _bench=bench)

    @property
    def server(self) -> Server:
        if self._bench is not None:
            return self._bench.server
        return Server(self.name, self.link.command, self.link.identity, self.trust)

    @property
    def bench(self) -> Bench:
        """The bench, made at the first use."""
        if self._bench is None:
            from app.bench import Bench
            from app.core.calls import CallLimits

            limits = CallLimits()
            self._bench = Bench(
                self.link,
                self.name,
                trust=self.trust,
                limits=CallLimits(
                    self.idle_seconds or limits.idle, self.absolute_seconds or limits.absolute
                ),
            )
        return self._bench
