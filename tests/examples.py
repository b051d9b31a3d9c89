"""How many examples a property test tries, if it wants another number than its tier gives."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

FULL = 50
"""Examples of the profile `full`; a smaller number is that of the quick tier."""


def examples(count: int, **more: Any) -> settings:
    """Settings with `count` examples in the slow tier, and as much fewer in the quick one.

    A profile with more examples than `count` is obeyed.
    """
    of_profile = settings.default.max_examples if settings.default else FULL
    return settings(max_examples=max(1, count * of_profile // FULL), **more)
