"""The difference between two contents of a host's file, without the secrets in its lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Final

from ...content.files.tree import Tree
from ...content.text import PRINTED_BLANKS, cut, visible
from ...schemas.secrets.masks import mask_text
from ..approvals.edits import VALUES_OF, lines_with_secrets
from ..files.documents import read_document
from ..files.masking import is_secret, mask_plain
from ..files.reading import format_as_read
from ..files.servers import FileReport

MASKED: Final = "[masked]"
LONGEST_LINE: Final = 1_000
"""Characters of a line that are shown."""
NOT_SHOWN: Final = "(the changed line has a secret and is not shown)"
SHORT: Final = 6
"""Characters; a shorter secret is masked only if it is a word by itself."""
_KEY: Final = re.compile(r"\s*(?:-\s+)?(?:[\"']?[\w.-]+[\"']?\s*[:=]\s*)?")


def masked_difference(file: FileReport, before: bytes, after: bytes) -> list[str]:
    """The lines of a unified diff, safe to show; values in the place of a secret are masked.

    `file` is what was read of either content: the values of its servers are in both.
    """
    old, new = _shown_lines(file, before), _shown_lines(file, after)
    lines = list(unified_diff(old, new, f"a{file.file}", f"b{file.file}", n=3, lineterm=""))
    lines = lines or [NOT_SHOWN]
    return [visible(cut(one, LONGEST_LINE).text, max_blanks=PRINTED_BLANKS) for one in lines]


def _shown_lines(file: FileReport, data: bytes) -> list[str]:
    text = data.decode("utf-8-sig").replace("\r\n", "\n")
    lines = text.split("\n")
    tree = read_document(data, format_as_read(file)).tree
    if tree is None:
        return [MASKED for _ in lines]
    shown = dict(_secrets(tree, is_hidden=False)) | dict(_of_commands(file))
    written = {one: way for way, one in _spellings(shown)}
    is_unfound = any("\n" in one or not any(way in text for way in _ways(one)) for one in shown)
    hidden = lines_with_secrets(tree, lines) if is_unfound else ()
    return [
        _without_value(one) if at in hidden else _masked(one, written)
        for at, one in enumerate(lines)
    ]


def _masked(line: str, written: Mapping[str, str]) -> str:
    """A line without the secrets in it."""
    for way in sorted(written, key=len, reverse=True):
        if way in line:
            line = _replaced(line, way, written[way])
    return mask_text(line)


def _without_value(line: str) -> str:
    """The key of a line, for a secret that is written in a way that is not found."""
    begins = _KEY.match(line)
    return f"{begins.group() if begins else ''}{MASKED}"


def _replaced(line: str, secret: str, mask: str) -> str:
    if len(secret) >= SHORT:
        return line.replace(secret, mask)
    return mask.join(re.split(rf"(?<![\w-]){re.escape(secret)}(?![\w-])", line))


def _spellings(shown: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The mask of each secret, with each way to write the secret."""
    for secret, mask in shown.items():
        for way in _ways(secret):
            yield mask, way


def _ways(secret: str) -> set[str]:
    """A text as it is, and as formats write it in quotes."""
    return {secret, *(json.dumps(secret, ensure_ascii=one)[1:-1] for one in (True, False))}


def _of_commands(file: FileReport) -> Iterator[tuple[str, str]]:
    """Each word of a command that `signoff servers` masks."""
    for server in file.servers:
        if server.command is not None:
            shown = (server.command, *server.args)
            pairs = zip(server.entry.words, shown, strict=True)
            yield from ((word, mask) for word, mask in pairs if word != mask)


def _secrets(tree: Tree, name: str = "", *, is_hidden: bool) -> Iterator[tuple[str, str]]:
    """Each text in the place of a secret, with its mask."""
    for key, one in tree.members.items():
        yield from _secrets(one, key, is_hidden=is_hidden or key in VALUES_OF)
    for one in tree.items:
        yield from _secrets(one, name, is_hidden=is_hidden)
    value = tree.value
    if isinstance(value, bool | dict | list) or value is None or value == "":
        return
    text = str(value)
    if is_hidden or is_secret(name, text):
        yield text, MASKED
    elif mask_plain(text) != text:
        yield text, mask_plain(text)
