"""Server cards, a draft of the protocol: the command that compares one with the live server."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "card",
            "compare the server card of a URL with the server (--experimental server-cards)",
            "command:add",
            on_open=True,
        ),
    ),
)
