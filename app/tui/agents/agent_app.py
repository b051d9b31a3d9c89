"""Shows the screen of an agent as a program of its own."""

from __future__ import annotations

from ...engine.agent_session import AgentLaunch, AgentSession
from ...storage.settings.values import Settings
from ..serverless_app import ServerlessApp, run_app
from .agent_screen import AgentScreen


def run(launch: AgentLaunch, prompt: str, settings: Settings) -> tuple[int, AgentSession | None]:
    """Show it until it is left; returns the exit status and the session, which has ended."""
    screen = AgentScreen(launch, prompt, decision_seconds=settings.seconds("decision_seconds"))
    app = ServerlessApp(screen, settings, settings.text("theme"))
    try:
        status = run_app(app)
    finally:
        if screen.session is not None:
            # If the program ended before the screen was taken away.
            screen.session.agent.kill()
    return status, screen.session
