"""Shows the wire of a captured session, without engine and server."""

from __future__ import annotations

from ...storage.settings.values import Settings
from ..serverless_app import ServerlessApp, run_app
from .listing import CapturedWire
from .wire_screen import WireScreen


class CaptureApp(ServerlessApp):
    """Ends when the screen of the wire is left."""

    def __init__(self, source: CapturedWire, start: str, settings: Settings) -> None:
        """`start` is the filter to begin with."""
        super().__init__(WireScreen(source, start), settings, settings.text("theme"))


def run(source: CapturedWire, start: str, settings: Settings) -> int:
    """Show it until it is left; returns the exit status."""
    return run_app(CaptureApp(source, start, settings))
