"""Commands and screens of policies and remembered approvals; rules are in `approval`."""

from typing import Final

from ...presentation.feature import Command, Feature, Key, Screen

FEATURE: Final = Feature(
    commands=(
        Command("policy", "list, show, check and explain policies", "command:add"),
        Command("grants", "list and revoke remembered approvals", "grants_command:add"),
    ),
    screens=(
        Screen(
            "policy",
            "screen:show",
            (
                Key(
                    "ctrl+o",
                    "Policy",
                    "Choose the policy that decides which calls run or ask, or use a host's rules.",
                    "bench.policy",
                    show=True,
                ),
            ),
        ),
        Screen(
            "grants",
            "grants_screen:show",
            (
                Key(
                    "f10",
                    "Approvals",
                    "List and revoke your remembered approvals and denials.",
                    "bench.grants",
                ),
            ),
        ),
    ),
)
