"""The least that Textual can do: one line of text. `ctrl+q` quits it."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static

WORDS = "nothing but this"


class EmptyApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Static(WORDS)


if __name__ == "__main__":
    EmptyApp().run()
