"""One edit of a configuration file as a patch: a value is set, or an item of a list is removed.

Nothing is written. A line that may hold a secret is in no patch: neither as context, nor changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import unified_diff
from typing import Final

from ...content.files.tree import SourceLocation, Tree
from ...content.frozen import frozen
from ...content.text import visible
from ...schemas.secrets.masks import mask_text
from ..files.documents import read_document
from ..files.masking import is_secret, mask_argument

CONTEXT: Final = 2
"""Lines before and after a change that a patch shows, if they hold no secret."""
LONGEST_LINE: Final = 2_000
"""Characters of a changed line; a longer one is not put in a patch."""
VALUES_OF: Final = frozenset(
    ("env", "environment", "envs", "headers", "http_headers", "oauth", "inputs", "envFile")
)
"""Keys whose values are printed nowhere."""


@frozen
class Edit:
    """A change in one line of a file."""

    spot: SourceLocation
    """The place of the key, or of the item of a list."""
    key: str
    """The key whose value is set; empty if an item is removed, or a line is added."""
    old: str
    """The old value, or the item; empty if a line is added behind the one of the place."""
    new: str = ""
    """The value as it is written in the file; strings in quotes if the format has them."""


@frozen
class Patch:
    """A unified diff; empty with the reason why there is none."""

    text: str
    why: str = ""


def set_value(spot: SourceLocation, key: str, old: str, new: str) -> Edit:
    """Give the key at this place another value."""
    return Edit(spot, key, old, new)


def remove_item(spot: SourceLocation, item: str) -> Edit:
    """Remove a text from the list at this place."""
    return Edit(spot, "", item)


def add_line(behind: int, line: str) -> Edit:
    """Add a line behind the one with this number; 0 adds it at the top."""
    return Edit(SourceLocation(behind), "", "", line)


def patch_of(file: str, text: str, format: str, edit: Edit) -> Patch:
    """The edit of a file as a unified diff; `patch -p1 -d /` applies it.

    The changed text is read again, so that no patch breaks the file.
    """
    old = text.splitlines(keepends=True)
    at = edit.spot.line - 1
    is_added = not edit.old and bool(edit.new)
    if not (-1 if is_added else 0) <= at < len(old):
        return Patch("", "the place of the setting is not known")
    new = [*old[: at + 1], f"{edit.new}\n", *old[at + 1 :]] if is_added else _changed(old, at, edit)
    if new is None:
        return Patch("", "the line has another form than expected: edit it by hand")
    before = read_document(text.encode(), format)
    after = read_document("".join(new).encode(), format)
    if before.tree is None or after.tree is None or after.is_refused > before.is_refused:
        return Patch("", "the file would not be valid: edit it by hand")
    if after.tree.plain() == before.tree.plain():
        return Patch("", "the edit would change nothing: edit it by hand")
    hidden = lines_with_secrets(before.tree, old)
    for context in range(CONTEXT, -1, -1):
        lines = list(unified_diff(old, new, f"a{file}", f"b{file}", n=context))
        touched = _touched(lines)
        if not touched & hidden:
            shown = "".join(one if one.endswith("\n") else f"{one}\n" for one in lines)
            return Patch(visible(shown, multiline=True, max_blanks=200, max_newlines=80))
    return Patch("", "the line also has values that are not shown: edit it by hand")


def _changed(lines: list[str], at: int, edit: Edit) -> list[str] | None:
    line = lines[at]
    if len(line) > LONGEST_LINE:
        return None
    if edit.key:
        made = _with_value(line, edit)
        return None if made is None else [*lines[:at], made, *lines[at + 1 :]]
    return _without_item(lines, at, edit)


def _with_value(line: str, edit: Edit) -> str | None:
    """The line with another value behind the key, which it has only once."""
    key, old = re.escape(edit.key), re.escape(edit.old)
    named = rf"""(?:["']{key}["']|(?<![\w"'-]){key})\s*[:=]\s*"""
    valued = rf"""(?:"{old}"|'{old}'|{old}(?![\w.-]))"""
    pattern = rf"({named}){valued}"
    found = re.findall(pattern, line)
    if len(found) != 1:
        return None
    return re.sub(pattern, lambda match: f"{match.group(1)}{edit.new}", line)


def _without_item(lines: list[str], at: int, edit: Edit) -> list[str] | None:
    """The lines without an item, which may have a line of its own."""
    line = lines[at]
    written = [one for one in _spellings(edit.old) if line.count(one) == 1]
    if len(written) != 1:
        return None
    item = re.escape(written[0])
    if re.fullmatch(rf"\s*{item}\s*,?\s*", line):
        return _without_line(lines, at, has_comma=line.rstrip().endswith(","))
    for pattern in (rf"{item}\s*,\s*", rf",\s*{item}", item):
        if re.search(pattern, line):
            made = re.sub(pattern, "", line, count=1)
            return [*lines[:at], made, *lines[at + 1 :]]
    return None


def _without_line(lines: list[str], at: int, *, has_comma: bool) -> list[str]:
    """Without a line; if it was the last item, the one before loses its comma."""
    before = lines[:at]
    if not has_comma and before and before[-1].rstrip().endswith(","):
        ending = before[-1][len(before[-1].rstrip()) :]
        before[-1] = before[-1].rstrip()[:-1] + ending
    return [*before, *lines[at + 1 :]]


def _spellings(text: str) -> tuple[str, ...]:
    """A text as formats write it in a list."""
    return (json.dumps(text, ensure_ascii=False), f"'{text}'")


def _touched(lines: list[str]) -> set[int]:
    """The lines of the old file, from 0, that a diff shows."""
    found: set[int] = set()
    at = 0
    for one in lines:
        if match := re.match(r"@@ -(\d+)", one):
            at = int(match[1]) - 1
        elif one.startswith((" ", "-")) and not one.startswith("---"):
            found.add(at)
            at += 1
    return found


def lines_with_secrets(tree: Tree, lines: list[str]) -> set[int]:
    """The lines, from 0, that hold a value of an environment or a header, or look secret."""
    found = {at for at, line in enumerate(lines) if mask_text(line) != line}
    for line, count in _secret_places(tree, "", is_hidden=False):
        found.update(range(line - 1, line - 1 + count))
    return found


def _secret_places(tree: Tree, name: str, *, is_hidden: bool) -> Iterator[tuple[int, int]]:
    """The line of each such value, and how many lines it has."""
    if isinstance(tree.value, dict):
        for key, one in tree.value.items():
            hides = is_hidden or key in VALUES_OF
            yield from _secret_places(one, key, is_hidden=hides)
            if hides and key in tree.keys and not isinstance(one.value, dict | list):
                yield tree.keys[key].line, 1
        return
    if isinstance(tree.value, list):
        before = ""
        for one in tree.value:
            text = one.value if isinstance(one.value, str) else ""
            if text and mask_argument(text, before).has_secret:
                yield one.spot.line, 1 + text.count("\n")
            before = text
            yield from _secret_places(one, name, is_hidden=is_hidden)
        return
    if isinstance(tree.value, str):
        secret = is_hidden or is_secret(name, tree.value) or mask_argument(tree.value).has_secret
        if secret and tree.value:
            yield tree.spot.line, 1 + tree.value.count("\n")
