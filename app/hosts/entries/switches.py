"""Approval switches: what entries and files of hosts decide about asking a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ...content.frozen import frozen
from ..approvals.deciding_files import tool_of_crush
from ..files.problems import NOTE, WARNING, ProblemList, listed, named
from ..files.servers import Entry
from ..table import ANY, Host, hosts
from .containers import at_path

MOST_TOOLS: Final = 1_000
"""Names of tools of a switch that are kept."""
OF_ENTRIES: Final = {
    "autoApprove": "auto_approve",
    "alwaysAllow": "auto_approve",
    "trust": "trust",
    "disabledTools": "disabled_tools",
    "excludeTools": "disabled_tools",
    "includeTools": "allowed_tools",
    "disabled_tools": "disabled_tools",
    "enabled_tools": "allowed_tools",
    "available_tools": "allowed_tools",
    "allowedTools": "allowed_tools",
    "allowed_tools": "allowed_tools",
    "tools": "allowed_tools",
    "default_tools_approval_mode": "mode",
    "sandboxEnabled": "sandbox",
}
"""Keys of entries in any host that decide about tools, and their names in a report."""
EMPTY_IS_ALL: Final = ("available_tools",)
"""Lists that allow every tool if they are empty."""


def entry_switches(entry: Entry, problems: ProblemList) -> dict[str, Any]:
    """The switches of an entry, and the problems with them."""
    host, found = entry.host, dict[str, Any]()
    for key, tree in entry.tree.members.items():
        if key in host.switches:
            _own(entry, key, tree, found, problems)
        elif key in host.ignored:
            found[host.ignored[key]] = tree.value if isinstance(tree.value, bool) else True
        elif key in OF_ENTRIES and key not in host.keys and host.id != ANY:
            _foreign(entry, key, tree, found, problems)
        elif key == "tools" and host.host == "codex":
            _codex_tools(tree, found)
    if "tools" in host.switches and "tools" not in entry.tree.members and not entry.is_broken:
        words = "no tools key: all tools are offered"
        problems.add("tools-missing", NOTE, words, entry.spot, server=entry.name)
    return found


def _own(entry: Entry, key: str, tree: Tree, found: dict[str, Any], problems: ProblemList) -> None:
    host, name, spot = entry.host, entry.name, entry.spot_of(key)
    switch = host.switches[key]
    if isinstance(tree.value, list):
        tools = texts(tree)
        if not tools and key in EMPTY_IS_ALL:
            return
        found[switch] = tools
        if not tools and key == "tools":
            words = "tools is empty: the server offers no tool"
            problems.add("tools-empty", WARNING, words, spot, server=name)
    elif isinstance(tree.value, (bool, str)):
        found[switch] = tree.value
        _of_flag(entry, key, switch, tree.value, problems)
    elif tree.value is not None:
        words = f"{key} has a value that {host.title} does not know"
        problems.add("value-not-known", WARNING, words, spot, server=name)


def _of_flag(entry: Entry, key: str, switch: str, value: bool | str, problems: ProblemList) -> None:
    spot = entry.spot_of(key)
    if switch == "mode" and value not in ("auto", "prompt", "writes", "approve"):
        words = f"{key} has a value that {entry.host.title} does not know"
        problems.add("value-not-known", WARNING, words, spot, server=entry.name)


def _foreign(
    entry: Entry, key: str, tree: Tree, found: dict[str, Any], problems: ProblemList
) -> None:
    """Note a switch of another host, which has no effect here."""
    host, name, spot = entry.host, entry.name, entry.spot_of(key)
    if key == "tools" and any(one.members for one in tree.items):
        words = "tools is a list that describes tools, and filters nothing"
        problems.add("tools-not-a-filter", NOTE, words, spot, server=name)
        return
    owners = _owners(key, host)
    own = next((one for one, way in host.switches.items() if way == OF_ENTRIES[key]), "")
    words = f"{key} is a key of {owners}, without effect in {host.title}" if owners else ""
    words = words or f"{key} has no effect in {host.title}"
    fix = f"rename it to {own}" if own and own not in entry.tree.members else "remove it"
    problems.add("wrong-approval-key", WARNING, words, spot, fix=fix, server=name)
    value = texts(tree) if isinstance(tree.value, list) else tree.value
    if isinstance(value, (list, bool, str)):
        found[f"ignored_{OF_ENTRIES[key]}"] = value


def _owners(key: str, host: Host) -> str:
    titles = [
        one.title for one in hosts().values() if key in one.switches and one.host != host.host
    ]
    return " and ".join(dict.fromkeys(titles[:2]))


def _codex_tools(tree: Tree, found: dict[str, Any]) -> None:
    modes = {
        name: one.members["approval_mode"].value
        for name, one in list(tree.members.items())[:MOST_TOOLS]
        if "approval_mode" in one.members and isinstance(one.members["approval_mode"].value, str)
    }
    if modes:
        found["tools"] = modes


def texts(tree: Tree | None) -> list[str]:
    """The texts of a list; none of anything else."""
    items = () if tree is None else tree.items[:MOST_TOOLS]
    return [one.value for one in items if isinstance(one.value, str)]


MOST_RULES: Final = 1_000


@frozen
class File:
    """A file whose switches are read."""

    tree: Tree
    host: Host
    scope: str
    entries: Sequence[Entry]
    problems: ProblemList

    def value(self, path: str) -> tuple[Any, SourceLocation]:
        """The value at keys joined by dots; None if there is none."""
        found = at_path(self.tree, path)
        return (None, NOWHERE) if found is None else (found[0].value, found[1])

    def texts(self, path: str) -> list[str] | None:
        """The texts of a list; None if there is none."""
        found = at_path(self.tree, path)
        return texts(found[0]) if found and found[0].value is not None else None

    def spot(self, path: str) -> SourceLocation:
        return self.value(path)[1]

    def has(self, name: str) -> bool:
        return any(one.name == name for one in self.entries)


def file_switches(file: File, servers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The switches of the file; those that are about one server are put to its own."""
    found: dict[str, Any] = {}
    read = _READERS.get(file.host.id) or _READERS.get(file.host.host)
    if read is not None:
        read(file, found, servers)
    return found


