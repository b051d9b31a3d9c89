"""Any text inside Markdown and XML: nothing in it is markup there."""

from __future__ import annotations

import re
from typing import Final

from ..content.text import visible

_ACTIVE: Final = re.compile(r"[^A-Za-z0-9 ,.;:/()'“”\u0080-\U0010ffff-]")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_MENTIONS: Final = {"&#64;": "＠", "&#35;": "＃", "://": ":&#47;&#47;", "www.": "www&#46;"}
"""What GitHub makes a mention or a link of even if it is written as a reference to a character."""


def markdown(text: str) -> str:
    """One line of text with nothing in it that Markdown acts on."""
    return _ACTIVE.sub(lambda found: f"&#{ord(found.group())};", visible(text))


def comment(text: str) -> str:
    """The same for a comment on GitHub, in which a text also mentions and links nothing."""
    escaped = markdown(text)
    for active, harmless in _MENTIONS.items():
        escaped = escaped.replace(active, harmless)
    return escaped


def comment_name(name: str) -> str:
    """A name that is safe to show, for such a comment: as code if it is plain."""
    return f"`{name}`" if _PLAIN.fullmatch(name) else comment(name)


def xml(text: str) -> str:
    """Text for an element or an attribute, without characters that XML 1.0 excludes."""
    plain = _NOT_XML.sub("\ufffd", text)
    return "".join(_XML.get(character, character) for character in plain)
