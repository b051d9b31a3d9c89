"""Screens under test are drawn when they are looked at; their workers stay; no hosts are there."""

from __future__ import annotations

import pytest
from textual._compositor import Compositor

from signoff.app.sandbox import worker
from tests.drawing import as_seen, drawn_once


@pytest.fixture(autouse=True)
def _workers_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker does the work of the next test, too; `tests/link` looks at its end."""
    monkeypatch.setattr(worker, "shut_down", lambda: None)


@pytest.fixture(scope="session")
def _home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def _no_hosts(_home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person who runs the tests has hosts, which would have columns on the screens."""
    for name in ("HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, _home)


@pytest.fixture(autouse=True)
def _drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a widget does when it is drawn again is tested in `tests/widgets`."""
    monkeypatch.setattr(Compositor, "render_update", drawn_once(Compositor.render_update))
    monkeypatch.setattr(Compositor, "render_strips", as_seen(Compositor.render_strips))
