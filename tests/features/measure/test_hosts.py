"""`signoff hosts`: models and measurements, those of the program and those of the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.hosts.measured.values import Did, MeasuredCell, Measurement
from signoff.app.storage.policy_files import record_text
from tests.cli.running import run
from tests.servers import named


def saved(folder: Path, did: Did) -> dict[str, str]:
    """A data folder with a measurement of a mode that a model has; returns its variable."""
    cell = MeasuredCell("hints/destructive=true", {"destructiveHint": True}, did, "proof")
    found = Measurement(
        *("codex", "Codex", "9.9", "exec", "headless", "linux", "2099-01-01", "0.1.0", (cell,)),
        model="codex:exec",
        starts=1,
    )
    data = folder / "data"
    place = data / "signoff" / "measured"
    place.mkdir(parents=True, exist_ok=True)
    (place / "codex.json").write_text(record_text([found]))
    return {"XDG_DATA_HOME": str(data)}


def test_every_host_has_a_row(tmp_path: Path) -> None:
    lines = run(tmp_path, "hosts").stdout
    for name in ("vscode", "codex", "claude-code"):
        assert f"\n{name} " in lines


def test_a_conflict_with_the_model_is_named(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.RAN)
    assert "1 conflict with its rules" in run(tmp_path, "hosts", **home).stdout
    one = run(tmp_path, "hosts", "codex", **home).stdout
    assert "measured exec, headless  9.9" in one
    assert "‡ destructive=true: measured ran, by its rules refuse" in one


def test_what_agrees_is_said(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.REFUSED)
    one = run(tmp_path, "hosts", "codex:exec", **home).stdout
    assert "as the rules of codex:exec" in one
    assert "‡ destructive" not in one


def test_the_matrix_has_what_was_measured(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.RAN)
    server = named("erase=d", "look=r")
    words = ("matrix", "--hosts", "codex:exec", "--json", "--", *server)
    report = json.loads(run(tmp_path, *words, **home).stdout)
    cell = report["tools"][0]["cells"][0]["untrusted"]
    assert (cell["word"], cell["known_by"]) == ("run", "conflict")


def test_json_has_models_and_measurements(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.RAN)
    report = run(tmp_path, "hosts", "codex", "--json", **home).report
    assert {"codex", "codex:exec"} <= {one["name"] for one in report["models"]}
    newest = [one for one in report["measurements"] if one["version"] == "9.9"]
    assert newest[0]["conflicts"] == [
        {"probe": "hints/destructive=true", "did": "ran", "model": "refuse"}
    ]


def test_markdown_has_a_row_for_each_mode(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.RAN)
    lines = run(tmp_path, "hosts", "codex", "--markdown", **home).stdout.splitlines()
    assert any(line.startswith("| codex:exec | 9.9 | headless | ") for line in lines)


@pytest.mark.parametrize(("name", "hint"), [("codx", "did you mean codex?"), ("zzz", "")])
def test_an_unknown_host_is_named(tmp_path: Path, name: str, hint: str) -> None:
    ended = run(tmp_path, "hosts", name)
    assert ended.status == 2
    assert f"unknown host {name}" in ended.stderr
    assert hint in ended.stderr


def test_a_broken_file_is_left_out_and_named(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.RAN)
    place = tmp_path / "data" / "signoff" / "measured"
    (place / "broken.json").write_text("{")
    ended = run(tmp_path, "hosts", **home)
    assert ended.status == 0
    assert "left out: broken.json: no JSON" in ended.stderr
    assert "9.9" in ended.stdout


def test_of_one_mode_nothing_else_is_shown(tmp_path: Path) -> None:
    one = run(tmp_path, "hosts", "codex:exec").stdout
    assert "rules codex:exec " in one
    assert "rules codex:prompt" not in one
    assert "refuses what would ask" in run(tmp_path, "hosts", "cursor:unattended").stdout
    ended = run(tmp_path, "hosts", "codex:exac")
    assert ended.status == 2
    assert "did you mean exec?" in ended.stderr


def test_a_host_is_told_with_how_long_it_waits(tmp_path: Path) -> None:
    lines = run(tmp_path, "hosts", "opencode").stdout
    assert "slow calls build, headless" in lines
    assert "  progress: did not give up in 900 s" in lines
    assert "gave up after 60 s, cancelled: McpError" in lines
    assert "| waits, in |" in run(tmp_path, "hosts", "--markdown").stdout
    slow = json.loads(run(tmp_path, "hosts", "opencode", "--json").stdout)["slow_calls"]
    assert {one["surface"] for one in slow} == {"headless", "acp"}
    assert {one["probe"] for one in slow[0]["cells"]} == {
        f"patience/{name}" for name in ("silence", "progress", "log", "ping")
    }
    run(tmp_path, "hosts", "opencode", "--html", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Did not give up in 900 s: progress." in page


def test_a_host_of_which_only_slow_calls_are_known_is_shown(tmp_path: Path) -> None:
    cell = MeasuredCell(
        "patience/silence", {}, Did.RAN, "", facts={"waited s": 7.0, "gave up after s": 7.0}
    )
    fields = ("own", "Own agent", "1", "", "acp", "linux", "2099-01-01", "0.1.0", (cell,))
    home = saved(tmp_path, Did.RAN)
    place = Path(home["XDG_DATA_HOME"]) / "signoff" / "measured" / "own-patience.json"
    place.write_text(record_text([Measurement(*fields)]), encoding="utf-8")
    lines = run(tmp_path, "hosts", "own", **home).stdout
    assert lines.startswith("Own agent (own)")
    assert "silence: gave up after 7 s, not cancelled; the model got: nothing" in lines


def test_a_host_that_is_not_measured_says_what_it_needs(tmp_path: Path) -> None:
    assert "not measured: needs a desktop" in run(tmp_path, "hosts", "vscode").stdout
    assert "not measured: needs a desktop" in run(tmp_path, "hosts", "vscode:sandboxed").stdout
    assert "not measured" not in run(tmp_path, "hosts", "copilot-cli").stdout
