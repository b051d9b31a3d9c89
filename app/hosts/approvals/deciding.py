"""Settings of hosts that decide about the tools of one server: rules, and the mode of the host.

Only settings with a known meaning become verdicts. One that has an effect, and whose meaning is not
known, makes the verdict not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from pathlib import PurePath
from typing import Any, Final

from ...approval.policies.rules import Then, exact_glob
from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ...content.frozen import frozen
from ..files.servers import ConfiguredServer, FileReport
from .edits import Edit, add_line, remove_item, set_value

EVERY: Final = "*"
"""All tools of a server, or all servers of a host."""
CLINE_FIX: Final = "start Cline with --auto-approve false"
"""The way to be asked by Cline's command line program."""
LONGEST_WORD: Final = 40
MOST: Final = 2_000
"""Settings of one server that are read."""
DEFAULT: Final = "="
"""The default mode of a host, chosen by a setting."""
NOT_KNOWN: Final = "?"
"""The mode of a host whose setting has a value that is not known."""


def is_of_cline_cli(host: str, file: str) -> bool:
    """True for the file of Cline's command line program; its extension for VS Code has another."""
    return host == "cline" and ".cline" in PurePath(file).parts


class Rank(IntEnum):
    """The order of settings: the first that is about a tool decides."""

    OFF = 0
    """The tool is not offered."""
    DENIED = 1
    ASKED = 2
    BY_MODE = 3
    """The rules of a mode that come before what a person has allowed."""
    TOOL = 4
    """The setting of one tool, which goes before that of its server."""
    ALLOWED = 5


@frozen
class Setting:
    """One setting in a file: a rule on tools of the server, or the mode of its host."""

    key: str
    value: str
    """In a few words, as far as it decides."""
    file: str
    spot: SourceLocation
    reason: str
    then: Then | None = None
    """The decision of a rule; None for a setting that chooses a mode."""
    tools: tuple[str, ...] = (EVERY,)
    """Globs on names of tools; EVERY for all of the server."""
    is_other: bool = False
    """Whether the rule is on all tools but these."""
    rank: Rank = Rank.ALLOWED
    mode: str = ""
    """The mode of the host that is chosen, for all tools or for these; DEFAULT for its own."""
    trusts: bool = False
    """Whether the host trusts the server by it."""
    fix: str = ""
    """The edit after which the host asks, in words; empty if it does not let anything run."""
    edit: Edit | None = None

    @property
    def mode_of_all(self) -> bool:
        """True if it chooses the mode for every tool."""
        return bool(self.mode) and self.tools == (EVERY,)

    @property
    def is_default_mode(self) -> bool:
        return self.mode == DEFAULT

    @property
    def place(self) -> str:
        """Its file and line."""
        return f"{self.file}:{self.spot.line}" if self.spot.line else self.file


def fix_without_setting(server: ConfiguredServer, file: FileReport) -> tuple[str, Edit | None]:
    """The setting to add so that a host asks that runs a tool by itself, in words and as an edit.

    Empty if none is known.
    """
    name, spot = server.name, server.spot
    if server.host == "codex":
        line = 'default_tools_approval_mode = "prompt"'
        return f"add {line} to the entry {name}", add_line(spot.line, line)
    if is_of_cline_cli(server.host, server.file):
        return CLINE_FIX, None
    if server.host == "goose":
        return "add GOOSE_MODE: approve", add_line(0, "GOOSE_MODE: approve")
    if server.host not in ("opencode", "kilo"):
        return "", None
    rule = f'{json.dumps(f"{name}_*")}: "ask"'
    words = f'add {rule} to "permission"'
    tree = file.tree or Tree({})
    if "permission" not in tree.members:
        return words, add_line(1, f'  "permission": {{ {rule} }},')
    return words, add_line(tree.keys["permission"].line, f"    {rule},")


def mode_words(key: str, value: str, mode: str) -> str:
    """The reason of a setting that chooses a mode."""
    return f"{key} is {value}" if mode != NOT_KNOWN else f"{key} has a value that is not known"


def word_of(value: Any) -> str:
    """A value that is a word of a few letters; empty for any other."""
    return value if isinstance(value, str) and len(value) <= LONGEST_WORD else ""


