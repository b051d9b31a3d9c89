"""Every finding that is made anywhere is in the register, with the severity that it has there."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from signoff.app.approval.policies.verdicts import DOUBT_BY_FINDING
from signoff.app.protocol.answers.content import UNKNOWN_RESULT_TYPE
from signoff.app.protocol.extensions.action_metadata import REVIEW_CODE
from signoff.app.protocol.findings.codes import CODES, GROUPS, table
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.findings.model_texts import ADDRESSES_MODEL
from signoff.app.protocol.tool_reading import CONTRADICTS_READ_ONLY
from tests.manual import page
from tests.trees import nodes_of

ROOT = Path(__file__).resolve().parents[3]
BY_NAME = {
    "ADDRESSES_MODEL": ADDRESSES_MODEL,
    "CONTRADICTS_READ_ONLY": CONTRADICTS_READ_ONLY,
    "REVIEW_CODE": REVIEW_CODE,
    "UNKNOWN_RESULT_TYPE": UNKNOWN_RESULT_TYPE,
}
BY_ARGUMENT = {
    "definition-too-large": {Severity.ERROR},
    "definition-unreadable": {Severity.ERROR},
    "list-cursor-loops": {Severity.ERROR},
    "list-cut-short": {Severity.ERROR},
    "malformed-cursor": {Severity.ERROR},
    "malformed-list": {Severity.ERROR},
}
"""Codes that are handed on to the one place that makes the finding."""
MAKERS = {"note", "warning", "error"}
FINDINGS = ("app", "protocol", "findings", "findings")


def imported_from(file: Path, node: ast.ImportFrom) -> tuple[str, ...]:
    """The module behind a relative import, as a path below the root."""
    folder = file.relative_to(ROOT).parts[:-1]
    above = folder[: len(folder) - node.level + 1] if node.level else ()
    return (*above, *(node.module or "").split("."))


def made() -> Iterator[tuple[str, Severity]]:
    for file in ROOT.joinpath("app").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if "findings" not in text:
            continue
        found = nodes_of(text)
        imported = {
            alias.asname or alias.name
            for node in found
            if isinstance(node, ast.ImportFrom) and imported_from(file, node) == FINDINGS
            for alias in node.names
        }
        for node in found:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id not in MAKERS & imported:
                continue
            code = node.args[0]
            if isinstance(code, ast.Constant):
                yield str(code.value), Severity(node.func.id)
            elif (name := ast.unparse(code).rpartition(".")[2]) in BY_NAME:
                yield BY_NAME[name], Severity(node.func.id)
            else:
                assert ast.unparse(code) == "code", f"{file}:{node.lineno}: which code is that?"


def test_the_register_has_what_is_made_and_nothing_else() -> None:
    found = defaultdict[str, set[Severity]](set, {key: set(of) for key, of in BY_ARGUMENT.items()})
    for code, severity in made():
        found[code].add(severity)
    assert {code: set(row.severities) for code, row in CODES.items()} == dict(found)


def test_a_code_stands_in_one_group() -> None:
    assert sum(map(len, GROUPS.values())) == len(CODES)


def test_what_makes_a_doubt_is_a_finding() -> None:
    assert set(DOUBT_BY_FINDING) <= set(CODES)


def test_the_manual_has_the_register() -> None:
    assert table() in page("reference/findings")
