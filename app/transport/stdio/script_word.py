"""Which word of a command is the file that an interpreter is to run."""

from __future__ import annotations

import os
from collections.abc import Sequence

INTERPRETERS = frozenset(
    (
        *("python", "py", "pypy", "node", "nodejs", "bun", "deno", "tsx", "ts-node", "uv"),
        *("sh", "bash", "dash", "zsh", "ruby", "perl", "php", "lua", "Rscript", "java", "dotnet"),
    )
)
"""Programs, without a version, whose first word that is no option may be a file to run."""
_RUN = {"uv": "run", "bun": "run", "deno": "run"}
_CODE = frozenset(("-m", "-c", "-e", "-p", "--eval", "--print"))
"""What follows is a module or code, and no file."""
_FOLDER = frozenset(("--directory", "--cwd", "--project"))
"""The words after it are looked for in another folder."""
VALUED = frozenset(
    (
        *("-W", "-X", "-r", "--require", "--import", "--loader", "--experimental-loader"),
        *("-C", "--conditions", "--env-file", "--with", "--with-requirements", "--python"),
        *("--extra", "--group", "--package", "--config", "--tsconfig"),
        *("-cp", "-classpath", "--class-path"),
    )
)
"""Options whose value is a word of its own."""


def script_word(argv: Sequence[str]) -> str:
    """The word that names the script, as far as the command alone tells; empty: none.

    `python3 -u server.py` names one; `python3 -m server`, `npx server` and `uvx server` do not.
    """
    program = os.path.basename(argv[0]) if argv else ""
    if program.lower().endswith(".exe"):
        program = program[: -len(".exe")].lower()
    program = program.rstrip("0123456789.")
    if program not in INTERPRETERS:
        return ""
    run = _RUN.get(program, "")
    is_valued = False
    for word in argv[1:]:
        if is_valued:
            is_valued = False
        elif word in _CODE or word.partition("=")[0] in _FOLDER:
            return ""
        elif word.startswith("-"):
            is_valued = word in VALUED
        elif run and word == run:
            run = ""
        else:
            return word
    return ""
