"""Advice on structuredContent: a line for the list, and findings only on seen answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.features.lint.linting import lint
from signoff.app.features.lint.model_rules import model_view_json, model_view_tip
from signoff.app.features.lint.rule import Broken, Subject, giving, sample, with_keys
from signoff.app.hosts.model_view.fates import text_only
from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.tool_reading import read_tools
from tests.approved import approved
from tests.cli.running import run

PROSE = approved("lint")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
CODE = "text-copy-missing"


def test_one_line_for_all_output_schemas() -> None:
    one, other = giving(SCHEMA), with_keys(giving(SCHEMA), name="read_rows")
    PROSE.holds("lint: tip on one output schema", model_view_tip(read_tools([one])))
    PROSE.holds("lint: tip on output schemas", model_view_tip(read_tools([one, other])))
    assert model_view_tip(read_tools([sample("read_row")])) == ""
    assert model_view_json(read_tools([one, sample("x")])) == {
        "output_schemas": 1,
        "text_only": [host.id for host in text_only()],
        "of": len(model_hosts()),
    }


def test_an_output_schema_alone_is_no_finding() -> None:
    assert CODE not in {one.rule.code for one in lint(Subject(read_tools([giving(SCHEMA)])))}


def test_answers_without_a_copy_are_a_note_for_this_definition() -> None:
    tools = read_tools([giving(SCHEMA), with_keys(giving(SCHEMA), name="read_rows")])
    seen = {tools[0].digest: Broken(2, "record 9 of 2026-11-01 23:00:00 UTC")}
    [found] = [one for one in lint(Subject(tools, halves=seen)) if one.rule.code == CODE]
    assert found.severity is Severity.NOTE
    assert found.tool is tools[0]
    PROSE.holds("lint: answers without a copy", found.message)


@pytest.mark.slow
def test_the_audit_log_has_such_answers_and_the_head_has_the_tip(tmp_path: Path) -> None:
    log = ("--audit", "audit.jsonl", "--no-memory")
    run(tmp_path, "call", "count_stock", "demo", "--approve", "always", *log)
    report = run(tmp_path, "lint", "demo", "--json", *log).report
    assert [one["tool"] for one in report["findings"] if one["code"] == CODE] == ["count_stock"]
    assert report["model_view"]["output_schemas"] > 1
    lines = run(tmp_path, "lint", "demo", "--no-audit", "--no-memory").stdout.splitlines()
    assert f"{len(text_only())} of {len(model_hosts())} " in lines[2]
