"""What a row of `settings.toml` cannot express: functions that rows name by `read` and `report`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ...approval.policies.rules import Then, exact_glob
from ...content.files.tree import SourceLocation, Tree
from ...content.frozen import frozen
from ..files.problems import NOTE, WARNING, ProblemList, listed, named
from ..files.servers import ServerEntry
from ..settings import EVERY, DecidingRow, settings_of_host
from ..table import Host
from .deciding import (
    DecidingSetting,
    Rank,
    SettingSources,
    SettingValue,
    named_tool,
    text_of,
    values_at,
    word_of,
)
from .edits import set_value

MOST_TOOLS: Final = 1_000
"""Names of tools of a switch that are kept."""
MOST_RULES: Final = 1_000
Found = dict[str, Any]
"""Switches by their names in the report."""


def _by_rules(
    given: SettingSources, row: DecidingRow, step: int
) -> Iterator[tuple[SettingValue, str, Tree, str]]:
    """The rules of a table, and the tool of each; empty if it is not about the server."""
    rules = settings_of_host(given.server.host).rules
    for one in given.values(row):
        whole = {EVERY: one.tree} if isinstance(one.tree.value, str) else one.tree.members
        for rule, each in [*whole.items()][::step]:
            tool = rules.tool_of(rule, (given.server.name,)) if rules is not None else ""
            yield one, rule, each, tool


def _of_others(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """The rules of a table that are about other servers or things."""
    found: dict[int, tuple[SettingValue, list[tuple[str, str, SourceLocation]]]] = {}
    for one, rule, each, tool in _by_rules(given, row, 1) if given.is_traced else ():
        if not tool:
            text = f"{rule} {text_of(each)}".strip()
            spot = one.tree.keys.get(rule, each.spot)
            found.setdefault(id(one.tree), (one, []))[1].append((rule, text, spot))
    for one, rest in found.values():
        yield from given.of_others(row, one, rest)


def last_match(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """A word for all tools, or a table of rules with a word each: the last that matches decides."""
    yield from _of_others(given, row)
    for one, rule, each, tool in _by_rules(given, row, -1):
        if not tool:
            continue
        spot, word = one.tree.keys.get(rule, each.spot), word_of(each.value)
        then = Then(row.decisions.get(word, Then.UNKNOWN))
        words = f"{one.key} {rule} is {word}" if word else f"{one.key} {rule} has further rules"
        tools, then, words = named_tool(tool, then, words)
        fix = f"set {rule} to ask in {one.key}" if then in (Then.ALLOW, Then.UNKNOWN) else ""
        key = rule if one.tree.members else one.key
        edit = set_value(spot, key, word, row.asks) if fix and word else None
        more: dict[str, Any] = {"then": then, "tools": tools, "spot": spot, "edit": edit}
        yield DecidingSetting.at(one, f"{rule} {word}".strip(), words, fix=fix, **more)


def turned_off(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """A table of rules: the tools of one that is false are off."""
    yield from _of_others(given, row)
    for one, rule, each, tool in _by_rules(given, row, 1):
        if tool and each.value is not False:
            text = f"{rule} {text_of(each)}"
            yield from given.passed_over(row, one, text, "only false has an effect", each.spot)
        elif tool:
            tools, then, words = named_tool(tool, Then.HIDE, f"{one.key} has {rule} false")
            more: dict[str, Any] = {"then": then, "tools": tools, "rank": Rank.OFF}
            yield DecidingSetting.at(one, rule, words, spot=each.spot, **more)


def not_eligible(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """A table of tools that always ask if false, by names that end with that of the tool."""
    for one in given.values(row):
        for name, each in one.tree.members.items():
            tools = tuple(exact_glob(tool) for tool in given.tools if name.endswith(tool))
            if each.value is False and tools:
                words = f"{name} may be this tool, which then asks"
                more: dict[str, Any] = {"tools": tools, "rank": Rank.ASKED, "spot": each.spot}
                yield DecidingSetting.at(one, name, words, then=Then.UNKNOWN, **more)
            else:
                why = "is about another tool" if each.value is False else "only false has an effect"
                text = f"{name} {text_of(each)}"
                yield from given.passed_over(row, one, text, why, each.spot)


DECIDING: Final[
    Mapping[str, Callable[[SettingSources, DecidingRow], Iterator[DecidingSetting]]]
] = {one.__name__: one for one in (last_match, turned_off, not_eligible)}


@frozen
class File:
    """A file whose switches are read."""

    tree: Tree
    host: Host
    scope: str
    entries: Sequence[ServerEntry]
    problems: ProblemList
    found: Found
    """The switches of the file so far."""
    servers: dict[str, Found]
    """Those of each server."""

    def spot(self, path: str) -> SourceLocation:
        """The place of a key; nowhere without one."""
        row = DecidingRow("any", at=(path,))
        return next((one[2] for one in values_at(self.tree, row)), SourceLocation())


def texts(tree: Tree | None) -> list[str]:
    """The texts of a list; none of anything else."""
    items = () if tree is None else tree.items[:MOST_TOOLS]
    return [one.value for one in items if isinstance(one.value, str)]


def contradictions(file: File, row: DecidingRow) -> None:
    """Servers of a project that its own file enables, and names both enabled and disabled."""
    enable_all, enabled = file.found.get("enable_all"), file.found.get("enabled")
    if (enable_all is True or enabled) and file.scope in ("project", "file"):
        words = "a file that is shared enables servers; the host asks the person all the same"
        key = "enableAllProjectMcpServers" if enable_all is True else "enabledMcpjsonServers"
        file.problems.add("approves-itself", WARNING, words, file.spot(key))
    for name in file.found.get("disabled", ()):
        if enable_all is True or name in (enabled or ()):
            words = "enabled and disabled at once; disabled counts"
            file.problems.add("contradiction", WARNING, words, file.spot(row.at[0]), server=name)
    both = {*file.found.get("allow", ())} & {*file.found.get("deny", ())}
    if both:
        words = f"{listed(sorted(both))} is allowed and denied; deny counts"
        file.problems.add("contradiction", WARNING, words, file.spot("permissions.deny"))


def projects_of_claude(file: File, row: DecidingRow) -> None:
    """What Claude Code keeps of each project, and the entries that a project turns off."""
    kept: Found = {}
    for folder, one in list(_members(file.tree, "projects").items())[:MOST_RULES]:
        off = texts(one.members.get("disabledMcpServers"))
        own = {
            "allow": [rule for rule in texts(one.members.get("allowedTools")) if "mcp__" in rule],
            "enabled": texts(one.members.get("enabledMcpjsonServers")),
            "disabled": [*texts(one.members.get("disabledMcpjsonServers")), *off],
        }
        own = {name: each for name, each in own.items() if each}
        for entry in file.entries:
            if entry.container.project == folder and entry.name in off:
                entry.is_enabled = False
        trusted = one.members.get("hasTrustDialogAccepted")
        is_trusted = trusted is not None and trusted.value is True
        if own or is_trusted:
            kept[folder] = {**own, "trusted": is_trusted}
    if kept:
        file.found["projects"] = kept
    _shadowed(file)


def _shadowed(file: File) -> None:
    by_user = {one.name: one for one in file.entries if not one.container.project}
    for entry in file.entries:
        if entry.container.project and entry.name in by_user:
            words = f"in {named(entry.container.project)} the local entry hides the user's"
            spot = by_user[entry.name].spot
            file.problems.add("shadowed", NOTE, words, spot, server=entry.name)


def servers_by_lists(file: File, row: DecidingRow) -> None:
    """Turn off the servers that one list names, or that the other does not name."""
    allowed, excluded = file.found.get("allowed"), file.found.get("excluded", ())
    for entry in file.entries:
        if entry.name in excluded:
            words, code = "mcp.excluded names the server: it is off", "excluded-by-list"
        elif allowed is not None and entry.name not in allowed:
            words, code = "mcp.allowed does not name the server: it is off", "not-allowed-by-list"
        else:
            continue
        entry.is_enabled = False
        file.problems.add(code, NOTE, words, entry.spot, server=entry.name)


def trusted_projects(file: File, row: DecidingRow) -> None:
    """The projects that a person trusts."""
    projects = {
        folder: {"trusted": one.members["trust_level"].value == "trusted"}
        for folder, one in _members(file.tree, row.at[0]).items()
        if "trust_level" in one.members
    }
    if projects:
        file.found[row.at[0]] = projects


def agents(file: File, row: DecidingRow) -> None:
    """The rules of agents, and those that allow what the file restricts."""
    names, own = [one.name for one in file.entries], file.found.get("permission", {})
    found: Found = {}
    for agent, one in [pair for key in row.at for pair in _members(file.tree, key).items()]:
        kept = {
            kind: of_agent
            for kind in ("permission", "tools")
            if (of_agent := of_servers(one.members.get(kind, Tree({})), names))
        }
        if kept:
            found[agent] = kept
        looser = [
            rule
            for rule, value in kept.get("permission", {}).items()
            if value == "allow" and own.get(rule) in ("deny", "ask")
        ]
        if looser:
            words = f"agent {named(agent)} allows {listed(looser)}, which the file restricts"
            file.problems.add("agent-overrides", NOTE, words, one.spot)
    if found:
        file.found["agents"] = found


def of_servers(rules: Tree, names: Sequence[str]) -> Found:
    """The rules of a table whose names are those of servers, or cover them."""
    return {
        rule: one.value
        for rule, one in list(rules.members.items())[:MOST_RULES]
        if isinstance(one.value, (str, bool))
        and (rule == EVERY or any(rule.startswith(f"{name}_") or rule == name for name in names))
    }


def tools_by_server(file: File, row: DecidingRow) -> None:
    """The tools that rules allow, at each server that they may be about."""
    rules = settings_of_host(file.host.host).rules
    assert rules is not None
    for rule in file.found.get(row.name, ()):
        for entry in file.entries if rule != EVERY else ():
            if tool := rules.tool_of(rule, (entry.name,)):
                file.servers.setdefault(entry.name, {}).setdefault("allowed_tools", []).append(tool)


def _members(tree: Tree, key: str) -> Mapping[str, Tree]:
    return tree.members.get(key, Tree({})).members


REPORTING: Final[Mapping[str, Callable[[File, DecidingRow], None]]] = {
    one.__name__: one
    for one in (
        *(contradictions, projects_of_claude, servers_by_lists, trusted_projects, agents),
        tools_by_server,
    )
}
