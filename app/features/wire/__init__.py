"""The wire: its screen, its commands and the replay; messages are in `protocol/wire`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, KeyEntry, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry("wire", "show the messages of a captured session", "command:add"),
        CommandEntry("replay", "serve a captured session as a stdio server", "replay:add"),
    ),
    screens=(
        ScreenEntry(
            "wire",
            "screen:show",
            (
                KeyEntry(
                    "W",
                    "Wire",
                    "Show all messages sent and received.",
                    "main.wire",
                    show=True,
                ),
                KeyEntry(
                    "alt+n",
                    "Wire",
                    "Open the wire, also while you type text.",
                    "main.wire-at-once",
                    priority=True,
                ),
            ),
        ),
    ),
    hooks=(("wire of a call", "screen:show_wire"),),
)
