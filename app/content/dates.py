"""Moments as people read them."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(at: float) -> str:
    """Seconds of the epoch as local date and time."""
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
