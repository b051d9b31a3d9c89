"""The settings on a screen, with value, source and purpose; they are changed there."""

from typing import Final

from ...presentation.feature import Feature, ScreenEntry

FEATURE: Final = Feature(
    screens=(ScreenEntry("settings", "screen:show"),),
    hooks=(("settings", "screen:open_settings"),),
)
