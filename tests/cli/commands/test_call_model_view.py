"""`signoff call --model-view`: the text of hosts' models, as lines and as JSON."""

from __future__ import annotations

from pathlib import Path

from signoff.app.analysis.model_view.table import model_hosts
from signoff.app.headless.exit_status import ExitStatus
from tests.approved import approved
from tests.headless.commands import call, run

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
    ended = run(tmp_path, *call("is_error", "--trust", "--model-view", "kimi-code,agent-framework"))
    _, _, views = ended.stdout.partition("\n\nmodel of ")
    PROSE.holds("call --model-view: an error", f"model of {views}")


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
