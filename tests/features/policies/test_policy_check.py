"""`signoff policy check` warns of patterns that take too long, and of paths that lead elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from signoff.app.features.policies.command import run_check
from signoff.app.presentation.exit_status import ExitStatus
from tests.approved import approved
from tests.cli.running import run
from tests.tiers import first_quick

PROSE = approved("cli-policy")

HEAD = 'name = "mine"\nsummary = "A test."\n'


def rule(test: str, then: str = "allow") -> str:
    return f'[[rule]]\nthen = "{then}"\n[[rule.argument]]\nat = "/path"\n{test}\n'


def warnings(
    folder: Path, capsys: pytest.CaptureFixture[str], *rules: str, status: int = ExitStatus.OK
) -> list[str]:
    file = folder / "mine.toml"
    file.write_text(HEAD + "".join(rules), encoding="utf-8")
    assert run_check(str(file)) == status
    shown = capsys.readouterr()
    assert (shown.err == "") == (status == ExitStatus.OK)
    lines = shown.out.splitlines()
    return [line for line in lines if line.startswith("warning: ")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("matches = '(a+)+b'", 'matches "(a+)+b" '),
        ("matches = '(?:a|aa|ab)*c'", 'matches "(?:a|aa|ab)*c" '),
        ("matches = 'x\\w*\\w*\\w*\\w*:'", 'matches "x\\w*\\w*\\w*\\w*:" '),
        ("schema = { pattern = '^(a+)+$' }", 'the pattern "^(a+)+$" of its schema '),
        (
            "schema = { properties = { a = { patternProperties = { '^(a|aa)+$' = {} } } } }",
            'the pattern "^(a|aa)+$" of its schema ',
        ),
    ],
)
def test_what_takes_too_long_is_named_with_a_text_that_shows_it(
    test: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [warning] = warnings(tmp_path, capsys, rule(test))
    assert warning.startswith(f"warning: line 3, rule 1: {words}")
    measured = re.sub(" on a text like .*;", " on a text like TEXT;", warning)
    PROSE.holds("check: a slow pattern", measured, PATTERN=words.strip())


@pytest.mark.slow
def test_a_schema_that_refers_to_itself_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    level = "{ allOf = [{ '$ref' = '#/$defs/d%d' }, { '$ref' = '#/$defs/d%d' }] }"
    levels = ", ".join(f"d{n} = {level % (n + 1, n + 1)}" for n in range(30))
    schema = f"schema = {{ '$ref' = '#/$defs/d0', '$defs' = {{ {levels}, d30 = {{}} }} }}"
    [warning] = warnings(tmp_path, capsys, rule(schema, "refuse"))
    PROSE.holds("check: a slow schema", re.sub(r"\d[\d.,]* s\b", "TIME", warning))


@pytest.mark.slow
def test_a_pattern_of_a_schema_is_ecma_262_and_tried_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert warnings(tmp_path, capsys, rule(r"schema = { pattern = '\p{L}' }")) == []
    [warning] = warnings(tmp_path, capsys, rule(r"schema = { pattern = '^(?<a>\p{L}+)+$' }"))
    assert "of its schema" in warning


@pytest.mark.parametrize(
    "test",
    [
        "matches = 'scratch/[a-z0-9_-][a-z0-9._-]*'",
        "matches = '(?:[a-z]+/)*[a-z]+'",
        "matches = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'",
        "matches = '.*'",
        "glob = 'delete_*'",
        "schema = { type = 'string', pattern = '^[a-z]{1,20}$' }",
        "is = '(a+)+b'",
    ],
)
def test_what_is_harmless_is_not_warned_of(
    test: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert warnings(tmp_path, capsys, rule(test)) == []


def test_a_repeat_right_within_a_repeat_that_no_text_showed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # No text that is tried keeps to the condition in front.
    [warning] = warnings(tmp_path, capsys, rule("matches = '(?=.*z)(a+)+b'", "ask"))
    PROSE.holds("check: a repeat in a repeat", warning)


@pytest.mark.parametrize(
    ("test", "way"),
    [
        ("matches = 'scratch/[a-z0-9._-]+'", "scratch/.."),
        ("matches = '/tmp/.+[.]txt'", "/tmp/../x.txt"),
        ("glob = 'scratch/*'", "scratch/.."),
        ("glob = '/tmp/?*/x'", "/tmp/../x"),
    ],
)
def test_a_path_that_leads_out_of_the_folder(
    test: str, way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [warning] = warnings(tmp_path, capsys, rule(test))
    condition = test.replace(" = ", " ").replace("'", '"')
    PROSE.holds("check: out of the folder", warning, CONDITION=condition, WAY=f'"{way}"')
    assert warnings(tmp_path, capsys, rule(test, "refuse")) == []


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([rule("matches = '(?<=a+)b'")], "look-behind"),
        ([rule(f"glob = '{'a' * 501}*'")], "502"),
        ([rule(f"schema = {{ enum = {list(range(501))} }}")], "500 nodes"),
        ([rule("schema = { '$ref' = '#/nowhere' }")], "refers to"),
        ([rule(f"schema = {{ enum = {list(range(400))} }}")] * 13, "5,226"),
    ],
    ids=["a look-behind", "a long glob", "many nodes", "no such schema", "many values in all"],
)
def test_what_cannot_be_used_is_a_mistake(rules: list[str], words: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(HEAD + "".join(rules), encoding="utf-8")
    # A file of this folder is taken by its name.
    ended = run(tmp_path, "policy", "check", "mine")
    assert ended.status == ExitStatus.USAGE
    assert words in ended.stderr
    assert len(rules) > 1 or "mine line 7: " in ended.stderr
    assert run(tmp_path, "policy", "check", "yours").status == ExitStatus.USAGE


@pytest.mark.parametrize("command", first_quick(["call", "explain"]))
def test_a_pattern_that_takes_for_ever_asks_and_says_why(command: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(HEAD + rule("matches = '(a+)+b'"), encoding="utf-8")
    words = ("delete_file", "demo", "-a", f"path={'a' * 44}", "--policy", str(file))
    if command == "call":
        ended = run(tmp_path, "call", *words, "--json", "--approve", "policy")
        assert ended.status == 3
        [unjudged] = ended.report["verdict"]["unjudged"]
        PROSE.holds("explain: not judged", unjudged.partition(" for argument")[0])
        assert unjudged in ended.report["verdict"]["reasons"]
        return
    report = run(tmp_path, "policy", "explain", *words, "--json").report
    [unjudged] = report["verdict"]["unjudged"]
    assert report["rules"][0]["outcome"] == "passed over"
    assert "(a+)+b" in report["rules"][0]["why"][0]
    assert unjudged in run(tmp_path, "policy", "explain", *words).stdout
