"""Commands and screens of policies and remembered approvals; rules are in `approval`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature, KeyEntry, ScreenEntry

FEATURE: Final = Feature(
    commands=(
        CommandEntry("policy", "list, show, check and explain policies", "command:add"),
        CommandEntry("grants", "list and revoke remembered approvals", "grants_command:add"),
    ),
    screens=(
        ScreenEntry(
            "policy",
            "screen:show",
            (
                KeyEntry(
                    "ctrl+o",
                    "Policy",
                    "Choose the policy that decides which calls run or ask, or use a host's rules.",
                    "main.policy",
                    show=True,
                ),
            ),
        ),
        ScreenEntry(
            "grants",
            "grants_screen:show",
            (
                KeyEntry(
                    "f10",
                    "Approvals",
                    "List and revoke your remembered approvals and denials.",
                    "main.grants",
                ),
            ),
        ),
    ),
)
