"""Stored sign-ins at servers: their list, and signing out; they are kept by `storage/sign_ins`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry("tokens", "list the stored sign-ins, without their tokens", "command:add"),
        CommandEntry("sign-out", "remove a stored sign-in with its tokens", "sign_out:add"),
    ),
)
