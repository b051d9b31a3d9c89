"""A server under the hosts that have it on this machine: a column of the matrix for each entry.

A column has the rules of the host, in the mode that its settings choose, with the settings of the
entry and of the host's files before it. Each rule that comes from a setting has its file and line.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial
from typing import Final

from ...approval.policies.policy import Policy, PolicyKind
from ...approval.policies.rules import (
    Condition,
    FactCondition,
    FactOf,
    NameCondition,
    NameOf,
    Rule,
    Then,
)
from ...approval.policies.verdicts import Case, Verdict, VerdictAnswer
from ...content.files.tree import NOWHERE
from ...content.frozen import frozen
from ...content.text import visible
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.masks import mask_text
from ..files.servers import ConfiguredServer, FileReport, Machine
from ..settings import EVERY
from ..table import hosts
from .by_rows import settings_of
from .deciding import DEFAULT, DecidingSetting, Rank, fix_without_setting, program_of
from .edits import Edit

PLAN: Final = "plan"
"""The mode whose own rules come before what a person has allowed."""
CANNOT_ASK: Final = "exec"
"""The mode of Codex that a setting chooses if no call may ask."""
_NOT_ASKED: Final = "approval_policy is never, and it was not read what happens then"


@frozen
class Assembled:
    """One rule, and the setting that it comes from."""

    rule: Rule
    setting: DecidingSetting | None = None
    is_ahead: bool = False
    """Whether it is of a mode whose rules come before what a person has allowed."""


def assembled(
    title: str, settings: Sequence[DecidingSetting], host: Policy | None
) -> tuple[list[Assembled], Policy | None]:
    """The rules in the order in which they count, and those of the host in its mode.

    `settings` are in their order. Without host rules, and in a mode that is not known, what no
    setting decides is not known.
    """
    chosen = next((one for one in settings if one.mode_of_all), None)
    mode = host if chosen is None else _in_mode(host, chosen)
    ahead, last = _of_mode(title, host, mode, chosen)
    found = [Assembled(_rule(one), one) for one in settings if one.rank < Rank.TOOL and one.then]
    found += ahead
    for one in settings:
        if one.rank >= Rank.TOOL and one.then:
            found.append(Assembled(_rule(one), one))
        elif one.mode and not one.mode_of_all:
            found += _of_tool(host, one)
    found += last
    trust = next((one for one in settings if one.trusts), None)
    found = [each for one in found for each in _with_trust(one, trust)]
    is_never = any(one.mode == CANNOT_ASK for one in settings)
    if is_never and (chosen is None or chosen.mode != CANNOT_ASK):
        found = [_not_asked(one) for one in found]
    return found, mode


def _in_mode(host: Policy | None, chosen: DecidingSetting) -> Policy | None:
    """The host rules in a mode; None if they lack the mode."""
    if host is None or chosen.is_default_mode:
        return host
    return next((one for one in host.variants if one.mode == chosen.mode), None)


def _of_mode(
    title: str, host: Policy | None, mode: Policy | None, chosen: DecidingSetting | None
) -> tuple[list[Assembled], list[Assembled]]:
    """Rules before all that a person has allowed, and rules after it."""
    if host is None:
        words = f"the rules of {title} are not known"
        return [], [Assembled(Rule(0, Then.UNKNOWN, "no rules", words))]
    if mode is None:
        assert chosen is not None
        words = f"{chosen.reason}: no rules for this mode are known"
        return [Assembled(_rule(replace(chosen, then=Then.UNKNOWN, reason=words)), chosen)], []
    if chosen is None or mode is host:
        return [], [Assembled(_placed(rule, chosen), chosen) for rule in mode.rules]
    own = _own_rules(mode, host)
    first = mode.rules[:own] if chosen.rank is Rank.BY_MODE or mode.mode == PLAN else ()
    ahead = [Assembled(_placed(rule, chosen), chosen, is_ahead=True) for rule in first]
    # Rules of the host behind those of the mode come from no setting.
    last = [
        Assembled(_placed(rule, chosen), chosen) if at < own else Assembled(rule)
        for at, rule in enumerate(mode.rules)
        if at >= len(first)
    ]
    return ahead, last


def _own_rules(mode: Policy, host: Policy) -> int:
    """How many of the rules are those of the mode; those of the host may follow."""
    count = len(mode.rules) - len(host.rules)
    rest = mode.rules[count:] if count >= 0 else ()
    # Both are in one file, in which each rule has a line of its own.
    same = [one.line for one in rest] == [one.line for one in host.rules]
    return count if rest and same else len(mode.rules)


def _of_tool(host: Policy | None, setting: DecidingSetting) -> Iterator[Assembled]:
    """The rules of a mode that is chosen for a few tools."""
    mode = _in_mode(host, setting)
    if mode is None:
        words = f"{setting.reason}: no rules for this mode are known"
        yield Assembled(_rule(replace(setting, then=Then.UNKNOWN, reason=words)), setting)
        return
    for rule in mode.rules:
        only = replace(rule, conditions=(*_conditions(setting), *rule.conditions))
        yield Assembled(_placed(only, setting), setting)


def _rule(setting: DecidingSetting) -> Rule:
    return Rule(
        0,
        setting.then or Then.UNKNOWN,
        _safe(f"{setting.key} {setting.value}".strip() or "off"),
        _safe(setting.reason),
        conditions=_conditions(setting),
        place=visible(setting.place),
    )


def _safe(text: str) -> str:
    """Words from a file, without what looks like a secret."""
    return visible(mask_text(text))


def _conditions(setting: DecidingSetting) -> tuple[Condition, ...]:
    if setting.tools == (EVERY,):
        return ()
    return (NameCondition(NameOf.TOOL, setting.tools, setting.is_other),)


def _placed(rule: Rule, setting: DecidingSetting | None) -> Rule:
    """A rule of a host, with the setting that makes it count as its place."""
    if setting is None:
        return rule
    reason = _safe(setting.reason)
    reason = f"{reason}; {rule.reason}" if rule.reason else reason
    return replace(rule, reason=reason, place=visible(setting.place))


def _with_trust(one: Assembled, trust: DecidingSetting | None) -> Iterator[Assembled]:
    """The rule without its condition on trust, or nothing if that is not met."""
    wanted = [
        each
        for each in one.rule.conditions
        if isinstance(each, FactCondition) and each.of is FactOf.TRUST
    ]
    if not wanted:
        yield one
        return
    is_met = all((Trust.TRUSTED if trust else Trust.UNTRUSTED) in each.values for each in wanted)
    if is_met:
        kept = tuple(each for each in one.rule.conditions if each not in wanted)
        rule = replace(one.rule, conditions=kept)
        placed = replace(one, rule=_placed(rule, trust), setting=trust) if trust else None
        yield placed or replace(one, rule=rule)


def _not_asked(one: Assembled) -> Assembled:
    """A rule that asks where no call may ask."""
    if one.rule.then not in (Then.ASK, Then.ASK_WITH_WARNING):
        return one
    words = f"{one.rule.reason}; {_NOT_ASKED}"
    return replace(one, rule=replace(one.rule, then=Then.UNKNOWN, reason=words))


HERE: Final = "here"
"""The last part of the name of a column: `cursor:here`."""
TITLE: Final = "as configured here"
NO_HOSTS: Final = ("any", "inspector", "mcp-registry", "mcpb", "signoff")
"""Kinds of files whose owners run no tools for a model."""


@frozen
class Wanted:
    """The server that is looked for: an entry of a file, a command or a URL."""

    argv: tuple[str, ...] = ()
    url: str = ""
    configured: tuple[str, ...] = ()
    """The file and the name of an entry."""


@frozen
class ConfiguredColumn:
    """One entry of a host as a column, and the settings behind its rules."""

    policy: Policy
    host: str
    """The title of the host."""
    server: ConfiguredServer = field(repr=False)
    mode: str
    """The name of the host rules and of their mode; empty without any."""
    settings: Mapping[str, DecidingSetting]
    """The setting behind a rule, by the label of the rule."""
    fix: str
    """What to add so that the host asks where no setting decides, in words; empty if not known."""
    edit: Edit | None
    """The same as an edit of the entry's file."""
    without: Callable[
        [frozenset[DecidingSetting]], tuple[Policy, Mapping[str, DecidingSetting]]
    ] = field(repr=False, compare=False)
    """Makes the column without some settings, and the setting behind each label of it."""
    rules: tuple[Assembled, ...] = field(default=(), repr=False, compare=False)
    """The rules of the policy, each with the setting behind it."""
    looked_at: Callable[[], tuple[DecidingSetting, ...]] = field(
        default=tuple, repr=False, compare=False
    )
    """Finds every setting that is looked at, in order, with those that decide nothing."""


