"""The quick and the slow tests: which cases, and how many examples of a property, are in which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

FULL = 50
"""Examples of the profile `full`; a smaller number is that of the quick tier."""


def first_quick(cases: Iterable[Any], quick: int = 1, *, several: bool = False) -> list[Any]:
    """Mark all but the first cases of a `parametrize` as slow.

    `several`: a tuple is several arguments, and not one argument such as a size. Cases that are
    slow already are not counted.
    """
    marked: list[Any] = []
    for case in cases:
        values, marks, name = (case,), [], None
        if hasattr(case, "marks"):
            values, marks, name = case.values, list(case.marks), case.id
        elif several:
            values = tuple(case)
        if not any(mark.name == "slow" for mark in marks):
            if quick <= 0:
                marks.append(pytest.mark.slow.mark)
            quick -= 1
        marked.append(pytest.param(*values, marks=marks, id=name))
    return marked


def examples(count: int, **more: Any) -> settings:
    """Settings with `count` examples in the slow tier, and as much fewer in the quick one.

    A profile with more examples than `count` is obeyed.
    """
    of_profile = settings.default.max_examples if settings.default else FULL
    return settings(max_examples=max(1, count * of_profile // FULL), **more)
