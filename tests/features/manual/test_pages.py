"""The pages of the manual, `signoff manual`, and the tables that commands make."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.manual.command import laid_out
from signoff.app.features.manual.commands import options_table, table
from signoff.app.features.manual.pages import FOLDER, for_reading, named, names, rows
from tests.cli.running import run
from tests.manual import PAGES, holds
from tests.tiers import first_quick

MOST_LINES = 120
"""Of a page with one task."""
TOO_LONG = ("reference/findings", "reference/finding-explanations", "reference/options")
"""Pages that are shown in Markdown."""
LONGEST_SENTENCE = 22
LONGEST_PARAGRAPH = 90
"""Words; of a page outside of the reference."""
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z`*\[(“])")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def test_the_index_has_every_page_once() -> None:
    assert sorted(names()) == sorted(PAGES)
    assert FOLDER.is_dir()


def test_the_index_has_the_title_and_the_first_sentence_of_each_page() -> None:
    for row in rows():
        head, _, rest = PAGES[row.name].partition("\n")
        assert head == f"# {row.title}"
        assert _LINK.sub(r"\1", rest.strip()).startswith(row.summary), row.name


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("reference/")])
def test_a_page_can_be_read_to_its_end(name: str) -> None:
    if name != "index":
        assert len(PAGES[name].splitlines()) <= MOST_LINES


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs and items of a page on one line each, without tables, headings and code."""
    text = re.sub(r"<!--.*?-->|```.*?```", "\n\n", text, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if not line.startswith(("|", "#"))]
        for one in re.split(r"\n(?=\s*(?:[-*]|\d+\.)\s)", "\n".join(lines)):
            if one.strip():
                yield " ".join(_LINK.sub(r"\1", one).split())


def is_too_long(sentence: str) -> bool:
    return len(sentence.split()) > LONGEST_SENTENCE


@pytest.mark.parametrize("name", [one for one in PAGES if one.startswith(("how-to/", "expl"))])
def test_sentences_and_paragraphs_are_short(name: str) -> None:
    found = [*paragraphs(PAGES[name])]
    assert [one for one in found if len(one.split()) > LONGEST_PARAGRAPH] == []
    sentences = [one for text in found for one in _SENTENCE.split(text)]
    too_long = [one for one in sentences if is_too_long(one)]
    assert len(too_long) <= len(sentences) // 10, too_long


def test_a_long_sentence_is_found() -> None:
    (text,) = paragraphs("# A\n\n```sh\nx\n```\n\n| a |\n\nOne " + "word\n" * 22 + "[end](b c).")
    assert _SENTENCE.split(f"{text} Short.") == [text, "Short."]
    assert is_too_long(text)
    assert not is_too_long(text.partition(" ")[2].partition(" ")[2])


@pytest.mark.parametrize(
    ("name", "make"), [("commands", table), ("options", options_table)], ids=["commands", "options"]
)
def test_the_reference_has_the_table(name: str, make: Callable[[], str]) -> None:
    holds(f"reference/{name}", name, make())


def test_without_a_page_all_are_listed(tmp_path: Path) -> None:
    ended = run(tmp_path, "manual")
    assert ended.status == 0
    assert [row.name for row in rows() if f"  {row.name}   {row.title}" not in ended.stdout] == []


@pytest.mark.parametrize("wanted", ["how-to/lint", "lint", "how-to/lint.md", "lint.md"])
def test_a_page_is_printed(tmp_path: Path, wanted: str) -> None:
    ended = run(tmp_path, "manual", wanted)
    assert ended.status == 0
    assert ended.stdout.startswith("# Lint tool definitions\n")
    assert "The rules (→ reference/lint-rules) are in the reference." in ended.stdout
    assert ended.stderr == ""


def test_a_name_of_two_pages_shows_the_first_and_names_the_other(tmp_path: Path) -> None:
    assert named("evidence") == ["how-to/evidence", "explanation/evidence"]
    ended = run(tmp_path, "manual", "evidence")
    assert ended.status == 0
    assert "the name also means explanation/evidence" in ended.stderr


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("evidnce", "did you mean evidence?"),
        ("how-to/lnt", "did you mean how-to/lint?"),
        ("../../README", "signoff manual lists the pages"),
        ("/etc/passwd", "signoff manual lists the pages"),
        ("\x1b[31mx", "signoff manual lists the pages"),
        ("x" * 5_000, "signoff manual lists the pages"),
    ],
)
def test_an_unknown_page_is_refused(tmp_path: Path, wanted: str, words: str) -> None:
    ended = run(tmp_path, "manual", wanted)
    assert ended.status == 2
    assert words in ended.stderr
    assert "\x1b" not in ended.stderr
    assert ended.stdout == ""
    assert len(ended.stderr) < 400


def test_links_and_pictures_are_words() -> None:
    text = "".join(map(for_reading, names()))
    assert not re.search(r"\]\((?![a-z]+:)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S))
    assert "(picture: The approval dialog of a destructive tool)" in text
    assert "(→ troubleshooting)" in for_reading("index")
    assert "the README is the short introduction" in for_reading("index").replace("The", "the")


@pytest.mark.parametrize("width", first_quick([79, 39, 160]))
def test_a_page_is_laid_out_for_the_terminal(width: int) -> None:
    for name in names():
        lines = laid_out(for_reading(name), width).splitlines()
        if lines[0].startswith("# "):
            assert name in TOO_LONG
            continue
        assert max(map(len, lines)) <= width, name


@pytest.mark.skipif(sys.platform == "win32", reason="this is for POSIX")
def test_a_terminal_gets_the_page_in_its_pager(tmp_path: Path) -> None:
    pty: Any = pytest.importorskip("pty")

    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > '{tmp_path}/paged.txt'\n", encoding="utf-8")
    pager.chmod(0o755)
    own, other = pty.openpty()
    ended = subprocess.run(
        [sys.executable, "-m", "signoff.app", "manual", "lint"],
        stdin=other,
        stdout=other,
        env={**os.environ, "PAGER": str(pager), "TERM": "xterm"},
        timeout=60,
    )
    os.close(own)
    os.close(other)
    assert ended.returncode == 0
    lines = tmp_path.joinpath("paged.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Lint tool definitions"
    assert max(map(len, lines)) < 80


def test_the_pages_are_in_the_wheel() -> None:
    told = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = told["tool"]["setuptools"]["package-data"]["signoff.app"]
    files = {file for pattern in patterns for file in FOLDER.parent.glob(pattern)}
    assert files == set(FOLDER.rglob("*.md"))


def test_the_help_ends_with_the_manual(tmp_path: Path) -> None:
    assert "signoff manual" in run(tmp_path, "--help").stdout.strip().splitlines()[-1]
