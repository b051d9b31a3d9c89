"""Exports parts of a result: into a file, all into a folder, or to the system's viewer.

A dialog asks for the path, and stays open until the file is written or given up. A viewer trusts
the file that it opens. So only kinds that are viewed and not run are opened, by the type that the
bytes spell; the type that the server claims never decides.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ...calls.answer_files import (
    NotSaved,
    SavedFiles,
    is_taken,
    make_folder,
    missing_folder,
    place_of,
    save_answer,
    save_file,
    told_of,
    viewer_folder,
)
from ...calls.call import Call
from ...calls.manifest import CallContent, PartBytes, folder_name
from ...content.frozen import frozen
from ...content.mime import essence, found_type, is_same_type, suffix_of, text_of
from ...content.text import count, sentence, size, visible
from ...platforms.files import why
from ...platforms.processes import APART
from ..approving.two_buttons import TwoButtonDialog
from ..base.box_bar import HasBoxBar
from ..base.failures import TellsFailures
from ..base.screen_mixin import ScreenMixin
from .part_items import Item
from .part_view import PartView


class SaveScreen(HasBoxBar, ScreenMixin, ModalScreen[SavedFiles | None], TellsFailures):
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

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("save")
    BOX_KEYS = (BarKey("save.leave", "Cancel"), BarKey("enter", "Save"))

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


_PLAIN = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/bmp",
        "image/tiff",
        "image/avif",
        "image/heic",
        "image/jxl",
        "audio/wav",
        "audio/mpeg",
        "audio/ogg",
        "audio/flac",
        "audio/mp4",
        "audio/aac",
        "audio/midi",
        "video/mp4",
        "video/webm",
        "video/ogg",
        "video/quicktime",
        "video/x-msvideo",
    }
)
_RISKY = {
    "application/pdf": "A PDF can hold scripts, forms and links; its viewer may act on them.",
    "application/rtf": "A rich text can embed other files; its editor may open them.",
}
_REFUSED = {
    "application/x-executable": "it is a program",
    "application/vnd.microsoft.portable-executable": "it is a Windows program",
    "application/x-mach-binary": "it is a program",
    "application/java-vm": "it is a program",
    "application/wasm": "it is a program",
    "text/x-script": "it is a script",
    "application/x-desktop": "it is a launcher, which starts a program",
    "application/x-ms-shortcut": "it is a shortcut, which starts a program",
    "text/html": "a web page runs scripts",
    "image/svg+xml": "an SVG can run scripts and load from elsewhere",
    "application/xml": "XML can be a web page, or load from elsewhere",
    "application/postscript": "PostScript is a program",
    "application/x-ole-storage": "an office document of this kind can hold macros",
    "application/zip": "an archive or office document can hold anything",
}
_ARCHIVE = "an archive can hold anything"


@frozen
class Openable:
    """Verdict on opening a part outside, and its type. `refusal` is the reason against it, or
    "".
    """

    found: str
    """The type by the bytes: a MIME type, `text/plain`, or "" for unknown."""
    suffix: str
    refusal: str = ""
    warning: str = ""
    """Reason for a second look; empty without one."""
    disagreement: str = ""
    """What the server claims instead, in words."""


def look_at(data: bytes, claimed: str) -> Openable:
    """Judge bytes by their signature, else as text; `claimed` is the server's word for them."""
    found = found_type(data)
    if not found and text_of(data) is not None:
        # Whatever language it claims: as plain text it is shown, and never run.
        return Openable("text/plain", ".txt")
    if not found:
        return Openable("", ".bin", refusal="its file type is unknown")
    claim = essence(claimed)
    disagreement = ""
    if claim and not is_same_type(claim, found):
        disagreement = f"the server claims {claim}, the bytes are {found}"
    suffix = suffix_of(found)
    if found in _PLAIN:
        return Openable(found, suffix, disagreement=disagreement)
    if found in _RISKY:
        return Openable(found, suffix, warning=_RISKY[found], disagreement=disagreement)
    refusal = _REFUSED.get(found, _ARCHIVE if _is_archive(found) else "nothing is known to show it")
    return Openable(found, suffix, refusal=refusal, disagreement=disagreement)


def _is_archive(mime: str) -> bool:
    return suffix_of(mime) in (".gz", ".bz2", ".xz", ".zst", ".tar", ".7z", ".rar")


