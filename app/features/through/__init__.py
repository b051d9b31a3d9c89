"""`signoff through`: a server compared with itself behind a gateway."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry("through", "compare a server with itself behind a gateway", "command:add"),
    ),
)
