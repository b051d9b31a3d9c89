"""`signoff why`: why the hosts of this machine run, ask, refuse or hide a tool."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "why",
            "explain why a host on this machine runs, asks, refuses or hides a tool",
            "command:add",
            on_open=True,
        ),
    ),
    hooks=(("why, in lines", "answers:lines_here"),),
)
