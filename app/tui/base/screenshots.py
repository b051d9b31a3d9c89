"""Saves a picture of the screen in a file of the user's choice."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ...calls.answer_files import SavedFiles, free_place, save_file
from ...content.text import sentence, size

if TYPE_CHECKING:
    from textual.app import App


def ask_and_save(app: App[None]) -> None:
    """Take the picture first, before the dialog covers the screen, then ask for the path."""
    from ..answers.exporting import SaveScreen, saved_words

    try:
        picture = app.export_screenshot(title="Signoff").encode("utf-8", "backslashreplace")
    except Exception as problem:
        from ...storage.fault_log import note_fault

        words = note_fault(problem, "while it took a picture of the screen")
        app.notify(f"No picture: {sentence(words)}", severity="error", timeout=8, markup=False)
        return

    def tell(written: SavedFiles | None) -> None:
        if written is not None:
            app.notify(saved_words("the picture", written), timeout=8, markup=False)

    screen = SaveScreen(
        "Save a picture of the screen",
        f"{size(len(picture))}, SVG, which browsers show, into a file:",
        _name(getattr(app, "files_folder", "")),
        lambda place: save_file(place, picture),
        replaces="replace it",
    )
    app.push_screen(screen, tell)


def _name(folder: str) -> str:
    """A name that is not taken yet, from the time of now."""
    name = datetime.now().astimezone().strftime("signoff-%Y-%m-%d-%H%M%S.svg")
    try:
        return f"./{free_place(Path(folder or '.').expanduser() / name).name}"
    except (OSError, RuntimeError, ValueError):
        return f"./{name}"
