"""`signoff diff`: changed definitions; the comparison is in `protocol/definitions`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "diff",
            "show changes of the tool definitions since the last session",
            "command:add",
            on_open=True,
        ),
    ),
)
