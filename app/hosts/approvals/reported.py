"""What `signoff servers` reports of the settings of a file: switches, and problems with them."""

from __future__ import annotations

from typing import Any

from ...approval.policies.rules import Then
from ...content.files.tree import Tree
from ...protocol.findings.findings import Severity
from ..files.problems import NOTE, listed
from ..settings import EVERY, DecidingRow, RowProblem, filled, settings_of_host
from .algorithms import REPORTING, File, Found, of_servers, texts
from .deciding import values_at


def file_switches(file: File) -> Found:
    """The switches of the file; those that are about one server are put to its own."""
    for row in settings_of_host(file.host.host).of_files(file.host.id):
        for path, tree, spot in values_at(file.tree, row):
            value = _value(file, row, tree) if row.name else None
            if value is not None:
                file.found[filled(row.name, path=path)] = value
            for one in row.problem:
                if is_met(one, row, tree) and one.scope in ("", file.scope):
                    words = filled(one.says, path=path)
                    file.problems.add(one.code, Severity(one.level), words, spot)
        if row.report:
            REPORTING[row.report](file, row)
        if row.value == "rules" and row.name and row.then == Then.ALLOW:
            _without_server(file, row)
    return file.found


def _value(file: File, row: DecidingRow, tree: Tree) -> Any:
    """The report on a value; None for none."""
    rules = settings_of_host(file.host.host).rules
    match row.value:
        case "flag":
            return tree.value if isinstance(tree.value, bool) else None
        case "word":
            return tree.value if isinstance(tree.value, str) else None
        case "number":
            return tree.value if isinstance(tree.value, int) else None
        case "any":
            return True if tree.value is not False else None
        case "rules" if rules is not None:
            shown = list(filter(rules.is_shown, texts(tree)))
            return shown if shown or rules.shown_if_empty else None
        case "table":
            return of_servers(tree, [one.name for one in file.entries]) or None
    return texts(tree)


def is_met(problem: RowProblem, row: DecidingRow, tree: Tree) -> bool:
    """True if a value is what a problem is about."""
    value = tree.value
    match problem.when:
        case "true":
            return value is True
        case "set":
            return value not in (None, False)
        case "is":
            return value == problem.text
        case "unknown":
            return isinstance(value, str) and value not in (*row.modes, *row.no_effect)
    return problem.when == "empty" and isinstance(value, list) and not texts(tree)


def _without_server(file: File, row: DecidingRow) -> None:
    """Note the servers of rules that the file does not have."""
    rules, known = settings_of_host(file.host.host).rules, [one.name for one in file.entries]
    if rules is None or not known:
        return
    strange: dict[str, None] = {}
    for rule in file.found.get(row.name, ()):
        name = rules.server_of(rule, is_sure=False)
        is_known = name in known or any(rules.tool_of(rule, (one,)) for one in known)
        if name and EVERY not in name and not is_known:
            strange[name] = None
    if strange:
        verb = "is a server" if len(strange) == 1 else "are servers"
        words = f"rules: {listed([*strange])} {verb} that this file does not have"
        file.problems.add("rule-without-server", NOTE, words, file.spot(row.at[0]))
