"""The settings of a host that decide about tools: `settings.toml` in its folder, a row a key.

`approvals/by_rows.py` makes decisions of the rows, `approvals/reported.py` the report of
`signoff servers` on a file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from string import Formatter
from typing import Any, Final, TypeVar

from ..approval.policies.rules import Then, exact_glob
from ..content.frozen import frozen
from ..content.suggest import did_you_mean
from ..protocol.findings.findings import Severity
from .files.problems import GROUP_OF
from .folders import FactError, Stamp, another_type, host_fact, own_fact, own_stamp, own_with

EVERY: Final = "*"
"""All tools of a server, or all servers of a host."""
T = TypeVar("T")
_FILE: Final = "settings.toml"
_FILLED: Final = frozenset(("key", "path", "rule", "word", "asks", "line", "server"))
"""Names in braces that words may have."""
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "value": ("flag", "word", "number", "any", "tools", "servers", "rules", "table"),
    "then": ("", *Then),
    "others": ("", *Then),
    "star": tuple(Then),
    "rank": ("", "off", "denied", "asked", "by mode", "tool", "allowed"),
    "when": ("true", "set", "is", "unknown", "empty", "missing"),
    "code": tuple(GROUP_OF),
    "level": tuple(Severity),
    "behind": ("entry", "top", "permission"),
}
"""The words that a key may have."""


def star_glob(name: str) -> str:
    """A glob in which only `*` has a meaning."""
    return EVERY.join(map(exact_glob, name.split(EVERY)))


class BadSettings(ValueError):
    """A mistake in a `settings.toml`, with its file and key."""


@frozen
class RowProblem:
    """A problem that `signoff servers` names."""

    when: str
    """true, set (not false either), is `text`, unknown (no mode of the row), empty, missing."""
    code: str
    level: str
    says: str
    text: str = ""
    scope: str = ""
    """The scope of files in which it is one; empty for all."""


@frozen
class Together:
    """What a value means together with the value of another key."""

    word: str
    at: str
    text: str
    """The value of the other key."""
    mode: str
    says: str
    rank: str = ""


@frozen
class DecidingRow:
    """One setting: a key of a file or of an entry, its values, and what each decides."""

    value: str
    """A flag, a word, a number or any value; a list of tools, servers or rules; a table."""
    at: tuple[str, ...] = ()
    """Keys joined by dots, with further spellings; `{folder}` is that of a project."""
    entry: str = ""
    """The key of an entry, in place of `at`; `{tool}` is any tool."""
    files: tuple[str, ...] = ()
    """The kinds of files in which it counts; empty for all of the host."""
    name: str = ""
    """Its name in the report of `signoff servers`; empty if it is not in it."""
    whole_path: bool = False
    """Whether it is named with all keys in place of the last one."""
    mode: str = ""
    """The mode of the host that a true flag chooses."""
    modes: Mapping[str, str] = field(default_factory=dict)
    """The mode of each word; `=` for the one without a setting."""
    no_effect: tuple[str, ...] = ()
    """Words that choose nothing."""
    together: tuple[Together, ...] = ()
    then: str = ""
    """The decision of a true flag, of any value, or about what a list names."""
    others: str = ""
    """The decision about the tools that a list does not name."""
    star: str = Then.UNKNOWN.value
    """The decision of a `*` among names of tools."""
    empty_is_all: bool = False
    """Whether an empty list names all tools."""
    trusts: bool = False
    """Whether a true flag makes the host trust the server."""
    decisions: Mapping[str, str] = field(default_factory=dict)
    """The decision of each word in a table of rules."""
    rank: str = ""
    """The place in the order of settings; usually that of the decision."""
    of_scope: str = ""
    """The scope of entries that it is about; empty for all."""
    ignored_in: tuple[str, ...] = ()
    """Scopes of files in which it has no effect."""
    platforms: tuple[str, ...] = ()
    """Platforms on which it counts; empty for all."""
    says: str = ""
    """The reason, if it is another than the usual one; {key}, {path} and {rule} are filled."""
    asks: str = ""
    """The value with which the host asks, as it is written in the file."""
    fix: str = ""
    """The edit after which the host asks, if it is another than the usual one."""
    read: str = ""
    """The function of `approvals/algorithms.py` that makes the decisions of a table."""
    report: str = ""
    """The function of `approvals/algorithms.py` that adds to the report of the row."""
    problem: tuple[RowProblem, ...] = ()

    def fits(self, kind: str) -> bool:
        """True if the setting counts in a kind of file."""
        return not self.files or kind in self.files

    @property
    def decides(self) -> bool:
        """True if it can decide about tools; others are only reported."""
        return bool(self.then or self.others or self.mode or self.modes or self.trusts or self.read)

    def names_all(self, names: Sequence[str]) -> bool:
        """True if a list names every tool."""
        return EVERY in names or (self.empty_is_all and not names)

    def key_of(self, path: str) -> str:
        """The key as it is shown."""
        return path if self.whole_path else path.rpartition(".")[2]


@frozen
class Rules:
    """The form of rules that name servers and tools."""

    form: str
    """An expression with the groups `server` and `tool`, or with `{server}` for its name. A rule
    is about every server, or every tool, if the group is not met."""
    allow: str = ""
    """The form of rules that allow, if it is another one."""
    globs: bool = False
    """Whether a `*` within a name is known to match any characters."""
    shown: tuple[str, ...] = ()
    """The rules that are reported: globs."""
    shown_if_empty: bool = False
    changed_names: bool = False
    """Whether a rule may have the name as Claude Code changes it."""
    says: str = "{key} has {rule}"

    def tool_of(self, rule: str, names: tuple[str, ...], then: str = "") -> str:
        """The tool of a rule about a server; EVERY for all tools, empty for other servers."""
        form = (then == Then.ALLOW and self.allow) or self.form
        found = re.fullmatch(form.replace("{server}", re.escape(names[0])), rule)
        server = found and found.groupdict().get("server", names[0])
        if found is None or not (server is None or self._is_one_of(server, names)):
            return ""
        tool = found.groupdict().get("tool")
        return EVERY if tool is None else tool

    def _is_one_of(self, server: str, names: tuple[str, ...]) -> bool:
        glob = star_glob(server) if self.globs else exact_glob(server)
        return any(fnmatchcase(name, glob) for name in names)

    def server_of(self, rule: str, *, is_sure: bool = True) -> str:
        """The server that a rule names; empty for none.

        Unless `is_sure`, also the shortest of the names that it may be.
        """
        if is_sure and "{server}" in self.form:
            return ""
        found = re.fullmatch(self.form.replace("{server}", "(?P<server>.+?)"), rule)
        return (found and found.groupdict().get("server")) or ""

    def is_shown(self, rule: str) -> bool:
        return any(fnmatchcase(rule, one) for one in self.shown)


@frozen
class Asks:
    """The line to add so that a host asks that runs tools by itself."""

    add: str
    behind: str
    """The line after which it is added: of the entry, of the table `permission`, or the top."""
    says: str


@frozen
class ProgramOfHost:
    """Another program of the host, with files in a folder of its own and another usual mode."""

    folder: str
    mode: str
    asks: str
    """The way to be asked by it, in words."""


@frozen
class HostSettings:
    """All settings of a host."""

    setting: tuple[DecidingRow, ...] = ()
    rules: Rules | None = None
    asks: Asks | None = None
    program: ProgramOfHost | None = None

    def of_files(self, kind: str) -> Iterator[DecidingRow]:
        """The rows of whole files of a kind."""
        return (row for row in self.setting if not row.entry and row.fits(kind))

    def of_entries(self, kind: str) -> Mapping[str, DecidingRow]:
        """The rows of entries in a kind of file, by the key of the entry."""
        return {
            row.entry.partition(".")[0]: row for row in self.setting if row.entry and row.fits(kind)
        }


def settings_of_host(host: str) -> HostSettings:
    """The settings of a host; none if it has no `settings.toml`, or one of the person's that is
    broken.
    """
    try:
        return _settings(host, own_stamp())
    except (BadSettings, FactError):
        if own_fact(host, _FILE) is None:
            raise
        return HostSettings()


@lru_cache(maxsize=128)
def _settings(host: str, stamp: Stamp) -> HostSettings:
    try:
        text = host_fact(host, _FILE)
    except FileNotFoundError:
        return HostSettings()
    return read_settings(text, host)


def problems_of_settings() -> list[str]:
    """The problems of the settings in folders of the person's."""
    problems = []
    for name in own_with(_FILE):
        try:
            _settings(name, own_stamp())
        except (BadSettings, FactError) as problem:
            problems.append(str(problem))
    return problems


