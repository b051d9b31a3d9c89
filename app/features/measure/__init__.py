"""Measures hosts: a scripted model calls the tools of a probe server through them."""

from typing import Final

from ...presentation.feature import CommandEntry, Feature

FEATURE: Final = Feature(
    commands=(
        CommandEntry(
            "measure",
            "measure what a host or an agent really runs, asks about, refuses and hides",
            "command:add",
        ),
        CommandEntry("hosts", "show the rules and measurements of each host", "hosts_command:add"),
        CommandEntry(
            "probe-server",
            "serve the tools that hosts are measured with, to put into a host by hand",
            "probe_server_command:add",
        ),
    ),
)
