"""`signoff compat`: how client libraries read a server, and runs of the real ones."""

from typing import Final

from ...presentation.feature import Command, Feature, Key, Screen

FEATURE: Final = Feature(
    commands=(Command("compat", "show what client libraries lose or reject", "command:add"),),
    screens=(
        Screen(
            "clients",
            "screen:show",
            (
                Key(
                    "V",
                    "Clients",
                    "Show how client libraries read the selected response and the tools: read, "
                    "lost or rejected, and why.",
                    "bench.clients",
                ),
            ),
        ),
    ),
)