def settings_of_entry(server: ConfiguredServer, platform: str) -> Iterator[Setting]:
    """The settings in the entry of a server."""
    entry, title = server.entry, server.entry.host.title
    if not server.is_enabled:
        off = f"the server is off in {title}"
        yield _rule(server, "", "", entry.spot, Then.HIDE, off, rank=Rank.OFF)
    for key, tree in entry.tree.members.items():
        switch, spot = entry.host.switches.get(key), entry.spot_of(key)
        names = tuple(one.value for one in tree.items if isinstance(one.value, str))
        globs = tuple(map(exact_glob, names))
        if switch == "disabled_tools" and names:
            words = f"{key} names the tool, so it is not offered"
            yield _rule(server, key, "", spot, Then.HIDE, words, tools=globs, rank=Rank.OFF)
        elif switch == "allowed_tools" and isinstance(tree.value, list) and EVERY not in names:
            if not names and key == "available_tools":
                continue
            words = f"{key} does not name the tool, so it is not offered"
            yield _rule(
                server, key, "", spot, Then.HIDE, words, tools=globs, is_other=True, rank=Rank.OFF
            )
        elif switch == "auto_approve" and names:
            yield from _auto_approve(server, key, tree)
        elif switch == "auto_approve" and tree.value is True:
            yield _allow_all(server, key, spot)
        elif switch == "trust" and tree.value is True:
            yield _trust(server, key, spot)
        elif switch == "sandbox" and tree.value is True and platform in ("linux", "darwin"):
            words, fix = f"{key} is true", f"set {key} to false"
            yield _mode(server, key, "true", spot, "sandboxed", words, fix, "false")
        elif switch == "mode":
            yield from _codex_mode(server, key, tree.value, spot, ())
        elif key == "tools" and entry.host.host == "codex":
            for name, one in list(tree.members.items())[:MOST]:
                mode = one.members.get("approval_mode")
                if mode is not None:
                    at = one.keys.get("approval_mode", one.spot)
                    only = (exact_glob(name),)
                    yield from _codex_mode(server, "approval_mode", mode.value, at, only)


def _auto_approve(server: ConfiguredServer, key: str, tree: Tree) -> Iterator[Setting]:
    for one in tree.items[:MOST]:
        name = one.value
        if not isinstance(name, str):
            continue
        fix, edit = f"remove {name} from {key}", remove_item(one.spot, name)
        if name == EVERY and server.entry.host.approve_all == "warning":
            words = f"{key} has a *, and it is not known if {server.entry.host.title} knows it"
            yield _rule(server, key, name, one.spot, Then.UNKNOWN, words, fix=fix, edit=edit)
            continue
        words = f"{key} names the tool" if name != EVERY else f"{key} has a *"
        tools = (EVERY,) if name == EVERY else (exact_glob(name),)
        yield _rule(server, key, name, one.spot, Then.ALLOW, words, tools=tools, fix=fix, edit=edit)


def _allow_all(server: ConfiguredServer, key: str, spot: SourceLocation) -> Setting:
    words, fix = f"{key} is true", f"set {key} to false"
    edit = set_value(spot, key, "true", "false")
    return _rule(server, key, "true", spot, Then.ALLOW, words, fix=fix, edit=edit)


def _trust(server: ConfiguredServer, key: str, spot: SourceLocation) -> Setting:
    """Trust in a server. The rules of Gemini CLI use it; those of Qwen Code were measured
    without it, and by its source (0.24.4) everything runs then.
    """
    fix, edit = f"set {key} to false", set_value(spot, key, "true", "false")
    words = f"{key} is true: the host trusts the server"
    if server.host != "gemini-cli":
        words = f"{words}, and everything runs (read in 0.24.4, not measured)"
        return _rule(server, key, "true", spot, Then.ALLOW, words, fix=fix, edit=edit)
    return Setting(key, "true", server.file, spot, words, trusts=True, fix=fix, edit=edit)


def _codex_mode(
    server: ConfiguredServer, key: str, value: Any, spot: SourceLocation, tools: tuple[str, ...]
) -> Iterator[Setting]:
    if value == "auto":
        return
    value = word_of(value)
    mode = value if value in ("prompt", "writes", "approve") else NOT_KNOWN
    words = mode_words(key, value, mode)
    fix = "" if mode == "prompt" else f'set {key} to "prompt"'
    one = _mode(server, key, value, spot, str(mode), words, fix, '"prompt"')
    yield replace(one, tools=tools or (EVERY,), rank=Rank.TOOL if tools else Rank.ALLOWED)


def _rule(
    server: ConfiguredServer,
    key: str,
    value: str,
    spot: SourceLocation,
    then: Then,
    reason: str,
    **more: Any,
) -> Setting:
    return Setting(key, value, server.file, spot, reason, then, **more)


def _mode(
    server: ConfiguredServer,
    key: str,
    value: str,
    spot: SourceLocation,
    mode: str,
    reason: str,
    fix: str,
    asks: str,
) -> Setting:
    edit = set_value(spot, key, value, asks) if fix else None
    return Setting(key, value, server.file, spot, reason, mode=mode, fix=fix, edit=edit)


def in_file(
    file: FileReport,
    key: str,
    value: str,
    spot: SourceLocation,
    then: Then | None,
    reason: str,
    **more: Any,
) -> Setting:
    """A setting of a whole file."""
    return Setting(key, value, file.file, spot or NOWHERE, reason, then, **more)
