"""The files of hosts and of their plugins on this machine: their usual places, and their bytes.

Only regular files of a bounded size are read. A link that leads out of the folder of a place is not
followed: a repository could put it there.

A plugin of Claude Code is in `plugins/cache/MARKETPLACE/PLUGIN/VERSION`; the folder keeps copies of
old versions. The installed one is in `plugins/installed_plugins.json`, and `enabledPlugins` of the
settings turns it on (https://code.claude.com/docs/en/plugins-reference). Codex has the same folders
and `[plugins."PLUGIN@MARKETPLACE"] enabled`; Copilot CLI has
`installed-plugins/MARKETPLACE/PLUGIN`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import Any, Final

from ...content.files.tree import Tree
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, parse
from ...content.text import size, visible
from ...platforms.files import NO_CONTROL, NO_LINK, NO_WAIT, open_file
from ..table import Host, HostPlace, hosts, place_of
from .documents import LONGEST
from .problems import ERROR, NOTE, WARNING, ConfigProblem, named
from .reading import read_file, unreadable
from .servers import FileReport, Machine
from .sharing import with_others

MOST_LEVELS: Final = 40
"""Folders above the working folder that are looked into."""
MOST_IN_FOLDER: Final = 2_000
"""Names of a folder that are compared with a pattern."""
MOST_FILES: Final = 500
PLUGIN: Final = "plugin"
"""The scope of a file in the folder of a plugin."""


@frozen
class FoundFile:
    """A file at a usual place of a host; its path may still be a link, or anything else."""

    path: str
    root: str
    """The folder that the file has to be in."""
    host: Host
    place: HostPlace
    others: tuple[tuple[Host, HostPlace], ...] = ()
    """Further hosts that read the same path."""


def find_files(machine: Machine, only: Sequence[Host] = ()) -> list[FoundFile]:
    """The files that exist at the usual places, host by host; each file once."""
    found: dict[str, FoundFile] = {}
    for host in only or tuple(hosts().values()):
        for place in host.place:
            if place.silent or place.on not in ("", machine.platform):
                continue
            for path, root in _paths(place, machine):
                first = found.get(path)
                if first is None and len(found) < MOST_FILES:
                    found[path] = FoundFile(path, root, host, place)
                elif first is not None and host.host != first.host.host:
                    found[path] = replace(first, others=(*first.others, (host, place)))
    return list(found.values())


def usual_places(machine: Machine, only: Sequence[Host] = ()) -> dict[str, list[str]]:
    """The places that `find_files` looks at, by the title of the host; paths of the home have `~`.

    A variable that is set is replaced by its value; paths without a root are of the project.
    """
    found: dict[str, list[str]] = {}
    for host in only or tuple(hosts().values()):
        for place in host.place:
            if place.silent or place.on not in ("", machine.platform):
                continue
            path = place.path
            if not place.is_of_project:
                root, rest = _resolved(path, machine)
                path = os.path.join("~" if root == machine.home else root, rest) if root else ""
            paths = found.setdefault(hosts()[host.host].title, [])
            if path and path not in paths:
                paths.append(path)
    return {title: paths for title, paths in found.items() if paths}


def place_words(machine: Machine, only: Sequence[Host] = ()) -> list[tuple[str, str]]:
    """Title of each host with the places that were looked at, safe to show."""
    places = usual_places(machine, only).items()
    return [(title, ", ".join(map(visible, paths))) for title, paths in places]


def read_found(found: FoundFile, machine: Machine) -> FileReport:
    """Read a file at its usual place, as every host does that reads it."""
    data = read_bytes(found.path, found.root)
    if isinstance(data, ConfigProblem):
        return unreadable(found.path, found.host, found.place.scope, data)
    first, *others = (
        _read_as(found, host, place, data, machine)
        for host, place in ((found.host, found.place), *found.others)
    )
    return with_others(first, others)


def _read_as(
    found: FoundFile, host: Host, place: HostPlace, data: bytes, machine: Machine
) -> FileReport:
    environ = {**machine.environ, **plugin_words(found.path, place.scope)}
    report = read_file(
        data, found.path, host, environ=environ, platform=machine.platform, scope=place.scope
    )
    root = found.root if place.is_of_project else ""
    return replace(report, root=root, is_confirmed=not place.unsure)


def is_kept(file: FileReport, place: HostPlace) -> bool:
    """False for a file without servers at a place whose files seldom have any."""
    has_error = any(one.level is ERROR for one in file.problems)
    return bool(file.servers) or has_error or not place.may_lack


def plugin_folder(file: str) -> str:
    """The folder of the plugin that a file at a plugin's place belongs to."""
    folder = os.path.dirname(file)
    return os.path.dirname(folder) if os.path.basename(folder) == ".claude-plugin" else folder


def plugin_words(file: str, scope: str) -> dict[str, str]:
    """The variables that hosts fill in the file of a plugin, by its scope."""
    return {"CLAUDE_PLUGIN_ROOT": plugin_folder(file)} if scope == PLUGIN else {}


