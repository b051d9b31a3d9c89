"""Remembers which protocol era a server speaks, so that no probe has to be waited for twice."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time

ERAS_KEPT = 500


def recall_era(identity: str) -> str | None:
    """The era of the last connection, `modern` or `legacy`; None where it is not known."""
    era = _read().get(_key(identity))
    return era if era in ("modern", "legacy") else None


def remember_era(identity: str, era: str) -> None:
    """Keep the era. A cache that cannot be written is left alone: the probe only costs time."""
    eras = _read()
    key = _key(identity)
    if eras.get(key) == era:
        return
    eras.pop(key, None)
    eras[key] = era
    kept = dict(list(eras.items())[-ERAS_KEPT:])
    path = _path()
    # Beside the file and named by process and time, so that two Signoffs never share one.
    fresh = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(fresh, "x", encoding="ascii") as file:
            json.dump(kept, file)
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
    return eras if isinstance(eras, dict) else {}
