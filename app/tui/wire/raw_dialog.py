"""Whether a message that a person wrote is to leave: all of it, as it will go over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....widgets.guarded_button import GuardedButton
from ...content.json.jsonio import pretty_spans
from ...content.text import spans
from ...content.texts.sheet_line import SheetLine, labelled
from ...engine.raw_messages import RawMessage
from ...protocol.server import Server
from ...questions.sheet import has_gaps, pieces_of
from ..approving.sheet_dialog import SheetDialog

_LABELS = 9
_BEGINS_ANEW = "initialize"


class RawDialog(SheetDialog[bool], inherit_bindings=False):
    """The result is whether it is to be sent. `guard`: what SheetDialog takes by name."""

    BINDINGS = SheetDialog.BINDINGS
    doing = "sending"

    def __init__(self, message: RawMessage, server: Server, id_words: str, **guard: Any) -> None:
        """`id_words`: what became of an id that was written."""
        self.deny = GuardedButton("Deny", id="deny")
        self.send = GuardedButton("Send", id="send")
        super().__init__((self.deny, self.send), **guard)
        self._message = message
        self._server = server
        self._id_words = id_words

    def title_words(self) -> str:
        return "Send this message?"

    def lines(self, columns: int) -> Iterator[SheetLine]:
        indent = _LABELS if columns >= 40 else 0
        server = self._server
        yield labelled(
            "server",
            indent,
            *pieces_of(spans(server.name), "strong"),
            ("  ", ""),
            *pieces_of(spans(server.command)),
            exact=has_gaps(server.name, server.command),
        )
        what = "a request, which it answers" if self._message.is_request else "a notification"
        yield labelled("what", indent, (f"{what}; no policy knows what it does", ""))
        if self._id_words:
            yield labelled("id", indent, (self._id_words, "noticed"))
        if self._message.method == _BEGINS_ANEW:
            words = "it begins a session; the one that is open may be over then"
            yield labelled("beware", indent, (words, "noticed"))
        yield SheetLine()
        for line in pretty_spans(self._message.body):
            yield SheetLine(pieces_of(line), exact=True)
        yield SheetLine()
        yield SheetLine((("Nothing but this is sent, once. The audit log says so.", "dim"),))

    def keys_said(self) -> tuple[str, ...]:
        return ("Esc denies · Tab moves · PgDn scrolls", "Esc denies · Tab moves", "Esc denies")

    def result_of(self, button: GuardedButton) -> bool:
        return button is self.send
