"""`signoff consent`: each person calls a tool that asks, on a server process of its own."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "consent", "test that a tool which asks does nothing before the answer", "command:add"
        ),
    ),
    tables=("checks:table",),
    hooks=(("step: consent", "step:consent_step"),),
)
