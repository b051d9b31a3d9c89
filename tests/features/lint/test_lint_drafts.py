"""Rules on drafts count only if the draft is turned on, for a server and for a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.features.lint.draft_rules import RULES
from tests.cli.running import run
from tests.servers import raw

CODES = {rule.code for rule in RULES}
ON = ("--experimental", "display-templates", "--experimental", "action-metadata")


def found(out: str) -> set[str]:
    return {one["code"] for one in json.loads(out)["findings"]} & CODES


@pytest.mark.parametrize("words", [(), ("--experimental", "trust-annotations")])
def test_without_the_draft_no_rule_on_it_counts(tmp_path: Path, words: tuple[str, ...]) -> None:
    file = tmp_path / "tools.json"
    entries = [entry for rule in RULES for entry in rule.bad]
    file.write_text(json.dumps({"tools": entries}))
    assert found(run(tmp_path, "lint", str(file), "--json", *words).stdout) == set()


def test_a_file_is_linted_with_the_drafts(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    entries = [
        {**entry, "name": f"tool_{at}"}
        for at, entry in enumerate(entry for rule in RULES for entry in rule.bad)
    ]
    file.write_text(json.dumps({"tools": entries}))
    assert found(run(tmp_path, "lint", str(file), "--json", *ON).stdout) == CODES


def test_one_draft_has_its_own_rules_alone(tmp_path: Path) -> None:
    out = run(tmp_path, "lint", "demo", "--json", *ON[:2]).stdout
    assert found(out) == {"display-template", "template-omits-optional"}


def acting(name: str, parameter: str = "action", **hints: bool) -> dict[str, object]:
    schema = {"type": "object", "properties": {parameter: {"enum": ["read", "delete"]}}}
    return {"name": name, "description": "Does it", "inputSchema": schema, "annotations": hints}


def test_tools_that_could_resolve_are_one_note_on_the_list(tmp_path: Path) -> None:
    entries = [
        acting("files"),
        acting("rows", "operation", destructiveHint=True),
        acting("looks", readOnlyHint=True),
        acting("adds", readOnlyHint=False, destructiveHint=False),
        acting("colours", "colour"),
    ]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"tools": entries}))
    words = ("lint", str(file), "--json", "--experimental", "tool-resolution")
    report = json.loads(run(tmp_path, *words).stdout)
    (one,) = [one for one in report["findings"] if one["code"] == "resolution-candidate"]
    assert (one["severity"], one["tool"]) == ("note", None)
    assert "files, rows" in one["message"]
    assert "resolution-candidate" not in run(tmp_path, *words[:3]).stdout


def test_a_marked_tool_is_no_candidate(tmp_path: Path) -> None:
    words = ("lint", "--json", "--experimental", "tool-resolution")
    report = run(tmp_path, *words, "--", *raw("--resolution", "honest")).stdout
    assert "resolution-candidate" not in report
