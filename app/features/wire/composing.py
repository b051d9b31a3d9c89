"""Raw messages: written as JSON or copied from a frame, approved and sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from ....widgets.bars import Verb, VerbBar
from ....widgets.bindings import bindings_of
from ....widgets.buttons import GuardedButton
from ....widgets.forms.field_editors import TextEditor
from ....widgets.key_bar import BarKey
from ...approval.questions.sheet import has_gaps, pieces_of
from ...content.json.jsonio import JsonError, JsonValue, pretty_spans
from ...content.text import sentence, spans
from ...content.texts.sheet_line import SheetLine, labelled
from ...engine.raw_messages import RawMessage, RawMessages
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from ...protocol.server import Server
from ...protocol.wire.composing import CALLS, Composed, Miswritten, read_written
from ...protocol.wire.frames import CLIENT, Frame
from ...protocol.wire.reading import body_of, read
from ...tui.approving.sheet_dialog import SheetDialog, keys_of_sheet
from ...tui.base.failures import NOT_DONE, TellsFailures
from ...tui.base.screen_mixin import ScreenMixin


class RawScreen(ScreenMixin, ModalScreen[Composed | None], TellsFailures):
    """The result is the message, None if there is to be none."""

    FAILED = NOT_DONE

    DEFAULT_CSS = """
    RawScreen { align: center middle; background: $background 70%; }
    RawScreen > Vertical {
        width: 95%; max-width: 110; height: 90%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    RawScreen TextEditor { height: 1fr; max-height: 100%; }
    RawScreen .about { height: auto; color: $text-muted; margin-bottom: 1; }
    RawScreen .told { height: auto; max-height: 3; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("raw")

    def __init__(self, text: str) -> None:
        super().__init__()
        self._editor = TextEditor(text, json=True, is_whole=True)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content("A message for the server")
            calls = ", ".join(CALLS)
            words = f'With an "id" it is a request; Signoff sets the id. {calls} become calls.'
            yield Static(Content(words), classes="about")
            yield self._editor
            yield Static(classes="told", markup=False)
            review = Verb("review", "Go on", "f5", is_main=True)
            yield VerbBar([review, Verb("edit", "Editor", "ctrl+e"), Verb("back", "Back", "esc")])

    def on_mount(self) -> None:
        self._editor.focus()
        self._tell()

    def action_back(self) -> None:
        self.dismiss(None)

    def action_review(self) -> None:
        try:
            written = read_written(self._editor.text)
        except Miswritten as problem:
            self._tell()
            if problem.at is not None:
                before = self._editor.text[: problem.at]
                column = problem.at - (before.rfind("\n") + 1)
                self._editor.move_cursor((before.count("\n"), column))
            self._editor.focus()
        else:
            self.dismiss(written)

    @work(exclusive=True, exit_on_error=False)
    async def action_edit(self) -> None:
        from ...tui.arguments.editing import edit_on_terminal
        from ...tui.base.external import NotEdited

        try:
            self._editor.load_text(await edit_on_terminal(self.app, self._editor.text))
        except NotEdited as problem:
            self.notify(sentence(problem), markup=False)
        self._editor.focus()

    @on(TextEditor.Changed)
    def _changed(self) -> None:
        self._tell()

    @on(VerbBar.Picked)
    async def _picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        await self.run_action(message.name)

    def _tell(self) -> None:
        """Show the error and its place; or the kind of message."""
        try:
            written = read_written(self._editor.text)
        except Miswritten as problem:
            words = Content.styled(f"▲ Not a message: {sentence(problem)}", "$text-warning")
        else:
            what = "a notification" if not written.is_request else "a request"
            what = (
                "a call: the policy decides whether it asks; it is logged like any other"
                if written.is_call
                else what
            )
            told = f"This is {what}" + (f"; {written.id_words}" if written.id_words else "")
            words = Content.styled(f"{told}.", "$foreground 60%")
        self.query_one(".told", Static).update(words)


_LABELS = 9
_BEGINS_ANEW = "initialize"


class RawDialog(SheetDialog[bool], inherit_bindings=False):
    """The result is True to send it. `guard`: keyword arguments of SheetDialog."""

    BINDINGS = SheetDialog.BINDINGS
    doing = "sending"

    def __init__(self, message: RawMessage, server: Server, id_words: str, **guard: Any) -> None:
        """`id_words`: the fate of an id in the written message."""
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
            words = "it begins a new session; the open one may end"
            yield labelled("beware", indent, (words, "noticed"))
        yield SheetLine()
        for line in pretty_spans(self._message.body):
            yield SheetLine(pieces_of(line), exact=True)
        yield SheetLine()
        yield SheetLine((("Only this message is sent, once. The audit log records it.", "dim"),))

    def keys_said(self) -> tuple[BarKey, ...]:
        return keys_of_sheet("Deny")

    def result_of(self, button: GuardedButton) -> bool:
        return button is self.send


def call_of(written: Composed) -> Again:
    """Convert a written message to a call of the engine."""
    params = written.params or {}
    arguments = params.get("arguments")
    given = arguments if isinstance(arguments, dict) else {}
    if written.method == CALL_METHOD:
        return Again(str(params["name"]), given)
    if written.method == PROMPT_METHOD:
        return Again(prompt=str(params["name"]), arguments=given)
    return Again(uri=str(params["uri"]))


async def ask_and_send(
    screen: Screen[Any], raw: RawMessages, server: Server, written: Composed
) -> None:
    """Ask for approval of exactly this message, send it, and show the outcome."""
    message = raw.make(written)
    click = getattr(screen.app, "last_click", None)
    dialog = RawDialog(message, server, written.id_words, last_click=click)
    if not await screen.app.push_screen_wait(dialog):
        raw.deny(message)
        screen.notify("Denied: nothing was sent.", timeout=4, markup=False)
        return
    words = await raw.send(message)
    screen.notify(f"{words[:1].upper()}{words[1:]}.", timeout=8, markup=False)


class Again(NamedTuple):
    """A tool call, a resource read, or a prompt to be requested."""

    tool: str = ""
    arguments: dict[str, JsonValue] | None = None
    uri: str = ""
    """Of a read; empty otherwise."""
    prompt: str = ""
    """Its name; empty otherwise. Its arguments are those above."""
    is_edited: bool = False
    """Whether the arguments are to be changed in the form first."""


class NotAgain(Exception):
    """A frame cannot be sent again from here; the message gives the reason."""


def again_of(frame: Frame | None, *, is_edited: bool = False) -> Again:
    """Return the request that repeats a frame, with its secrets. Raises NotAgain."""
    found = read(frame) if frame is not None else None
    if frame is None or found is None or frame.sender != CLIENT:
        raise NotAgain("only what was sent to the server can be sent again")
    if found.method not in (CALL_METHOD, READ_METHOD, PROMPT_METHOD):
        raise NotAgain("only calls, reads and prompts can be sent again; n: send any message")
    try:
        body = body_of(frame)
    except JsonError as problem:
        raise NotAgain(f"the message was not kept whole: {problem.reason}") from None
    params = body.get("params") if isinstance(body, dict) else None
    given = params if isinstance(params, dict) else {}
    if found.method == READ_METHOD:
        return Again(uri=str(given.get("uri", "")))
    arguments = given.get("arguments")
    plain = arguments if isinstance(arguments, dict) else {}
    if found.method == PROMPT_METHOD:
        return Again(prompt=str(given.get("name", "")), arguments=plain)
    return Again(str(given.get("name", "")), plain, is_edited=is_edited)


def sent_body(frame: Frame) -> JsonValue:
    """A message that was sent to the server, with its secrets; None for anything else."""
    if frame.sender != CLIENT or not read(frame).method:
        return None
    try:
        return body_of(frame)
    except JsonError:
        return None