class NoViewer(Exception):
    """No program opens files here; `reason` explains it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def viewer_program() -> str:
    """The path of the program that opens a file in whatever the desktop has for it.

    Raises NoViewer.
    """
    if sys.platform == "win32":
        raise NoViewer("this works on Linux and macOS only; s: save")
    is_mac = sys.platform == "darwin"
    name = "open" if is_mac else "xdg-open"
    # Without a desktop it would start a browser in this very terminal.
    if not is_mac and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise NoViewer("no desktop here (neither DISPLAY nor WAYLAND_DISPLAY is set); s: save")
    found = shutil.which(name)
    if found is None:
        raise NoViewer(f"{name} is not installed; s: save")
    return found


def start_viewer(program: str, file: Path) -> None:
    """Start it apart from this terminal and do not wait for it. Raises NoViewer."""
    try:
        subprocess.Popen(
            [program, str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **APART,
        )
    except OSError as problem:
        raise NoViewer(visible(why(problem))) from None


class ViewerDialog(TwoButtonDialog):
    """Names the file, the program and the type. Risky types need a second confirmation.

    `guard`: keyword arguments of TwoButtonDialog.
    """

    def __init__(
        self, what: str, found: Openable, file: Path, amount: int, program: str, **guard: Any
    ) -> None:
        super().__init__(f"Open {what} in another program?", "Do not open", "Open", **guard)
        self._found = found
        self._file = file
        self._amount = amount
        self._program = program
        self._is_warned = False

    def confirm(self) -> bool:
        if self._is_warned or not self._found.warning:
            return True
        self._is_warned = True
        self.does.label = "Open all the same"
        return False

    def sheet(self) -> Content:
        found = self._found
        rows: list[str | tuple[str, str]] = [
            ("This file comes from the server; the program that opens it cannot check it.\n\n", ""),
            ("type     ", "$foreground 60%"),
            (f"{found.found}, by its first bytes\n", "bold"),
        ]
        if found.disagreement:
            rows.append((f"         ▲ {found.disagreement}\n", "bold $text-warning"))
        rows += [
            ("file     ", "$foreground 60%"),
            f"{visible(str(self._file))}, {size(self._amount)}\n",
            ("program  ", "$foreground 60%"),
            f"{visible(self._program)}\n\n",
            (
                "Your desktop chooses the program by the type. Signoff deletes the file at "
                "its end.",
                "",
            ),
        ]
        if found.warning:
            rows.append((f"\n\n▲ {found.warning}", "bold $text-warning"))
        if self._is_warned:
            rows.append(("\nOpen it anyway?", "bold $text-error"))
        return Content.assemble(*rows)


class KeepsAnswers(Widget):
    """A widget that shows a call, whose answer can be kept."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("answer: saving")

    call: Call | None
    server: str
    """The configured name of the server, raw."""

    def action_save_all(self) -> None:

        call = self.call
        if call is None or (call.raw is None and call.oversized is None):
            words = "No response to save."
            self.notify(words, severity="warning", timeout=4, markup=False)
            return

        def write(folder: Path) -> SavedFiles:
            came = CallContent(call.answer, call.raw, call.oversized)
            return save_answer(folder, told_of(self.server, call), came)

        def tell(written: SavedFiles | None) -> None:
            if written is not None:
                what = f"response {call.id}"
                self.notify(saved_words(what, written), timeout=8, markup=False)

        parts = 0 if call.answer is None else len(call.answer.parts)
        about = f"{count(parts, 'part')}, the raw result and a manifest go into a folder:"
        suggestion = f"./{folder_name(call.id, call.request.name)}"
        replaces = "write into it, and replace files of the same names"
        title = f"Save all of response {call.id}"
        screen = SaveScreen(title, about, suggestion, write, replaces=replaces)
        self.app.push_screen(screen, tell)

    @on(PartView.SaveWanted)
    def _save_wanted(self, message: PartView.SaveWanted) -> None:
        message.stop()
        self._save_part(message.item)

    @on(PartView.OutsideWanted)
    def _outside_wanted(self, message: PartView.OutsideWanted) -> None:
        message.stop()
        self._open_outside(message.item)

    @work(exit_on_error=False)
    async def _save_part(self, item: Item) -> None:

        call = self.call
        if call is None:
            return
        if (large := item.large) is None:
            found = await asyncio.to_thread(item.bytes_of)
            amount = size(len(found.data))
        else:
            found = PartBytes(b"", ".json", "message")
            amount = size(large.kept)
        kind = f", {found.problem}" if found.problem else ""
        suggestion = f"./{folder_name(call.id, call.request.name)}-{item.stem}{found.suffix}"

        def tell(written: SavedFiles | None) -> None:
            if written is not None:
                self.notify(saved_words(item.name, written), timeout=8, markup=False)

        screen = SaveScreen(
            f"Save {item.name}",
            f"{amount}{kind}, into a file:",
            suggestion,
            lambda place: save_file(place, found.data if large is None else large.chunks()),
            replaces="replace it",
        )
        self.app.push_screen(screen, tell)

    @work(exit_on_error=False)
    async def _open_outside(self, item: Item) -> None:
        call = self.call
        if call is None:
            return
        if item.is_link:
            self._refuse("a link is not opened from here; o asks what to do with it")
            return
        found = await asyncio.to_thread(item.bytes_of)
        judged = await asyncio.to_thread(look_at, found.data, found.claimed)
        refusal = found.problem or judged.refusal
        if refusal:
            kind = f" ({judged.found})" if judged.found else ""
            self._refuse(f"{refusal}{kind}; s: save")
            return
        try:
            program = viewer_program()
            file = viewer_folder() / f"answer-{call.id}-{item.stem}{judged.suffix}"
        except (NoViewer, NotSaved) as problem:
            self._refuse(problem.reason)
            return
        click = getattr(self.app, "last_click", None)
        amount = len(found.data)
        dialog = ViewerDialog(item.name, judged, file, amount, program, last_click=click)
        if not await self.app.push_screen_wait(dialog):
            return
        try:
            await asyncio.to_thread(save_file, file, found.data)
            start_viewer(program, file)
        except (NoViewer, NotSaved) as problem:
            self._refuse(problem.reason)
        else:
            self.notify(f"opened {item.name}: {judged.found}, {size(amount)}", markup=False)

    def _refuse(self, reason: str) -> None:
        self.notify(f"Not opened: {sentence(reason)}", severity="warning", timeout=6, markup=False)
