"""Lines with styles on standard output, for the commands without a screen."""

from __future__ import annotations

from rich.console import Console


class PlainConsole(Console):
    """Takes text as it is. Raises OSError where it cannot be written."""

    def __init__(self) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        # Rich would end the program with 1, which says that the tool reported an error.
        raise
