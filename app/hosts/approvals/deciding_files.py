"""Settings of whole files that decide about the tools of one server, host by host."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ...approval.policies.rules import Then, exact_glob
from ...content.files.tree import SourceLocation, Tree
from ...content.frozen import frozen
from ..entries.containers import at_path
from ..files.servers import ConfiguredServer, FileReport, tool_prefix
from .deciding import (
    DEFAULT,
    EVERY,
    MOST,
    NOT_KNOWN,
    Rank,
    Setting,
    in_file,
    mode_words,
    settings_of_entry,
    word_of,
)
from .edits import remove_item, set_value

CLAUDE_RULE: Final = re.compile(r"mcp__(?P<server>.+?)(?:__(?P<tool>.+))?")
CURSOR_RULE: Final = re.compile(r"Mcp\((?P<server>[^:()]+)(?::(?P<tool>[^()]+))?\)")
AMAZON_RULE: Final = re.compile(r"@(?P<server>[^/]+)(?:/(?P<tool>.+))?")
SCOPES: Final = ("managed", "local", "project", "user", "profile", "file")
"""The scopes of files, the strongest first."""
_NAME_OF_HOST: Final = re.compile(r"[^A-Za-z0-9_-]")


def settings_of(
    server: ConfiguredServer,
    files: Sequence[FileReport],
    tools: Sequence[str],
    *,
    platform: str,
    folder: str = "",
) -> tuple[Setting, ...]:
    """The settings that decide about a server, in the order in which they count.

    `files` are those of its host; `tools` are the names that it lists; `folder` is that of the
    project.
    """
    found = [*settings_of_entry(server, platform)]
    read = _READERS.get(server.host)
    if read is not None:
        found += read(_Files(server, files, tools, folder))
    # The order of the files is kept within a rank.
    return tuple(sorted(found[:MOST], key=lambda one: one.rank))


@frozen
class _Files:
    """The files of a host, the strongest first, as its reader needs them."""

    server: ConfiguredServer
    given: Sequence[FileReport]
    tools: Sequence[str]
    folder: str

    @property
    def files(self) -> list[FileReport]:
        """Files that were read, the strongest scope first."""
        read = [one for one in self.given if one.tree is not None]
        return sorted(read, key=lambda one: SCOPES.index(one.scope) if one.scope in SCOPES else 9)

    def values(self, *paths: str) -> Iterator[tuple[FileReport, str, Any, SourceLocation]]:
        """Every file with a value at one of the paths."""
        for file in self.files:
            for path in paths:
                found = at_path(file.tree or Tree({}), path)
                if found is not None and found[0].value is not None:
                    yield file, path, found[0].value, found[1]

    def items(self, path: str) -> Iterator[tuple[FileReport, str, SourceLocation]]:
        """Every text of the lists at a path."""
        for file in self.files:
            found = at_path(file.tree or Tree({}), path)
            for one in found[0].items[:MOST] if found else ():
                if isinstance(one.value, str):
                    yield file, one.value, one.spot


def _claude(given: _Files) -> Iterator[Setting]:
    decisions = (
        ("deny", Then.REFUSE, Rank.DENIED),
        ("ask", Then.ASK, Rank.ASKED),
        ("allow", Then.ALLOW, Rank.ALLOWED),
    )
    for kind, then, rank in decisions:
        for file, rule, spot in given.items(f"permissions.{kind}"):
            yield from _by_name(given, file, kind, rule, spot, then, rank)
    for file, name, spot in given.items("disabledMcpjsonServers"):
        if name == given.server.name and given.server.scope == "project":
            key, words = "disabledMcpjsonServers", "disabledMcpjsonServers names the server"
            yield in_file(file, key, name, spot, Then.HIDE, words, rank=Rank.OFF)
    folder = given.server.details.get("project") or given.folder
    for file in given.files:
        for one in (
            _projects(file).get(folder, Tree({})).members.get("allowedTools", Tree([])).items
        ):
            if isinstance(one.value, str):
                yield from _by_name(
                    given, file, "allowedTools", one.value, one.spot, Then.ALLOW, Rank.ALLOWED
                )
    modes = {
        "bypassPermissions": "bypass",
        "plan": "plan",
        "auto": "auto",
        "dontAsk": "dont-ask",
        "default": DEFAULT,
        "acceptEdits": DEFAULT,
    }
    yield from _chosen_mode(given, ("permissions.defaultMode",), modes, '"default"')


def _by_name(
    given: _Files,
    file: FileReport,
    key: str,
    rule: str,
    spot: SourceLocation,
    then: Then,
    rank: Rank,
) -> Iterator[Setting]:
    """A rule of Claude Code, by the name `mcp__server__tool`."""
    match = CLAUDE_RULE.fullmatch(rule)
    name = tool_prefix(given.server)
    own = _NAME_OF_HOST.sub("_", name)
    tool = match["tool"] if match else None
    if rule == EVERY or (match is not None and match["server"] == EVERY):
        tool = None
    elif match is None or match["server"] not in (name, own):
        return
    tools, then, words = _named(tool or EVERY, then, f"{key} has {rule}")
    fix = f"remove {rule} from {key}" if then in (Then.ALLOW, Then.UNKNOWN) else ""
    edit = remove_item(spot, rule) if fix else None
    yield in_file(file, key, rule, spot, then, words, tools=tools, rank=rank, fix=fix, edit=edit)


def _named(tool: str, then: Then, words: str) -> tuple[tuple[str, ...], Then, str]:
    """Globs for a tool of a rule. A `*` within a name has an unknown meaning."""
    if tool in (EVERY, f"{EVERY}__{EVERY}"):
        return (EVERY,), then, words
    if "*" in tool:
        return (tool,), Then.UNKNOWN, f"{words}, and the meaning of its * is not known"
    return (exact_glob(tool),), then, words


def _gemini(given: _Files) -> Iterator[Setting]:
    paths = ("general.defaultApprovalMode", "tools.approvalMode", "approvalMode")
    is_qwen = given.server.host == "qwen-code"
    modes = {"yolo": "yolo", "plan": "plan", **({"auto": DEFAULT} if is_qwen else {})}
    asking = "default" if is_qwen else DEFAULT
    modes |= dict.fromkeys(("default", "auto_edit", "auto-edit"), asking)
    yield from _chosen_mode(given, paths, modes, '"default"')
    if given.server.host == "gemini-cli":
        for file, name, spot in given.items("mcp.allowed"):
            if name == given.server.name:
                words, fix = "mcp.allowed names the server", "remove mcp.allowed"
                yield in_file(file, "mcp.allowed", name, spot, Then.ALLOW, words, fix=fix)
    for kind in ("deny", "ask", "allow"):
        then = Then.ALLOW if kind == "allow" else Then.UNKNOWN
        rank = Rank.ALLOWED if kind == "allow" else Rank.DENIED
        for file, rule, spot in given.items(f"permissions.{kind}"):
            yield from _by_name(given, file, kind, rule, spot, then, rank)


def _codex(given: _Files) -> Iterator[Setting]:
    policy = next(given.values("approval_policy"), None)
    sandbox = next(given.values("sandbox_mode"), None)
    if policy is None or policy[2] in ("untrusted", "on-request", "on-failure"):
        return
    file, key, value, spot = policy
    is_full = sandbox is not None and sandbox[2] == "danger-full-access"
    value = word_of(value)
    edit = set_value(spot, key, value, '"on-request"') if value else None
    fix = f'set {key} to "on-request"'
    if value == "never" and is_full:
        words = "approval_policy is never with full access"
        yield replace(
            in_file(file, key, "never", spot, None, words, fix=fix, edit=edit),
            mode="full-access",
            rank=Rank.BY_MODE,
        )
    elif value == "never":
        words = "approval_policy is never"
        one = in_file(file, key, "never", spot, None, words, fix=fix, edit=edit)
        yield replace(one, mode="exec")
    else:
        words = mode_words(key, value, NOT_KNOWN)
        one = in_file(file, key, value, spot, None, words, fix=fix, edit=edit)
        yield replace(one, mode=NOT_KNOWN)


def _goose(given: _Files) -> Iterator[Setting]:
    modes = {"auto": "auto", "approve": "approve", "smart_approve": "smart", "chat": "chat"}
    yield from _chosen_mode(given, ("GOOSE_MODE",), modes, "approve")


def _vscode(given: _Files) -> Iterator[Setting]:
    for file, path, value, spot in given.values(
        "chat.tools.autoApprove", "chat.tools.global.autoApprove"
    ):
        if value is True and file.scope != "project":
            edit, fix = set_value(spot, path, "true", "false"), f"set {path} to false"
            setting = in_file(file, path, "true", spot, None, f"{path} is true", fix=fix, edit=edit)
            yield replace(setting, mode="full-access")
    for file in given.files:
        found = at_path(file.tree or Tree({}), "chat.tools.eligibleForAutoApproval")
        for name, one in found[0].members.items() if found else ():
            tools = tuple(exact_glob(tool) for tool in given.tools if name.endswith(tool))
            if one.value is False and tools:
                key, words = "eligibleForAutoApproval", f"{name} may be this tool, which then asks"
                yield in_file(
                    file, key, name, one.spot, Then.UNKNOWN, words, tools=tools, rank=Rank.ASKED
                )


def _cursor(given: _Files) -> Iterator[Setting]:
    decisions = (("deny", Then.REFUSE, Rank.DENIED), ("allow", Then.ALLOW, Rank.ALLOWED))
    for kind, then, rank in decisions:
        for file, rule, spot in given.items(f"permissions.{kind}"):
            match = CURSOR_RULE.fullmatch(rule)
            if rule != EVERY and (match is None or match["server"] not in (given.server.name, "*")):
                continue
            words = f"{kind} of the command line has {rule}"
            tools, decided, words = _named((match and match["tool"]) or EVERY, then, words)
            fix = f"remove {rule} from {kind}" if kind == "allow" else ""
            edit = remove_item(spot, rule) if fix else None
            yield in_file(
                file, kind, rule, spot, decided, words, tools=tools, rank=rank, fix=fix, edit=edit
            )


def _amazon(given: _Files) -> Iterator[Setting]:
    for file, rule, spot in given.items("allowedTools"):
        match = AMAZON_RULE.fullmatch(rule)
        if rule == EVERY or (match is not None and match["server"] == given.server.name):
            words = f"allowedTools has {rule}"
            tools, then, words = _named((match and match["tool"]) or EVERY, Then.ALLOW, words)
            edit, fix = remove_item(spot, rule), f"remove {rule} from allowedTools"
            yield in_file(
                file, "allowedTools", rule, spot, then, words, tools=tools, fix=fix, edit=edit
            )


def tool_of_crush(rule: str, server: str) -> str:
    """The tool of a rule of Crush; EVERY for all of the server, empty if it is of another.

    `mcp_a_b_t` is the tool `b_t` of the server `a` and the tool `t` of the server `a_b`.
    """
    begin = f"mcp_{server}_"
    return EVERY if rule == EVERY else rule.removeprefix(begin) if rule.startswith(begin) else ""


def _crush(given: _Files) -> Iterator[Setting]:
    for file, rule, spot in given.items("permissions.allowed_tools"):
        if tool := tool_of_crush(rule, given.server.name):
            words = f"allowed_tools has {rule}"
            tools, then, words = _named(tool, Then.ALLOW, words)
            edit, fix = remove_item(spot, rule), f"remove {rule} from allowed_tools"
            yield in_file(
                file, "allowed_tools", rule, spot, then, words, tools=tools, fix=fix, edit=edit
            )


def _opencode(given: _Files) -> Iterator[Setting]:
    """Rules by name; the more exact name goes first. A tool that is set to false is off."""
    denied = Then.HIDE if given.server.host == "kilo" else Then.REFUSE
    decisions = {"allow": Then.ALLOW, "ask": Then.ASK, "deny": denied}
    for file in given.files:
        members = (file.tree or Tree({})).members
        yield from _permission(given, file, members.get("permission"), decisions)
        for rule, each in members.get("tools", Tree({})).members.items():
            tool = _of_server(rule, given.server.name)
            if each.value is False and tool:
                tools, then, words = _named(tool, Then.HIDE, f"tools has {rule} false")
                yield in_file(
                    file, "tools", rule, each.spot, then, words, tools=tools, rank=Rank.OFF
                )


def _permission(
    given: _Files, file: FileReport, rules: Tree | None, decisions: Mapping[str, Then]
) -> Iterator[Setting]:
    if rules is None:
        return
    whole = {EVERY: rules} if isinstance(rules.value, str) else rules.members
    found = [(rule, _of_server(rule, given.server.name), one) for rule, one in whole.items()]
    # The last rule that matches decides (https://opencode.ai/docs/permissions).
    for rule, tool, one in reversed(found):
        if not tool:
            continue
        spot = rules.keys.get(rule, one.spot)
        word = word_of(one.value)
        then = decisions.get(word, Then.UNKNOWN)
        words = f"permission {rule} is {word}" if word else f"permission {rule} has further rules"
        tools, then, words = _named(tool, then, words)
        fix = f"set {rule} to ask in permission" if then in (Then.ALLOW, Then.UNKNOWN) else ""
        key = rule if rules.members else "permission"
        edit = set_value(spot, key, word, '"ask"') if fix and word else None
        value = f"{rule} {word}".strip()
        yield in_file(file, "permission", value, spot, then, words, tools=tools, fix=fix, edit=edit)


def _of_server(rule: str, server: str) -> str:
    """The tool of a rule of OpenCode, EVERY for all of the server; empty if it is of another."""
    if rule in (EVERY, f"{server}_*"):
        return EVERY
    return rule.removeprefix(f"{server}_") if rule.startswith(f"{server}_") else ""


def _zed(given: _Files) -> Iterator[Setting]:
    for file, path, value, spot in given.values(
        "agent.always_allow_tool_actions", "agent.tool_permissions"
    ):
        if value not in (False, {}):
            words = f"{path} is set, and its meaning was not read"
            yield in_file(file, path, "", spot, Then.UNKNOWN, words, rank=Rank.OFF)


def _chosen_mode(
    given: _Files, paths: tuple[str, ...], modes: Mapping[str, str], asks: str
) -> Iterator[Setting]:
    """The mode that the strongest file chooses; `asks` is the value with which the host asks."""
    for file, path, value, spot in given.values(*paths):
        mode = modes.get(value, NOT_KNOWN) if isinstance(value, str) else NOT_KNOWN
        key = path.rpartition(".")[2]
        words = mode_words(key, word_of(value), mode)
        plain = asks.strip('"')
        fix = f"set {key} to {plain}" if value != plain else ""
        value = word_of(value)
        edit = set_value(spot, key, value, asks) if fix and value else None
        one = in_file(file, key, value, spot, None, words, fix=fix, edit=edit)
        yield replace(one, mode=mode)
        return


_READERS: Final[Mapping[str, Callable[[_Files], Iterator[Setting]]]] = {
    "claude-code": _claude,
    "gemini-cli": _gemini,
    "qwen-code": _gemini,
    "codex": _codex,
    "goose": _goose,
    "vscode": _vscode,
    "cursor": _cursor,
    "amazon-q": _amazon,
    "crush": _crush,
    "opencode": _opencode,
    "kilo": _opencode,
    "zed": _zed,
}


def servers_in_rules(file: FileReport) -> Iterator[str]:
    """The names of servers in the rules of a file that let tools run."""
    patterns = {
        "claude-code": ("permissions.allow", CLAUDE_RULE),
        "gemini-cli": ("permissions.allow", CLAUDE_RULE),
        "qwen-code": ("permissions.allow", CLAUDE_RULE),
        "cursor": ("permissions.allow", CURSOR_RULE),
        "amazon-q": ("allowedTools", AMAZON_RULE),
    }
    tree = file.tree or Tree({})
    path, pattern = patterns.get(file.host, ("", CLAUDE_RULE))
    found = at_path(tree, path) if path else None
    lists = [found[0]] if found else []
    lists += [one.members.get("allowedTools", Tree([])) for one in _projects(file).values()]
    for one in (item.value for each in lists for item in each.items[:MOST]):
        match = pattern.fullmatch(one) if isinstance(one, str) else None
        if match is not None and match["server"] != EVERY:
            yield match["server"]
    allowed = at_path(tree, "mcp.allowed") if file.host == "gemini-cli" else None
    names = [one.value for one in allowed[0].items[:MOST]] if allowed else []
    yield from (one for one in names if isinstance(one, str))


def folders_in_rules(file: FileReport) -> list[str]:
    """The folders of projects for which a file lets tools run."""
    return [folder for folder, one in _projects(file).items() if "allowedTools" in one.members]


def _projects(file: FileReport) -> Mapping[str, Tree]:
    if file.host != "claude-code" or file.tree is None:
        return {}
    return file.tree.members.get("projects", Tree({})).members
