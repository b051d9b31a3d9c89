"""`signoff hosts`: models and measurements, those of the program and those of the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.hosts.measured.values import Did, MeasuredCell, Measurement
from signoff.app.storage.policy_files import record_text
from tests.cli.running import run
from tests.servers import named
from tests.tiers import first_quick


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


def test_a_conflict_with_the_model_is_named_in_every_form(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.RAN)
    lines = run(tmp_path, "hosts", **home).stdout
    assert all(f"\n{name} " in lines for name in ("vscode", "codex", "claude-code"))
    assert "1 conflict with its rules" in lines
    one = run(tmp_path, "hosts", "codex", **home).stdout
    assert "measured exec, headless  9.9" in one
    assert "‡ destructive=true: measured ran, by its rules refuse" in one
    report = run(tmp_path, "hosts", "codex", "--json", **home).report
    assert {"codex", "codex:exec"} <= {one["name"] for one in report["models"]}
    (newest,) = [one for one in report["measurements"] if one["version"] == "9.9"]
    conflict = {"probe": "hints/destructive=true", "did": "ran", "model": "refuse"}
    assert newest["conflicts"] == [conflict]
    rows = run(tmp_path, "hosts", "codex", "--markdown", **home).stdout.splitlines()
    assert any(row.startswith("| codex:exec | 9.9 | headless | ") for row in rows)
    words = ("matrix", "--hosts", "codex:exec", "--json", "--", *named("erase=d", "look=r"))
    cell = run(tmp_path, *words, **home).report["tools"][0]["cells"][0]["untrusted"]
    assert (cell["word"], cell["known_by"]) == ("run", "conflict")


def test_what_agrees_is_shown_and_a_broken_file_left_out(tmp_path: Path) -> None:
    home = saved(tmp_path, Did.REFUSED)
    one = run(tmp_path, "hosts", "codex:exec", **home).stdout
    assert "as the rules of codex:exec" in one
    assert "‡ destructive" not in one
    (tmp_path / "data" / "signoff" / "measured" / "broken.json").write_text("{")
    ended = run(tmp_path, "hosts", **home)
    assert ended.status == 0
    assert "left out: broken.json: no JSON" in ended.stderr
    assert "9.9" in ended.stdout


@pytest.mark.parametrize(
    ("name", "words"),
    first_quick(
        [
            ("codx", ("unknown host codx", "did you mean codex?")),
            ("zzz", ("unknown host zzz",)),
            ("codex:exac", ("did you mean exec?",)),
        ],
        several=True,
    ),
)
def test_an_unknown_host_is_named(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    ended = run(tmp_path, "hosts", name)
    assert ended.status == 2
    assert all(one in ended.stderr for one in words)


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    first_quick(
        [
            ("codex:exec", "rules codex:exec ", "rules codex:prompt"),
            ("cursor:unattended", "refuses what would ask", "\0"),
            ("vscode", "not measured: needs a desktop", "\0"),
            ("vscode:sandboxed", "not measured: needs a desktop", "\0"),
            ("copilot-cli", "copilot-cli", "not measured"),
        ],
        2,
        several=True,
    ),
)
def test_one_host_or_mode(tmp_path: Path, name: str, has: str, lacks: str) -> None:
    shown = run(tmp_path, "hosts", name).stdout
    assert has in shown
    assert lacks not in shown


@pytest.mark.slow
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