def read_settings(text: str, host: str) -> HostSettings:
    """Read a `settings.toml`. Raises BadSettings for the first mistake in it."""
    where = f"{host}/{_FILE}"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{where}: {error}") from None
    like = HostSettings()
    if (other := table.pop("like", None)) is not None:
        if other == host:
            raise BadSettings(f"{where}: like names the host itself")
        try:
            like = settings_of_host(str(other))
        except RecursionError:
            raise BadSettings(f"{where}: like leads back to the host itself") from None
        if not like.setting:
            raise BadSettings(f"{where}: like names {other}, a host without settings")
    rows = {row.at or (row.entry,): row for row in like.setting}
    listed = table.pop("setting", [])
    for number, one in enumerate(listed if isinstance(listed, list) else [listed], start=1):
        row = _row(one, f"{where}: setting {number}")
        rows[row.at or (row.entry,)] = row
    parts: dict[str, type] = {"rules": Rules, "asks": Asks, "program": ProgramOfHost}
    for key in table.keys() - parts:
        raise BadSettings(f"{where}: unknown key {key}{did_you_mean(key, (*parts, 'setting'))}")
    own: dict[str, Any] = {
        key: made_of(parts[key], one, f"{where}: [{key}]") for key, one in table.items()
    }
    whole = replace(like, setting=tuple(rows.values()), **own)
    if whole.rules is None and any(row.value == "rules" for row in whole.setting):
        raise BadSettings(f"{where}: rules is missing, the form of the rules in a list")
    return whole


