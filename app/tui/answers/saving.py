"""Asks for a path, writes a file, and stays open until it is written or given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ...calls.answer_files import (
    NotSaved,
    SavedFiles,
    is_taken,
    make_folder,
    missing_folder,
    place_of,
)
from ...content.text import sentence, size, visible
from ..failures import TellsFailures
from ..fresh_sizes import FreshSizes


class SaveScreen(FreshSizes, ModalScreen[SavedFiles | None], TellsFailures):
    """Asks for a path; `write` writes in a thread and raises NotSaved. Overwriting is confirmed.

    All words are our own and safe to show.
    """

    FAILED = "Nothing was written"

    DEFAULT_CSS = """
    SaveScreen { align: center middle; }
    SaveScreen > Vertical {
        width: 90%; max-width: 100; height: auto;
        border: round $primary; background: $surface; padding: 0 1;
    }
    SaveScreen Static { height: auto; }
    SaveScreen Input, SaveScreen Input:focus { margin: 1 0; border: none; height: 1; padding: 0 1; }
    SaveScreen .told { min-height: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape", "leave", "Do not save", id="save.leave", tooltip="Leave; no file is written."
        ),
    ]

    def __init__(
        self,
        title: str,
        about: str,
        suggestion: str,
        write: Callable[[Path], SavedFiles],
        *,
        replaces: str,
    ) -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._suggestion = suggestion
        self._write = write
        self._replaces = replaces
        """What a second enter does if the place is taken."""
        self._is_sure_of = ""
        self._is_writing = False

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("enter: save · esc: cancel")
            yield Static(self._about, markup=False)
            yield Input(self._suggested(), select_on_focus=False)
            yield Static(f"in {visible(str(_here()))}", classes="told", markup=False)

    def _suggested(self) -> str:
        """In the folder for files, where the person keeps one."""
        folder: str = getattr(self.app, "files_folder", "")
        if not folder:
            return self._suggestion
        return f"{folder.rstrip('/')}/{self._suggestion.removeprefix('./')}"

    def on_mount(self) -> None:
        # Not there where the screen was left again before it was drawn.
        self.query(Input).focus()

    def action_leave(self) -> None:
        # A file is written whole or not at all; it takes a moment.
        if not self._is_writing:
            self.dismiss(None)

    @on(Input.Changed)
    def _changed(self, message: Input.Changed) -> None:
        message.stop()
        self._is_sure_of = ""

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        if not self._is_writing:
            self._save(message.value)

    @work(exit_on_error=False)
    async def _save(self, text: str) -> None:
        self._is_writing = True
        try:
            place = place_of(text)
            missing = await asyncio.to_thread(missing_folder, place)
            taken = "" if missing else await asyncio.to_thread(is_taken, place)
            if (missing or taken) and self._is_sure_of != text:
                self._is_sure_of = text
                does = f"create {missing}" if missing else self._replaces
                fault = taken or "no such folder"
                self._tell(f"{fault}. enter: {does}, or choose another name")
                return
            self._tell("writing…", style="$text-muted")
            if missing:
                await asyncio.to_thread(make_folder, place)
            written = await asyncio.to_thread(self._write, place)
        except NotSaved as problem:
            self._tell(f"Nothing was written: {sentence(problem.reason)}", style="bold $text-error")
        else:
            self.dismiss(written)
        finally:
            self._is_writing = False

    def _tell(self, words: str, style: str = "bold $text-warning") -> None:
        self.query_one(".told", Static).update(Content.styled(words, style))


def saved_words(what: str, written: SavedFiles) -> str:
    """Words for the notice: files, size, and place."""
    files = f"{written.files:,} files, " if written.files != 1 else ""
    return f"saved {what}: {files}{size(written.size)} in {visible(str(written.place))}"


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:
        return Path()
