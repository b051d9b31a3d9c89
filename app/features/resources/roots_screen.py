"""Roots screen: folders that the server may work in, edited while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...content.text import sentence, visible
from ...protocol.server_requests.capabilities import Root, read_root
from ...tui.approving.answer_form import FormAnswer, FormScreen, TimeIsUp
from ...tui.base.context import ScreenContext

if TYPE_CHECKING:
    from textual.screen import Screen

    from ...content.json.jsonio import JsonValue
    from ...engine.engine import Engine

SCHEMA: Final[JsonValue] = {
    "type": "object",
    "properties": {
        "roots": {
            "type": "array",
            "items": {"type": "string", "examples": ["~/work", "notes=~/notes"]},
            "description": "Each is a folder, NAME=FOLDER or a file: URI. Empty entries "
            "are left out.",
        }
    },
}
STATUS: Final = "Saving notifies the server, which can then request the roots."
LATER: Final = "Saving sends nothing. The server can request the roots during a call."
UNTOLD: Final = "The server cannot request the roots (--without roots)."


def edit_roots(screen: Screen[None], engine: Engine) -> None:
    """Edit the roots of an engine, and notify the server of the result."""
    from ...protocol.server_requests.capabilities import ROOTS
    from ...transport.protocol import MODERN

    is_told = engine.link.capabilities.declares(ROOTS)
    # 2026-07-28 dropped the notification about changed roots.
    is_modern = engine.server.version == MODERN
    given: list[JsonValue] = [_as_typed(root) for root in engine.requests.roots]
    form = FormScreen(
        SCHEMA,
        # An empty line to begin with; a line that stays empty is not a root.
        {"roots": [*given, ""]},
        title="Roots: where the server may work",
        status=UNTOLD if not is_told else LATER if is_modern else STATUS,
        done="Save",
        begins_at=("roots", len(given)),
    )

    def take(written: FormAnswer | TimeIsUp | None) -> None:
        if not isinstance(written, FormAnswer):
            return
        typed = written.values.get("roots")
        try:
            lines = [str(one) for one in typed] if isinstance(typed, list) else []
            roots = [read_root(line) for line in lines if line.strip()]
        except ValueError as problem:
            screen.notify(f"Not taken: {sentence(problem)}", severity="warning", markup=False)
            return
        engine.set_roots(roots)
        names = ", ".join(visible(root.name or root.uri) for root in roots) or "none"
        screen.notify(f"Roots: {names}.", timeout=4, markup=False)

    screen.app.push_screen(form, take)


def _as_typed(root: Root) -> str:
    return f"{root.name}={root.uri}" if root.name and "/" not in root.name else root.uri


def show(context: ScreenContext) -> None:
    """Edit the roots."""
    edit_roots(context.screen, context.engine)
