"""Whether a letter is text where the focus is, and how a key that is a letter is then pressed."""

from __future__ import annotations

from textual.widget import Widget


def is_text(letter: str, focused: Widget | None) -> bool:
    """Whether this letter would be typed into what has the focus."""
    if focused is None:
        return False
    # A list that narrows to what is typed takes characters, too.
    return getattr(focused, "takes_text", False) or focused.check_consume_key(letter, letter)


def way_to(letter: str, focused: Widget | None) -> str:
    """What to press for the key of this letter."""
    return f"esc, then {letter}" if is_text(letter, focused) else letter
