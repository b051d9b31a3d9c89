"""Variables in the texts of an entry, filled as its host fills them.

Nothing is run and no file is read for a value. Values that only the host, a person or a store has
are listed as needs, and variables that are not set here as unset.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from ..content.files.tree import NOWHERE
from ..content.frozen import frozen
from ..schemas.secrets.names import is_secret_name
from .problems import named
from .servers import Entry
from .variables import (
    EDITOR_WORDS,
    LONGEST,
    USE,
    WHOLE,
    Use,
    is_filled_by_program,
    is_host_input,
)

DEEPEST: Final = 5
"""Defaults within defaults that are filled."""


@frozen
class Need:
    """A value that a person has to give."""

    name: str
    why: str
    """What the value is to its host, after the name; safe to show."""


class Filler:
    """Fills the texts of one entry; `unset` and `needs` are what stops it from being started."""

    def __init__(
        self,
        entry: Entry,
        environ: Mapping[str, str],
        folders: Mapping[str, str],
        given: Mapping[str, str],
    ) -> None:
        """`folders` are the values of names such as `workspaceFolder`; `given` are by their needs'
        names."""
        self._entry = entry
        self._environ = environ
        self._folders = folders
        self._given = given
        self.unset: list[str] = []
        self.needs: list[Need] = []
        self.used: list[str] = []
        """Variables of the environment whose values were filled in."""
        self.secrets: set[str] = set()
        """Values that were filled in and may be secret: what a person gave, and by their names."""

    def text(self, text: str, field: str) -> str:
        """Fill one text of a field: command, args, env, url, headers, cwd, envFile."""
        return self._filled(text, field, 0) if len(text) <= LONGEST else text

    def variable(self, name: str) -> str:
        """The value of a variable of the environment, which the entry names."""
        if name not in self._environ and name not in self.unset:
            self.unset.append(name)
        value = self._environ.get(name, "")
        self.used.append(name)
        if is_secret_name(name):
            self.secrets.add(value)
        return value

    def needed(self, name: str, why: str) -> str:
        """The value that a person gave; noted as needed if there is none."""
        if name not in self._given and all(one.name != name for one in self.needs):
            self.needs.append(Need(name, why))
        self.secrets.add(self._given.get(name, ""))
        return self._given.get(name, "")

    def _filled(self, text: str, field: str, depth: int) -> str:
        if whole := WHOLE.fullmatch(text):
            value = self._value(Use("bare", whole["bare"], NOWHERE, field))
            return text if value is None else value
        pieces, at = [], 0
        for found in USE.finditer(text):
            if found.start() < at:
                continue
            form = (found.lastgroup or "").replace("_", "-")
            use = Use(form, found[found.lastgroup or 0] or "", NOWHERE, field)
            end = found.end()
            if use.form == "default":
                closing = closing_brace(text, end)
                if closing is None:
                    continue
                value = self._default(use, text[end:closing], depth)
                end = closing + 1
            else:
                value = self._value(use)
            if value is not None:
                pieces += [text[at : found.start()], value]
                at = end
        return "".join((*pieces, text[at:]))

    def _default(self, use: Use, default: str, depth: int) -> str | None:
        host = self._entry.host
        if use.form not in host.forms or is_filled_by_program(self._entry, use):
            return None
        if self._environ.get(use.name):
            return self.variable(use.name)
        # Claude Code fills a default within a default in headers alone (measured, 2.1.278).
        is_nested = host.host != "claude-code" or use.field == "headers"
        return (
            self._filled(default, use.field, depth + 1)
            if is_nested and depth < DEEPEST
            else default
        )

    def _value(self, use: Use) -> str | None:
        """The value of one variable; None if the text stays as it is."""
        entry, host, name = self._entry, self._entry.host, use.name
        if is_host_input(use.form, host) and use.form in ("input", "editor", "bundle"):
            return self.needed(name, f"{host.title} asks for it")
        if use.form == "brace" and (name in host.words or (name == "/" and host.words)):
            return self._folders.get(name)
        if use.form in ("brace", "bare") and name in host.host_words:
            known = self._environ.get(name) or self._folders.get(name)
            return known or self.needed(name, f"only {host.title} sets it")
        if is_filled_by_program(entry, use):
            return None
        if use.form not in host.forms:
            return None
        if use.form == "command":
            return self.needed(f"$({name})", "Signoff does not run a command for a value")
        if use.form in ("file", "braced-file"):
            return self.needed(name, "Signoff does not read a file for a value")
        if use.form == "secrets":
            return self.needed(name, f"it is in the store of {host.title}")
        if use.form == "percent" and os.name != "nt":
            return None
        return None if name in EDITOR_WORDS else self.variable(name)


def closing_brace(text: str, start: int) -> int | None:
    """The place of the brace that closes a default; None if there is none."""
    depth = 0
    for at in range(start, len(text)):
        if text.startswith("${", at):
            depth += 1
        elif text[at] == "}":
            if depth == 0:
                return at
            depth -= 1
    return None


def folder_words(folder: str, home: str) -> dict[str, str]:
    """Names of folders and signs that hosts fill, for a project in `folder`."""
    return {
        "workspaceFolder": folder,
        "workspaceRoot": folder,
        "fileWorkspaceFolder": folder,
        "workspacePath": folder,
        "cwd": folder,
        "workspaceFolderBasename": os.path.basename(folder),
        "userHome": home,
        "pathSeparator": os.sep,
        "/": os.sep,
        "HOME": home,
        "CLAUDE_PROJECT_DIR": folder,
    }


def need_words(needs: list[Need]) -> str:
    """List the needs: `github_key (VS Code asks for it)`."""
    return ", ".join(f"{named(one.name)} ({one.why})" for one in needs)
