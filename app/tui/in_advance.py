"""What the first dialogs of a session need, brought in while nobody types.

Importing them and parsing their style sheets takes longer than a few frames, and would fall between
a key and what it does. One piece is brought in at a time, so that a key finds the loop free.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from textual.screen import Screen

REST_SECONDS: Final = 1.0
"""After so long without a key or a click the person reads."""
LOOKS_A_SECOND: Final = 10
MODULES: Final = (
    # What tells a call, and what puts a server's requests to a person.
    "signoff.app.engine.calls.call_task",
    "signoff.app.engine.request_handler",
    "signoff.app.calls.paging",
    # The dialogs and the screens that a key opens.
    "signoff.app.tui.approving.answer_form_screen",
    "signoff.app.tui.approving.trusting",
    "signoff.app.tui.desk.roots_screen",
    "signoff.app.tui.offers.show_offers",
    "signoff.app.tui.offers.offer_form",
    "signoff.app.tui.wire.wire_screen",
    "signoff.app.tui.wire.raw_screen",
    "signoff.app.tui.wire.raw_dialog",
    "signoff.app.tui.desk.policy_screen",
    "signoff.app.tui.desk.matrix_screen",
    "signoff.app.tui.server_screen",
    "signoff.app.tui.keys_screen",
)
SHEETS: Final = (
    "approving/approval.tcss",
    "approving/form_screen.tcss",
    "wire/wire_screen.tcss",
    "desk/policy.tcss",
    "desk/matrix.tcss",
)
"""From this folder. Textual would parse each at its first use, and all others once more with it."""


class InAdvance:
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
        """Names of what was brought in, or has begun to be."""
        for name in MODULES:
            self._importing = asyncio.create_task(asyncio.to_thread(_import, name))
            yield name
        known = self._screen.app.stylesheet
        for sheet in SHEETS:
            path = str(Path(__file__).parent / sheet)
            if not known.has_source(path, ""):
                known.read(path)
                known.parse()
            yield sheet


def _import(name: str) -> None:
    # Where it fails, its first use fails as well, and says why.
    with contextlib.suppress(Exception):
        importlib.import_module(name)
