"""The tour: steps done on the real engine, how each is ticked, and quizzes before them."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "tour", "learn Signoff in seventeen short steps, on the bundled server", "command:add"
        ),
    ),
    hooks=(("beside the main screen", "on_main_screen:TourOnBench"),),
)
