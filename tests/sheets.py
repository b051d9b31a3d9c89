"""Style sheets of Textual: parsed once, and not anew for every program under test.

A tenth of what a small program costs was the parsing of the same sheets. What comes of it is
never changed by Textual, so all programs of one process can have it in common.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.css import stylesheet

Variables = dict[str, list[Any]]


def keep(module: Any = stylesheet) -> None:
    """From now on what this module parses is kept; a sheet that has faults is parsed anew."""
    vars(module)["tokenize_values"] = kept_values(module.tokenize_values)
    vars(module)["parse"] = kept_sheets(module.parse)


def kept_values(tokenize: Callable[[dict[str, str]], Variables]) -> Callable[..., Variables]:
    """The same values are the same object, so that sheets can be told apart by it."""
    kept: dict[tuple[tuple[str, str], ...], Variables] = {}

    def tokenize_once(values: dict[str, str]) -> Variables:
        key = tuple(values.items())
        if key not in kept:
            kept[key] = tokenize(values)
        return kept[key]

    return tokenize_once


def kept_sheets(parse: Callable[..., Any]) -> Callable[..., list[Any]]:
    """A sheet is its text, where that came from, what it counts, and its variables."""
    kept: dict[tuple[object, ...], tuple[list[Any], Variables | None]] = {}

    def parse_once(
        *given: object, variable_tokens: Variables | None = None, **more: object
    ) -> list[Any]:
        key = (*given, *sorted(more.items()), id(variable_tokens))
        if key not in kept:
            rules = list(parse(*given, variable_tokens=variable_tokens, **more))
            # The variables are held too, or another object could get their id.
            kept[key] = rules, variable_tokens
        return kept[key][0]

    return parse_once
