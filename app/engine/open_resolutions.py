"""Requests of `tools/resolve` on their way, during which a server may not ask for anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class OpenResolutions:
    """The resolutions of one engine that wait for their response."""

    def __init__(self) -> None:
        self._asked: list[Callable[[str], None]] = []

    @property
    def is_open(self) -> bool:
        """True while one waits; may be read from any thread."""
        return bool(self._asked)

    @contextmanager
    def waiting(self, asked: Callable[[str], None]) -> Iterator[None]:
        """Hand the method of each request of the server to `asked` until the end."""
        self._asked.append(asked)
        try:
            yield
        finally:
            self._asked.remove(asked)

    def take(self, method: str) -> bool:
        """True if a resolution is open: then a request of the server gets an error."""
        for asked in self._asked:
            asked(method)
        return bool(self._asked)
