"""Frames as plain lines, one each, with nothing in them that a terminal would obey."""

from __future__ import annotations

from ...content.text import visible
from .rows import WireRow


def plain_line(row: WireRow) -> str:
    """One line: number, time, direction, kind, what it is about, and what is known besides."""
    identity = f"id {visible(row.id)}" if row.id else ""
    facts = [one for one in (identity, row.size, row.latency, row.call) if one]
    sign = "!" if row.is_error else " "
    head = f"{row.number:>6} {row.time} {row.arrow} {row.direction:<4} {sign} {row.kind:<9}"
    tail = f"  ({', '.join(facts)})" if facts else ""
    return f"{head} {visible(row.what)}{tail}"
