"""What runs without asking on this machine, by which line of which file.

Only switches whose meaning is known count. A host that asks by itself is not named; one that lets
everything run unless a rule restricts it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ...content.frozen import frozen
from ..entries.containers import at_path
from ..servers import ConfiguredServer, FileReport

EVERY: Final = "*"
"""All tools of a server, or all servers of a host."""
CLAUDE_RULE: Final = re.compile(r"mcp__(?P<server>.+?)(?:__(?P<tool>.+))?")
CURSOR_RULE: Final = re.compile(r"Mcp\((?P<server>[^:()]+)(?::(?P<tool>[^()]+))?\)")
AMAZON_RULE: Final = re.compile(r"@(?P<server>[^/]+)(?:/(?P<tool>.+))?")
_MOST: Final = 2_000


CLINE_FIX: Final = "start Cline with --auto-approve false"
"""The way to be asked by Cline's command line program."""


def is_of_cline_cli(host: str, file: str) -> bool:
    """True for the file of Cline's command line program; its extension for VS Code has another."""
    return host == "cline" and ".cline" in PurePath(file).parts


@frozen
class AutoApproved:
    """Tools that a host runs without asking a person."""

    host: str
    server: str
    """Its name, or EVERY for all servers of the host."""
    tools: tuple[str, ...]
    """Their names; EVERY for all of the server."""
    key: str
    """The switch, as it is written in the file; empty for the host's own default."""
    value: str
    """Its value in a few words, as far as it decides."""
    file: str
    spot: SourceLocation
    fix: str
    """The edit after which the host asks."""
    condition: str = ""
    """What else has to be true; empty if nothing has."""

    @property
    def line(self) -> int:
        return self.spot.line


def auto_approved_here(files: Sequence[FileReport]) -> list[AutoApproved]:
    """All that runs without asking, file by file; entries that a host does not load are left out.

    Rules of files that hold no servers count for the servers of their host.
    """
    found: list[AutoApproved] = []
    for file in files:
        for server in file.servers:
            if server.is_effective and server.is_enabled:
                found += _of_entry(server, file)
        if file.tree is not None:
            read = _READERS.get(file.host)
            found += read(file) if read is not None else ()
    return found[:_MOST]


def _of_entry(server: ConfiguredServer, file: FileReport) -> Iterator[AutoApproved]:
    entry = server.entry
    for key, tree in entry.tree.members.items():
        switch = entry.host.switches.get(key)
        spot = entry.spot_of(key)
        names = tuple(one.value for one in tree.items if isinstance(one.value, str))
        if switch == "auto_approve" and names:
            yield _made(server, names, key, "", spot, f"remove names from {key}")
        elif switch in ("auto_approve", "trust") and tree.value is True:
            yield _made(server, (EVERY,), key, "true", spot, f"remove {key}")
        elif switch == "sandbox" and tree.value is True:
            condition = "in the sandbox, which macOS and Linux have"
            yield _made(server, (EVERY,), key, "true", spot, f"remove {key}", condition)
        elif switch == "mode" and tree.value == "approve":
            yield _made(server, (EVERY,), key, "approve", spot, f'{key} = "prompt"')
        elif switch == "mode" and tree.value == "writes":
            condition = "that declares readOnlyHint: true"
            yield _made(server, (EVERY,), key, "writes", spot, f'{key} = "prompt"', condition)
        elif key == "tools" and entry.host.host == "codex":
            yield from _codex_tools(server, tree)


def _codex_tools(server: ConfiguredServer, tree: Tree) -> Iterator[AutoApproved]:
    for name, one in list(tree.members.items())[:_MOST]:
        mode = one.members.get("approval_mode")
        if mode is not None and mode.value == "approve":
            spot = one.keys.get("approval_mode", one.spot)
            key = "approval_mode"
            yield _made(server, (name,), key, "approve", spot, f'{key} = "prompt"')


def _made(
    server: ConfiguredServer,
    tools: tuple[str, ...],
    key: str,
    value: str,
    spot: SourceLocation,
    fix: str,
    condition: str = "",
) -> AutoApproved:
    return AutoApproved(
        server.host, server.name, tools, key, value, server.file, spot, fix, condition
    )


def _value(file: FileReport, path: str) -> tuple[Any, SourceLocation]:
    found = None if file.tree is None else at_path(file.tree, path)
    return (None, NOWHERE) if found is None else (found[0].value, found[1])


def _whole(file: FileReport, path: str, value: str, fix: str, condition: str = "") -> AutoApproved:
    spot = _value(file, path)[1]
    key = path.rpartition(".")[2] if file.host != "vscode" else path
    return AutoApproved(file.host, EVERY, (EVERY,), key, value, file.file, spot, fix, condition)


def _rules(file: FileReport, path: str, pattern: re.Pattern[str]) -> Iterator[AutoApproved]:
    """A list of rules, each of a server or of one of its tools."""
    found = None if file.tree is None else at_path(file.tree, path)
    key = path.rpartition(".")[2]
    for one in found[0].items[:_MOST] if found else ():
        rule = one.value
        if not isinstance(rule, str):
            continue
        match = pattern.fullmatch(rule)
        fix = f"remove {rule} from {key}"
        if match is None:
            if rule == EVERY:
                yield AutoApproved(file.host, EVERY, (EVERY,), key, rule, file.file, one.spot, fix)
            continue
        tool = match["tool"] or EVERY
        yield AutoApproved(file.host, match["server"], (tool,), key, rule, file.file, one.spot, fix)


