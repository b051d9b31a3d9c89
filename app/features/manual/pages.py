"""The pages of the manual: Markdown files below `app/manual`, in the order of its index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final, NamedTuple

from ...content.text import visible

FOLDER: Final = Path(__file__).parents[2] / "manual"
INDEX: Final = "index"
_ROW: Final = re.compile(r"^### (.+)$|^- \[([^\]]+)\]\(([^)]+)\.md\): (.+)$", re.MULTILINE)
_LINK: Final = re.compile(r"(!?)\[([^\]\[]*)\]\(([^)\s]+)\)")
_BLOCK_OF_CODE: Final = re.compile(r"(^ *```.*?^ *```)", re.DOTALL | re.MULTILINE)
_BLANKS: Final = 200
"""In a row: examples of output have columns."""
_ADDRESS: Final = re.compile(r"[a-z]+:", re.ASCII)


class PageRow(NamedTuple):
    """A page as the index lists it. `name` is its path without `.md`."""

    group: str
    name: str
    title: str
    summary: str


@cache
def text_of(name: str) -> str:
    """The Markdown of a page, safe to show. Raises OSError if it cannot be read."""
    text = FOLDER.joinpath(f"{name}.md").read_text(encoding="utf-8")
    return visible(text, multiline=True, max_blanks=_BLANKS, max_newlines=_BLANKS)


@cache
def rows() -> tuple[PageRow, ...]:
    """All pages but the index, in its order."""
    return tuple(_listed(text_of(INDEX)))


def _listed(index: str) -> Iterator[PageRow]:
    group = ""
    for head, title, name, summary in _ROW.findall(index):
        if head:
            group = head
        else:
            yield PageRow(group, name, title, summary)


def names() -> tuple[str, ...]:
    """The names of all pages."""
    return (INDEX, *(row.name for row in rows()))


def named(wanted: str) -> list[str]:
    """The pages that a name means: its whole path, or the last part, in the order of the index."""
    name = wanted.removesuffix(".md")
    if name in names():
        return [name]
    return [one for one in names() if PurePosixPath(one).name == name]


@cache
def for_reading(name: str) -> str:
    """The Markdown of a page for a terminal: a link to a page has its name, a picture its words."""
    folder = PurePosixPath(name).parent

    def plain(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if picture:
            return f"(picture: {words})"
        if _ADDRESS.match(target):
            return match.group()
        page = normpath(folder / target.partition("#")[0].removesuffix(".md"))
        return f"{words} (→ {page})" if page in names() and page != name else words

    pieces = _BLOCK_OF_CODE.split(text_of(name))
    return "".join(
        piece if piece.lstrip().startswith("```") else _LINK.sub(plain, piece) for piece in pieces
    )