def _claude_settings(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    for kind in ("allow", "ask", "deny"):
        rules = file.texts(f"permissions.{kind}")
        if rules is not None:
            found[kind] = [one for one in rules if one.startswith("mcp__") or one == "*"]
    for kind in [one for one in found if not found[one]]:
        del found[kind]
    enable_all, spot = file.value("enableAllProjectMcpServers")
    enabled, disabled = file.texts("enabledMcpjsonServers"), file.texts("disabledMcpjsonServers")
    if isinstance(enable_all, bool):
        found["enable_all"] = enable_all
    if enabled is not None:
        found["enabled"] = enabled
    if disabled is not None:
        found["disabled"] = disabled
    if (enable_all is True or enabled) and file.scope in ("project", "file"):
        words = "a file that is shared enables servers; the host asks the person all the same"
        spot = spot if enable_all is True else file.spot("enabledMcpjsonServers")
        file.problems.add("approves-itself", WARNING, words, spot)
    for name in disabled or ():
        if enable_all is True or name in (enabled or ()):
            words = "enabled and disabled at once; disabled counts"
            at = file.spot("disabledMcpjsonServers")
            file.problems.add("contradiction", WARNING, words, at, server=name)
    both = {*found.get("allow", ())} & {*found.get("deny", ())}
    if both:
        words = f"{listed(sorted(both))} is allowed and denied; deny counts"
        file.problems.add("contradiction", WARNING, words, file.spot("permissions.deny"))
    mode, _ = file.value("permissions.defaultMode")
    if isinstance(mode, str):
        found["default_mode"] = mode


def _without_empty(found: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in found.items() if one}


def _claude_user(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    projects = file.tree.members.get("projects", Tree({})).members
    kept: dict[str, Any] = {}
    for folder, one in list(projects.items())[:MOST_RULES]:
        own = {
            "allow": [rule for rule in texts(one.members.get("allowedTools")) if "mcp__" in rule],
            "enabled": texts(one.members.get("enabledMcpjsonServers")),
            "disabled": [
                *texts(one.members.get("disabledMcpjsonServers")),
                *texts(one.members.get("disabledMcpServers")),
            ],
        }
        own = _without_empty(own)
        off = texts(one.members.get("disabledMcpServers"))
        for entry in file.entries:
            if entry.container.project == folder and entry.name in off:
                entry.is_enabled = False
        trusted = one.members.get("hasTrustDialogAccepted")
        if own or (trusted is not None and trusted.value is True):
            is_trusted = trusted is not None and trusted.value is True
            kept[folder] = {**own, "trusted": is_trusted}
    if kept:
        found["projects"] = kept
    _shadowed(file)


def _shadowed(file: File) -> None:
    by_user = {one.name: one for one in file.entries if not one.container.project}
    for entry in file.entries:
        if entry.container.project and entry.name in by_user:
            words = f"in {named(entry.container.project)} the local entry hides the user's"
            spot = by_user[entry.name].spot
            file.problems.add("shadowed", NOTE, words, spot, server=entry.name)


def _gemini(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    lists: dict[str, list[str] | None] = {}
    for name, paths in (
        ("allowed", ("mcp.allowed", "allowMCPServers")),
        ("excluded", ("mcp.excluded", "excludeMCPServers")),
    ):
        given = (file.texts(path) for path in paths)
        lists[name] = next((one for one in given if one is not None), None)
        if lists[name] is not None:
            found[name] = lists[name]
    allowed, excluded = lists["allowed"], lists["excluded"] or []
    for entry in file.entries:
        if entry.name in excluded:
            entry.is_enabled = False
            words = "mcp.excluded names the server: it is off"
            file.problems.add("excluded-by-list", NOTE, words, entry.spot, server=entry.name)
        elif allowed is not None and entry.name not in allowed:
            entry.is_enabled = False
            words = "mcp.allowed does not name the server: it is off"
            file.problems.add("not-allowed-by-list", NOTE, words, entry.spot, server=entry.name)
    _gemini_modes(file, found)
    rules = file.texts("permissions.allow")
    if rules is not None:
        allow = [one for one in rules if one.startswith("mcp__")]
        found.update({"allow": allow} if allow else {})
        _without_server(file, "permissions.allow", [one[5:].partition("__")[0] for one in allow])
    version, _ = file.value("$version")
    if isinstance(version, int):
        found["settings_version"] = version


def _gemini_modes(file: File, found: dict[str, Any]) -> None:
    for path in ("autoAccept", "tools.autoAccept"):
        value, spot = file.value(path)
        if isinstance(value, bool):
            found["auto_accept"] = value
        if value is True:
            words = f"{path} is true: the host's own tools that only read run without asking"
            file.problems.add("own-tools-unasked", WARNING, words, spot)
    for path in ("general.defaultApprovalMode", "tools.approvalMode", "approvalMode"):
        value, _ = file.value(path)
        if isinstance(value, str):
            found["approval_mode"] = value


def _without_server(file: File, path: str, names: Sequence[str]) -> None:
    strange = [one for one in dict.fromkeys(names) if one and "*" not in one and not file.has(one)]
    if strange and file.entries:
        verb = "is a server" if len(strange) == 1 else "are servers"
        words = f"rules: {listed(strange)} {verb} that this file does not have"
        file.problems.add("rule-without-server", NOTE, words, file.spot(path))


def _codex(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    for key in ("approval_policy", "sandbox_mode"):
        value, spot = file.value(key)
        if isinstance(value, str):
            found[key] = value
        if value == "danger-full-access":
            words = "sandbox_mode danger-full-access: the host's own commands have no sandbox"
            file.problems.add("no-sandbox", WARNING, words, spot)
    projects = {
        folder: {"trusted": level.value == "trusted"}
        for folder, one in file.tree.members.get("projects", Tree({})).members.items()
        if (level := one.members.get("trust_level")) is not None
    }
    if projects:
        found["projects"] = projects


def _goose(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    mode, spot = file.value("GOOSE_MODE")
    if not isinstance(mode, str):
        return
    found["GOOSE_MODE"] = mode
    if mode not in ("auto", "approve", "smart_approve", "chat"):
        words = "GOOSE_MODE has a value that Goose does not know"
        file.problems.add("value-not-known", WARNING, words, spot)


def _of_servers(rules: Tree, names: Sequence[str]) -> dict[str, Any]:
    """The rules of OpenCode whose names are those of servers, or cover them."""
    return {
        rule: one.value
        for rule, one in list(rules.members.items())[:MOST_RULES]
        if isinstance(one.value, (str, bool))
        and (rule == "*" or any(rule.startswith(f"{name}_") or rule == name for name in names))
    }


def _opencode(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    names = [one.name for one in file.entries]
    rules = file.tree.members.get("permission", Tree({}))
    own = _of_servers(rules, names)
    if own:
        found["permission"] = own
    tools = _of_servers(file.tree.members.get("tools", Tree({})), names)
    if tools:
        found["tools"] = tools
    agents: dict[str, Any] = {}
    for key in ("agent", "mode"):
        for agent, one in file.tree.members.get(key, Tree({})).members.items():
            kept = {
                kind: of_agent
                for kind in ("permission", "tools")
                if (of_agent := _of_servers(one.members.get(kind, Tree({})), names))
            }
            if kept:
                agents[agent] = kept
            looser = [
                rule
                for rule, value in kept.get("permission", {}).items()
                if value == "allow" and own.get(rule) in ("deny", "ask")
            ]
            if looser:
                words = f"agent {named(agent)} allows {listed(looser)}, which the file restricts"
                file.problems.add("agent-overrides", NOTE, words, one.spot)
    if agents:
        found["agents"] = agents


def _crush(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    rules = file.texts("permissions.allowed_tools") or []
    allow = [one for one in rules if one.startswith("mcp_") or one == "*"]
    if not allow:
        return
    found["allow"] = allow
    strange = []
    for rule in [one for one in allow if one != "*"]:
        own = {one.name: tool_of_crush(rule, one.name) for one in file.entries}
        for name, tool in own.items():
            if tool:
                servers.setdefault(name, {}).setdefault("allowed_tools", []).append(tool)
        if not any(own.values()):
            strange.append(rule.removeprefix("mcp_").partition("_")[0])
    _without_server(file, "permissions.allowed_tools", strange)


def _vscode(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    for path in ("chat.tools.autoApprove", "chat.tools.global.autoApprove"):
        value, spot = file.value(path)
        if isinstance(value, bool):
            found[path] = value
        if value is True and file.scope == "project":
            words = f"{path} counts in the user's settings only"
            file.problems.add("ignored-in-project", NOTE, words, spot)
    value, spot = file.value("chat.mcp.discovery.enabled")
    if value not in (None, False):
        found["chat.mcp.discovery.enabled"] = True
        words = "VS Code also reads the servers of other hosts"
        file.problems.add("reads-other-hosts", NOTE, words, spot)


def _rules(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    """The permissions of Cursor's command line."""
    for kind in ("allow", "deny"):
        rules = file.texts(f"permissions.{kind}") or []
        kept = [one for one in rules if one.startswith("Mcp(")]
        if kept:
            found[kind] = kept


def _amazon(file: File, found: dict[str, Any], servers: dict[str, dict[str, Any]]) -> None:
    rules = file.texts("allowedTools")
    if rules is None:
        return
    allow = [one for one in rules if one.startswith("@") or one == "*"]
    found["allow"] = allow
    names = [one[1:].partition("/")[0] for one in allow if one != "@builtin" and one != "*"]
    _without_server(file, "allowedTools", names)
    value, spot = file.value("useLegacyMcpJson")
    if value is True:
        words = "useLegacyMcpJson: the servers of mcp.json are read, too"
        file.problems.add("reads-other-hosts", NOTE, words, spot)


_Reader = Callable[[File, dict[str, Any], dict[str, dict[str, Any]]], None]
_READERS: Final[dict[str, _Reader]] = {
    "claude-settings": _claude_settings,
    "claude-user": _claude_user,
    "gemini-cli": _gemini,
    "qwen-code": _gemini,
    "codex": _codex,
    "goose": _goose,
    "opencode": _opencode,
    "kilo": _opencode,
    "crush": _crush,
    "vscode": _vscode,
    "cursor-permissions": _rules,
    "amazon-q": _amazon,
}
