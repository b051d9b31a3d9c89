"""Commands and screens of policies and remembered approvals; rules are in `approval`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "policy",
            "list, show, check and explain policies",
            "command:add",
            on_open=True,
            lists="policy",
        ),
        CommandEntry(
            "grants", "list and revoke remembered approvals", "grants_command:add", on_open=True
        ),
    ),
    screens=(
        ScreenEntry("policy", "screen:show"),
        ScreenEntry("grants", "grants_screen:show"),
    ),
)
