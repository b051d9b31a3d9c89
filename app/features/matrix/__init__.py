"""The matrix, `--here` and archetypes; their values are in `approval` and `hosts/approvals`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, KeyEntry, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "matrix", "show what each policy and each host decides on every tool", "command:add"
        ),
        CommandEntry(
            "archetypes",
            "compare each tool's hints with what its name suggests",
            "archetypes_command:add",
        ),
    ),
    screens=(
        ScreenEntry(
            "matrix",
            "screen:show",
            (
                KeyEntry(
                    "f2",
                    "Matrix",
                    "Compare every tool under every policy and host, also with other hints.",
                    "main.matrix",
                    show=True,
                ),
            ),
        ),
        ScreenEntry(
            "archetypes",
            "archetypes_screen:show",
            (
                KeyEntry(
                    "A",
                    "Archetypes",
                    "Compare each tool's hints with the kind that its name suggests.",
                    "main.archetypes",
                ),
            ),
        ),
    ),
    hooks=(
        ("hosts in the palette", "screen:palette"),
        ("matrix of servers", "servers_screen:ServersMatrixScreen"),
    ),
)
