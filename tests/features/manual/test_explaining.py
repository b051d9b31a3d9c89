"""`signoff explain`: codes and exit statuses in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from signoff.app.features.lint.linting import RULES
from signoff.app.features.manual.explaining import explained, kinds, known
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.protocol.findings.codes import CODES
from signoff.app.protocol.findings.explanations.every import EXPLANATIONS, sections
from tests.approved import approved
from tests.cli.running import run
from tests.manual import holds

PROSE = approved("manual")
LONGEST = 22
"""Words of a sentence."""


def test_everything_known_has_words() -> None:
    assert known() >= {*CODES, *RULES, *(str(int(one)) for one in ExitStatus)}
    assert [code for code in known() if not explained(code)] == []


def test_each_finding_is_explained_once() -> None:
    assert not EXPLANATIONS.keys() & RULES.keys()
    assert {*EXPLANATIONS} == {*CODES} - {*RULES}


def test_the_reference_has_the_explanations() -> None:
    holds("reference/finding-explanations", "explanations", sections())


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_finding_has_a_reason_an_example_and_a_fix(code: str) -> None:
    lines = explained(code)
    for begin in ("What   ", "Why    ", "Fix    "):
        (words,) = (line.removeprefix(begin) for line in lines if line.startswith(begin))
        assert words.strip()
    if code in RULES:
        assert [line for line in lines if line in ("Bad example:", "In the baseline:")]
        return
    assert lines[lines.index("Example:") + 1].strip()
    one = EXPLANATIONS[code]
    for sentence in re.split(r"(?<=[.:;])\s+", f"{one.why} {one.fix}"):
        assert len(sentence.split()) <= LONGEST, sentence
    assert one.why.endswith(".")
    assert one.fix.endswith(".")


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
