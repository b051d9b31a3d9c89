"""The matrix, `--here` and archetypes; their values are in `approval` and `hosts/approvals`."""

from typing import Final

from ...presentation.feature import Command, Feature, Key, Screen

FEATURE: Final = Feature(
    commands=(
        Command(
            "matrix", "show what each policy and each host decides on every tool", "command:add"
        ),
        Command(
            "archetypes",
            "compare each tool's hints with what its name suggests",
            "archetypes_command:add",
        ),
    ),
    screens=(
        Screen(
            "matrix",
            "screen:show",
            (
                Key(
                    "f2",
                    "Matrix",
                    "Compare every tool under every policy and host, also with other hints.",
                    "bench.matrix",
                    show=True,
                ),
            ),
        ),
        Screen(
            "archetypes",
            "archetypes_screen:show",
            (
                Key(
                    "A",
                    "Archetypes",
                    "Compare each tool's hints with the kind that its name suggests.",
                    "bench.archetypes",
                ),
            ),
        ),
    ),
    hooks=(
        ("hosts in the palette", "screen:palette"),
        ("matrix of servers", "servers_screen:ServersMatrixScreen"),
    ),
)
