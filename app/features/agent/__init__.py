"""`signoff agent`: a session with an agent that speaks ACP; its questions, calls and screen."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "agent",
            "answer the permission requests of an agent that speaks ACP, and see what it runs",
            "command:add",
        ),
    ),
)
