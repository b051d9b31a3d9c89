"""Asks, once a session for each program, whether it may be started to play a server's sound."""

from __future__ import annotations

from typing import Any

from textual.content import Content

from ...content.text import visible
from ..approving.two_buttons import TwoButtonDialog


class PlayDialog(TwoButtonDialog):
    """`about` describes the sound, `program` is the path of the player.

    `guard`: what TwoButtonDialog takes by name.
    """

    def __init__(self, about: str, program: str, **guard: Any) -> None:
        super().__init__("Play this sound?", "Do not play", "Play", **guard)
        self._about = about
        self._program = program

    def sheet(self) -> Content:
        return Content.assemble(
            "A server made this sound; the program that plays it does not know.\n\n",
            ("sound    ", "$foreground 60%"),
            self._about,
            ("\nprogram  ", "$foreground 60%"),
            (visible(self._program), "bold"),
            "\n         gets a copy of it; it is not asked about again this session",
        )
