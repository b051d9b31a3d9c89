"""Progress of the tour, kept in one small file in the state folder.

If the file is damaged, too large or of another version, the tour starts from the beginning; the
rest of the store has nothing to do with it.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, Limits, parse
from ...platforms.files import set_rights, why
from ...storage.state_dir import (
    FILE_MODE,
    StoreError,
    private_file_if_any,
    private_folder,
    shown,
    state_folder,
)

VERSION = 1
_NAME = "tour.json"
_MOST = 64_000
"""Bytes."""


@frozen
class TourProgress:
    """`at`: the id of the open step. `problem`: why the tour starts over, in words."""

    at: str = ""
    done: frozenset[str] = frozenset()
    guesses: Mapping[str, bool] = field(default_factory=dict)
    problem: str = ""


def load_tour(known: Iterable[str]) -> TourProgress:
    """Load the progress, limited to steps with these ids; never raises."""
    try:
        path = private_file_if_any(state_folder() / _NAME)
        if path is None:
            return TourProgress()
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except StoreError as problem:
        return TourProgress(problem=str(problem))
    except OSError as problem:
        return TourProgress(problem=f"it cannot be read: {why(problem)}")
    try:
        value = parse(data, Limits(size=_MOST)).value
    except JsonError:
        return TourProgress(problem="the file is damaged")
    return _read(value, frozenset(known))


def save_tour(at: str, done: Iterable[str], guesses: Mapping[str, bool]) -> str:
    """Keep it; returns why that failed, in words that are safe to show, or nothing."""
    value: dict[str, JsonValue] = {
        "version": VERSION,
        "at": at,
        "done": [*sorted(done)],
        "guesses": dict(guesses),
    }
    try:
        folder = private_folder(state_folder())
        handle, name = tempfile.mkstemp(prefix=f".{_NAME}.", dir=folder)
        try:
            set_rights(handle, FILE_MODE)
            with open(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(value, indent=1))
            Path(name).replace(folder / _NAME)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except StoreError as problem:
        return str(problem)
    except OSError as problem:
        return f"{shown(_NAME)} cannot be written: {why(problem)}"
    return ""


def _read(value: JsonValue, known: frozenset[str]) -> TourProgress:
    if not isinstance(value, dict) or value.get("version") != VERSION:
        return TourProgress(problem="the file has another version")
    at, done, guesses = value.get("at"), value.get("done"), value.get("guesses")
    is_sound = (
        isinstance(at, str)
        and isinstance(done, list)
        and all(isinstance(one, str) for one in done)
        and isinstance(guesses, dict)
        and all(isinstance(one, bool) for one in guesses.values())
    )
    if not is_sound:
        return TourProgress(problem="the file is damaged")
    assert isinstance(at, str)
    assert isinstance(done, list)
    assert isinstance(guesses, dict)
    ids = frozenset(one for one in done if isinstance(one, str))
    if not {at, *ids, *guesses} <= known:
        return TourProgress(problem="the file has another version")
    return TourProgress(at, ids, {one: guess is True for one, guess in guesses.items()})