def _row(table: Any, where: str) -> DecidingRow:
    row = made_of(DecidingRow, table, where)
    if bool(row.at) is bool(row.entry):
        raise BadSettings(f"{where}: either at or entry is needed")
    if row.modes and not row.asks:
        raise BadSettings(f"{where}: asks is missing")
    for word in {*row.decisions.values()}.difference(Then):
        raise BadSettings(f"{where}: decisions has an unknown value {word}")
    return row


def made_of(part: type[T], table: Any, where: str) -> T:
    """A value whose fields are the keys of the table. Raises BadSettings."""
    if not isinstance(table, dict):
        raise BadSettings(f"{where}: expected a table")
    known = {one.name: one for one in fields(part)}  # type: ignore[arg-type]
    made = {}
    for key, value in table.items():
        if key not in known:
            raise BadSettings(f"{where}: unknown key {key}{did_you_mean(key, known)}")
        if part is DecidingRow and key in _PARTS and isinstance(value, list):
            value = [made_of(_PARTS[key], one, f"{where}: {key}") for one in value]
        fitting = _fitting(str(known[key].type), value)
        if fitting is None:
            raise BadSettings(another_type(where, key))
        if fitting not in _WORDS.get(key, (fitting,)) or not _is_form(key, fitting):
            raise BadSettings(f"{where}: {key} has an unknown value {value}")
        made[key] = fitting
    for name, one in known.items():
        if name not in made and one.default is MISSING and one.default_factory is MISSING:
            raise BadSettings(f"{where}: {name} is missing")
    return part(**made)


_PARTS: Final[Mapping[str, type]] = {"problem": RowProblem, "together": Together}


def _fitting(kind: str, value: Any) -> Any:
    """The value as a field of this type has it; None for one of another type."""
    if kind.startswith("tuple["):
        value = (value,) if isinstance(value, str) else value
        of = str if "[str" in kind else (*_PARTS.values(),)
        is_fit = isinstance(value, list | tuple) and all(isinstance(one, of) for one in value)
        return tuple(value) if is_fit else None
    if kind.startswith("Mapping["):
        is_fit = isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
        return value if is_fit else None
    return value if isinstance(value, bool if kind == "bool" else str) else None


def _is_form(key: str, value: Any) -> bool:
    """False for words with unknown names in braces, and for a form without a server."""
    if key in ("says", "fix", "name"):
        return {name for _, name, _, _ in Formatter().parse(value) if name is not None} <= _FILLED
    if key not in ("form", "allow"):
        return True
    try:
        groups = re.compile(value.replace("{server}", "x")).groupindex
    except re.error:
        return False
    return ("server" in groups) is not ("{server}" in value)


def filled(words: str, **given: str) -> str:
    """Fill the braces in the words of a row; nothing of a file is taken for words."""
    return words.format(**{**dict.fromkeys(_FILLED, ""), **given})
