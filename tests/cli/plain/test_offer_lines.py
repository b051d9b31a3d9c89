"""Plain mode lists what a server has beside its tools, reads it, and asks for prompts."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import run
from tests.servers import offering, raw

PROSE = approved("cli-plain")

ALLOWED = ("--plain", "demo", "--policy", "allow-all")


def said(folder: Path, *typed: str, words: tuple[str, ...] = ALLOWED) -> list[str]:
    """What is said after each line that was typed."""
    shown = run(folder, *words, stdin="".join(f"{line}\n" for line in (*typed, "quit"))).stdout
    return [one.partition("\n")[2] for one in shown.split("demo> ")[1 : len(typed) + 1]]


def test_resources_have_numbers_by_which_they_are_read(tmp_path: Path) -> None:
    listed, few, read, gone, by_uri = said(
        tmp_path,
        "resources",
        "resources the view",
        "read 1",
        "read 10",
        "read demo://kitchen/menu.md",
    )
    PROSE.holds("resources: listed", listed)
    # What is left keeps its number.
    PROSE.holds("resources: found", few)
    for one in (read, by_uri):
        assert "reads    demo://kitchen/menu.md" in one
        assert "┃ # Menu" in one
    PROSE.holds("resources: no such number", gone)


@pytest.mark.slow
def test_a_prompt_is_filled_in_or_given_as_json(tmp_path: Path) -> None:
    listed, wrong, missing, given, meant = said(
        tmp_path,
        "prompts",
        'prompt 2 !{"language": 3}',
        'prompt 2 !{"langage": "x"}',
        'prompt write_greeting !{"language": "French"}',
        "prompt although-invalid 2 !{}",
    )
    PROSE.holds("prompts: listed", listed)
    PROSE.holds("prompts: not text", wrong)
    PROSE.holds("prompts: a missing argument", missing)
    assert "in French." in given
    assert re.search(r"outcome  .*error", meant)


@pytest.mark.slow
def test_its_arguments_are_asked_for_one_by_one(tmp_path: Path) -> None:
    shown = run(
        tmp_path, *ALLOWED, stdin="prompt write_greeting\n-\n\n\ne\nGerman\n\nformal\n\nquit\n"
    ).stdout
    first, _, rest = shown.partition("wrong: ")
    assert "country [not sent]> " in first
    assert '"tone": "formal"' in rest
    assert "in German." in rest


def test_they_are_asked_about_as_any_read(tmp_path: Path) -> None:
    read, prompt = said(tmp_path, "read 1", "prompt 1", words=("--plain", "demo"))
    for one in (read, prompt):
        assert re.search("outcome .* nothing was sent", one)


def test_a_server_without_any_says_so(tmp_path: Path) -> None:
    typed = "resources\nprompts\nprompt x\nread 1\nread\nprompt\nquit\n"
    words = ("--plain", "--name", "raw", "--", *raw("--only", "slow"))
    shown = run(tmp_path, *words, stdin=typed).stdout
    said_of_each = [one.partition("\n")[2] for one in shown.split("raw> ")[1:-1]]
    PROSE.holds("offers: none", "".join(said_of_each))


@pytest.mark.parametrize("words", [(), ("modern",)])
def test_what_a_server_says_is_drawn_and_never_obeyed(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    server = (sys.executable, "-S", str(offering.__file__), str(tmp_path / "record"), *words)
    typed = "resources\nprompts\nread 3\nprompt every kind\nquit\n"
    options = ("--plain", "--policy", "allow-all", "--name", "shelf")
    ended = run(tmp_path, *options, "--", *server, stdin=typed)
    shown = ended.stdout
    assert ended.status == 0
    assert not {"\x1b", "\x07", "\u202e"}.intersection(shown)
    assert re.search(r"  number      3\n  address     shelf://odd\n  name        .*evil", shown)
    assert re.search(r"  title       ␛.*owned|  name        ␛.*owned", shown)
    assert "  ┃ [b]not markup[/b]" in shown
    assert "shelf://broken/{" in shown
    assert "warning  " in shown or "error  " in shown
    assert "┃ of shelf://odd" in shown
    assert "prompt   every kind" in shown
