"""Every relative link of every Markdown file of the repository leads to a file and a heading."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
CODE: Final = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
OUTSIDE: Final = re.compile(r"[a-z]+:")
"""The beginning of an address."""


def documents() -> list[Path]:
    """The Markdown files of the repository, those of an environment left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else []
    found = [ROOT / name for name in names if name] or [
        *ROOT.glob("*.md"),
        *ROOT.joinpath("app").rglob("*.md"),
    ]
    return [file for file in found if file.is_file()]


@cache
def anchors(file: Path) -> frozenset[str]:
    """The anchors that the headings of a file make on GitHub."""
    text = re.sub(r"^ *```.*?^ *```", "", file.read_text(encoding="utf-8"), flags=re.S | re.M)
    found: dict[str, int] = {}
    names = list[str]()
    for head in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        name = re.sub(r"[^\w -]", "", head).lower().replace(" ", "-")
        number = found.get(name, 0)
        found[name] = number + 1
        names.append(f"{name}-{number}" if number else name)
    return frozenset(names)


def broken(file: Path) -> list[str]:
    """The links of a file that lead nowhere."""
    lost = list[str]()
    for link in LINK.findall(CODE.sub("", file.read_text(encoding="utf-8"))):
        if OUTSIDE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = (file.parent / path).resolve() if path else file
        is_there = target.is_file() if anchor else target.exists()
        if anchor and is_there:
            is_there = anchor in anchors(target)
        if not is_there:
            lost.append(link)
    return lost


@pytest.mark.parametrize("file", documents(), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_of_a_document_leads_to_a_place(file: Path) -> None:
    assert broken(file) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    tmp_path.joinpath("a.md").write_text(
        "# A `b` c\n\n## A `b` c\n\n[x](#a-b-c-1) [x](#a) [x](b.md) [x](.#a) `[x](c.md)`\n"
        "[x](https://example.com/#a)\n\n```md\n# a\n[x](c.md)\n```\n"
    )
    assert broken(tmp_path / "a.md") == ["#a", "b.md", ".#a"]
