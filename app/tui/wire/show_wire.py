"""From the bench to the wire, and back with what of it is to be sent once more."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App

from ...content.json.jsonio import JsonValue
from ...engine.engine import Bench
from ..pager import PagerScreen
from .again import Again
from .source import BenchWire
from .wire_screen import WireScreen

ToForm = Callable[[str, dict[str, JsonValue]], bool]
"""Puts arguments into the form of a tool, by its name; False where that cannot be."""


def show_wire(app: App[None], bench: Bench, to_form: ToForm, call: int = 0) -> None:
    """Open all that was sent and received, or what was of one call."""

    def chosen(again: Again | None) -> None:
        if again is None:
            return
        if isinstance(app.screen, PagerScreen):
            app.pop_screen()
        _send_again(app, bench, again, to_form)

    app.push_screen(WireScreen(BenchWire(bench), f"call:{call}" if call else ""), chosen)


def _send_again(app: App[None], bench: Bench, again: Again, to_form: ToForm) -> None:
    """Make a call of the wire once more, or put its arguments into the form."""
    arguments = again.arguments or {}
    tools = {tool.name: tool for tool in bench.tools}
    if again.uri:
        bench.read(again.uri)
    elif again.prompt:
        bench.get_prompt(again.prompt, arguments)
    elif again.tool not in tools:
        words = "Not sent: the server no longer lists that tool."
        app.notify(words, severity="warning", timeout=6, markup=False)
    elif again.is_edited:
        to_form(again.tool, arguments)
    else:
        # Whoever sends what was sent means it, whatever the schema says.
        bench.call(tools[again.tool], arguments, although_invalid=True)
