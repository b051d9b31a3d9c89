"""`signoff completion`: a script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ...engine.policy_state import read_rulebook
from ...presentation.exit_status import ExitStatus
from ..command import without_server
from ..options.declared import opt, options
from ..options.meaning import LastAndAll
from ..options.parser import Parser

_PLACES: Final = {
    "bash": "~/.local/share/bash-completion/completions/signoff",
    "zsh": '"${fpath[1]}/_signoff"',
    "fish": "~/.config/fish/completions/signoff.fish",
}
SHELLS: Final = tuple(_PLACES)
_USAGE: Final = re.compile(r"^# Usage:\n(?:#.*\n)+", re.MULTILINE)
"""What shtab writes at the beginning about places of its own."""
_FILES: Final = frozenset(("FILE", "CAPTURE", "FLOW", "NAME|FILE", "JSON|@FILE|-"))
_FOLDERS: Final = frozenset(("FOLDER", "DIR", "[NAME=]FOLDER"))
"""Words of the help for values that are completed as files and folders."""


@options
class CompletionOptions(NamedTuple):
    """Options of `completion`."""

    shell: str = opt("|".join(SHELLS), "your shell", choices=SHELLS)


def add(completion: Parser) -> None:
    without_server(completion, CompletionOptions, lambda wanted: run_completion(wanted.shell))


def run_completion(shell: str) -> int:
    """Print the script for a shell; returns the exit status.

    The script has all words itself: nothing of Signoff runs while a word is completed.
    """
    import shtab

    from ..command_line import make_parser

    parser = make_parser()
    names = [mode.name for host in read_rulebook().hosts for mode in host.variants]
    for action in _actions(parser):
        if isinstance(action, LastAndAll):
            action.choices = _escaped(names, shell)
        if action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    usage = f"# Usage: signoff completion {shell} > {_PLACES[shell]}\n"
    script = _USAGE.sub(lambda _: usage, shtab.complete(parser, shell=shell), count=1)
    print(script, end="")
    return ExitStatus.OK


def _escaped(names: list[str], shell: str) -> list[str]:
    """Names as choices of a shell; in the scripts of zsh a colon separates parts."""
    return [name.replace(":", "\\\\:") for name in names] if shell == "zsh" else names


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action.choices, dict):
            for inner in action.choices.values():
                yield from _actions(inner)
