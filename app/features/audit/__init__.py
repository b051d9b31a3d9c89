"""The audit log as lines and as a screen; the log itself is in `storage/auditing`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(CommandEntry("audit", "show and verify the audit log", "command:add", on_open=True),),
    screens=(ScreenEntry("log", "screen:show"),),
)
