"""The report of a session, of one server or of several, as a page."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, KeyEntry, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry("report", "write one HTML page about a server, for a reviewer", "command:add"),
    ),
    screens=(
        ScreenEntry(
            "report",
            "save:show_report",
            (
                KeyEntry(
                    "H",
                    "Report",
                    "Save a report of this session as one HTML page, for a reviewer.",
                    "main.report",
                ),
            ),
        ),
        ScreenEntry(
            "record",
            "save:show_record",
            (
                KeyEntry(
                    "alt+r",
                    "Save as a test",
                    "Save the calls and decisions so far as a flow file for signoff test.",
                    "main.record",
                    priority=True,
                ),
            ),
            is_early=True,
        ),
    ),
)
