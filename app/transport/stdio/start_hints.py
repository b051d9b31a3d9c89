"""What to type instead of a command that could not be started."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Final

RUN_BY: Final = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "tsx"}
"""What runs a script, by the end of its name."""


def start_hint(argv: Sequence[str], problem: Exception) -> str:
    """What follows the words of the system, after a semicolon of its own; often nothing."""
    program = argv[0]
    if len(argv) == 1 and " " in program and not os.path.exists(program):
        return f"; a command stands there without quotes: -- {program}"
    runner = RUN_BY.get(os.path.splitext(program)[1], "")
    if runner and os.path.isfile(program):
        return f"; a script stands behind what runs it: -- {runner} {shlex.join(argv)}"
    if isinstance(problem, FileNotFoundError) and os.path.dirname(program) == "":
        return "; no program of that name is installed, or its folder is not on the PATH"
    return ""