@frozen
class FurtherEdit:
    """An edit after the first: of another setting, or one that has to be added to the entry."""

    words: str
    file: str
    line: int
    edit: Edit | None
    setting: DecidingSetting | None = None
    """The setting; None if the host would run the tool by itself."""


@frozen
class RunsUnasked:
    """One tool that a host runs without asking, as it is configured here."""

    tool: ToolDefinition
    column: ConfiguredColumn
    verdict: Verdict
    setting: DecidingSetting | None
    """The setting that decides; None if the host does so by itself."""
    otherwise: Verdict | None
    """The verdict without that setting."""
    further: tuple[FurtherEdit, ...] = ()
    """What else has to be edited, one after the other, until the host asks."""

    @property
    def fix(self) -> str:
        """The edit of `setting`, in words; empty if none is known."""
        return self.column.fix if self.setting is None else self.setting.fix

    @property
    def edit(self) -> Edit | None:
        """The same as an edit of `file`."""
        return self.column.edit if self.setting is None else self.setting.edit

    @property
    def file(self) -> str:
        """The file of the setting, or of the entry."""
        return self.column.server.file if self.setting is None else self.setting.file


def entries_of(
    files: Sequence[FileReport], wanted: Wanted, *, is_loaded: bool = True
) -> list[ConfiguredServer]:
    """The entries that start or reach this server, and that their hosts would load, or not."""
    known = [server for file in files for server in file.servers]
    chosen = [one for one in known if (one.file, one.name) == wanted.configured[:2]]
    keys = [_key_of(one) for one in chosen]
    if not wanted.configured:
        keys = [((), _plain_url(wanted.url)) if wanted.url else (wanted.argv, "")]
    found = [
        one
        for one in known
        if one.host not in NO_HOSTS
        and one.is_effective is is_loaded
        and (one in chosen or any(_same(_key_of(one), key) for key in keys))
    ]
    return list({(one.host, one.file, one.name, one.spot): one for one in found}.values())


