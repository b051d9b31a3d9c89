"""From what a person wrote to the wire: by the bench where it is a call, after a question else."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from ...engine.raw_messages import RawMessages
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD
from ...protocol.server import Server
from ...protocol.wire.composing import Composed
from .again import Again
from .raw_dialog import RawDialog


def call_of(written: Composed) -> Again:
    """What a written call is for the bench."""
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
    """Ask about exactly this message, send it if that is approved, and say what came of it."""
    message = raw.make(written)
    click = getattr(screen.app, "last_click", None)
    dialog = RawDialog(message, server, written.id_words, last_click=click)
    if not await screen.app.push_screen_wait(dialog):
        raw.deny(message)
        screen.notify("Denied: nothing was sent.", timeout=4, markup=False)
        return
    words = await raw.send(message)
    screen.notify(f"{words[:1].upper()}{words[1:]}.", timeout=8, markup=False)
