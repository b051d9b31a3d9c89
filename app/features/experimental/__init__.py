"""`signoff experimental`: drafts of extensions; those that decide are in `protocol/extensions`."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "experimental",
            "list drafts of the protocol, and check how a server follows them",
            "command:add",
        ),
    ),
)
