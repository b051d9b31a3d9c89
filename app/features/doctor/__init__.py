"""`signoff doctor`: problems of a server; they are found in `protocol/conformance`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "doctor",
            "check a server against the specification (calls no tools)",
            "command:add",
            on_open=True,
        ),
    ),
)