def _claude(file: FileReport) -> Iterator[AutoApproved]:
    yield from _rules(file, "permissions.allow", CLAUDE_RULE)
    mode, _ = _value(file, "permissions.defaultMode")
    if mode == "bypassPermissions":
        yield _whole(file, "permissions.defaultMode", str(mode), "defaultMode: default")
    projects = file.tree.members.get("projects", Tree({})) if file.tree is not None else Tree({})
    for folder, one in list(projects.members.items())[:_MOST]:
        for rule in one.members.get("allowedTools", Tree([])).items:
            match = CLAUDE_RULE.fullmatch(rule.value) if isinstance(rule.value, str) else None
            if match is not None:
                yield AutoApproved(
                    file.host,
                    match["server"],
                    (match["tool"] or EVERY,),
                    "allowedTools",
                    match.group(),
                    file.file,
                    rule.spot,
                    f"remove {match.group()} from allowedTools",
                    f"in {folder}",
                )


def _gemini(file: FileReport) -> Iterator[AutoApproved]:
    for path in ("general.defaultApprovalMode", "tools.approvalMode", "approvalMode"):
        if _value(file, path)[0] == "yolo":
            yield _whole(file, path, "yolo", f"remove {path}")
    yield from _rules(file, "permissions.allow", CLAUDE_RULE)


def _goose(file: FileReport) -> Iterator[AutoApproved]:
    if _value(file, "GOOSE_MODE")[0] == "auto":
        yield _whole(file, "GOOSE_MODE", "auto", "GOOSE_MODE: approve")


def _vscode(file: FileReport) -> Iterator[AutoApproved]:
    for path in ("chat.tools.autoApprove", "chat.tools.global.autoApprove"):
        if _value(file, path)[0] is True and file.scope != "project":
            yield _whole(file, path, "true", f"remove {path}")


def _cursor(file: FileReport) -> Iterator[AutoApproved]:
    yield from _rules(file, "permissions.allow", CURSOR_RULE)


def _amazon(file: FileReport) -> Iterator[AutoApproved]:
    yield from _rules(file, "allowedTools", AMAZON_RULE)


def _opencode(file: FileReport) -> Iterator[AutoApproved]:
    """Everything runs that no rule restricts (measured, OpenCode 1.18.33)."""
    rules = file.tree.members.get("permission") if file.tree is not None else None
    given = rules.value if rules is not None else None
    restricted = given in ("ask", "deny")
    members: Mapping[str, Tree] = {} if rules is None else rules.members
    for server in file.servers:
        if not (server.is_effective and server.is_enabled) or restricted:
            continue
        own = {
            rule: one.value
            for rule, one in members.items()
            if rule == EVERY or rule.startswith(f"{server.name}_")
        }
        # The last rule that matches decides (https://opencode.ai/docs/permissions).
        wide = [value for rule, value in own.items() if rule in (EVERY, f"{server.name}_*")]
        broad = wide[-1] if wide else None
        if broad in ("ask", "deny"):
            for rule, value in own.items():
                if value == "allow" and rule not in (EVERY, f"{server.name}_*"):
                    tool, spot = rule.removeprefix(f"{server.name}_"), _spot_of(rules, rule)
                    words, fix = f"{rule} allow", f"remove {rule} from permission"
                    yield _made(server, (tool,), "permission", words, spot, fix)
            continue
        kept = [rule for rule, value in own.items() if value in ("ask", "deny")]
        condition = f"except {', '.join(kept)}" if kept else ""
        fix = f'"permission": {{"{server.name}_*": "ask"}}'
        yield _made(server, (EVERY,), "", "", server.spot, fix, condition)


def _spot_of(rules: Tree | None, rule: str) -> SourceLocation:
    """The place of a rule."""
    return NOWHERE if rules is None else rules.keys.get(rule, rules.spot)


def _cline(file: FileReport) -> Iterator[AutoApproved]:
    """The command line program runs everything by default (measured, Cline 3.0.65)."""
    for server in file.servers:
        if is_of_cline_cli(file.host, file.file) and server.is_effective and server.is_enabled:
            yield _made(server, (EVERY,), "", "", server.spot, CLINE_FIX)


def _crush(file: FileReport) -> Iterator[AutoApproved]:
    found = None if file.tree is None else at_path(file.tree, "permissions.allowed_tools")
    names = sorted((one.name for one in file.servers), key=len, reverse=True)
    for one in found[0].items[:_MOST] if found else ():
        rule = one.value
        if not isinstance(rule, str):
            continue
        below = rule.removeprefix("mcp_")
        server = next((name for name in names if below.startswith(f"{name}_")), "")
        fix = f"remove {rule} from allowed_tools"
        if server and rule.startswith("mcp_"):
            tool = below[len(server) + 1 :]
            yield AutoApproved(
                file.host, server, (tool,), "allowed_tools", rule, file.file, one.spot, fix
            )
        elif rule == EVERY:
            yield AutoApproved(
                file.host, EVERY, (EVERY,), "allowed_tools", rule, file.file, one.spot, fix
            )


_READERS: Final[dict[str, Callable[[FileReport], Iterator[AutoApproved]]]] = {
    "claude-code": _claude,
    "gemini-cli": _gemini,
    "qwen-code": _gemini,
    "goose": _goose,
    "vscode": _vscode,
    "cursor": _cursor,
    "amazon-q": _amazon,
    "opencode": _opencode,
    "cline": _cline,
    "crush": _crush,
}
