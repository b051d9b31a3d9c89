"""The program and the arguments of an entry, in any of the ways in which people write them."""

from __future__ import annotations

import re
import shlex
from typing import Final

from ..content.files.tree import SourceLocation, Tree
from .problems import ERROR, ProblemList
from .servers import Entry

RUNNERS: Final = frozenset(
    (
        *("npx", "npm", "pnpm", "yarn", "bunx", "bun", "node", "deno", "tsx", "uvx", "uv", "pipx"),
        *(
            "python",
            "python3",
            "py",
            "docker",
            "podman",
            "bash",
            "sh",
            "cmd",
            "go",
            "cargo",
            "java",
        ),
        *("dotnet", "dnx", "ruby", "php", "nix", "poetry", "sudo", "env", "powershell", "pwsh"),
    )
)
"""Programs that are given what to run as arguments."""
MOST_ARGS: Final = 1_000
_SHELL_SIGN: Final = re.compile(r"&&|\|\||[;|<>]|(?<=\s)&(?=\s|$)|^cd\s")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")


def base_name(path: str) -> str:
    """The name of a program without its folders and its ending for Windows."""
    name = re.split(r"[\\/]", path.strip().strip("\"'"))[-1].lower()
    return re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", name)


def read_command(entry: Entry, problems: ProblemList) -> None:
    """Read the program and its arguments; each mistake is noted and repaired as it was meant."""
    host, members = entry.host, entry.tree.members
    key = next((one for one in (host.command_key, "command", "cmd") if one in members), "")
    tree = members.get(key)
    given = members.get("args")
    if tree is not None and host.id == "zed" and "path" in tree.members:
        # The oldest form of Zed.
        given = tree.members.get("args", given)
        tree = tree.members["path"]
    args = _read_args(entry, given, problems)
    if tree is None or (tree.value is None and not args):
        return
    entry.command_spot = entry.spot_of(key)
    if key != host.command_key:
        words = f"{host.title} reads {host.command_key}, not {key}"
        fix = f"rename it to {host.command_key}"
        problems.add("wrong-key", ERROR, words, entry.command_spot, fix=fix, server=entry.name)
    before = _read_program(entry, tree, problems)
    entry.args = [*((one, entry.command_spot) for one in before), *args][:MOST_ARGS]
    if host.command_list and given is not None:
        words = f"{host.title} has no args; they are a part of command"
        fix = "append them to the list of command"
        spot = entry.spot_of("args")
        problems.add("wrong-key", ERROR, words, spot, fix=fix, server=entry.name)


def _read_program(entry: Entry, tree: Tree, problems: ProblemList) -> list[str]:
    """Set the program; returns the arguments that were given with it."""
    name, spot = entry.name, entry.command_spot
    if isinstance(tree.value, list):
        items = [one.value for one in tree.items if isinstance(one.value, str)]
        if len(items) < len(tree.items):
            words = "command has items that are not texts"
            problems.add("args-item-not-string", ERROR, words, spot, server=name)
        if not entry.host.command_list:
            words = "command is a list, which is OpenCode's form"
            fix = "make the first item command, and the rest args"
            problems.add("command-is-list", ERROR, words, spot, fix=fix, server=name)
        entry.command = items[0] if items and items[0].strip() else None
        return items[1:]
    if not isinstance(tree.value, str):
        words = "command is not a text"
        problems.add("command-not-string", ERROR, words, spot, server=name)
        return []
    text = tree.value
    if not text.strip():
        return []
    if entry.host.command_list:
        words = f"command is a text; {entry.host.title} reads a list of program and arguments"
        problems.add(
            "command-not-list", ERROR, words, spot, fix='write ["program", "argument"]', server=name
        )
        entry.command, *rest = split_words(text) or [text]
        return rest
    entry.command = text
    if " " not in text.strip():
        return []
    if _SHELL_SIGN.search(text):
        words = "command is a line for a shell; hosts start a program without one"
        fix = "use cwd and the program, or a shell as the program with -c"
        entry.is_whole_command = False
        problems.add("command-is-shell-line", ERROR, words, spot, fix=fix, server=name)
        return []
    if _is_path_with_blanks(text):
        return []
    entry.command, *rest = split_words(text) or [text]
    words = "command holds arguments, too; hosts look for a program of that name"
    fix = "keep the program, and move the rest to args"
    problems.add("command-has-args", ERROR, words, spot, fix=fix, server=name)
    return rest


def _is_path_with_blanks(text: str) -> bool:
    """True for one path such as `/Users/ada/Application Support/bin/php`."""
    first, _, rest = text.strip().partition(" ")
    if first.startswith(("'", '"')) or not ("/" in first or "\\" in first):
        return False
    if base_name(first) in RUNNERS or any(one.startswith("-") for one in rest.split()):
        return False
    is_rooted = rest.startswith(("/", "~", ".")) or _DRIVE.match(rest)
    return ("/" in rest or "\\" in rest) and not is_rooted


def _read_args(
    entry: Entry, tree: Tree | None, problems: ProblemList
) -> list[tuple[str, SourceLocation]]:
    if tree is None or tree.value is None:
        return []
    name = entry.name
    if isinstance(tree.value, str):
        words = "args is one text and not a list"
        fix = "make each argument an item of a list"
        problems.add("args-not-list", ERROR, words, tree.spot, fix=fix, server=name)
        return [(one, tree.spot) for one in split_words(tree.value)]
    if not isinstance(tree.value, list):
        problems.add("args-not-list", ERROR, "args is not a list", tree.spot, server=name)
        return []
    wrong = [at for at, one in enumerate(tree.items) if not isinstance(one.value, str)]
    if wrong:
        places = ", ".join(f"args[{at}]" for at in wrong[:8])
        verb = "is not a text" if len(wrong) == 1 else "are not texts"
        spot = tree.items[wrong[0]].spot
        problems.add(
            "args-item-not-string",
            *(ERROR, f"{places} {verb}", spot),
            fix="put each in quotes",
            server=name,
        )
    return [(_argument(one), one.spot) for one in tree.items[:MOST_ARGS]]


def _argument(tree: Tree) -> str:
    match tree.value:
        case str():
            return tree.value
        case bool():
            return "true" if tree.value else "false"
        case int() | float():
            return str(tree.value) if abs(tree.value) < 1e30 else "a number"
    return ""


def split_words(text: str) -> list[str]:
    """The words of a line, as a shell splits them if it can."""
    try:
        # A backslash is a part of a path of Windows.
        words = shlex.split(text) if "\\" not in text else shlex.split(text, posix=False)
    except ValueError:
        words = text.split()
    return [one.strip("\"'") if "\\" in text else one for one in words][:MOST_ARGS]
