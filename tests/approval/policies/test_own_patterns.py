"""No regular expression of ours can be made to take for ever by what it is given to read."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import signoff.app
import signoff.widgets
from signoff.app.approval.policies.patterns import hostile_texts
from signoff.app.hosts.folders import hosts_with
from signoff.app.hosts.settings import settings_of_host
from signoff.app.sandbox.worker import run_limited
from signoff.app.sandbox.worker_side import WorkerLimits

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the limits are POSIX")

METHODS = ("search", "match", "fullmatch")


def own_modules() -> Iterator[ModuleType]:
    """Every module of the program that this system can import."""
    for package in (signoff.app, signoff.widgets):
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if one.name.endswith(".__main__"):
                continue
            try:
                yield importlib.import_module(one.name)
            except ModuleNotFoundError as missing:
                # The module for consoles of Windows.
                if missing.name != "msvcrt":
                    raise


def own_patterns() -> Iterator[tuple[str, str]]:
    """Module and name of every expression that is compiled when a module is imported, once each."""
    seen: set[re.Pattern[str] | re.Pattern[bytes]] = set()
    for module in own_modules():
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and value not in seen:
                seen.add(value)
                yield module.__name__, name


def try_own(module: str, name: str, size: int = 2_000) -> int:
    """How many hostile texts were tried on one; bounded in size, since many grow with the square
    where they search and are only ever used to match."""
    return _try(vars(importlib.import_module(module))[name], size)


def try_form(host: str, size: int = 2_000) -> int:
    """The same for the form of rules of a host, with the names of servers as they are read."""
    rules = settings_of_host(host).rules
    names = ("server", "(?P<server>.+?)")
    forms = [] if rules is None else [rules.form.replace("{server}", name) for name in names]
    return sum(_try(re.compile(form), size) for form in forms)


def _try(pattern: re.Pattern[Any], size: int) -> int:
    is_bytes = isinstance(pattern.pattern, bytes)
    written = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    texts = hostile_texts(written)
    for text in texts:
        # The last character is the one that does not fit.
        short = text[:size] + text[-1]
        for method in METHODS:
            getattr(pattern, method)(short.encode("latin-1", "replace") if is_bytes else short)
    return len(texts)


@pytest.mark.slow
async def test_none_of_them_takes_for_ever() -> None:
    tried, limits = 0, WorkerLimits(wall_seconds=20, cpu_seconds=10)
    for module, name in own_patterns():
        tried += await run_limited(try_own, module, name, limits=limits)
    assert tried > 200
    for host in hosts_with("settings.toml"):
        tried += await run_limited(try_form, host, limits=limits)
