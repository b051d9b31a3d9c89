"""Lines with styles on standard output, for the commands without a screen."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from .printing import width_of
from .wrapping import rows


class PlainConsole(Console):
    """Takes text as it is. Raises OSError where it cannot be written."""

    def __init__(self) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def tell(self, text: Text) -> None:
        """One line, as several where the terminal has no room for it."""
        width = width_of(sys.stdout)
        if width is None:
            self.print(text, soft_wrap=True)
            return
        for margin, start, end in rows(text.plain, width - 1):
            before = text[: len(margin)] if text.plain.startswith(margin) else Text(margin)
            self.print(before + text[start:end], soft_wrap=True)

    def on_broken_pipe(self) -> None:
        # Rich would end the program with 1, which says that the tool reported an error.
        raise
