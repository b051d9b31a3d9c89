"""`signoff tasks`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.engine.bundled import served_over_http

PROSE = approved("cli-call")

QUIET = ("--no-audit", "--no-memory")


@pytest.mark.slow
def test_what_an_earlier_run_began_is_listed(tmp_path: Path) -> None:
    with served_over_http() as url:
        server = ("--url", url, "--protocol", "legacy", *QUIET)

        def signoff(*words: str) -> Ended:
            return run(tmp_path, *words, *server)

        brewed = signoff("call", "brew_beer", "--approve", "always", "--json")
        assert brewed.status == 0
        identity = brewed.report["task"]["id"]
        ended = signoff("tasks", "--json")
        assert ended.status == 0
        (task,) = ended.report["tasks"]
        assert (task["id"], task["status"], task["ttl"]) == (identity, "completed", 600_000)
        assert task["entry"]["taskId"] == identity
        assert 0 < task["seconds_left"] <= 600
        assert ended.report["has_list"] is True
        lines = signoff("tasks").stdout
        for words in ("1 task\n", f"{identity}\n", "  status      completed\n", " left\n"):
            assert words in lines, words


@pytest.mark.slow
def test_a_server_without_a_list_says_so(tmp_path: Path) -> None:
    ended = run(tmp_path, "tasks", "demo", "--protocol", "2026-07-28", *QUIET)
    assert ended.status == 0
    PROSE.holds("tasks: no list", ended.stdout)
    report = run(tmp_path, "tasks", "demo", "--protocol", "2026-07-28", "--json", *QUIET).report
    assert (report["has_list"], report["tasks"]) == (False, [])
