"""`signoff proxy` between a host and its server, and `signoff watch`, which shows all of them."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "proxy",
            "relay between a host and its server, watch its calls or decide",
            "command:add",
        ),
        CommandEntry(
            "watch", "show what hosts do through signoff proxy, and answer", "watch_command:add"
        ),
    ),
)
