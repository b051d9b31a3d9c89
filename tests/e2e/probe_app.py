"""A small Textual program that says what the terminal sent it."""

from __future__ import annotations

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Button, Static


class ProbeApp(App[str]):
    """Line 1: the size; line 2: the last event; line 3: keys and button presses so far."""

    CSS = "Button { height: 3; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.keys = 0
        self.presses = 0

    def compose(self) -> ComposeResult:
        yield Static(id="size", markup=False)
        yield Static(id="event", markup=False)
        yield Static(id="count", markup=False)
        button = Button("Press here")
        button.can_focus = False
        yield button

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#size", Static).update(f"ready {event.size.width}x{event.size.height}")

    def on_key(self, event: events.Key) -> None:
        self.keys += 1
        self.say(f"key {event.key}")

    def on_paste(self, event: events.Paste) -> None:
        self.say(f"paste {event.text!r}")

    def on_button_pressed(self) -> None:
        self.presses += 1
        self.say("pressed")

    def on_click(self, event: events.Click) -> None:
        self.say(f"click {event.chain}")

    def say(self, what: str) -> None:
        self.query_one("#event", Static).update(what)
        self.query_one("#count", Static).update(f"count {self.keys}, pressed {self.presses}")


if __name__ == "__main__":
    ProbeApp().run()
    print("last words")
