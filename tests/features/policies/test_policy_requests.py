"""`signoff policy explain --on`, and calls whose server asks what a policy refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import run
from tests.servers import raw

PROSE = approved("cli-policy")

POLICY = """\
name = "mine"
summary = "A test."

[[rule]]
then = "allow"

[[rule]]
name = "pages"
on = "elicitation"
mode = "url"
host = "*.test"
then = "refuse"
reason = "no pages"

[[rule]]
name = "our server"
on = "elicitation"
server = "ours"
then = "refuse"
"""
VISIT = {"mode": "url", "message": "?", "url": "https://login.test/"}


@pytest.fixture
def policy(tmp_path: Path) -> str:
    file = tmp_path / "mine.toml"
    file.write_text(POLICY, encoding="utf-8")
    return str(file)


def test_explain_says_what_a_policy_says_of_a_request(tmp_path: Path, policy: str) -> None:
    words = ("policy", "explain", "--on", "elicitation", "--policy", policy)
    target = ("--args", json.dumps(VISIT), "--", *raw("--only", "slow"))
    shown = run(tmp_path, *words, *target)
    assert shown.status == 0
    lines = shown.stdout.splitlines()
    assert [line.split()[-1] for line in (lines[0], lines[2])] == ["elicitation", "mine"]
    assert lines[1].startswith("  decision   refused · ")
    PROSE.holds("explain: a request", shown.stdout)
    report = run(tmp_path, *words, "--json", *target).report
    assert report["verdict"]["rule"] == "rule 2: pages"
    assert [one["outcome"] for one in report["rules"]] == ["fired", "not reached"]
    assert (report["policy"]["rules"], report["policy"]["request_rules"]) == (1, 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--on", "sampling", "echo"], "TOOL"),
        (["--on", "sampling", "-a", "x=1"], "-a"),
        (["--on", "smpling"], "smpling"),
        (["--on", "elicitation", "--args", "{}"], "--args"),
        ([], "TOOL"),
    ],
)
def test_explain_takes_a_tool_or_what_the_server_asks(
    tmp_path: Path, words: list[str], said: str
) -> None:
    ended = run(tmp_path, "policy", "explain", *words, "--", *raw("--only", "slow"))
    assert ended.status == 2
    assert said in ended.stderr


def test_check_counts_rules_of_both_kinds(tmp_path: Path, policy: str) -> None:
    ended = run(tmp_path, "policy", "check", policy)
    PROSE.holds("check: rules of both kinds", ended.stdout)


@pytest.mark.parametrize(("name", "told"), [("ours", "decline"), ("theirs", "accept")])
def test_a_call_declines_what_the_policy_refuses_whatever_the_file_says(
    tmp_path: Path, policy: str, name: str, told: str
) -> None:
    answers = tmp_path / "answers.json"
    accept = {"action": "accept", "content": {"sure": True}}
    answers.write_text(json.dumps({"elicitation": [accept]}), encoding="utf-8")
    options = ("--policy", policy, "--answer", str(answers), "--name", name, "--json")
    server = raw("--only", "asks_elicitation", "--era", "modern")
    report = run(tmp_path, "call", "asks_elicitation", *options, "--", *server).report
    assert told in json.dumps(report["result"])
    declined = [one["message"] for one in report["findings"] if one["code"] == "asked-by-server"]
    by_rule = "by policy: rule 3: our server (mine.toml line 15)"
    assert any(by_rule in one for one in declined) is (told == "decline")