def columns_here(
    tools: Sequence[ToolDefinition],
    entries: Sequence[ConfiguredServer],
    files: Sequence[FileReport],
    policies: Sequence[Policy],
    machine: Machine,
    *,
    mode: Policy | None = None,
) -> list[ConfiguredColumn]:
    """A column for each entry; `policies` are the hosts that are known.

    `mode` has the rules of the mode that counts in place of the one that settings choose.
    """
    counts: dict[str, int] = {}
    for one in entries:
        counts[one.host] = counts.get(one.host, 0) + 1
    names = [tool.name for tool in tools]
    reports = {file.file: file for file in files}
    made: list[ConfiguredColumn] = []
    for entry in entries:
        of_host = [file for file in files if file.host == entry.host]
        folder = reports[entry.file].root or machine.folder
        read = partial(settings_of, entry, of_host, names, platform=machine.platform, folder=folder)
        settings = read()
        host = rules_of_host(entry, policies)
        if mode is not None:
            is_known = host is not None and mode.name in {one.name for one in host.variants}
            host = host if is_known else mode
            settings = _with_mode(settings, mode, host)
        column = _column(entry, settings, host, is_alone=counts[entry.host] == 1)
        fix, edit = fix_without_setting(entry, reports[entry.file])
        looked = partial(_looked_at, settings, partial(read, is_traced=True))
        made.append(replace(column, fix=fix, edit=edit, looked_at=looked))
    return made


def _with_mode(
    settings: Sequence[DecidingSetting], mode: Policy, host: Policy | None
) -> tuple[DecidingSetting, ...]:
    """The settings with a mode that was named in place of the one that they choose."""
    chosen = DEFAULT if host is not None and mode.name == host.name else mode.mode
    words = f"{mode.name} was named"
    named = DecidingSetting("", mode.name, "", NOWHERE, words, mode=chosen, fix="name another mode")
    kept = [one for one in settings if not one.mode_of_all]
    return tuple(sorted((named, *kept), key=lambda one: one.rank))


def _looked_at(
    settings: Sequence[DecidingSetting], find: Callable[[], Sequence[DecidingSetting]]
) -> tuple[DecidingSetting, ...]:
    """All that `find` finds, and the mode that was named, if one was."""
    named = [one for one in settings if not one.file]
    return tuple(sorted((*find(), *named), key=lambda one: one.rank))


def rules_of_host(entry: ConfiguredServer, policies: Sequence[Policy]) -> Policy | None:
    """The rules of the program that reads the file: Cline has two, with two defaults."""
    host = next((one for one in policies if one.name == entry.host), None)
    program = program_of(entry.host, entry.file)
    if host is None or program is None:
        return host
    return next((one for one in host.variants if one.mode == program.mode), host)


def runs_here(
    tools: Sequence[ToolDefinition], columns: Sequence[ConfiguredColumn]
) -> list[RunsUnasked]:
    """Every tool that runs without asking, column by column."""
    found = []
    for column in columns:
        for tool in tools:
            case = Case(tool, Trust.UNTRUSTED, column.server.name)
            verdict = column.policy.judge(case)
            if verdict.answer is VerdictAnswer.ALLOW:
                setting = column.settings.get(verdict.rule)
                rest = (
                    None
                    if setting is None
                    else column.without(frozenset((setting,)))[0].judge(case)
                )
                further = () if setting is None else _further(column, case, setting)
                found.append(RunsUnasked(tool, column, verdict, setting, rest, further))
    return found


