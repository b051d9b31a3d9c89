"""Which cases of a test are quick: one of each kind, and the others with the slow tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


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
