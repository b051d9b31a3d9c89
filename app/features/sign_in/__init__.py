"""Sign-ins at servers: signing in, the list of them, signing out; `storage/sign_ins` keeps them."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry("sign-in", "sign in at a server, for later sessions", "signing_in:add"),
        CommandEntry("tokens", "list the stored sign-ins, without their tokens", "command:add"),
        CommandEntry("sign-out", "remove a stored sign-in with its tokens", "sign_out:add"),
    ),
)
