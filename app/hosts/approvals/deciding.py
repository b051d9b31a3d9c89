"""Settings of hosts that decide about the tools of one server: rules, and the mode of the host.

They are read by the rows of `settings.toml`. Only settings with a known meaning become verdicts.
One that has an effect, and whose meaning is not known, makes the verdict not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from pathlib import PurePath
from typing import Any, Final

from ...approval.policies.rules import Then, exact_glob
from ...content.files.tree import SourceLocation, Tree
from ...content.frozen import frozen
from ...content.text import count
from ..entries.containers import at_path
from ..files.servers import ConfiguredServer, FileReport, tool_prefix
from ..settings import EVERY, DecidingRow, ProgramOfHost, filled, settings_of_host, star_glob
from .edits import Edit, add_line

LONGEST_WORD: Final = 40
MOST: Final = 2_000
"""Settings of one server that are read."""
DEFAULT: Final = "="
"""The default mode of a host, chosen by a setting."""
NOT_KNOWN: Final = "?"
"""The mode of a host whose setting has a value that is not known."""
SCOPES: Final = ("managed", "local", "project", "user", "profile", "file")
"""The scopes of files, the strongest first."""
OTHER_SERVER: Final = "is about another server"
OTHER_THINGS: Final = "not about tools of MCP servers"
OTHER_KIND: Final = "the host does not read this key in this kind of file"
OTHER_PROJECT: Final = "is about another project"
_NAME_OF_HOST: Final = re.compile(r"[^A-Za-z0-9_-]")


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


_RANKS: Final[Mapping[str, Rank]] = {
    Then.HIDE: Rank.OFF,
    Then.REFUSE: Rank.DENIED,
    Then.UNKNOWN: Rank.DENIED,
    Then.ASK: Rank.ASKED,
    Then.ALLOW: Rank.ALLOWED,
}


@frozen
class DecidingSetting:
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
    is_passed_over: bool = False
    """Whether it decides nothing about the server, with the cause in the reason; only in traces."""

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

    @classmethod
    def at(cls, value: SettingValue, text: str, reason: str, **more: Any) -> DecidingSetting:
        """The setting of a value in a file."""
        spot = more.pop("spot", value.spot)
        tools = more.pop("tools", value.tools)
        return cls(value.key, text, value.file, spot, reason, tools=tools, **more)


@frozen
class SettingValue:
    """A value of a row, in a file or an entry."""

    file: str
    path: str
    key: str
    """The key as it is shown."""
    tree: Tree
    spot: SourceLocation
    tools: tuple[str, ...] = (EVERY,)
    """The globs of the tools that it is about."""


@frozen
class SettingSources:
    """A server and the files of its host, as the rows of its settings are read in them."""

    server: ConfiguredServer
    given: Sequence[FileReport]
    tools: Sequence[str]
    platform: str
    folder: str
    is_traced: bool = False
    """Whether values that decide nothing are yielded, too, each with the reason why."""

    def passed_over(
        self,
        row: DecidingRow,
        one: SettingValue,
        text: str,
        why: str,
        spot: SourceLocation | None = None,
    ) -> Iterator[DecidingSetting]:
        """A value that was looked at and decides nothing; none if no trace is wanted."""
        if self.is_traced:
            more: dict[str, Any] = {} if spot is None else {"spot": spot}
            rank = rank_of(row.rank or row.then or row.others)
            yield DecidingSetting.at(one, text, why, rank=rank, is_passed_over=True, **more)

    def of_others(
        self, row: DecidingRow, one: SettingValue, rules: Sequence[tuple[str, str, SourceLocation]]
    ) -> Iterator[DecidingSetting]:
        """Rules about other servers, each with its text and place; others are only counted."""
        form = settings_of_host(self.server.host).rules
        strange = 0
        for rule, text, spot in rules if self.is_traced else ():
            if row.value == "servers" or (form and form.server_of(rule, is_sure=False)):
                yield from self.passed_over(row, one, text, OTHER_SERVER, spot)
            else:
                strange += 1
        if strange:
            yield from self.passed_over(row, one, count(strange, "rule"), OTHER_THINGS)

    def not_read(self, row: DecidingRow, same: Sequence[DecidingRow]) -> Iterator[DecidingSetting]:
        """The values of a row in places in which the host does not read it.

        `same` are the rows of the host with the same key: another one may be read there.
        """
        if row.entry:
            key = row.entry.partition(".")[0]
            tree, entry = self.server.entry.tree.members.get(key), self.server.entry
            if tree is not None and (why := self._why_not(row, entry.host.id, "", same)):
                one = SettingValue(self.server.file, key, key, tree, entry.spot_of(key))
                yield from self.passed_over(row, one, text_of(tree), why)
            return
        folder = str(self.server.details.get("project") or self.folder)
        for file in [one for one in self.given if one.tree is not None]:
            why = self._why_not(row, file.id, file.scope, same)
            whole = file.tree or Tree({})
            own = {spot for _, _, spot in values_at(whole, row, folder)}
            for path, tree, spot in values_at(whole, row):
                if why or ("{folder}" in row.at[0] and spot not in own):
                    one = SettingValue(file.file, path, row.key_of(path), tree, spot)
                    yield from self.passed_over(row, one, text_of(tree), why or OTHER_PROJECT)

    def _why_not(self, row: DecidingRow, kind: str, scope: str, same: Sequence[DecidingRow]) -> str:
        """The reason why the host does not read a row in a kind of file; empty if it does."""
        if not row.fits(kind):
            is_read = any(one is not row and one.fits(kind) for one in same)
            return "" if is_read else OTHER_KIND
        if row.platforms and self.platform not in row.platforms:
            return f"counts on {' and '.join(row.platforms)} only"
        if row.of_scope not in ("", self.server.scope):
            return f"is about servers of the {row.of_scope} only"
        return f"does not count in a file of the {scope}" if scope in row.ignored_in else ""

    def values(self, row: DecidingRow) -> Iterator[SettingValue]:
        """The values of a row that count, that of the strongest file first."""
        is_here = not row.platforms or self.platform in row.platforms
        if is_here and row.of_scope in ("", self.server.scope):
            yield from self._in_entry(row) if row.entry else self._in_files(row)

    def _in_files(self, row: DecidingRow) -> Iterator[SettingValue]:
        read = [one for one in self.given if one.tree is not None and row.fits(one.id)]
        read.sort(key=lambda one: SCOPES.index(one.scope) if one.scope in SCOPES else 9)
        folder = str(self.server.details.get("project") or self.folder)
        for file in [one for one in read if one.scope not in row.ignored_in]:
            for path, tree, spot in values_at(file.tree or Tree({}), row, folder):
                yield SettingValue(file.file, path, row.key_of(path), tree, spot)

    def _in_entry(self, row: DecidingRow) -> Iterator[SettingValue]:
        file, entry = self.server.file, self.server.entry
        key, of_tool, tail = row.entry.partition(".{tool}.")
        tree = entry.tree.members.get(key)
        if tree is not None and not of_tool:
            yield SettingValue(file, key, key, tree, entry.spot_of(key))
        for name, one in list(tree.members.items())[:MOST] if tree is not None and of_tool else ():
            if tail in one.members:
                spot, tools = one.keys.get(tail, one.spot), (exact_glob(name),)
                yield SettingValue(file, tail, tail, one.members[tail], spot, tools)


def values_at(
    tree: Tree, row: DecidingRow, folder: str | None = None
) -> Iterator[tuple[str, Tree, SourceLocation]]:
    """The values of a setting in a file; without a folder those of all projects."""
    for path in row.at:
        head, in_folder, tail = path.partition(".{folder}.")
        found = at_path(tree, head)
        if found is not None and in_folder:
            for name, one in found[0].members.items():
                if folder in (None, name) and tail in one.members:
                    yield tail, one.members[tail], one.keys.get(tail, one.spot)
        elif found is not None and found[0].value is not None:
            yield path, *found
            if row.value not in ("flag", "any"):
                # Of further spellings the first counts.
                return


def text_of(tree: Tree) -> str:
    """A value in a few words."""
    if isinstance(tree.value, dict | list):
        return count(len(tree.value), "item")
    return word_of(tree.value) if isinstance(tree.value, str) else json.dumps(tree.value)


def names_of(server: ConfiguredServer) -> tuple[str, ...]:
    """The names of a server in rules: with its plugin, and as the host changes it."""
    name = tool_prefix(server)
    return name, _NAME_OF_HOST.sub("_", name)


def named_tool(
    tool: str, then: Then, words: str, *, knows_stars: bool = False
) -> tuple[tuple[str, ...], Then, str]:
    """Globs for a tool of a rule. A `*` within a name has an unknown meaning unless known."""
    if knows_stars and "*" in tool:
        return (star_glob(tool),), then, words
    if tool in (EVERY, f"{EVERY}__{EVERY}"):
        return (EVERY,), then, words
    if "*" in tool:
        return (tool,), Then.UNKNOWN, f"{words}, and the meaning of its * is not known"
    return (exact_glob(tool),), then, words


def word_of(value: Any) -> str:
    """A value that is a word of a few letters; empty for any other."""
    return value if isinstance(value, str) and len(value) <= LONGEST_WORD else ""


def rank_of(word: str) -> Rank:
    """The rank of a decision, or by its name in a row."""
    return _RANKS[word] if word in _RANKS else Rank[(word or "allowed").replace(" ", "_").upper()]


def program_of(host: str, file: str) -> ProgramOfHost | None:
    """The further program of a host whose file it is: Cline has two, with two defaults."""
    found = settings_of_host(host).program
    return found if found is not None and found.folder in PurePath(file).parts else None


def fix_without_setting(server: ConfiguredServer, file: FileReport) -> tuple[str, Edit | None]:
    """The setting to add so that a host asks that runs a tool by itself, in words and as an edit.

    Empty if none is known.
    """
    if (program := program_of(server.host, server.file)) is not None:
        return program.asks, None
    asks = settings_of_host(server.host).asks
    if asks is None:
        return "", None
    line = asks.add.replace("{server}", json.dumps(server.name)[1:-1])
    words = filled(asks.says, line=line, server=server.name)
    if asks.behind == "entry":
        return words, add_line(server.spot.line, line)
    if asks.behind == "top":
        return words, add_line(0, line)
    tree = file.tree or Tree({})
    if asks.behind not in tree.members:
        return words, add_line(1, f'  "{asks.behind}": {{ {line} }},')
    return words, add_line(tree.keys[asks.behind].line, f"    {line},")
