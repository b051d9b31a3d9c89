"""The screens remember protocol eras; tests must not touch the user's cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.link import worker


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture(autouse=True)
def _workers_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker does the work of the next test, too; `tests/link` looks at its end."""
    monkeypatch.setattr(worker, "shut_down", lambda: None)
