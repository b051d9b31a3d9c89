"""Rules on drafts count only if the draft is turned on, for a server and for a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.features.lint.draft_rules import RULES
from tests.cli.running import run

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
