"""Copies of values, where anything is another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

T = TypeVar("T")


def changed(original: T, /, **fields: Any) -> T:
    """A copy of a dataclass with these fields; itself where each has that very value already."""
    others = {name: one for name, one in fields.items() if getattr(original, name) is not one}
    return replace(original, **others) if others else original  # type: ignore[type-var]
