"""Measures hosts: a scripted model calls the tools of a probe server through them."""

from typing import Final

from ...presentation.feature import Command, Feature

FEATURE: Final = Feature(
    commands=(
        Command(
            "measure",
            "measure what a host or an agent really runs, asks about, refuses and hides",
            "command:add",
        ),
        Command("hosts", "show the rules and measurements of each host", "hosts_command:add"),
        Command(
            "probe-server",
            "serve the tools that hosts are measured with, to put into a host by hand",
            "probe_server_command:add",
        ),
    ),
)
