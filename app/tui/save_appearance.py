"""Writes a changed appearance into the settings file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..content.text import sentence
from ..storage.settings.file import VARIABLE, make_file, read_file, replace_file, settings_file
from ..storage.settings.reading import CannotWrite, template, with_values
from ..storage.settings.settings import BY_NAME, written
from ..storage.state_dir import StoreError, shown


class SaveResult(NamedTuple):
    """Result of saving, in words."""

    words: str
    is_done: bool


def keep_look(changed: Mapping[str, object], environment: Mapping[str, str]) -> SaveResult:
    """Put the changed settings, by name, into the file; make it if there is none."""
    if not changed:
        return SaveResult(
            "Nothing to keep: theme, grouping and hosts have not changed since the start.", False
        )
    lines = ", ".join(f"{name} = {written(value)}" for name, value in changed.items())
    place = ""
    try:
        path = settings_file(environment)
        if path is None:
            return SaveResult(f"Not kept: {VARIABLE} is empty.", False)
        place = shown(path)
        text = read_file(path)
        if text is None:
            make_file(path, with_values(template(), changed))
        else:
            replace_file(path, with_values(text, changed), text)
    except CannotWrite as problem:
        return SaveResult(f"Not kept: {place} {problem}. Add this yourself: {lines}.", False)
    except (StoreError, RuntimeError) as problem:
        advice = f" Add this to {place} yourself: {lines}." if place else ""
        return SaveResult(f"Not kept: {sentence(problem)}{advice}", False)
    words = f"Kept in {place}: {lines}."
    over = [BY_NAME[name].variable for name in changed if environment.get(BY_NAME[name].variable)]
    if over:
        words += f" {' and '.join(over)} in the environment counts before it."
    return SaveResult(words, True)
