"""The text editor of a value, which shows every character."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from ...app.schemas.form.entries import escaped, is_plain, marked, read_json
from ..bindings import bindings_of

MAX_EDITED: Final = 200_000
"""Characters an editor takes; more would make every key slow."""


class TextEditor(TextArea):
    """A text editor as high as its text, up to its `max-height`.

    Nothing in it reaches the terminal unsanitised: a hidden character is drawn as one inverse mark,
    while the text keeps it. With `one_line`, Enter asks for the next field until the text has
    several lines. With `json` it does so while there is nothing, or after a whole value; pasted
    hidden characters become JSON escapes; with `is_whole` as well, Enter is a line break, and an
    object pasted into `{}` takes its place. ctrl+x cuts nothing: it cancels a call, and one that
    comes after the end of the call would change its arguments.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("text: editor")

    DEFAULT_CSS = """
    TextEditor {
        height: auto;
        min-height: 1;
        max-height: 6;
        padding: 0 1;
        background: $surface;
        &:focus { background: $surface-lighten-1; }
        .text-area--placeholder { color: $text-muted; }
    }
    """

    class Hidden(Message):
        """A string with hidden characters was pasted; `text` is the whole text with it."""

        def __init__(self, editor: TextEditor, text: str) -> None:
            super().__init__()
            self.editor = editor
            self.text = text

        @property
        def control(self) -> TextEditor:
            return self.editor

    class Done(Message):
        """Enter was pressed in a field that it completes."""

        def __init__(self, editor: TextEditor) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> TextEditor:
            return self.editor

    class Leaves(Message):
        """An arrow was pressed at the edge of a field of one line: -1 is up, 1 is down."""

        def __init__(self, editor: TextEditor, step: int) -> None:
            super().__init__()
            self.editor = editor
            self.step = step

        @property
        def control(self) -> TextEditor:
            return self.editor

    class Beyond(Message):
        """The right arrow was pressed if there is nothing to the right."""

        def __init__(self, editor: TextEditor) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> TextEditor:
            return self.editor

    def __init__(
        self,
        text: str,
        *,
        one_line: bool = False,
        json: bool = False,
        is_whole: bool = False,
        classes: str = "",
    ) -> None:
        super().__init__(
            text,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            compact=True,
            highlight_cursor_line=False,
            classes=classes,
        )
        self._one_line = one_line
        self._is_taken_over = False
        self.json = json
        self._is_whole = is_whole

    def action_cursor_up(self, select: bool = False) -> None:
        if not self._leaves(-1, select=select):
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if not self._leaves(1, select=select):
            super().action_cursor_down(select)

    def _leaves(self, step: int, *, select: bool) -> bool:
        """True if an arrow leads out of a field of one line, however often that is wrapped."""
        wrapped = self.wrapped_document
        row = wrapped.location_to_offset(self.cursor_location).y
        is_at_edge = row == (0 if step < 0 else wrapped.height - 1)
        is_out = self._one_line and self.document.line_count == 1 and is_at_edge and not select
        if is_out:
            self.post_message(self.Leaves(self, step))
        return is_out

    def get_line(self, line_index: int) -> Text:
        line = self.document.get_line(line_index)
        if is_plain(line):
            return Text(line, end="", no_wrap=True)
        drawn = Text(marked(line, _glyph), end="", no_wrap=True)
        for index, (shown, real) in enumerate(zip(drawn.plain, line, strict=True)):
            if shown != real:
                drawn.stylize("reverse", index, index + 1)
        return drawn

    def render_lines(self, crop: Region) -> list[Strip]:
        # A removed editor may be drawn again before the next layout, without its styles.
        if not self.is_attached:
            return [Strip.blank(crop.width)] * crop.height
        return super().render_lines(crop)

    def replace_text(self, text: str) -> None:
        """Replace the text from outside; the cursor keeps its position if possible."""
        if text != self.text:
            cursor = self.cursor_location
            self.text = text
            self.move_cursor(self.clamp_visitable(cursor))

    def take_over(self) -> None:
        """Select a short text, as in a field that was tabbed into: typing replaces it.

        Before the editor has the focus, for keys typed until then.
        """
        self._is_taken_over = True
        if self._one_line and self.document.line_count == 1:
            self.select_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "cut" and super().check_action(action, parameters)

    def action_cut_text(self) -> None:
        """Cut the selection, or the line if nothing is selected."""
        self.action_cut()

    def on_focus(self, event: events.Focus) -> None:
        if not self._is_taken_over and not event.from_app_focus:
            self.take_over()
        self._is_taken_over = False

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter" and self._is_done:
            event.stop()
            event.prevent_default()
            self.post_message(self.Done(self))
        elif event.key == "right" and self._is_at_end:
            event.stop()
            event.prevent_default()
            self.post_message(self.Beyond(self))
        elif event.key == "shift+enter" and not self.read_only:
            event.stop()
            event.prevent_default()
            self.insert("\n")
        else:
            await super()._on_key(event)

    @property
    def _is_done(self) -> bool:
        """True if a line break would add nothing to the typed text."""
        if self._one_line and self.document.line_count == 1:
            return True
        if not self.json or self._is_whole:
            return False
        is_empty = not self.text.strip()
        return is_empty or (self._is_at_end and not read_json(self.text)[1])

    @property
    def _is_at_end(self) -> bool:
        return self.selection.is_empty and self.cursor_location == self.document.end

    async def _on_paste(self, event: events.Paste) -> None:
        # Terminals paste line ends as carriage returns.
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        event.stop()
        event.prevent_default()
        if self.read_only:
            return
        if len(self.text) + len(text) > MAX_EDITED:
            self.app.notify(
                f"Not pasted: an editor takes at most {MAX_EDITED:,} characters.",
                severity="warning",
                markup=False,
            )
            return
        start, end = sorted(self.selection)
        if self.json:
            if self._is_whole and is_blank_object(self.text) and is_object(text):
                start, end = self.document.start, self.document.end
            text = escaped(text)
        elif not is_plain(text):
            last = self.document.end
            before = self.get_text_range((0, 0), start)
            self.post_message(self.Hidden(self, before + text + self.get_text_range(end, last)))
            return
        self.move_cursor(self.replace(text, start, end).end_location)


def is_blank_object(text: str) -> bool:
    """True if a text is `{}` or nothing at all."""
    return text.strip().replace(" ", "") in ("", "{}")


def is_object(text: str) -> bool:
    """True if a text is a whole JSON object."""
    if not text.lstrip().startswith("{"):
        return False
    return isinstance(read_json(text)[0], dict)


def drawn(text: str) -> Content:
    """A text as its editor draws it: an invisible character is one inverse mark."""
    if is_plain(text):
        return Content(text)
    shown = marked(text, _glyph)
    content = Content(shown)
    for index, (mark, real) in enumerate(zip(shown, text, strict=True)):
        if mark != real:
            content = content.stylize("reverse", index, index + 1)
    return content


def _glyph(char: str) -> str:
    return chr(0x2400 + ord(char)) if char < " " else "␡" if char == "\x7f" else "�"
