"""`signoff flow`: the schema for editors, and every mistake by its place."""

from __future__ import annotations

from pathlib import Path

from tests.approved import approved
from tests.cli.running import run

PROSE = approved("cli-flow")

SOUND = "server: demo\nsteps:\n  - call: delete_file\n    person: deny\n"


def test_the_schema_is_printed(tmp_path: Path) -> None:
    ended = run(tmp_path, "flow", "schema")
    assert ended.status == 0
    assert ended.report["$schema"].endswith("2020-12/schema")
    assert "expect" in ended.report["properties"]["steps"]["items"]["properties"]


def test_files_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.flow.yaml").write_text(SOUND)
    (tmp_path / "b.flow.yaml").write_text(SOUND.replace("call", "cal"))
    ended = run(tmp_path, "flow", "check", "a.flow.yaml", "b.flow.yaml", "c.flow.yaml")
    assert ended.status == 2
    PROSE.holds("check: no mistakes", ended.stdout)
    PROSE.holds("check: mistakes", ended.stderr)
    found = run(tmp_path, "flow", "check", "--json", ".").report
    assert found["flows"] == ["a.flow.yaml"]
    assert [(one["file"], one["line"]) for one in found["mistakes"]] == [("b.flow.yaml", 3)]


def test_a_folder_without_flows(tmp_path: Path) -> None:
    ended = run(tmp_path, "flow", "check", ".")
    assert ended.status == 2
    PROSE.holds("run: no flows", ended.stderr)
