"""`signoff resources`, `signoff prompts` and `signoff prompt`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import offering

PROSE = approved("cli-call")


def signoff(folder: Path, *words: str, server: tuple[str, ...] = ()) -> Ended:
    argv = [sys.executable, "-S", offering.__file__, str(folder / "record"), *server]
    return run(folder, *words, "--no-audit", "--no-memory", "--", *argv)


def prompts_sent(folder: Path) -> list[dict[str, object]]:
    record = folder / "record"
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    sent = [json.loads(line) for line in lines]
    return [one["params"] for one in sent if one["method"] == "prompts/get"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_resources_and_templates_are_listed_with_all_that_is_said_of_them(
    tmp_path: Path, era: str
) -> None:
    ended = signoff(tmp_path, "resources", server=(era,))
    assert ended.status == 0
    PROSE.holds("resources: listed", ended.stdout)


def test_the_reports_have_every_entry_as_it_came(tmp_path: Path) -> None:
    report = signoff(tmp_path, "resources", "--json").report
    assert [one["entry"] for one in report["resources"]] == offering.RESOURCES
    assert report["templates"][0]["variables"] == ["author", "title", "page"]
    assert report["templates"][1]["variables"] is None
    report = signoff(tmp_path, "prompts", "--json").report
    wanted = [{"name": "name", "required": True}, {"name": "language", "required": False}]
    assert report["prompts"][1]["arguments"] == wanted
    assert report["server"]["name"]
    ended = signoff(tmp_path, "prompts", "--json", server=("bare",))
    assert (ended.status, ended.report["prompts"], ended.report["findings"]) == (0, [], [])


def test_a_prompt_is_asked_for_once_as_it_was_approved(tmp_path: Path) -> None:
    ended = signoff(tmp_path, "prompt", "greet", "-a", "name=A=b", "--approve", "always")
    assert ended.status == 0
    assert "prompt   greet   name=A=b\n" in ended.stdout
    assert "user\n" in ended.stdout
    PROSE.holds("prompt: greet", ended.stdout.partition("\n\n")[2])
    assert prompts_sent(tmp_path) == [{"name": "greet", "arguments": {"name": "A=b"}}]
    secret = "name=ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    ended = signoff(tmp_path, "prompt", "greet", "-a", secret, "--approve", "always")
    assert "ghp_16C7e42F" not in ended.stdout
    assert "secrets are masked" in ended.stdout


@pytest.mark.parametrize("approve", ["never", "policy", "ask"])
def test_what_nobody_approves_is_not_asked_for(tmp_path: Path, approve: str) -> None:
    ended = signoff(tmp_path, "prompt", "plain", "--approve", approve, "--json")
    assert ended.status == 3
    assert ended.report["method"] == "prompts/get"
    assert prompts_sent(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("gret", "prompt: an unknown one"),
        ("greet", "prompt: a missing argument"),
        ("greet -a name=x -a nme=y", "prompt: an unknown argument"),
        ("greet -a name", "prompt: an argument without a value"),
        ("greet --although-invalid -a nme=y", ""),
    ],
)
def test_what_makes_no_sense_is_sent_only_although_it_is_invalid(
    tmp_path: Path, words: str, key: str
) -> None:
    ended = signoff(tmp_path, "prompt", *words.split(), "--approve", "always")
    assert ended.status == (2 if key else 1)
    if key:
        PROSE.holds(key, ended.stderr)
    sent = [] if key else [{"name": "greet", "arguments": {"nme": "y"}}]
    assert prompts_sent(tmp_path) == sent
