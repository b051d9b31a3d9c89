"""Names that there are not: the command line says what was probably meant, and ends with 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.commands import run


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["tols", "demo"], "tools"),
        (["tools", "dmeo"], "demo"),
        (["policy", "lst"], "list"),
        (["audit", "shwo"], "show"),
        (["call", "x", "demo", "--aprove", "always"], "--approve"),
        (["call", "x", "demo", "--approve", "alwyas"], "always"),
        (["--grphics", "off", "demo"], "--graphics"),
        (["tools", "demo", "--protocol", "leagcy"], "legacy"),
        (["tools", "demo", "--policy", "cautios"], "cautious"),
        (["tools", "demo", "--as", "VS Cod"], "vscode"),
        (["policy", "show", "frist-use"], "first-use"),
        (["matrix", "demo", "--columns", "cautious,codxe"], "codex"),
    ],
)
def test_a_name_that_there_is_not(words: list[str], meant: str, tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert (found.status, found.stdout) == (2, "")
    assert f"did you mean {meant}?" in found.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["call", "x", "demo", "--xyzzy\x1b[31m"],
        ["nothing-of-the-kind", "demo"],
        ["tools", "demo", "--as", "\x1b[31m\u202e" * 9],
        ["tools", "demo", "--policy", "\x1b[31m\u202e" * 9],
    ],
)
def test_what_is_like_nothing_gets_no_suggestion(words: list[str], tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert found.status == 2
    assert "did you mean" not in found.stderr
    assert "\x1b" not in found.stderr
    assert "\u202e" not in found.stderr


def test_a_secret_in_an_unknown_option_is_not_repeated(tmp_path: Path) -> None:
    found = run(tmp_path, "call", "x", "demo", "--api-key=sk-hunter2hunter2hunter2")
    assert found.status == 2
    assert "hunter2" not in found.stderr


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["call", "demo", "delete_file"], "signoff call delete_file demo"),
        (["call", "demo", "odd name", "-a", "x=1"], "signoff call 'odd name' demo"),
        (["read", "demo", "demo://a"], "signoff read demo://a demo"),
        (["policy", "explain", "demo", "echo"], "signoff policy explain echo demo"),
    ],
)
def test_a_server_before_its_tool(words: list[str], meant: str, tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert (found.status, found.stdout) == (2, "")
    assert f"did you mean `{meant}`?" in found.stderr


def test_what_stands_in_the_wrong_place_is_shown_safely(tmp_path: Path) -> None:
    found = run(tmp_path, "call", "demo", "\x1b[31m\u202e")
    assert found.status == 2
    assert "did you mean" in found.stderr
    assert "\x1b" not in found.stderr
    assert "\u202e" not in found.stderr
