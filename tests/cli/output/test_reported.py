"""Habits of servers from public reports: the honest part works, and the habit is a finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tests.servers import reported
from tests.tiers import first_quick

ASIDE = ("--no-audit", "--no-memory")
EXPECTED = {
    "plain": (0, []),
    "announces-before": (0, ["list-not-changed"]),
    "announces-after": (0, ["list-not-changed"]),
    "batch": (0, ["batch"]),
    "batch-2025": (0, []),
    "empty-cursor": (4, ["cursor-ignored"]),
    "ignored-cursor": (4, ["cursor-ignored"]),
    "log-prefix": (4, ["text-beside-message"]),
    "log-suffix": (4, ["text-beside-message"]),
    "one-line": (4, ["messages-on-one-line"]),
    "nul": (4, ["nul-on-stdout"]),
    "prompts-only": (0, []),
    "prompts-refuses": (0, []),
}
ABOUT_OTHERS = {"method-missing", "notice-undeclared", "declared-not-served", "unknown-annotation"}
"""What else doctor finds about so small a server."""


def codes(report: dict[str, Any]) -> list[str]:
    found = [one["code"] for one in report["findings"] if one["severity"] != "note"]
    return sorted({code for code in found if code not in ABOUT_OTHERS})


@pytest.mark.parametrize("habit", first_quick(EXPECTED, 5))
def test_doctor_names_the_habit(habit: str, tmp_path: Path) -> None:
    status, expected = EXPECTED[habit]
    ended = run(tmp_path, "doctor", "--json", *ASIDE, "--", *reported(habit))
    assert codes(ended.report) == expected
    assert ended.status == status
    offers = ended.report["offers"]
    assert (offers["tools"], offers["prompts"]) == ((0, 1) if "prompts" in habit else (1, 0))


@pytest.mark.parametrize(
    "habit", first_quick([*(one for one in EXPECTED if "prompts" not in one), "float-id"], 5)
)
def test_the_answer_of_a_call_arrives(habit: str, tmp_path: Path) -> None:
    ended = run(
        *(tmp_path, "call", "echo", "--json", *ASIDE, "--trust", "--approve", "always"),
        *("--", *reported(habit)),
    )
    assert ended.report["outcome"] == "ok"
    assert ended.report["result"]["content"][0]["text"] == "hello"
    missing = set(EXPECTED.get(habit, (4, ["malformed-id"]))[1]) - {*codes(ended.report)}
    assert missing <= {"list-not-changed"}, "known after the second list"


@pytest.mark.parametrize("habit", ["plain", "batch", "batch-2025", "log-prefix", "one-line"])
def test_a_message_is_judged_however_it_came(habit: str, tmp_path: Path) -> None:
    ended = run(
        *(tmp_path, "call", "echo", "--json", *ASIDE, "--trust", "--approve", "always"),
        *("--", *reported(habit)),
    )
    # It declares no logging, and logs during the call.
    assert "notice-undeclared" in {one["code"] for one in ended.report["findings"]}


@pytest.mark.slow
def test_a_server_that_answers_when_its_stdin_is_closed_is_asked_about_flushing(
    tmp_path: Path,
) -> None:
    ended = run(
        *(tmp_path, "doctor", "--json", *ASIDE, "--connect-timeout", "2"),
        *("--", *reported("buffered")),
    )
    assert ended.status == 5
    assert set(codes(ended.report)) == {"answer-held-back", "not-examined"}


@pytest.mark.parametrize("habit", first_quick(["ends", "utf-16"]))
def test_doctor_finds_no_health_in_what_it_could_not_examine(habit: str, tmp_path: Path) -> None:
    words = ("--connect-timeout", "2", "--", *reported(habit))
    ended = run(tmp_path, "doctor", *ASIDE, *words)
    assert ended.status == 5
    assert "not-examined" in ended.stdout
    assert "no problems" not in ended.stdout
    gone = run(tmp_path, "doctor", *ASIDE, "--", "/nowhere/at-all")
    assert "not-examined" in gone.stdout


BROKEN = {
    **dict.fromkeys(("content-null", "content-object", "content-string"), "malformed-content"),
    **dict.fromkeys(("data-url", "no-uri", "size-text", "no-name"), "malformed-block"),
    **dict.fromkeys(("surrogate", "surrogate-structured"), "lone-surrogate"),
    "no-mime-type": "malformed-block",
}


@pytest.mark.parametrize("habit", first_quick(BROKEN, 4))
def test_a_block_that_clients_reject_is_a_finding_and_a_status(habit: str, tmp_path: Path) -> None:
    ended = run(
        *(tmp_path, "call", "echo", "--json", *ASIDE, "--trust", "--approve", "always"),
        *("--", *reported(habit)),
    )
    assert ended.status == 4
    assert BROKEN[habit] in codes(ended.report)
    is_unreadable = BROKEN[habit] == "malformed-content"
    assert ended.report["outcome"] == ("unreadable" if is_unreadable else "ok")


@pytest.mark.parametrize(
    ("habit", "path"),
    [("error-code-string", "/error/code"), ("error-without-message", "/error/message")],
)
def test_an_error_without_its_members_is_a_finding_of_the_call(
    habit: str, path: str, tmp_path: Path
) -> None:
    ended = run(
        *(tmp_path, "call", "echo", "--json", *ASIDE, "--trust", "--approve", "always"),
        *("--", *reported(habit)),
    )
    assert ended.report["outcome"] == "protocol-error"
    assert path in [one["path"] for one in ended.report["findings"]]
