from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from signoff.app import platforms
from tests.forking import popen


@pytest.fixture(autouse=True)
def _started_anew() -> Iterator[None]:
    """What a process gets from the system is what these tests are about."""
    with popen.rest():
        yield


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """`load(name)` gives a module of `signoff.app.platforms` as it is on Windows."""
    if sys.platform == "win32":
        pytest.skip("this is Windows itself")
    else:
        from tests.platforms.windows import FakeMsvcrt, install

        for name in ("msvcrt", "_winapi"):
            monkeypatch.delitem(sys.modules, name, raising=False)
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        for name in ("O_NOINHERIT", "O_BINARY"):
            monkeypatch.setattr(os, name, 0, raising=False)
        for name in ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW"):
            monkeypatch.setattr(subprocess, name, 0, raising=False)
        msvcrt = FakeMsvcrt()
        install(msvcrt)

        def load(name: str) -> Any:
            spec = importlib.util.spec_from_file_location(
                f"{name}_of_windows", f"{platforms.__path__[0]}/{name}.py"
            )
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            with monkeypatch.context() as patched:
                patched.setattr(sys, "platform", "win32")
                spec.loader.exec_module(module)
            return module

        return SimpleNamespace(load=load, msvcrt=msvcrt)
