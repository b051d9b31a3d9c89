"""Words for the value of a setting and for its source."""

from __future__ import annotations

import math
from typing import Final

from ..approval.approval import OFF
from ..content.text import visible
from ..storage.settings.file import STRICT
from ..storage.settings.values import FILE, Settings, SourcedValue

MISTAKE: Final = "mistake"
"""The source of the policy in place of one that cannot be used."""


def counting(settings: Settings, name: str) -> SourcedValue:
    """The value that counts; a policy that cannot be used has another one in its place."""
    if name == "policy" and not settings.is_policy_sure:
        return SourcedValue(STRICT, MISTAKE)
    return settings.of(name)


def value_words(name: str, value: object) -> str:
    """A value, safe to show."""
    if isinstance(value, float):
        return OFF if math.isinf(value) else f"{value:g}"
    if name == "files" and not value:
        return "(the current folder)"
    return visible(str(value))


def source_words(found: SourcedValue) -> str:
    """Where a value is from, such as `file line 3`."""
    if found.source == MISTAKE:
        return "since the policy of the settings cannot be used"
    return f"file line {found.line}" if found.source == FILE else found.source
