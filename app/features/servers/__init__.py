"""`signoff servers`: servers in the files of hosts, which `hosts` reads."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "servers",
            "list the servers in the configuration files of hosts, and check them",
            "command:add",
        ),
    ),
)
