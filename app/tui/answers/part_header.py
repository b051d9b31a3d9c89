"""The line above a part: what it is, for whom, and, while it has the focus, what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from ...protocol.answers.blocks import Annotations, annotation_words

OPEN, FOLDED = "▾", "▸"
AUDIENCE_SIGNS: dict[tuple[str, ...], str] = {("user",): "◆", ("assistant",): "◇"}
BOTH_SIGN = "◈"
AUDIENCE_STYLES: dict[tuple[str, ...], str] = {
    ("user",): "bold $text-accent",
    ("assistant",): "bold $text-warning",
}
WORDS_LIMIT = 240
_KEYS = (
    ("up", "step(-1)", "Previous part", "previous", "To the part before."),
    ("down", "step(1)", "Next part", "next", "To the part after."),
    ("enter", "open", "Open", "open", "The part on the whole screen."),
    ("space", "fold", "Fold", "fold", "Fold the part away, or unfold it."),
)


class PartHeader(Static, can_focus=True):
    """Keys stand in the gap above the line, so that nothing moves when the focus comes."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    PartHeader { height: auto; min-height: 2; max-height: 6; pointer: pointer; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, action, words, show=False, id=f"part.{name}", tooltip=tooltip)
        for key, action, words, name, tooltip in _KEYS
    ]

    class Stepped(Message):
        """To the header before (-1) or after (1) this one."""

        def __init__(self, header: PartHeader, step: int) -> None:
            super().__init__()
            self.header = header
            self.step = step

    class Opened(Message):
        """All of the part is wanted."""

    class Folded(Message):
        """The part is to be folded, or unfolded."""

    def __init__(self, place: str, said: Annotations) -> None:
        super().__init__(markup=False)
        self._place = place
        self._said = said
        self._words = ""
        self._keys: Sequence[str] = ()
        self._is_folded = False
        self._is_trouble = False

    def show(
        self, words: str, keys: Sequence[str], *, is_folded: bool, is_trouble: bool = False
    ) -> None:
        """`words`: safe to show. `keys`: what each does, the most important ones first."""
        self._words = words if len(words) <= WORDS_LIMIT else f"{words[:WORDS_LIMIT]}…"
        self._keys, self._is_folded, self._is_trouble = keys, is_folded, is_trouble
        self._draw()

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def on_click(self, event: events.Click) -> None:
        if event.chain > 1:
            self.post_message(self.Opened())
        elif event.x < len(OPEN) + 1 and event.y:
            self.post_message(self.Folded())

    def action_step(self, step: int) -> None:
        self.post_message(self.Stepped(self, step))

    def action_open(self) -> None:
        self.post_message(self.Opened())

    def action_fold(self) -> None:
        self.post_message(self.Folded())

    def _draw(self) -> None:
        has_focus = self.has_focus
        strong = "bold reverse" if has_focus else "bold"
        if self._is_trouble:
            strong += " $text-error"
        quiet = "reverse" if has_focus else "$foreground-muted"
        place = f"{self._place}  " if self._place else ""
        pieces: list[str | tuple[str, str]] = [
            (self._keys_line() if has_focus else "", "$text-accent"),
            "\n",
            (f"{FOLDED if self._is_folded else OPEN} ", quiet),
            (place, quiet),
            (self._words, strong),
        ]
        said = annotation_words(self._said)
        if said:
            audience = self._said.audience
            sign, style = "", "$foreground-muted"
            if audience:
                sign = f"{AUDIENCE_SIGNS.get(audience, BOTH_SIGN)} "
                style = AUDIENCE_STYLES.get(audience, "bold")
            taken = cell_len(f"{OPEN} {place}{self._words}")
            needed = 3 + cell_len(f"{sign}{' · '.join(said)}")
            fits = taken + needed <= self.content_size.width
            pieces.append("   " if fits else "\n  ")
            pieces.append((f"{sign}{said[0]}", style))
            pieces += [(f" · {word}", "$foreground-muted") for word in said[1:]]
        self.update(Content.assemble(*pieces))

    def _keys_line(self) -> str:
        """As many of the keys as there is room for."""
        room = self.content_size.width
        line = ""
        for key in self._keys:
            longer = f"{line}  {key}" if line else key
            if cell_len(longer) > room:
                break
            line = longer
        return line
