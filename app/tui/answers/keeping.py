"""What leaves the answer pane: a part in a file, all parts in a folder, one in another program."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.widget import Widget

from ...calls.answer_files import (
    NotSaved,
    Written,
    save_answer,
    save_file,
    told_of,
    viewer_folder,
)
from ...calls.call import Call
from ...calls.manifest import Came, PartBytes, folder_name
from ...content.text import count, size
from .openable import look_at
from .part_items import Item
from .part_view import PartView


class KeepsAnswers(Widget):
    """A widget that shows a call, whose answer can be kept."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "S",
            "save_all",
            "Save all",
            show=False,
            id="answer.save-all",
            tooltip="Save every part, the raw result and a manifest in a folder.",
        ),
    ]

    call: Call | None
    server: str
    """The configured name of the server, raw."""

    def action_save_all(self) -> None:
        from .saving import SaveScreen, saved_words

        call = self.call
        if call is None or (call.raw is None and call.oversized is None):
            words = "There is no answer to save."
            self.notify(words, severity="warning", timeout=4, markup=False)
            return

        def write(folder: Path) -> Written:
            came = Came(call.answer, call.raw, call.oversized)
            return save_answer(folder, told_of(self.server, call), came)

        def tell(written: Written | None) -> None:
            if written is not None:
                what = f"answer {call.id}"
                self.notify(saved_words(what, written), timeout=8, markup=False)

        parts = 0 if call.answer is None else len(call.answer.parts)
        about = f"{count(parts, 'part')}, the raw result and a manifest go into a folder:"
        suggestion = f"./{folder_name(call.id, call.request.name)}"
        replaces = "writes into it, and replaces files of the same names"
        title = f"Save all of answer {call.id}"
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
        from .saving import SaveScreen, saved_words

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

        def tell(written: Written | None) -> None:
            if written is not None:
                self.notify(saved_words(item.name, written), timeout=8, markup=False)

        screen = SaveScreen(
            f"Save {item.name}",
            f"{amount}{kind}, into a file:",
            suggestion,
            lambda place: save_file(place, found.data if large is None else large.chunks()),
            replaces="replaces it",
        )
        self.app.push_screen(screen, tell)

    @work(exit_on_error=False)
    async def _open_outside(self, item: Item) -> None:
        from .opening_outside import (
            NoViewer,
            ViewerDialog,
            start_viewer,
            viewer_program,
        )

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
            self._refuse(f"{refusal}{kind}; s saves it")
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
        self.notify(f"Not opened: {reason}.", severity="warning", timeout=6, markup=False)
