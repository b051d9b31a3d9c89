"""The report of a session, of one server or of several, as a page."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "report",
            "write one HTML page about a server, for a reviewer",
            "command:add",
            on_open=True,
        ),
    ),
    screens=(
        ScreenEntry("report", "save:show_report"),
        ScreenEntry("record", "save:show_record"),
    ),
    hooks=(("session page", "command:write_session"),),
)
