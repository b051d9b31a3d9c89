"""The words that start this program from anywhere, as a host's configuration needs them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from ...hosts.entries.commands import base_name

_NAME: Final = "signoff"
_MODULE: Final = "signoff.app"
_FOLDERS_OF_RUNNERS: Final = ("uv", "pipx")
"""Folders of caches in which a runner of packages keeps a program for some time."""


def own_program() -> list[str]:
    """The program with its whole path, as it was started; else Python with the module."""
    started = Path(sys.argv[0]).absolute()
    if base_name(sys.argv[0]) == _NAME and started.is_file():
        return [str(started)]
    ending = ".exe" if sys.platform == "win32" else ""
    beside = Path(sys.executable).with_name(f"{_NAME}{ending}")
    return [str(beside)] if beside.is_file() else [sys.executable, "-m", _MODULE]


def is_kept_for_some_time(program: str) -> bool:
    """True for a program in a cache, as `uvx` makes it: it can vanish."""
    parts = program.split(os.sep)
    is_cached = any(one in (".cache", "Caches", "cache") for one in parts)
    return is_cached and any(one in parts for one in _FOLDERS_OF_RUNNERS)
