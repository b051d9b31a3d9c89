"""The audit log as lines and as a screen; the log itself is in `storage/auditing`."""

from typing import Final

from ...presentation.feature import Command, Feature, Key, Screen

FEATURE: Final = Feature(
    commands=(Command("audit", "show and verify the audit log", "command:add"),),
    screens=(
        Screen(
            "log",
            "screen:show",
            (
                Key(
                    "ctrl+l",
                    "Audit log",
                    "Read the audit log: dialogs, decisions, requests and responses.",
                    "bench.log",
                ),
            ),
        ),
    ),
)