def read_given(path: str, host: Host | None, machine: Machine) -> FileReport:
    """Read a file that a person has named; its host is guessed if none is given."""
    path = os.path.abspath(os.path.join(machine.folder, path))
    known = place_of(path, machine.home)
    root = os.path.dirname(path)
    is_of_project = known is not None and known[1].is_of_project
    if known is not None and is_of_project:
        # The root of the project, as the host sees it.
        for _ in range(known[1].tail.count("/")):
            root = os.path.dirname(root)
    data = read_bytes(path, root)
    if isinstance(data, ConfigProblem):
        kind = host or (known[0] if known else hosts()["any"])
        return unreadable(path, kind, "file", data)
    words = plugin_words(path, known[1].scope) if known is not None else {}
    environ = {**machine.environ, **words}
    report = read_file(data, path, host, environ=environ, platform=machine.platform)
    return replace(report, root=root if is_of_project else "")


def read_bytes(path: str, root: str) -> bytes | ConfigProblem:
    """The content of a regular file, or the reason why it is not read."""
    try:
        real, real_root = os.path.realpath(path), os.path.realpath(root)
        if os.path.commonpath((real, real_root)) != real_root:
            words = "the file is a link that leads out of its folder: it is not followed"
            return ConfigProblem("not-read", ERROR, words)
        if not stat.S_ISREG(os.stat(real).st_mode):
            return ConfigProblem("not-read", ERROR, "not a regular file")
        descriptor = open_file(real, os.O_RDONLY | NO_LINK | NO_WAIT | NO_CONTROL)
    except (OSError, ValueError) as problem:
        return _why(problem)
    with os.fdopen(descriptor, "rb") as file:
        try:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return ConfigProblem("not-read", ERROR, "not a regular file")
            if found.st_size > LONGEST:
                words = f"the file has {size(found.st_size)}; at most {size(LONGEST)} are read"
                return ConfigProblem("too-large", ERROR, words)
            return file.read(LONGEST + 1)
        except OSError as problem:
            return _why(problem)


def _why(problem: OSError | ValueError) -> ConfigProblem:
    reason = getattr(problem, "strerror", None) or "it has no usable path"
    level = WARNING if isinstance(problem, FileNotFoundError) else ERROR
    return ConfigProblem("not-read", level, f"the file cannot be read: {reason.lower()}")


def _paths(place: HostPlace, machine: Machine) -> Iterator[tuple[str, str]]:
    """The existing paths of a place, each with the folder that it has to be in."""
    if place.is_of_project:
        for folder in _folders(machine) if place.up else (machine.folder,):
            for path in _matching(folder, place.path):
                yield path, folder
        return
    root, path = _resolved(place.path, machine)
    if root:
        for found in _matching(root, path):
            yield found, root


def _resolved(path: str, machine: Machine) -> tuple[str, str]:
    """The folder that a path begins with, and the rest of it; empty if a variable is not set."""
    if path.startswith("{"):
        head, _, rest = path[1:].partition("}")
        name, _, other = head.partition("|")
        value = machine.environ.get(name, "")
        if name.startswith("XDG_") and not value.startswith("/"):
            # A relative path is not valid there (XDG Base Directory Specification).
            value = ""
        value = value.rstrip("/") or other
        path = f"{value}{rest}" if value else ""
    if path.startswith("~"):
        return machine.home, path.removeprefix("~").lstrip("/")
    if not path:
        return "", ""
    plain = path.partition("*")[0]
    root = os.path.dirname(plain)
    return root, path[len(root) :].lstrip("/\\")


def _folders(machine: Machine) -> list[str]:
    """The working folder and those above it, up to the repository's root or below the home."""
    found: list[str] = []
    folder = machine.folder
    for _ in range(MOST_LEVELS):
        found.append(folder)
        if os.path.exists(os.path.join(folder, ".git")):
            return found
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    is_below = [one for one in found if one != machine.home and _is_in(one, machine.home)]
    return is_below or found[:1]


def _is_in(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)


def _matching(root: str, path: str) -> list[str]:
    """The existing files below a folder with a path, in which names may have a `*`."""
    level = [root]
    for name in path.split("/"):
        if "*" not in name:
            level = [os.path.join(one, name) for one in level]
            continue
        below = []
        for one in level:
            try:
                names = sorted(os.listdir(one))[:MOST_IN_FOLDER]
            except OSError:
                continue
            below += [os.path.join(one, each) for each in names if fnmatchcase(each, name)]
        level = below
    return [one for one in level if os.path.lexists(one)]


_SCOPES: Final = ("managed", "local", "project", "user")
"""The scopes of settings, the strongest first."""


def with_plugins(files: Sequence[FileReport], folder: str) -> list[FileReport]:
    """The same files; servers of plugins are marked by whether their host loads the plugin.

    `folder` is the working folder.
    """
    return [_judged(one, files, folder) if one.scope == PLUGIN else one for one in files]


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


def _tables(files: Sequence[FileReport], host: str, key: str) -> Iterator[Mapping[str, Tree]]:
    of_host = [one for one in files if one.host == host and one.tree is not None]
    for scope in _SCOPES:
        for one in of_host:
            if one.scope == scope and one.tree is not None and key in one.tree.members:
                yield one.tree.members[key].members
