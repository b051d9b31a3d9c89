"""`signoff through`: a server compared with itself behind a gateway."""

from typing import Final

from ...presentation.feature import Command, Feature

FEATURE: Final = Feature(
    commands=(Command("through", "compare a server with itself behind a gateway", "command:add"),),
)
