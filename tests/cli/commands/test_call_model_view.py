"""`signoff call --model-view`: the text of hosts' models, as lines and as JSON."""

from __future__ import annotations

from pathlib import Path

from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.presentation.exit_status import ExitStatus
from tests.approved import approved
from tests.cli.running import call, run

PROSE = approved("model-view")


def test_every_host_is_in_the_report(tmp_path: Path) -> None:
    ended = run(tmp_path, *call("structured", "--trust", "--json", "--model-view", "all"))
    views = ended.report["model_view"]
    assert [one["host"] for one in views] == list(model_hosts())
    assert all(one["texts"] for one in views)


def test_losses_of_an_error_are_in_the_report(tmp_path: Path) -> None:
    ended = run(tmp_path, *call("is_error", "--trust", "--json", "--model-view", "continue, cline"))
    assert ended.status == ExitStatus.TOOL_ERROR
    lossy, whole = ended.report["model_view"]
    assert [one["part"] for one in lossy["lost"]] == ["isError"]
    assert whole["lost"] == whole["not_known"] == []


def test_lines_follow_the_response(tmp_path: Path) -> None:
    keys = {
        "kimi-code": "call --model-view: an error",
        "agent-framework": "call --model-view: an error without its words",
    }
    for host, key in keys.items():
        ended = run(tmp_path, *call("is_error", "--trust", "--model-view", host))
        _, _, view = ended.stdout.partition("\n\nmodel of ")
        PROSE.holds(key, f"model of {view}")


def test_without_a_response_there_is_no_view(tmp_path: Path) -> None:
    ended = run(tmp_path, *call("error", "--trust", "--json", "--model-view", "all"))
    assert ended.report["model_view"] == []
    assert "model gets" in run(tmp_path, *call("error", "--trust", "--model-view", "all")).stdout


def test_unknown_hosts_and_several_calls_are_refused(tmp_path: Path) -> None:
    ended = run(tmp_path, *call("is_error", "--model-view", "codx"))
    assert ended.status == ExitStatus.USAGE
    assert "did you mean codex" in ended.stderr
    ended = run(tmp_path, *call("is_error", "--twice", "--model-view", "codex"))
    assert ended.status == ExitStatus.USAGE
    assert "--twice" in ended.stderr


def test_all_hosts_are_in_a_table_with_each_loss_once(tmp_path: Path) -> None:
    ended = run(tmp_path, *call("echo", "--trust", "--model-view", "all"))
    lines = ended.stdout.splitlines()
    assert len(lines) < 45
    for host in model_hosts().values():
        assert ended.stdout.count(host.words) <= 3
        assert host.words in ended.stdout
    [at] = [number for number, line in enumerate(lines) if line.startswith("  models of")]
    assert any("✓ gets everything" in line for line in lines[at:])
    assert not any("basis" in line.split()[:1] for line in lines[at:])


def test_one_host_has_its_text_and_its_basis(tmp_path: Path) -> None:
    shown = run(tmp_path, *call("echo", "--trust", "--model-view", "codex")).stdout
    assert "\n  basis " in shown
    assert "model gets" in shown
