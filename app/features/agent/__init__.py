"""`signoff agent`: a session with an agent that speaks ACP; its questions, calls and screen."""

from typing import Final

from ...presentation.feature import Command, Feature

FEATURE: Final = Feature(
    commands=(
        Command(
            "agent",
            "answer the permission requests of an agent that speaks ACP, and see what it runs",
            "command:add",
        ),
    ),
)
