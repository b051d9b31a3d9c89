"""Flow files: reading, checking, recording and updating approval tests; the pytest plugin."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "test",
            "run flow files: steps on a server, and the expected results",
            "command:add_test",
        ),
        CommandEntry("flow", "check flow files, and print their schema for editors", "command:add"),
    ),
    hooks=(("record", "run.recorder:FlowRecorder"),),
)
