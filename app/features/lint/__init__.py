"""Lint: rules on the definitions of tools, each with its reason, an example and a remedy."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "lint",
            "check tool definitions for problems and suggest fixes",
            "command:add",
            on_open=True,
        ),
    ),
    tables=("linting:table",),
    hooks=(("lint rules", "linting:explained_rules"),),
)
