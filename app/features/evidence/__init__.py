"""`signoff evidence`: calls tools in a scratch folder; effects are in `calls/effects`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "evidence",
            "watch tools while they run, and compare their effects with their hints",
            "command:add",
        ),
    ),
)
