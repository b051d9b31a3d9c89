"""Writes changed settings into their file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ..content.text import sentence
from ..storage.settings.file import VARIABLE, make_file, read_file, replace_file, settings_file
from ..storage.settings.reading import CannotWrite, template, with_values, without_value
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

    def advice(place: str) -> str:
        return f"Add this{place and f' to {place}'} yourself: {lines}."

    place, why = _rewrite(lambda text: with_values(text, changed), environment, advice)
    if why:
        return SaveResult(f"Not kept: {why}", False)
    return SaveResult(f"Kept in {place}: {lines}.{_before_file(changed, environment)}", True)


def forget_setting(name: str, environment: Mapping[str, str]) -> SaveResult:
    """Take a setting out of the file, so that its default counts."""

    def advice(place: str) -> str:
        return f"Remove {name}{place and f' from {place}'} yourself."

    place, why = _rewrite(lambda text: without_value(text, name), environment, advice)
    if why:
        return SaveResult(f"Not removed: {why}", False)
    return SaveResult(f"Removed from {place}: {name}.{_before_file([name], environment)}", True)


def _rewrite(
    change: Callable[[str], str], environment: Mapping[str, str], advice: Callable[[str], str]
) -> tuple[str, str]:
    """Change the text of the file; returns its path, safe to show, and why that was not possible.

    `advice` follows the reason; it gets the path, unless the reason has it.
    """
    place = ""
    try:
        path = settings_file(environment)
        if path is None:
            return "", f"{VARIABLE} is empty."
        place = shown(path)
        text = read_file(path)
        if text is None:
            make_file(path, change(template()))
        elif (changed := change(text)) != text:
            replace_file(path, changed, text)
    except CannotWrite as problem:
        return place, f"{place} {problem}. {advice('')}"
    except (StoreError, RuntimeError) as problem:
        to_place = f" {advice(place)}" if place else ""
        return place, f"{sentence(problem)}{to_place}"
    return place, ""


def _before_file(names: Iterable[str], environment: Mapping[str, str]) -> str:
    over = [BY_NAME[name].variable for name in names if environment.get(BY_NAME[name].variable)]
    return f" {' and '.join(over)} in the environment counts before it." if over else ""
