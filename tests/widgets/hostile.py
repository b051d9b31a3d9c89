"""Text that must be shown literally by whatever shows a server's text."""

from __future__ import annotations

from collections.abc import Iterable

from textual.strip import Strip

PAYLOADS = (
    "[red]x[/]",
    "[@click=app.quit]x[/]",
    "[/foo] x",
    "[link=https://evil.example]x[/link]",
    "\x1b]0;pwn\x07",
    "\x1b]52;c;cHdu\x1b\\",
    "\x1b[2J",
    "\x9b2J",
    "safe\rrm\b\x00",
    "a\u202eb\u2066c",
    "pay\u200bpal\x7f",
    "\ud800\U000e0041\U000f0000",
    "x" + " " * 600 + "y",
    "\u0301" * 40,
    "漢字 😀 e\u0301",
)


def assert_harmless(strips: Iterable[Strip]) -> None:
    """No control character, nothing that cannot be encoded, no action, no link."""
    for strip in strips:
        for text, style, control in strip:
            assert not control
            assert text.isprintable(), ascii(text)
            text.encode("utf-8")
            if style is not None:
                assert style.link is None
                # The scrollbar is grabbed by "@mouse.down"; a server's action would be a click.
                assert "@click" not in style.meta
