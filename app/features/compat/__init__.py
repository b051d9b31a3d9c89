"""`signoff compat`: how client libraries read a server, and runs of the real ones."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(CommandEntry("compat", "show what client libraries lose or reject", "command:add"),),
    screens=(ScreenEntry("clients", "screen:show"),),
)
