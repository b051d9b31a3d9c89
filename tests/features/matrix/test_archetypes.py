"""`signoff archetypes`: lines, Markdown and JSON, of a server that is never called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import run
from tests.servers import raw, recorded

PROSE = approved("cli-definitions")

pytestmark = pytest.mark.timeout(120)
SERVER = raw("--only", "read_thing,add_thing,delete_thing,slow,send_with_key", "--hostile")


def test_the_json_has_tools_table_and_disputes(tmp_path: Path) -> None:
    record = tmp_path / "record"
    found = run(tmp_path, "archetypes", "--json", "--", *SERVER, "--record", str(record))
    assert found.status == 0
    report = found.report
    assert set(report) == {"server", "tools", "archetypes", "readings"}
    tools = {one["name"]: one for one in report["tools"]}
    assert tools["delete_thing"]["archetype"] == "delete"
    assert tools["delete_thing"]["differs"] == []
    assert tools["slow"]["archetype"] is None
    assert tools["add_thing"]["differs"] == []
    sent = tools["send_with_key"]
    hint = sent["hints"]["openWorld"]
    PROSE.holds("archetypes: why open world", hint.pop("why"))
    assert hint == {"expected": True, "claimed": True, "counts": True, "differs": False}
    assert sent["readings"]["open-world"]["hosts"]["Codex"] == {"if_true": "ask", "if_false": "run"}
    assert report["archetypes"][0]["name"] == "read"
    assert report["readings"][0]["true"]["sources"]
    assert not record.exists() or not recorded(record)


def test_lines_and_markdown(tmp_path: Path) -> None:
    lines = run(tmp_path, "archetypes", "--", *SERVER).stdout
    assert "delete_thing   Delete   fits" in lines
    PROSE.holds("archetypes: fits none", next(row for row in lines.splitlines() if "slow" in row))
    assert "Is deleting idempotent?" in lines
    assert "RFC 9110" in lines
    text = run(tmp_path, "archetypes", "--markdown", "--", *SERVER).stdout
    rows = [line for line in text.splitlines() if "Delete |" in line]
    PROSE.holds("archetypes: rows of Markdown", "\n".join(rows))
    for shown in (lines, text):
        assert not any(control in shown for control in "\x1b\x07\u202e\x9b")


def test_only_what_differs(tmp_path: Path) -> None:
    server = raw("--only", "forged_next,read_thing,undeclared_thing")
    lines = run(tmp_path, "archetypes", "--only-differing", "--", *server).stdout
    assert "read_thing" not in lines
