"""The one reader of settings: the rows of `settings.toml`, in files and entries, as decisions.

`signoff matrix --here`, `signoff servers --auto-approved` and the problems that `signoff servers`
names are all made of what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ...approval.policies.rules import Then, exact_glob
from ...content.files.tree import SourceLocation, Tree
from ..entries.containers import at_path
from ..files.servers import ConfiguredServer, FileReport
from ..settings import EVERY, DecidingRow, filled, settings_of_host
from .algorithms import DECIDING
from .deciding import (
    MOST,
    NOT_KNOWN,
    DecidingSetting,
    Rank,
    SettingSources,
    SettingValue,
    named_tool,
    names_of,
    rank_of,
    text_of,
    values_at,
    word_of,
)
from .edits import remove_item, set_value


def settings_of(
    server: ConfiguredServer,
    files: Sequence[FileReport],
    tools: Sequence[str],
    *,
    platform: str,
    folder: str = "",
    is_traced: bool = False,
) -> tuple[DecidingSetting, ...]:
    """The settings that decide about a server, in the order in which they count.

    `files` are those of its host; `tools` are the names that it lists; `folder` is that of the
    project. A trace also has each setting that is looked at and decides nothing.
    """
    given = SettingSources(server, files, tools, platform, folder, is_traced)
    found, entry = list[DecidingSetting](), server.entry
    if not server.is_enabled:
        off = f"the server is off in {entry.host.title}"
        found.append(
            DecidingSetting("", "", server.file, entry.spot, off, Then.HIDE, rank=Rank.OFF)
        )
    known = settings_of_host(server.host)
    of_entries = known.of_entries(entry.host.id)
    rows = [of_entries[key] for key in entry.tree.members if key in of_entries]
    for row in (*rows, *(one for one in known.setting if not one.entry)):
        found += (DECIDING[row.read] if row.read else _READERS[row.value])(given, row)
    for row in known.setting if given.is_traced else ():
        same = [one for one in known.setting if (one.at, one.entry) == (row.at, row.entry)]
        found += given.not_read(row, same) if row.decides else ()
    # The order of the rows, and of the files, is kept within a rank.
    return tuple(sorted(found, key=lambda one: one.rank)[: 2 * MOST if is_traced else MOST])


def _of_word(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """The mode that the strongest file chooses, or the entry for each tool."""
    is_chosen = False
    for one in given.values(row) if row.modes else ():
        value, key, is_of_tool = one.tree.value, one.key, one.tools != (EVERY,)
        if is_chosen or value in row.no_effect:
            why = "a stronger file has this key, too" if is_chosen else "this value has no effect"
            yield from given.passed_over(row, one, text_of(one.tree), why)
        else:
            mode = row.modes.get(value, NOT_KNOWN) if isinstance(value, str) else NOT_KNOWN
            rank = Rank.TOOL if is_of_tool else Rank.ALLOWED
            says = "{key} is {word}" if mode != NOT_KNOWN else "{key} has a value that is not known"
            for both in row.together:
                other = next(given.values(DecidingRow("word", at=(both.at,))), None)
                if other is not None and (both.word, both.text) == (value, other.tree.value):
                    mode, rank, says = both.mode, rank_of(both.rank), both.says
            word, asks = word_of(value), row.asks.strip('"')
            fix = (row.fix or "set {key} to {asks}") if value != asks else ""
            edit = set_value(one.spot, key, word, row.asks) if fix and word else None
            more: dict[str, Any] = {"fix": filled(fix, key=key, asks=asks), "edit": edit}
            says = filled(says, key=key, word=word)
            yield DecidingSetting.at(one, word, says, mode=mode, rank=rank, **more)
        is_chosen = is_chosen or not is_of_tool
        if is_chosen and not given.is_traced:
            return


def _of_flag(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """What a true flag decides."""
    for one in given.values(row) if row.mode or row.then or row.trusts else ():
        if one.tree.value is True:
            reason = filled(row.says or "{key} is true", key=one.key)
            more: dict[str, Any] = {"then": Then(row.then) if row.then else None}
            more |= {"fix": f"set {one.key} to false", "mode": row.mode, "trusts": row.trusts}
            more["edit"] = set_value(one.spot, one.key, "true", "false")
            yield DecidingSetting.at(one, "true", reason, **more)
        elif row.value == "flag":
            why = "only true has an effect"
            yield from given.passed_over(row, one, text_of(one.tree), why)


def _of_any(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """A setting whose meaning was not read."""
    for one in given.values(row) if row.then else ():
        if one.tree.value not in (False, {}):
            words = f"{one.path} is set, and its meaning was not read"
            rank = rank_of(row.rank or row.then)
            yield DecidingSetting.at(one, "", words, then=Then(row.then), rank=rank)
        else:
            yield from given.passed_over(row, one, text_of(one.tree), "has no effect")


def _of_names(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """What a list decides about each of the servers, or by each of the rules, in it."""
    server, rules = given.server, settings_of_host(given.server.host).rules
    names = names_of(server) if rules is not None and rules.changed_names else (server.name,)
    for one in given.values(row) if row.then else ():
        others: list[tuple[str, str, SourceLocation]] = []
        for item in one.tree.items[:MOST]:
            if not isinstance(item.value, str):
                continue
            if row.value == "servers" or rules is None:
                tool, says = EVERY if item.value == server.name else "", "{key} names the server"
            else:
                tool, says = rules.tool_of(item.value, names, row.then), rules.says
            if tool:
                knows_stars = rules is not None and rules.globs
                yield _by_item(one, row, item, tool, says, knows_stars=knows_stars)
            else:
                others.append((item.value, item.value, item.spot))
        yield from given.of_others(row, one, others)


def _by_item(
    one: SettingValue,
    row: DecidingRow,
    item: Tree,
    tool: str,
    says: str,
    *,
    knows_stars: bool = False,
) -> DecidingSetting:
    """What an item of a list decides about a tool of the server, or about EVERY one."""
    rule, then = str(item.value), Then(row.then)
    words = filled(says, key=one.key, rule=rule)
    tools, decided, words = named_tool(tool, then, words, knows_stars=knows_stars)
    fix = (row.fix or "remove {rule} from {key}") if then is Then.ALLOW else ""
    edit = remove_item(item.spot, rule) if fix and not row.fix else None
    more: dict[str, Any] = {"fix": filled(fix, key=one.key, rule=rule), "edit": edit}
    more |= {"spot": item.spot, "rank": rank_of(row.rank or row.then), "tools": tools}
    return DecidingSetting.at(one, rule, words, then=decided, **more)


def _of_tools(given: SettingSources, row: DecidingRow) -> Iterator[DecidingSetting]:
    """The decisions about the tools that a list names, or about all others."""
    if row.then == Then.ALLOW:
        yield from _of_flag(given, row)
    for one in given.values(row):
        items = [item for item in one.tree.items if isinstance(item.value, str)]
        names = tuple(str(item.value) for item in items)
        if row.then == Then.ALLOW:
            for item in items[:MOST]:
                yield _of_tool(given, one, row, item)
        elif row.then and names:
            yield _not_offered(one, row.then, names)
        elif row.others and isinstance(one.tree.value, list) and not row.names_all(names):
            yield _not_offered(one, row.others, names, is_other=True)
        elif row.then or row.others:
            is_list = isinstance(one.tree.value, list)
            why = "is no list" if not is_list else "names all tools" if row.others else "is empty"
            yield from given.passed_over(row, one, text_of(one.tree), why)


def _of_tool(
    given: SettingSources, one: SettingValue, row: DecidingRow, item: Tree
) -> DecidingSetting:
    if item.value != EVERY:
        made = _by_item(one, row, item, EVERY, "{key} names the tool")
        return replace(made, tools=(exact_glob(str(item.value)),))
    made = _by_item(one, row, item, EVERY, "{key} has a *")
    if row.star == Then.ALLOW:
        return made
    unsure = f"{made.reason}, and it is not known if {given.server.entry.host.title} knows it"
    return replace(made, then=Then(row.star), reason=unsure)


def _not_offered(
    one: SettingValue, then: str, names: Sequence[str], *, is_other: bool = False
) -> DecidingSetting:
    verb = "does not name" if is_other else "names"
    words, tools = f"{one.key} {verb} the tool, so it is not offered", tuple(map(exact_glob, names))
    return DecidingSetting.at(
        one, "", words, then=Then(then), tools=tools, is_other=is_other, rank=rank_of(then)
    )


_READERS: Final[dict[str, Callable[[SettingSources, DecidingRow], Iterator[DecidingSetting]]]] = {
    "word": _of_word,
    "flag": _of_flag,
    "any": _of_any,
    "tools": _of_tools,
    "rules": _of_names,
    "servers": _of_names,
    "number": lambda *_: iter(()),
    "table": lambda *_: iter(()),
}


def servers_in_rules(file: FileReport) -> Iterator[str]:
    """The names of servers in the rules, and then in the lists, of a file that let tools run."""
    settings = settings_of_host(file.host)
    rows = [row for row in settings.of_files(file.id) if row.then == Then.ALLOW]
    for row in sorted(rows, key=lambda row: row.value != "rules"):
        for _, tree, _ in values_at(file.tree or Tree({}), row):
            names = [one.value for one in tree.items[:MOST] if isinstance(one.value, str)]
            if row.value == "rules" and settings.rules is not None:
                names = list(filter(None, map(settings.rules.server_of, names)))
            yield from (name for name in names if name != EVERY)


def folders_in_rules(file: FileReport) -> list[str]:
    """The folders of projects for which a file lets tools run."""
    found = []
    for row in settings_of_host(file.host).of_files(file.id):
        head, _, tail = "".join(row.at[:1]).partition(".{folder}.")
        projects = at_path(file.tree or Tree({}), head) if tail else None
        members = projects[0].members if projects is not None else {}
        found += [name for name, one in members.items() if tail in one.members]
    return found
