"""Remembers which era a server said it speaks, so that no probe has to be waited for twice."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time

from ..platforms.files import NO_LINK, open_file
from .events import Era

ERAS_KEPT = 500
_ABOUT_KEPT = 16


def recall_era(identity: str) -> Era | None:
    """The era that the server said it speaks; None where it is not known."""
    era, colon, _ = _read().get(_key(identity), "").partition(":")
    # Without the mark it comes from a version of Signoff that kept guesses, too.
    if not colon:
        return None
    return "modern" if era == "modern" else "legacy" if era == "legacy" else None


def is_same_server(identity: str, about: str) -> bool:
    """Whether the server that said it was the one that is described by `about`."""
    return _read().get(_key(identity), "").partition(":")[2] == about[:_ABOUT_KEPT]


def remember_era(identity: str, era: Era, about: str = "") -> None:
    """Keep what a server said. `about` stands for what it is: its name and version.

    A cache that cannot be written is left alone: the probe only costs time.
    """
    eras = _read()
    key, value = _key(identity), f"{era}:{about[:_ABOUT_KEPT]}"
    if eras.get(key) == value:
        return
    eras.pop(key, None)
    eras[key] = value
    _write(dict(list(eras.items())[-ERAS_KEPT:]))


def forget_era(identity: str) -> None:
    """What was remembered is no longer so."""
    eras = _read()
    if eras.pop(_key(identity), None) is not None:
        _write(eras)


def _write(eras: dict[str, str]) -> None:
    path = _path()
    # Beside the file and named by process and time, so that two Signoffs never share one.
    fresh = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
        with open(open_file(fresh, flags, 0o600), "w", encoding="ascii") as file:
            json.dump(eras, file)
        os.replace(fresh, path)


def _path() -> str:
    import platformdirs

    return os.path.join(platformdirs.user_cache_dir("signoff", appauthor=False), "eras.json")


def _key(identity: str) -> str:
    return hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _read() -> dict[str, str]:
    try:
        with open(_path(), encoding="utf-8") as file:
            eras = json.load(file)
    except (OSError, ValueError):
        return {}
    if not isinstance(eras, dict):
        return {}
    return {key: era for key, era in eras.items() if isinstance(era, str)}
