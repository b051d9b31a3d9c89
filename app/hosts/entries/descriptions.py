"""Descriptions of servers: files of the MCP registry and manifests of bundles.

They configure nothing: read are the commands that a client would derive, and the values that it
would ask for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ...content.files.tree import SourceLocation, Tree
from ..approvals.algorithms import texts
from ..files.problems import ERROR, NOTE, WARNING, ProblemList, listed, named
from ..files.servers import ServerEntry
from ..table import Host
from .commands import base_name
from .containers import Container

MOST: Final = 100
"""Packages and remotes of a description that are read."""
RUNTIMES: Final = {"npm": "npx", "pypi": "uvx", "oci": "docker", "nuget": "dnx"}
_TEMPLATE: Final = re.compile(r"\$\{[A-Z][A-Z0-9_]*\}|\{\{[^{}]{1,60}\}\}|<%[^%]{1,60}%>")
_USER: Final = re.compile(r"\$\{user_config\.([^{}]+)\}")


def read_description(
    tree: Tree, host: Host, problems: ProblemList
) -> tuple[list[ServerEntry], dict[str, dict[str, Any]]]:
    """The entries that a client would derive, and their switches."""
    if host.described == "registry":
        return list(_registry(tree, host, problems)), {}
    return _bundle(tree, host, problems)


def is_registry(tree: Tree) -> bool:
    """True for a file of the registry, by its keys."""
    schema = _text(tree, "$schema")
    return "server.schema" in schema or (
        isinstance(tree.members.get("name", Tree(None)).value, str)
        and bool({"packages", "remotes"} & tree.members.keys())
        and "version" in tree.members
    )


def is_bundle(tree: Tree) -> bool:
    """True for the manifest of a bundle, by its keys."""
    return bool({"manifest_version", "dxt_version"} & tree.members.keys()) and (
        "server" in tree.members
    )


def _text(tree: Tree | None, key: str) -> str:
    value = None if tree is None else tree.members.get(key, Tree(None)).value
    return value if isinstance(value, str) else ""


def _flag(tree: Tree, key: str) -> bool:
    return tree.members.get(key, Tree(None)).value is True


def _items(tree: Tree, *keys: str) -> Sequence[Tree]:
    for key in keys:
        if key in tree.members:
            return tree.members[key].items[:MOST]
    return ()


def _registry(tree: Tree, host: Host, problems: ProblemList) -> Iterator[ServerEntry]:
    words = "a description of the registry, not a configuration: nothing is started by itself"
    problems.add("not-a-config", NOTE, words, tree.spot)
    _complain_of_template(tree, problems)
    name = _text(tree, "name") or "(no name)"
    container = Container("", tree, tree.spot, True)
    used: set[str] = set()
    for package in _items(tree, "packages"):
        kind = _text(package, "registryType") or _text(package, "registry_name") or "package"
        label = _label(name, kind, used)
        entry = ServerEntry(label, package, package.spot, host, container, is_derived=True)
        _of_package(entry, package, kind, problems)
        yield entry
    for remote in _items(tree, "remotes"):
        way = _text(remote, "type") or _text(remote, "transport_type")
        transport = "sse" if way == "sse" else "http"
        entry = ServerEntry(
            _label(name, transport, used), remote, remote.spot, host, container, is_derived=True
        )
        entry.transport, entry.type_word = transport, way
        entry.url, entry.url_key = _text(remote, "url") or None, "url"
        entry.url_spot = entry.spot_of("url")
        if entry.url is None:
            entry.transport, entry.reason = "unknown", "no address"
            problems.add("no-command-or-url", ERROR, "no url", remote.spot, server=entry.name)
        asked = [
            *_asked(_items(remote, "headers"), "header "),
            *_asked_variables(remote),
        ]
        for header in _items(remote, "headers"):
            entry.headers[_text(header, "name")] = _value(header)
        entry.header_names = list(entry.headers)
        _complain_of_inputs(entry, asked, problems)
        yield entry


def _label(name: str, kind: str, used: set[str]) -> str:
    label, number = f"{name} [{kind}]", 2
    while label in used:
        label, number = f"{name} [{kind} {number}]", number + 1
    used.add(label)
    return label


def _complain_of_template(tree: Tree, problems: ProblemList) -> None:
    level = [tree]
    for _ in range(8):
        for one in level:
            if isinstance(one.value, str) and (found := _TEMPLATE.search(one.value)):
                words = f"{named(found.group())} was to be filled before publishing"
                problems.add("template-left", ERROR, words, one.spot)
                return
        level = [below for one in level for below in (*one.members.values(), *one.items)]


def _value(tree: Tree) -> Tree:
    for key in ("value", "default"):
        if isinstance(tree.members.get(key, Tree(None)).value, str):
            return tree.members[key]
    return Tree(None, tree.spot)


def _of_package(entry: ServerEntry, package: Tree, kind: str, problems: ProblemList) -> None:
    """Derive the command of a package, as clients do."""
    spot = package.spot
    identifier, version = _text(package, "identifier"), _text(package, "version")
    identifier = identifier or _text(package, "name")
    runtime = _text(package, "runtimeHint") or RUNTIMES.get(kind, "")
    before = _arguments(_items(package, "runtimeArguments"))
    after = _arguments(_items(package, "packageArguments"))
    transport = _text(package.members.get("transport"), "type") or "stdio"
    for one in _items(package, "environmentVariables"):
        if name := _text(one, "name"):
            entry.env[name] = _value(one)
    entry.command, entry.command_spot = runtime or None, spot
    if not runtime or not identifier:
        entry.transport, entry.reason = "unknown", f"no program is known for {kind} packages"
        words = f"{named(kind)}: no program is known that starts such a package"
        problems.add("needs-host", NOTE, words, spot, server=entry.name)
        return
    if base_name(runtime) == "docker":
        run = [] if "run" in before else ["run", "-i", "--rm"]
        named_env = [word for name in entry.env for word in ("-e", name)]
        words_of_run = [*run, *before, *named_env, identifier, *after]
    elif base_name(runtime) == "npx":
        yes = [] if {"-y", "--yes"} & {*before} else ["-y"]
        words_of_run = [*yes, *before, f"{identifier}@{version}" if version else identifier, *after]
    else:
        pinned = f"{identifier}=={version}" if version and kind == "pypi" else identifier
        words_of_run = [*before, pinned, *after]
    entry.args = [(one, spot) for one in words_of_run]
    entry.transport = "stdio" if transport == "stdio" else "sse" if transport == "sse" else "http"
    entry.reason = "" if entry.is_local else "the package listens, after it was started"
    if not entry.is_local:
        entry.url = _text(package.members.get("transport"), "url") or None
    asked = [
        *_asked(_items(package, "environmentVariables"), ""),
        *_asked(_items(package, "runtimeArguments"), "argument "),
        *_asked(_items(package, "packageArguments"), "argument "),
    ]
    _complain_of_inputs(entry, asked, problems)


def _arguments(trees: Sequence[Tree]) -> list[str]:
    found = []
    for one in trees:
        name, value = _text(one, "name"), _text(one, "value") or _text(one, "default")
        value = value or (f"<{_text(one, 'valueHint')}>" if _text(one, "valueHint") else "")
        if _text(one, "type") == "named" or (name and name.startswith("-")):
            found.append(name)
            if value and value != "true":
                found.append(value)
        elif value:
            found.append(value)
    return found


def _asked(trees: Sequence[Tree], what: str) -> list[str]:
    """The values that a person would be asked for."""
    found = []
    for one in trees:
        inner = _asked_variables(one)
        found += inner
        is_set = bool(_text(one, "value") or _text(one, "default"))
        if _flag(one, "isRequired") and not is_set and not inner:
            found.append(f"{what}{_text(one, 'name') or _text(one, 'valueHint') or '(no name)'}")
    return found


def _asked_variables(tree: Tree) -> list[str]:
    variables = tree.members.get("variables", Tree({})).members
    return [
        name
        for name, one in list(variables.items())[:MOST]
        if not (_text(one, "value") or _text(one, "default"))
        and (_flag(one, "isRequired") or _flag(one, "isSecret"))
    ]


def _complain_of_inputs(entry: ServerEntry, asked: Sequence[str], problems: ProblemList) -> None:
    if asked:
        words = f"a person would be asked for {listed(list(dict.fromkeys(asked)))}"
        problems.add("input-needed", WARNING, words, entry.spot, server=entry.name)


def _bundle(
    tree: Tree, host: Host, problems: ProblemList
) -> tuple[list[ServerEntry], dict[str, dict[str, Any]]]:
    name = _text(tree, "name") or "(no name)"
    server = tree.members["server"]
    config = server.members.get("mcp_config", server)
    container = Container("server", server, server.spot, True)
    spot = tree.keys.get("server", server.spot)
    entry = ServerEntry(name, config, spot, host, container, is_derived=True)
    entry.display_name = _text(tree, "display_name")
    entry.command = _text(config, "command") or None
    entry.command_spot = entry.spot_of("command")
    if entry.command is None and _text(server, "entry_point"):
        kind = _text(server, "type")
        point = f"${{__dirname}}/{_text(server, 'entry_point')}"
        entry.command = {"node": "node", "python": "python", "uv": "uv"}.get(kind, point)
        entry.args = [] if entry.command == point else [(point, spot)]
    entry.args += [(one, config.spot) for one in texts(config.members.get("args"))]
    for key, one in config.members.get("env", Tree({})).members.items():
        entry.env[key] = one if isinstance(one.value, str) else Tree("", one.spot)
    if entry.command is None:
        entry.reason = "neither command nor entry point"
        words = "the manifest has neither a command nor an entry point"
        problems.add("no-command-or-url", ERROR, words, spot, server=name)
    else:
        entry.transport = "stdio"
    _complain_of_settings(entry, tree.members.get("user_config", Tree({})).members, problems)
    switches = _claimed(tree, name, problems)
    return [entry], switches


def _complain_of_settings(
    entry: ServerEntry, settings: Mapping[str, Tree], problems: ProblemList
) -> None:
    """Note the values that a person would be asked for, and those that become several."""
    used: dict[str, SourceLocation] = {}
    for text, spot in (*entry.args, *((str(one.value), one.spot) for one in entry.env.values())):
        for found in _USER.finditer(text[:1_000]):
            used.setdefault(found[1], spot)
    asked, several, unknown = [], [], []
    for name in used:
        one = settings.get(name)
        if one is None:
            unknown.append(name)
            continue
        is_set = "default" in one.members
        asked += [name] if _flag(one, "required") and not is_set else []
        several += [name] if _flag(one, "multiple") else []
    _complain_of_inputs(entry, [f"user_config.{one}" for one in asked], problems)
    if several:
        words = f"user_config.{listed(several)} is a list: one argument becomes several"
        problems.add("multi-value", NOTE, words, used[several[0]], server=entry.name)
    if unknown:
        words = f"user_config.{listed(unknown)} is used and not defined"
        spot = used[unknown[0]]
        problems.add("input-undefined", ERROR, words, spot, server=entry.name)


def _claimed(tree: Tree, name: str, problems: ProblemList) -> dict[str, dict[str, Any]]:
    tools = [_text(one, "name") for one in _items(tree, "tools")]
    if not tools:
        return {}
    words = "the tools in the manifest are a claim"
    words += ", and the server has more" if _flag(tree, "tools_generated") else ""
    spot = tree.keys.get("tools", tree.spot)
    problems.add("tools-claimed", NOTE, words, spot, server=name)
    return {name: {"declared_tools": [one for one in tools if one]}}
