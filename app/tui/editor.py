"""Which editor a person has chosen for texts."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence

from ..content.text import visible

IS_WINDOWS = sys.platform == "win32"
FALLBACKS = ("notepad",) if IS_WINDOWS else ("nano", "vi")


class NotEdited(Exception):
    """The text stays as it was; says why, in words that are safe to show."""


def editor_command(variables: Mapping[str, str], fallbacks: Sequence[str] = FALLBACKS) -> list[str]:
    """The command of the editor, without the file. Raises NotEdited where there is none.

    `VISUAL` counts before `EDITOR`; they are split into words as a shell does, without running one.
    """
    for name in ("VISUAL", "EDITOR"):
        given = variables.get(name, "").strip()
        if not given:
            continue
        try:
            words = split_words(given)
        except ValueError as problem:
            raise NotEdited(f"${name} cannot be read: {visible(str(problem)).lower()}") from None
        if words and shutil.which(words[0], path=variables.get("PATH")):
            return words
        raise NotEdited(f"the editor of ${name} was not found: {visible(given)}")
    for one in fallbacks:
        if found := shutil.which(one, path=variables.get("PATH")):
            return [found]
    raise NotEdited("there is no editor: set EDITOR, for example to nano")


def split_words(given: str, *, is_windows: bool = IS_WINDOWS) -> list[str]:
    """The words of a command line as it stands in a variable; ValueError for an open quote.

    On Windows a backslash separates folders and is no escape.
    """
    if not is_windows:
        return shlex.split(given)
    lexer = shlex.shlex(given, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters, lexer.escape, lexer.quotes = True, "", "", '"'
    return list(lexer)
