"""Any text inside Markdown, XML and plain text: nothing in it is markup, a link or a mention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..content.text import visible

_ACTIVE: Final = re.compile(r"[^A-Za-z0-9 ,.;:/()'“”\u0080-\U0010ffff-]")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_MENTIONS: Final = {"&#64;": "＠", "&#35;": "＃", "://": ":&#47;&#47;"}
_MENTION: Final = re.compile(rf"{'|'.join(_MENTIONS)}|www\.", re.IGNORECASE)
"""What GitHub makes a mention or a link of even if it is written as a reference to a character."""

_LOOKALIKES: Final = {"@": "＠", "#": "＃", "://": ":／／"}
_LINKED: Final = re.compile(r"@|#(?=\d)|://|www\.", re.IGNORECASE)


def unlinked(text: str) -> str:
    """One line of plain text that a page on a CI system may show: no link, no mention."""
    return _LINKED.sub(
        lambda found: _LOOKALIKES.get(found.group()) or f"{found.group()[:-1]}．", text
    )


def markdown(text: str) -> str:
    """One line of text with nothing in it that Markdown acts on, or that GitHub links."""
    escaped = own_markdown(text)
    return _MENTION.sub(lambda found: _MENTIONS.get(found.group()) or _dot_named(found), escaped)


def _dot_named(found: re.Match[str]) -> str:
    return f"{found.group()[:-1]}&#46;"


def own_markdown(text: str) -> str:
    """The same for words of Signoff's own: their addresses stay links."""
    return _ACTIVE.sub(lambda found: f"&#{ord(found.group())};", visible(text))


def markdown_name(name: str) -> str:
    """A name that is safe to show: as code if it is plain."""
    return f"`{name}`" if _PLAIN.fullmatch(name) else markdown(name)


def markdown_row(words: Sequence[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(markdown, words))} |"


def markdown_head(heads: Sequence[str]) -> list[str]:
    """The first two lines of a table."""
    return [markdown_row(heads), "|---" * len(heads) + "|"]


def xml(text: str) -> str:
    """Text for an element or an attribute, without characters that XML 1.0 excludes."""
    plain = _NOT_XML.sub("\ufffd", text)
    return "".join(_XML.get(character, character) for character in plain)
