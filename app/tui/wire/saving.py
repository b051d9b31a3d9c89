"""Saving what the wire lists: as JSON lines, or as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textual.screen import Screen

from ...calls.answer_files import Written, save_file
from ...content.text import count
from ...protocol.wire.export import json_lines, wire_page
from ..answers.saving import SaveScreen, saved_words
from .listing import Listing


def save_frames(screen: Screen[Any], kind: str, listing: Listing, server: str) -> None:
    """Ask where, and write what is listed; `kind` is jsonl or html."""
    frames = listing.frames()
    if not frames:
        screen.notify("There is no message to save.", timeout=4, markup=False)
        return
    what = count(len(frames), "message")

    def pieces() -> Iterator[bytes]:
        if kind == "html":
            yield from wire_page(frames, listing.book, listing.showing, server)
        else:
            yield from json_lines(frames, listing.showing)

    def write(place: Path) -> Written:
        return save_file(place, pieces())

    def tell(written: Written | None) -> None:
        if written is not None:
            screen.notify(saved_words(what, written), timeout=8, markup=False)

    screen.app.push_screen(
        SaveScreen(
            f"Save {what}",
            f"{what}, secrets masked, into a file:",
            f"./wire.{kind}",
            write,
            replaces="replaces it",
        ),
        tell,
    )
