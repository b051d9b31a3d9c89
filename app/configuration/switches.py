"""Approval switches: what entries and files of hosts decide about asking a person.

The switches of an entry are read here; those of whole files in `file_switches.py`.
"""

from __future__ import annotations

from typing import Any, Final

from ..content.files.tree import Tree
from ..protocol.findings.findings import Severity
from .hosts import ANY, Host, hosts
from .problems import ERROR, NOTE, WARNING, ProblemList
from .servers import Entry

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
        if switch == "auto_approve" and "*" in tools:
            level = Severity(host.approve_all)
            words = f"{key} *: all tools of the server run without asking"
            if level is WARNING:
                words = f"{key} *: all tools run without asking, if {host.title} knows the sign"
            problems.add("approvals-off", level, words, spot, fix="list tools", server=name)
    elif isinstance(tree.value, (bool, str)):
        found[switch] = tree.value
        _of_flag(entry, key, switch, tree.value, problems)
    elif tree.value is not None:
        words = f"{key} has a value that {host.title} does not know"
        problems.add("value-not-known", WARNING, words, spot, server=name)


def _of_flag(entry: Entry, key: str, switch: str, value: bool | str, problems: ProblemList) -> None:
    spot = entry.spot_of(key)
    if value is True and switch in ("trust", "auto_approve"):
        words = f"{key} is true: all tools of the server run without asking"
        problems.add("approvals-off", ERROR, words, spot, server=entry.name)
    elif value is True and switch == "sandbox":
        words = f"{key}: {entry.host.title} then confirms calls without asking"
        problems.add("approvals-off", WARNING, words, spot, server=entry.name)
    elif switch == "mode" and value == "approve":
        words = f"{key} is approve: all tools of the server run without asking"
        problems.add("approvals-off", ERROR, words, spot, server=entry.name)
    elif switch == "mode" and value not in ("auto", "prompt", "writes"):
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
