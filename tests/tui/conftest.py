"""Screens under test are drawn when they are looked at, and their workers stay."""

from __future__ import annotations

import pytest
from textual._compositor import Compositor

from signoff.app.sandbox import worker
from tests.drawing import as_seen, drawn_once


@pytest.fixture(autouse=True)
def _workers_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker does the work of the next test, too; `tests/link` looks at its end."""
    monkeypatch.setattr(worker, "shut_down", lambda: None)


@pytest.fixture(autouse=True)
def _drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a widget does when it is drawn again is tested in `tests/widgets`."""
    monkeypatch.setattr(Compositor, "render_update", drawn_once(Compositor.render_update))
    monkeypatch.setattr(Compositor, "render_strips", as_seen(Compositor.render_strips))
