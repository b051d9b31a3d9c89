"""The open step of the tour: a few lines over the panes, which unfold with the focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from ..app.content.frozen import frozen
from .bars import Verb, VerbBar
from .bindings import bindings_of

CHOICES_MOST = 4
PACE_SECONDS = 0.9
"""Between two lines that appear one after the other."""
ROOMY_ROWS = 30
"""Rows of a screen on which a result stays whole without the focus. So does the text shown to an
audience, with blank rows in between."""


@frozen
class TourWords:
    """Content of the panel; everything is safe to show.

    `folded` is shown alone while the panel has not the focus; `lines` and `choices` are shown
    otherwise. Lines are (role, words), with the roles `plain`, `dim`, `task`, `good` and `bad`.
    """

    title: str
    badge: str
    way_in: str
    """The key that unfolds it, and what for."""
    folded: tuple[tuple[str, str], ...]
    lines: tuple[tuple[str, str], ...]
    choices: tuple[str, ...] = ()
    verbs: tuple[Verb, ...] = ()
    is_result: bool = False


_STYLES = {
    "plain": "",
    "dim": "$foreground-muted",
    "task": "bold",
    "good": "bold $text-success",
    "bad": "bold $text-warning",
}


class TourPanel(VerticalScroll, can_focus=True):
    """Its keys work while it has the focus, so none of them is in the way of typing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("tour")

    DEFAULT_CSS = """
    TourPanel {
        height: auto; max-height: 13; background: $surface; padding: 0 1;
        border-left: thick $accent; scrollbar-size-vertical: 1;
    }
    TourPanel Static { width: 1fr; height: auto; }
    TourPanel > .choice { padding-left: 1; pointer: pointer; }
    TourPanel > VerbBar { margin: 0; }
    TourPanel.-present { text-style: bold; }
    TourPanel.-roomy { max-height: 60vh; padding: 1 3; }
    TourPanel.-roomy > .words { max-width: 76; margin-top: 1; }
    TourPanel.-roomy > .choice { margin-top: 1; }
    TourPanel.-roomy > VerbBar { margin-top: 1; }
    """

    class Guessed(Message):
        """One of the choices was taken."""

        def __init__(self, choice: int) -> None:
            super().__init__()
            self.choice = choice

    class Wanted(Message):
        """A verb: next, skip, back, list, hint, leave or fold."""

        def __init__(self, verb: str) -> None:
            super().__init__()
            self.verb = verb

    def __init__(self, *, id: str | None = None, is_presenting: bool = False) -> None:
        super().__init__(id=id)
        self._words: TourWords | None = None
        self._key_names: tuple[str, ...] = ()
        self._is_presenting = is_presenting
        self._lines_shown = 0
        self._pace: Timer | None = None
        self._is_put_away = False
        self.set_class(is_presenting, "-present")

    @property
    def _has_room(self) -> bool:
        return self.app.size.height >= ROOMY_ROWS

    @property
    def is_unfolded(self) -> bool:
        words = self._words
        if self.has_focus or (self._is_presenting and self._has_room):
            return True
        if words is None or not words.is_result:
            return False
        return self._has_room or not self._is_put_away

    def compose(self) -> ComposeResult:
        yield Static(classes="title", markup=False)
        yield Static(classes="words", markup=False)
        for at in range(CHOICES_MOST):
            yield _Choice(at)
        yield VerbBar()

    def on_mount(self) -> None:
        self._draw()

    def show(self, words: TourWords) -> None:
        if words == self._words:
            return
        is_other = self._words is None or words.lines != self._words.lines
        self._words = words
        self._is_put_away &= not is_other
        if is_other and self._is_presenting and self.app.animation_level != "none":
            self._lines_shown = 1
            if self._pace is None:
                self._pace = self.set_interval(PACE_SECONDS, self._one_more_line)
        elif is_other:
            self._lines_shown = len(words.lines)
        self._draw()
        self.scroll_home(animate=False)

    def put_away(self) -> None:
        """Fold a result that was read, or is in the way of typing."""
        if not self._is_put_away:
            self._is_put_away = True
            self._draw()

    def show_keys(self, names: Sequence[str]) -> None:
        """The newest keys that were pressed, for those who watch."""
        self._key_names = tuple(names)
        self._draw_title()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "guess":
            number = parameters[0]
            choices = self._words.choices if self._words is not None else ()
            return isinstance(number, int) and number < len(choices)
        return super().check_action(action, parameters)

    def action_guess(self, choice: int) -> None:
        if self._words is not None and choice < len(self._words.choices):
            self.post_message(self.Guessed(choice))

    def action_verb(self, name: str) -> None:
        if self._shows_slowly() and name == "next":
            # The first press brings the rest of the words.
            self._lines_shown = len(self._words.lines) if self._words else 0
            self._draw()
            return
        self.post_message(self.Wanted(name))

    def on_verb_bar_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        self.post_message(self.Wanted(message.name))

    def _shows_slowly(self) -> bool:
        return self._words is not None and self._lines_shown < len(self._words.lines)

    def _one_more_line(self) -> None:
        if self._shows_slowly():
            self._lines_shown += 1
            self._draw()

    def _draw(self) -> None:
        words = self._words
        if words is None or not self.is_mounted or not self.query(".words"):
            return
        is_open = self.is_unfolded
        is_roomy = self._is_presenting and self._has_room
        self.set_class(is_roomy, "-roomy")
        self._draw_title()
        shown = words.lines[: self._lines_shown] if is_open else words.folded
        gap = "\n\n" if is_roomy else "\n"
        pieces: list[Content] = []
        for role, line in shown:
            pieces.append(Content.styled(line, _STYLES[role]) if _STYLES[role] else Content(line))
        body = self.query_one(".words", Static)
        body.update(Content(gap).join(pieces))
        body.display = bool(pieces)
        are_choices_shown = is_open and not self._shows_slowly()
        for at, choice in enumerate(self.query(_Choice)):
            choice.display = are_choices_shown and at < len(words.choices)
            if at < len(words.choices):
                choice.update(Content.assemble((f" {at + 1} ", "reverse"), f" {words.choices[at]}"))
        verbs = self.query_one(VerbBar)
        verbs.show(words.verbs)
        # Its keys work only with the focus, which a result gets a moment later.
        verbs.display = is_open and (self.has_focus or self._is_presenting)

    def _draw_title(self) -> None:
        words = self._words
        if words is None or not self.query(".title"):
            return
        fold = "" if self.has_focus else f"   {words.way_in}"
        keys = self._keys_within(
            self.content_size.width - cell_len(f"{words.title}  {words.badge}{fold}")
        )
        self.query_one(".title", Static).update(
            Content.assemble(
                (words.title, "bold $text-accent"),
                (f"  {words.badge}" if words.badge else "", "bold"),
                (fold + keys, "$foreground-muted"),
            )
        )

    def _keys_within(self, columns: int) -> str:
        """The newest keys for which there is room beside the title."""
        names = self._key_names
        while names and cell_len(said := f"   keys: {'  '.join(names)}") > columns:
            names = names[1:]
        return said if names else ""


class _Choice(Static):
    """One of the answers; a click takes it."""

    def __init__(self, at: int) -> None:
        super().__init__(classes="choice", markup=False)
        self._at = at

    def on_click(self, event: events.Click) -> None:
        event.stop()
        panel = self.parent
        if isinstance(panel, TourPanel):
            panel.action_guess(self._at)
