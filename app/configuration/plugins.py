"""Plugins of hosts: the server files in their folders, and whether the host loads them.

A plugin of Claude Code is in `plugins/cache/MARKETPLACE/PLUGIN/VERSION`; the folder keeps copies of
old versions. The installed one is in `plugins/installed_plugins.json`, and `enabledPlugins` of the
settings turns it on (https://code.claude.com/docs/en/plugins-reference). Codex has the same folders
and `[plugins."PLUGIN@MARKETPLACE"] enabled`; Copilot CLI has
`installed-plugins/MARKETPLACE/PLUGIN`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from ..content.files.tree import Tree
from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, parse
from .discovery import PLUGIN, plugin_folder, read_bytes
from .problems import NOTE, ConfigProblem, named
from .servers import ConfiguredServer, FileReport

_SCOPES: Final = ("managed", "local", "project", "user")
"""The scopes of settings, the strongest first."""


def with_plugins(files: Sequence[FileReport], folder: str) -> list[FileReport]:
    """The same files; servers of plugins are marked by whether their host loads the plugin.

    `folder` is the working folder.
    """
    return [_judged(one, files, folder) if one.scope == PLUGIN else one for one in files]


def tool_prefix(server: ConfiguredServer) -> str:
    """The name of a server in the rules of Claude Code, where a plugin's has its name before it."""
    plugin = str(server.details.get("plugin") or "").partition("@")[0]
    return f"plugin_{plugin}_{server.name}" if plugin else server.name


@frozen
class _Plugin:
    folder: str
    key: str
    """Its name in the settings of hosts: `PLUGIN@MARKETPLACE`."""


def _plugin_of(file: FileReport) -> _Plugin:
    folder = plugin_folder(file.file)
    # Copilot CLI has no folder for the version.
    named_by = PurePath(folder) if file.host == "copilot-cli" else PurePath(folder).parent
    return _Plugin(folder, f"{named_by.name}@{named_by.parent.name}")


def _judged(file: FileReport, files: Sequence[FileReport], folder: str) -> FileReport:
    plugin = _plugin_of(file)
    reason = _why_not_loaded(file, plugin, files, folder)
    servers = []
    for one in file.servers:
        problems = one.problems
        if reason:
            words = f"not loaded: {reason}"
            problems = (*problems, ConfigProblem("plugin-off", NOTE, words, one.spot))
        servers.append(
            replace(
                one,
                details={**one.details, "plugin": plugin.key},
                problems=problems,
                is_effective=one.is_effective and not reason,
            )
        )
    return replace(file, servers=tuple(servers))


def _why_not_loaded(
    file: FileReport, plugin: _Plugin, files: Sequence[FileReport], folder: str
) -> str:
    """Why a host does not load a plugin; empty if it does, or if that is not known."""
    if file.host == "claude-code":
        values = (one.get(plugin.key) for one in _tables(files, "claude-code", "enabledPlugins"))
        enabled = next((one.value for one in values if one is not None), None)
        if enabled is not True:
            what = "sets it to false" if enabled is False else "does not name it"
            return f"enabledPlugins {what} ({named(plugin.key)})"
        return _why_not_installed(plugin, folder)
    if file.host == "codex":
        for members in _tables(files, "codex", "plugins"):
            switch = members.get(plugin.key, Tree({})).members.get("enabled")
            if switch is not None and switch.value is False:
                return f"config.toml turns the plugin off ({named(plugin.key)})"
    return ""


def _why_not_installed(plugin: _Plugin, folder: str) -> str:
    plugins = str(PurePath(plugin.folder).parents[3])
    data = read_bytes(os.path.join(plugins, "installed_plugins.json"), plugins)
    if isinstance(data, ConfigProblem):
        return ""
    try:
        known = parse(data).value
    except JsonError:
        return ""
    table = known.get("plugins") if isinstance(known, dict) else None
    found = table.get(plugin.key) if isinstance(table, dict) else None
    entries = found if isinstance(found, list) else [found]
    copies = [one for one in entries if isinstance(one, dict) and "installPath" in one]
    own = [one for one in copies if _is_same(one["installPath"], plugin.folder)]
    if copies and not own:
        return "another version of the plugin is installed"
    projects = [one.get("projectPath") for one in own]
    if own and all(isinstance(one, str) and not _is_in(folder, one) for one in projects):
        return "the plugin is installed for another project"
    return ""


def _is_same(path: Any, folder: str) -> bool:
    if not isinstance(path, str):
        return False
    # The end is compared: the file may have `~`, or another way to the same home.
    return PurePath(path).parts[-3:] == PurePath(folder).parts[-3:]


def _is_in(folder: str, project: str) -> bool:
    return PurePath(folder).is_relative_to(project)


def _tables(files: Sequence[FileReport], host: str, key: str) -> Iterator[Mapping[str, Tree]]:
    of_host = [one for one in files if one.host == host and one.tree is not None]
    for scope in _SCOPES:
        for one in of_host:
            if one.scope == scope and one.tree is not None and key in one.tree.members:
                yield one.tree.members[key].members
