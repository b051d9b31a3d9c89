"""The wire: its screen, its commands and the replay; messages are in `protocol/wire`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry("wire", "show the messages of a captured session", "command:add"),
        CommandEntry("replay", "serve a captured session as a stdio server", "replay:add"),
    ),
    screens=(ScreenEntry("wire", "screen:show"),),
    hooks=(("wire of a call", "screen:show_wire"),),
)
