"""Lint: rules on the definitions of tools, each with its reason, an example and a remedy."""

from typing import Final

from ...presentation.feature import Command, Feature

FEATURE: Final = Feature(
    commands=(
        Command("lint", "check tool definitions for problems and suggest fixes", "command:add"),
    ),
    codes="linting:codes",
)
