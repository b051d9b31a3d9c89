"""What one part of an answer carries, as a widget: the interface that every kind of part has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen


@dataclass(frozen=True, slots=True)
class Copied:
    """A text for the clipboard, raw, and what it is in a few words of our own."""

    text: str
    what: str


class ShowsPart:
    """A screen with all of a part, from which the part is saved as from its header."""

    save_part: Callable[[], None] | None = None
    """Asks where the part is to be saved; None until whoever opens the screen has said so."""

    def action_save(self) -> None:
        if self.save_part is not None:
            self.save_part()


class Body(Vertical):
    """Draws what a part carries, no higher than can be read in passing; `full` has it all."""

    DEFAULT_CSS = """
    Body { height: auto; }
    Body > * { height: auto; }
    """
    VIEWS: ClassVar[tuple[str, ...]] = ()

    class FullWanted(Message):
        """Something in it was picked that only `full` shows."""

    @property
    def views(self) -> tuple[str, ...]:
        """The ways in which this can be shown, the first one is the default; often just one."""
        return self.VIEWS

    @property
    def view(self) -> str:
        """The way in which it is shown now."""
        return self.views[0] if self.views else ""

    def show_view(self, name: str) -> None:
        """Show it in another of its ways."""

    @property
    def words(self) -> str:
        """Kind, type and size, for the header of the part; safe to show, one line."""
        return ""

    @property
    def can_copy(self) -> bool:
        """Whether `copied` has something; known without making it."""
        return type(self).copied is not Body.copied

    @property
    def saves(self) -> str:
        """What `s` saves, for a hint; "" where that is plain."""
        return ""

    @property
    def can_wrap(self) -> bool:
        """Whether lines are shown now that can be wrapped or not."""
        return False

    @property
    def has_errors(self) -> bool:
        """Whether `go_to_error` leads anywhere."""
        return False

    def go_to_error(self, step: int) -> None:
        """To the next (1) or previous (-1) of the errors that are marked in it."""

    @property
    def is_more(self) -> bool:
        """Whether `full` has a screen; known without making it."""
        return type(self).full is not Body.full

    def copied(self) -> Copied | None:
        """What `y` puts on the clipboard; None where there is nothing a clipboard can hold."""
        return None

    def full(self) -> Screen[None] | None:
        """A screen that shows all of it, in every way there is; None where this is all."""
        return None
