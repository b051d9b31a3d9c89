"""Who is asked: decisions of hosts on every tool, their baseline, and the effect of a change."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "decide",
            "show which hosts ask before each tool runs, and what a change of definitions changes",
            "command:add",
            on_open=True,
        ),
    ),
    hooks=(("session baseline", "command:write_session_baseline"),),
)
