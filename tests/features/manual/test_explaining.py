"""`signoff explain`: codes and exit statuses in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.features.lint.linting import RULES
from signoff.app.features.manual.explaining import explained, kinds, known
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.protocol.findings.codes import CODES
from tests.approved import approved
from tests.cli.running import run

PROSE = approved("manual")


def test_everything_known_has_words() -> None:
    assert known() >= {*CODES, *RULES, *(str(int(one)) for one in ExitStatus)}
    assert [code for code in known() if not explained(code)] == []


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_finding_has_its_meaning_and_its_place(code: str) -> None:
    lines = explained(code)
    assert lines[0].startswith(f"{code}   ")
    meaning = RULES[code].title if code in RULES else CODES[code].meaning
    assert f"What   {meaning}" in lines
    assert any(line.startswith("Seen in ") for line in lines)


@pytest.mark.parametrize(
    "code",
    [
        "contradictory-hints",
        "message-over-lines",
        "sign-in-no-pkce",
        "done-before-answer",
        "stops-asking",
        "approvals-off",
        "7",
        "130",
    ],
)
def test_an_explanation(tmp_path: Path, code: str) -> None:
    ended = run(tmp_path, "explain", code)
    assert (ended.status, ended.stderr) == (0, "")
    PROSE.holds(code, ended.stdout)


def test_without_a_code_all_are_listed(tmp_path: Path) -> None:
    ended = run(tmp_path, "explain")
    assert ended.status == 0
    for kind, codes in kinds():
        assert f"\n{kind}\n" in f"\n{ended.stdout}"
        assert [code for code in codes if f"    {code}" not in ended.stdout] == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("contradictory-hint", "did you mean contradictory-hints?"),
        ("stop-asking", "did you mean stops-asking?"),
        ("42", "no such code: 42"),
        ("-1", ""),
        ("٤", "no such code"),
        ("\x1b[2J", "signoff explain lists all"),
        ("what", "signoff explain lists all"),
    ],
)
def test_an_unknown_code_is_refused(tmp_path: Path, code: str, words: str) -> None:
    ended = run(tmp_path, "explain", code)
    assert ended.status == 2
    assert words in ended.stderr
    assert "\x1b" not in ended.stderr
    assert ended.stdout == ""
