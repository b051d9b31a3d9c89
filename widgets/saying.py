"""A line that says what it was told; saying the same once more costs nothing."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


def say(line: Static, words: Content) -> None:
    """Show these words, unless they are there already: each update lays out the whole screen."""
    said = line.content
    if not (isinstance(said, Content) and said.is_same(words)):
        line.update(words)
