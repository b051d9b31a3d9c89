"""Approval switches of entries, as `signoff servers` reports them, and problems with them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from ...content.files.tree import Tree
from ...protocol.findings.findings import Severity
from ..approvals.algorithms import MOST_TOOLS, texts
from ..approvals.reported import is_met
from ..files.problems import NOTE, WARNING, ProblemList
from ..files.servers import ServerEntry
from ..folders import Stamp, own_stamp
from ..settings import DecidingRow, settings_of_host
from ..table import ANY, Host, hosts

_NOT_READ: Final = {"allowedTools": "allowed_tools", "allowed_tools": "allowed_tools"}
"""Keys that people write, and that no host reads in an entry."""


def of_entries() -> dict[str, str]:
    """Keys of entries in any host that decide about tools, and their names in a report."""
    return _of_entries(own_stamp())


@lru_cache(maxsize=1)
def _of_entries(stamp: Stamp) -> dict[str, str]:
    every = [pair for one in hosts().values() for pair in one.switches.items()]
    return {**_NOT_READ, **dict(every)}


def entry_switches(entry: ServerEntry, problems: ProblemList) -> dict[str, Any]:
    """The switches of an entry, and the problems with them."""
    host, found = entry.host, dict[str, Any]()
    rows = settings_of_host(host.host).of_entries(host.id)
    for key, tree in entry.tree.members.items():
        if key in rows:
            _own(entry, key, rows[key], tree, found, problems)
        elif key in host.ignored:
            found[host.ignored[key]] = tree.value if isinstance(tree.value, bool) else True
        elif key in of_entries() and key not in host.keys and host.id != ANY:
            _foreign(entry, key, tree, found, problems)
    missing = [row for key, row in rows.items() if key not in entry.tree.members]
    for one in [one for row in missing for one in row.problem if not entry.is_broken]:
        if one.when == "missing":
            level, name = Severity(one.level), entry.name
            problems.add(one.code, level, one.says, entry.spot, server=name)
    return found


def _own(
    entry: ServerEntry,
    key: str,
    row: DecidingRow,
    tree: Tree,
    found: dict[str, Any],
    problems: ProblemList,
) -> None:
    name, spot = entry.name, entry.spot_of(key)
    for one in row.problem:
        if is_met(one, row, tree):
            problems.add(one.code, Severity(one.level), one.says, spot, server=name)
    tail = row.entry.partition(".{tool}.")[2]
    if tail:
        _of_each_tool(tree, tail, row.name, found)
        return
    if isinstance(tree.value, list):
        tools = texts(tree)
        if tools or not row.empty_is_all:
            found[row.name] = tools
        return
    is_word = row.value == "word"
    if isinstance(tree.value, (bool, str)):
        found[row.name] = tree.value
    if (is_word and tree.value not in (None, *row.modes, *row.no_effect)) or not (
        is_word or tree.value is None or isinstance(tree.value, (bool, str))
    ):
        words = f"{key} has a value that {entry.host.title} does not know"
        problems.add("value-not-known", WARNING, words, spot, server=name)


def _of_each_tool(tree: Tree, tail: str, name: str, found: dict[str, Any]) -> None:
    values = {
        tool: one.members[tail].value
        for tool, one in list(tree.members.items())[:MOST_TOOLS]
        if tail in one.members and isinstance(one.members[tail].value, str)
    }
    if values:
        found[name] = values


def _foreign(
    entry: ServerEntry, key: str, tree: Tree, found: dict[str, Any], problems: ProblemList
) -> None:
    """Note a switch of another host, which has no effect here."""
    host, name, spot = entry.host, entry.name, entry.spot_of(key)
    if key == "tools" and any(one.members for one in tree.items):
        words = "tools is a list that describes tools, and filters nothing"
        problems.add("tools-not-a-filter", NOTE, words, spot, server=name)
        return
    owners = _owners(key, host)
    own = next((one for one, way in host.switches.items() if way == of_entries()[key]), "")
    words = f"{key} is a key of {owners}, without effect in {host.title}" if owners else ""
    words = words or f"{key} has no effect in {host.title}"
    fix = f"rename it to {own}" if own and own not in entry.tree.members else "remove it"
    problems.add("wrong-approval-key", WARNING, words, spot, fix=fix, server=name)
    value = texts(tree) if isinstance(tree.value, list) else tree.value
    if isinstance(value, (list, bool, str)):
        found[f"ignored_{of_entries()[key]}"] = value


def _owners(key: str, host: Host) -> str:
    titles = [
        one.title for one in hosts().values() if key in one.switches and one.host != host.host
    ]
    return " and ".join(dict.fromkeys(titles[:2]))
