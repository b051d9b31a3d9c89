"""How long an open question waits before it is denied."""

from __future__ import annotations

import math
from typing import Final

DECISION_SECONDS: Final = 120.0
NO_LIMIT: Final = math.inf
"""A question with this limit stays open until it is answered."""
OFF: Final = "off"
_MOST = 1e9


def read_time_limit(text: str) -> float:
    """Seconds as a person writes them, `off` for `NO_LIMIT`. Raises ValueError in words.

    0 is refused: it could as well mean that everything is denied at once.
    """
    if text.strip().casefold() == OFF:
        return NO_LIMIT
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < _MOST:
        raise ValueError(f"{text!r} is neither a number of seconds above 0 nor {OFF}")
    return seconds
