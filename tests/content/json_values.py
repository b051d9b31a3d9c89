"""Arbitrary JSON values for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TEXT = st.text(max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)


def json_values(keys: st.SearchStrategy[str] = TEXT) -> st.SearchStrategy[Any]:
    """JSON values whose objects have names from `keys`."""
    return st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys | TEXT, inner, max_size=5),
        max_leaves=12,
    )


def nested(depth: int) -> Any:
    """Lists in lists, deeper than Python likes."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value
