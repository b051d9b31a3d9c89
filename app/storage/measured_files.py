"""Measurements of hosts in files: the user's own, and those that are saved."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from ..analysis.measured.records import file_name, packaged_measurements
from ..analysis.measured.values import Measurement, RecordError, read_measurements
from .state_dir import why

_BYTES = 20_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which JSON can have and UTF-8 cannot."""


def measured_folder() -> Path:
    """Folder of own measurements (`XDG_DATA_HOME/signoff/measured` on Linux)."""
    import platformdirs

    folder: Path = platformdirs.user_data_path("signoff", appauthor=False)
    return folder / "measured"


def save_measurement(found: Measurement) -> Path:
    """Write a measurement into `measured_folder()`, over one of the same version, mode and surface.

    Raises OSError.
    """
    folder = measured_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(found.key)
    # A reader gets the old one or the new one, never a part; of two writers one wins.
    written = folder / f".{secrets.token_hex(8)}.new"
    try:
        written.write_text(record_text([found]), encoding="utf-8")
        os.replace(written, path)
    finally:
        written.unlink(missing_ok=True)
    return path


def record_text(found: list[Measurement]) -> str:
    """Measurements as JSON, a cell a line, so that a difference can be read."""
    parts = []
    for one in found:
        raw = one.as_json()
        cells = raw.pop("cells")
        head = json.dumps(raw, ensure_ascii=False, indent=1)[:-2]
        assert isinstance(cells, list)
        lines = ",\n  ".join(json.dumps(cell, ensure_ascii=False) for cell in cells)
        parts.append(f'{head},\n "cells": [\n  {lines}\n ]\n}}')
    text = "[" + ",\n".join(parts) + "]\n"
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def read_measured_file(path: Path) -> tuple[Measurement, ...]:
    """The measurements in a file. Raises RecordError."""
    try:
        with path.open("rb") as file:
            data = file.read(_BYTES + 1)
    except OSError as problem:
        raise RecordError(f"{path.name}: it cannot be read: {why(problem)}") from None
    if len(data) > _BYTES:
        raise RecordError(f"{path.name}: it has more than {_BYTES:,} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise RecordError(f"{path.name}: it is not UTF-8") from None
    return read_measurements(text, path.name)


def own_measurements(problems: list[str] | None = None) -> Iterator[Measurement]:
    """The measurements in `measured_folder()`; unreadable files are named in `problems`."""
    folder = measured_folder()
    try:
        # A pipe would be waited for.
        paths = sorted(path for path in folder.glob("*.json") if path.is_file())
    except OSError:
        return
    for path in paths:
        try:
            yield from read_measured_file(path)
        except RecordError as problem:
            if problems is not None:
                problems.append(str(problem))


def all_measurements(problems: list[str] | None = None) -> tuple[Measurement, ...]:
    """Those that come with the program, then the user's own."""
    return (*packaged_measurements(), *own_measurements(problems))
