"""The wire: its screen, its commands and the replay; messages are in `protocol/wire`."""

from typing import Final

from ...presentation.feature import Command, Feature, Key, Screen

FEATURE: Final = Feature(
    commands=(
        Command("wire", "show the messages of a captured session", "command:add"),
        Command("replay", "serve a captured session as a stdio server", "replay:add"),
    ),
    screens=(
        Screen(
            "wire",
            "screen:show",
            (
                Key(
                    "W",
                    "Wire",
                    "Show all messages sent and received.",
                    "bench.wire",
                    show=True,
                ),
                Key(
                    "alt+n",
                    "Wire",
                    "Open the wire, also while you type text.",
                    "bench.wire-at-once",
                    priority=True,
                ),
            ),
        ),
    ),
    hooks=(("wire of a call", "screen:show_wire"),),
)