def _further(
    column: ConfiguredColumn, case: Case, first: DecidingSetting
) -> tuple[FurtherEdit, ...]:
    """The settings that let a tool run one after the other, once the first is gone."""
    removed = [first]
    found: list[FurtherEdit] = []
    while True:
        policy, behind = column.without(frozenset(removed))
        verdict = policy.judge(case)
        if verdict.answer is not VerdictAnswer.ALLOW:
            return tuple(found)
        one = behind.get(verdict.rule)
        if one is None or one in removed:
            if column.fix:
                server = column.server
                found.append(FurtherEdit(column.fix, server.file, server.spot.line, column.edit))
            return tuple(found)
        removed.append(one)
        found.append(FurtherEdit(one.fix, one.file, one.spot.line, one.edit, one))


def _key_of(server: ConfiguredServer) -> tuple[tuple[str, ...], str]:
    entry = server.entry
    if entry.url:
        return (), _plain_url(entry.url)
    words = entry.words
    if not entry.is_whole_command and entry.command:
        try:
            words = [*shlex.split(entry.command), *words[1:]]
        except ValueError:
            return (), ""
    return tuple(words) if entry.command else (), ""


def _plain_url(url: str) -> str:
    return url.rstrip("/")


def _same(one: tuple[tuple[str, ...], str], other: tuple[tuple[str, ...], str]) -> bool:
    """True for the same URL, or the same words; a program may be given with its folder or not."""
    (words, url), (others, other_url) = one, other
    if url or other_url or not words or not others:
        return bool(url) and url == other_url
    is_program = words[0] == others[0] or (
        ("/" in words[0]) is not ("/" in others[0])
        and os.path.basename(words[0]) == os.path.basename(others[0])
    )
    return is_program and words[1:] == others[1:]


def _column(
    entry: ConfiguredServer,
    settings: tuple[DecidingSetting, ...],
    host: Policy | None,
    *,
    is_alone: bool,
) -> ConfiguredColumn:
    policy, rules, mode = _made(entry, settings, host, is_alone=is_alone)
    known = hosts().get(entry.host)
    title = (host.title if host else "") or (known.title if known else entry.host)

    @cache
    def without(
        removed: frozenset[DecidingSetting],
    ) -> tuple[Policy, Mapping[str, DecidingSetting]]:
        kept = tuple(one for one in settings if one not in removed)
        policy, rules, _ = _made(entry, kept, host, is_alone=is_alone)
        return policy, _by_label(policy, rules)

    behind = _by_label(policy, rules)
    return ConfiguredColumn(policy, title, entry, mode, behind, "", None, without, rules)


def _by_label(policy: Policy, rules: Sequence[Assembled]) -> dict[str, DecidingSetting]:
    """The setting behind each rule that has one, by the label of the rule."""
    return {
        rule.label: one.setting
        for rule, one in zip(policy.rules, rules, strict=True)
        if one.setting is not None
    }


def _made(
    entry: ConfiguredServer,
    settings: tuple[DecidingSetting, ...],
    host: Policy | None,
    *,
    is_alone: bool,
) -> tuple[Policy, tuple[Assembled, ...], str]:
    """The policy of an entry, its rules with their settings, and the name of the mode."""
    known = hosts().get(entry.host)
    title = (host.title if host else "") or (known.title if known else entry.host)
    base = host or Policy(entry.host, (), PolicyKind.HOST, title)
    found, mode = assembled(title, settings, host)
    source = base.source if mode is None else mode.place_of(Rule(0, Then.ASK))
    numbered = tuple(
        replace(one.rule, number=at, place=one.rule.place or source)
        for at, one in enumerate(found, start=1)
    )
    name = f"{entry.host}:{HERE}" if is_alone else f"{entry.host}:{HERE}:{visible(entry.name)}"
    which = "" if is_alone else f" ({visible(entry.name)})"
    place = f"{entry.file}:{entry.spot.line}" if entry.spot.line else entry.file
    policy = replace(
        mode or base,
        name=name,
        source=visible(place),
        source_file=f"rules of {mode.name}" if mode else "no rules",
        title=f"{title}, {TITLE}{which}",
        summary=f"{visible(entry.name)} in {title}, with the settings of its files here.",
        rules=numbered,
        request_rules=(),
        notes="" if mode is None else mode.notes,
        mode="",
        modes=(),
    )
    return policy, tuple(found), "" if mode is None else mode.name
