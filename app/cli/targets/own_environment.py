"""The note on a server, or an agent, whose program is found in Signoff's own environment.

`uvx` and an activated environment put their programs first in PATH. `python my_server.py` then runs
with the packages of Signoff: those of the server are missing, or have other versions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from ...content.text import visible
from ...engine.session_config import Target
from ...transport.stdio.process import server_environment
from ...transport.stdio.program import find_program
from ..output.printing import print_error


def own_environment_words(
    command: Sequence[str], environment: Mapping[str, str], folder: str = ""
) -> str:
    """The note on a command; empty if its program is elsewhere or is given by a path."""
    program = command[0] if command else ""
    if not program or os.path.dirname(program) or sys.prefix == sys.base_prefix:
        return ""
    found = find_program(program, environment, folder)
    if not found or not _is_beside(found, sys.executable):
        return ""
    return (
        f"{visible(program)} is {visible(found)}, in the environment of Signoff; if its packages "
        "are elsewhere, start it from there, such as .venv/bin/python or `uv run python`"
    )


def server_words(target: Target) -> str:
    """The note on the command of a server; empty for none, and for the bundled server."""
    if target.is_bundled:
        return ""
    return own_environment_words(target.argv, server_environment(dict(target.env)), target.folder)


def tell_own_environment(words: str) -> None:
    """Print the note on stderr, if there is one."""
    if words:
        print_error(words)


def _is_beside(found: str, other: str) -> bool:
    """True if both are in one folder; a link to a program elsewhere counts as being here."""
    folders = (os.path.realpath(os.path.dirname(os.path.abspath(one))) for one in (found, other))
    return len(set(map(os.path.normcase, folders))) == 1
