"""`signoff manual` and `signoff explain`: the pages of the manual, and codes explained."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry("manual", "show a page of the manual", "command:add", on_open=True),
        CommandEntry(
            "explain",
            "explain the code of a finding or of a lint rule, or an exit status",
            "explain_command:add",
            on_open=True,
        ),
    ),
    tables=("commands:table", "commands:options_table"),
)
