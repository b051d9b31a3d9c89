"""The matrix, `--here` and archetypes; their values are in `approval` and `hosts/approvals`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "matrix",
            "show what each policy and each host decides on every tool",
            "command:add",
            on_open=True,
        ),
        CommandEntry(
            "archetypes",
            "compare each tool's hints with what its name suggests",
            "archetypes_command:add",
            on_open=True,
        ),
    ),
    screens=(
        ScreenEntry("matrix", "screen:show"),
        ScreenEntry("archetypes", "archetypes_screen:show"),
    ),
    hooks=(
        ("hosts in the palette", "screen:palette"),
        ("who asks", "who_asks:who_asks"),
        ("matrix of servers", "servers_screen:ServersMatrixScreen"),
    ),
)
