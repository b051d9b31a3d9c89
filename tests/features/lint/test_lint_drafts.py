"""Rules on drafts count only if the draft is turned on, for a server and for a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.lint.draft_rules import RULES
from signoff.app.protocol.extensions.register import EXTENSIONS
from tests.cli.running import run
from tests.features.lint.test_lint_formats import check_sarif
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


def effects(report: dict[str, Any], code: str) -> dict[str, list[str]]:
    """The tools of each gain and loss of a rule, by its words."""
    found = [one for one in report["findings"] if one["code"] == code]
    assert {(one["severity"], one["tool"]) for one in found} <= {("note", None)}
    return {
        one["effect"]["words"]: [tool["name"] for tool in one["effect"]["tools"]]
        for one in found
        if "effect" in one
    }


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
    assert ["files", "rows"] in effects(report, "with-tool-resolution").values()
    assert "tool-resolution" not in run(tmp_path, *words[:3]).stdout


def test_a_marked_tool_is_in_use_and_no_candidate(tmp_path: Path) -> None:
    words = ("lint", "--json", "--experimental", "tool-resolution")
    report = run(tmp_path, *words, "--", *raw("--resolution", "honest")).report
    (tools, whole) = effects(report, "with-tool-resolution").values()
    assert (tools, whole) == (["manage"], [])


def test_gains_and_losses_are_in_every_report(tmp_path: Path) -> None:
    entries = [
        acting("files"),
        {**acting("send_rows", readOnlyHint=True), "description": "Requires approval"},
    ]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"tools": entries}))
    words = ("lint", str(file), *[word for name in EXTENSIONS for word in (ON[0], name)])
    reports = ("--sarif", "s.json", "--junit", "j.xml", "--html", "h.html")
    shown = run(tmp_path, *words, *reports).stdout
    page = run(tmp_path, *words, "--markdown").stdout
    for name in EXTENSIONS:
        code = f"with-{name}"
        for text in (shown, page, *((tmp_path / one).read_text("utf-8") for one in reports[1::2])):
            assert code in text, name
    assert "possible gain: each call asks by" in shown
    assert "policy cautious" in shown
    log = json.loads((tmp_path / "s.json").read_text("utf-8"))
    check_sarif(log)
    assert {one["level"] for one in log["runs"][0]["results"] if "with-" in one["ruleId"]} == {
        "note"
    }
    assert run(tmp_path, *words, "--strict").status == run(tmp_path, *words[:2], "--strict").status


def test_a_long_report_has_gains_and_losses_in_full(tmp_path: Path) -> None:
    entries = [{**acting(f"send_{at}"), "title": ""} for at in range(30)]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"tools": entries}))
    words = ("lint", str(file), "--experimental", "action-metadata")
    out = run(tmp_path, *words).stdout
    assert "all notes in full" in out
    assert "possible gain: a person reads the destination of the input\n" in out
