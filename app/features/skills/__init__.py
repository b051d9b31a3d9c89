"""Skills of a server, a draft of the protocol: the command and the screen."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "skills",
            "list, show and check skills (--experimental skills)",
            "command:add",
            on_open=True,
        ),
    ),
    screens=(ScreenEntry("skills", "screen:show"),),
)
