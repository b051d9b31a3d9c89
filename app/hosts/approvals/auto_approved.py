"""What runs without asking on this machine, by which line of which file.

It is read from the rules of `as_configured.py`, which are those of `signoff matrix --here`. A host
that asks by itself is not named; one that lets everything run unless a rule restricts it is. The
kinds of tools that a host runs by its own rules are in `by_own_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from ...approval.policies.policy import Policy
from ...approval.policies.rules import NameCondition, NameGlobs, Then
from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ...content.frozen import frozen
from ..entries.containers import Container
from ..files.problems import ERROR, WARNING, ConfigProblem, named
from ..files.servers import ConfiguredServer, FileReport, ServerEntry, as_read_by_all
from ..settings import EVERY
from ..table import hosts
from .as_configured import NO_HOSTS, Assembled, assembled, rules_of_host
from .by_rows import folders_in_rules, servers_in_rules, settings_of
from .deciding import fix_without_setting

_ANY: Final = "\0"
"""A server that no rule can name."""
_KIND: Final = "of the kind "
_SANDBOX: Final = "in the sandbox"
_MOST: Final = 2_000
_MOST_PROBLEMS: Final = 100
_OFF: Final = "approvals-off"
_BROAD: Final = "broad-rule"
_ESCAPED: Final = re.compile(r"\[([*?\[])\]")


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
    is_rule: bool = False
    """Whether it is a rule on names, in place of a mode or a switch."""

    @property
    def line(self) -> int:
        return self.spot.line


@frozen
class ApprovalsHere:
    """What hosts run without asking."""

    found: tuple[AutoApproved, ...]
    by_own_rules: tuple[str, ...]
    """Hosts whose own rules run some kinds of tools without a setting, by their ids."""


def approvals_here(
    files: Sequence[FileReport], policies: Sequence[Policy], *, platform: str, folder: str
) -> ApprovalsHere:
    """All that runs without asking, host by host; entries that a host does not load are left out.

    Rules for servers that no file has count, too: a server may come from elsewhere.
    """
    found: list[AutoApproved] = []
    own: list[str] = []
    all_files = [one for one in as_read_by_all(files) if one.host not in NO_HOSTS]
    for host in dict.fromkeys(one.host for one in all_files):
        of_host = [one for one in all_files if one.host == host]
        one = _Host(of_host, policies, platform, folder)
        found += one.rows()
        own += [host] if one.runs_kinds else []
    return ApprovalsHere(tuple(found[:_MOST]), tuple(own))


class _Host:
    """The files of one host."""

    def __init__(
        self, files: Sequence[FileReport], policies: Sequence[Policy], platform: str, folder: str
    ) -> None:
        self.files = files
        self.policies = policies
        self.platform = platform
        self.folder = folder
        self.runs_kinds = False
        """Whether a rule of the host itself lets some kinds of tools run; known after `rows`."""

    @cached_property
    def all_rows(self) -> list[AutoApproved]:
        """The same as `rows`, made once."""
        return self.rows()

    def rows(self) -> list[AutoApproved]:
        """One row for each setting that lets tools run; one that counts for all has no server."""
        servers = [one for file in self.files for one in file.servers]
        loaded = [one for one in servers if one.is_effective and one.is_enabled]
        by_server = [self.of_server(one) for one in loaded]
        read = [file for file in self.files if file.tree is not None]
        if not read:
            return [row for rows in by_server for row in rows]
        common = self.of_rules(read[0], _ANY)
        for rows in by_server:
            of_all = {*map(_of_all, rows)}
            common = [row for row in common if row in of_all]
        found = [*common]
        for rows in by_server:
            found += [row for row in rows if _of_all(row) not in common]
        known = {one.name for one in servers}
        strange = dict.fromkeys(name for file in read for name in servers_in_rules(file))
        for name in [one for one in strange if one not in known][:_MOST]:
            found += [row for row in self.of_rules(read[0], name) if _of_all(row) not in common]
        return list(dict.fromkeys(found))

    def of_rules(self, file: FileReport, name: str) -> list[AutoApproved]:
        """The rows of a server that is in no file: those of settings alone."""
        rows = [one for one in self.of_server(_elsewhere(file, name)) if one.key]
        return [_of_all(row) for row in rows] if name == _ANY else rows

    def of_server(self, server: ConfiguredServer) -> list[AutoApproved]:
        """The rows in any folder, and those that count in the folder of one project only."""
        file = next((one for one in self.files if one.file == server.file), self.files[0])
        root = server.details.get("project") or file.root
        if root:
            return self._in_folder(server, file, str(root))
        found = self._in_folder(server, file, "")
        kept = {*found}
        folders = dict.fromkeys([folder for one in self.files for folder in folders_in_rules(one)])
        for folder in folders:
            for row in self._in_folder(server, file, folder):
                if row not in kept:
                    found.append(replace(row, condition=_joined(row.condition, f"in {folder}")))
            if len(found) > _MOST:
                break
        return found

    def unclear(self, server: ConfiguredServer) -> Iterator[ConfigProblem]:
        """Settings for all tools of which it is not known if the host knows them."""
        given = settings_of(server, self.files, (), platform=self.platform, folder=self.folder)
        for one in given:
            is_own = one.file == server.file and one.key in server.entry.tree.members
            if is_own and one.then is Then.UNKNOWN and one.value == EVERY:
                words = f"{one.reason}: all tools may run without asking"
                yield ConfigProblem(_OFF, WARNING, words, one.spot, named(one.fix), server.name)

    def _in_folder(
        self, server: ConfiguredServer, file: FileReport, folder: str
    ) -> list[AutoApproved]:
        settings = settings_of(server, self.files, (), platform=self.platform, folder=folder)
        host = rules_of_host(server, self.policies)
        rules, _ = assembled(server.entry.host.title, settings, host)
        walk = _ServerWalk(server, fix_without_setting(server, file)[0])
        rows = list(walk.rows(rules))
        self.runs_kinds = self.runs_kinds or (walk.runs_kinds and server.spot != NOWHERE)
        return list(_grouped(rows))


def _of_all(row: AutoApproved) -> AutoApproved:
    return replace(row, server=EVERY)


def _elsewhere(file: FileReport, name: str) -> ConfiguredServer:
    """A server of no file that is read."""
    host = hosts()[file.host]
    entry = ServerEntry(name, Tree({}), NOWHERE, host, Container("", Tree({}), NOWHERE, True))
    return ConfiguredServer(
        *(name, file.host, "", file.file, NOWHERE, "unknown", "", None, (), None, (), (), ()),
        *(True, True, (), {}, {}, entry),
    )


class _ServerWalk:
    """The rules of one server, from the first to the last that can be reached."""

    def __init__(self, server: ConfiguredServer, fix: str) -> None:
        self.server = server
        self.fix = fix
        self.runs_kinds = False
        self._kept: list[NameCondition] = []
        """Names that an earlier rule keeps from running."""
        self._is_sorted_out = False
        """Whether an earlier rule keeps some kinds of tools from running."""
        self._is_decided = False
        """Whether an earlier rule lets every tool run."""

    def rows(self, rules: Sequence[Assembled]) -> Iterator[AutoApproved]:
        """The rows of the rules that let a tool run."""
        for one in rules:
            names = [each for each in one.rule.conditions if isinstance(each, NameCondition)]
            is_of_kind = len(names) < len(one.rule.conditions) or bool(one.rule.arguments)
            if one.rule.then is Then.ALLOW:
                yield from self._allowed(one, names, is_of_kind=is_of_kind)
                self._is_decided = self._is_decided or not (names or is_of_kind or self._kept)
            elif is_of_kind:
                self._is_sorted_out = True
            elif not names:
                return
            else:
                self._kept += names

    def _allowed(
        self, one: Assembled, names: Sequence[NameCondition], *, is_of_kind: bool
    ) -> Iterator[AutoApproved]:
        server, setting = self.server, one.setting
        is_own = setting is None or setting.is_default_mode
        kind = one.rule.name if is_of_kind or self._is_sorted_out else ""
        if is_own and (kind or names):
            self.runs_kinds = True
            return
        if is_own and self._is_decided:
            return
        tools = tuple(_plain(glob) for each in names for glob in each.globs) or (EVERY,)
        if names and any(not _reaches(each, tools) for each in self._kept):
            return
        words = [f"{_KIND}{kind}"] if kind else []
        words += [_SANDBOX] if setting is not None and setting.mode == "sandboxed" else []
        words += [] if names else self._limits()
        condition = "; ".join(words)
        if setting is None or setting.is_default_mode:
            file, spot = server.file, server.spot
            yield AutoApproved(
                server.host, server.name, tools, "", "", file, spot, self.fix, condition
            )
            return
        yield AutoApproved(
            server.host,
            server.name,
            tools,
            setting.key,
            setting.value,
            setting.file,
            setting.spot,
            setting.fix,
            condition,
            setting.then is not None,
        )

    def _limits(self) -> Iterator[str]:
        """The names that earlier rules keep from running."""
        kept = [_plain(glob) for one in self._kept if not one.is_other for glob in one.globs]
        if kept:
            yield f"except {', '.join(dict.fromkeys(kept))}"
        for one in self._kept:
            if one.is_other:
                yield f"among {', '.join(map(_plain, one.globs)) or 'no tools'}"


def _plain(glob: str) -> str:
    """The name behind an exact glob."""
    return _ESCAPED.sub(r"\1", glob)


def _reaches(kept: NameCondition, tools: Sequence[str]) -> bool:
    """False if an earlier rule decides about all of these tools."""
    fitting = NameGlobs(kept.globs)
    return any(bool(fitting.fit(name)) is kept.is_other for name in tools)


def _joined(*conditions: str) -> str:
    return "; ".join(filter(None, conditions))


def _grouped(rows: Iterable[AutoApproved]) -> Iterator[AutoApproved]:
    """The names of one list as one row, and the kinds of tools of one setting, too."""
    kept: AutoApproved | None = None
    for row in rows:
        is_list = row.is_rule and row.tools == (row.value,)
        row = replace(row, value="", fix=f"remove names from {row.key}") if is_list else row
        if kept is not None and kept == replace(row, tools=kept.tools, spot=kept.spot):
            # Rows of one key in one file, one name each.
            kept = replace(kept, tools=(*kept.tools, *row.tools)) if is_list else kept
            if is_list or kept.spot == row.spot:
                continue
        if (
            kept is not None
            and kept.condition.startswith(_KIND)
            and row.condition.startswith(_KIND)
            and kept == replace(row, condition=kept.condition)
        ):
            more = row.condition.removeprefix(_KIND)
            kept = replace(kept, condition=f"{kept.condition} or {more}")
            continue
        if kept is not None:
            yield kept
        kept = row
    if kept is not None:
        yield kept


def with_approval_problems(
    files: Sequence[FileReport], policies: Sequence[Policy], *, platform: str, folder: str
) -> list[FileReport]:
    """The files with a problem for each setting that lets every tool run, judged with all of them.

    A setting that another file replaces is none, and takes the place of what was found before.
    """
    by_host: dict[str, _Host] = {}
    for one in as_read_by_all(files):
        if one.host not in NO_HOSTS and one.host not in by_host:
            of_host = [each for each in as_read_by_all(files) if each.host == one.host]
            by_host[one.host] = _Host(of_host, policies, platform, folder)

    def judged(file: FileReport) -> FileReport:
        host = by_host.get(file.host)
        made = file if host is None or file.tree is None else _with_problems(file, host)
        return replace(made, others=tuple(map(judged, file.others)))

    return list(map(judged, files))


def _with_problems(file: FileReport, host: _Host) -> FileReport:
    rows = [row for row in host.all_rows if row.file == file.file]
    servers, of_entries = [], set[AutoApproved]()
    for one in file.servers:
        is_loaded = one.is_effective and one.is_enabled
        keys = one.entry.tree.members if is_loaded else {}
        own = [row for row in rows if row.server == one.name and row.key in keys]
        of_entries.update(own)
        found = [*_problems(own, one.name), *(host.unclear(one) if is_loaded else ())]
        servers.append(replace(one, problems=(*_others(one.problems), *found[:_MOST_PROBLEMS])))
    modes: dict[tuple[str, SourceLocation], AutoApproved] = {}
    for row in sorted(rows, key=lambda row: bool(row.condition)):
        if not row.is_rule and row not in of_entries:
            modes.setdefault((row.key, row.spot), row)
    problems = (*_others(file.problems), *_problems([*modes.values()], None), *_broad(rows))
    return replace(file, servers=tuple(servers), problems=problems)


def _others(problems: Sequence[ConfigProblem]) -> list[ConfigProblem]:
    return [one for one in problems if one.code not in (_OFF, _BROAD)]


def _broad(rows: Sequence[AutoApproved]) -> Iterator[ConfigProblem]:
    """Rules that let every tool of every server run."""
    for row in rows:
        if row.is_rule and row.key and (row.server, row.tools) == (EVERY, (EVERY,)):
            value = row.value if row.value and row.value != EVERY else EVERY
            words = f"{row.key} {named(value)} allows every tool of every server"
            yield ConfigProblem(_BROAD, WARNING, words, row.spot, "name servers", None)


def _problems(rows: Sequence[AutoApproved], server: str | None) -> Iterator[ConfigProblem]:
    for row in rows:
        is_of_kind = row.condition.startswith(_KIND)
        if not row.key or row.tools != (EVERY,) or (is_of_kind and server is not None):
            continue
        which = "all tools of the server" if server is not None else "all tools"
        which = f"{which} {named(row.condition)}" if row.condition else which
        words = f"{row.key} is {named(row.value or EVERY)}: {which} run without asking"
        level = WARNING if is_of_kind or row.condition == _SANDBOX else ERROR
        yield ConfigProblem(_OFF, level, words, row.spot, named(row.fix), server)
