"""`signoff compat`: how client libraries read a server, and runs of the real ones."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, KeyEntry, ScreenEntry

FEATURE: Final = Feature(
    commands=(CommandEntry("compat", "show what client libraries lose or reject", "command:add"),),
    screens=(
        ScreenEntry(
            "clients",
            "screen:show",
            (
                KeyEntry(
                    "V",
                    "Clients",
                    "Show how client libraries read the selected response and the tools: read, "
                    "lost or rejected, and why.",
                    "main.clients",
                ),
            ),
        ),
    ),
)
