"""The program and the arguments of an entry, and what they run in the end.

People write them in many ways; they run packages, images or scripts, whose versions may be open.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from ...content.files.tree import SourceLocation, Tree
from ...content.frozen import frozen
from ..files.masking import LINE_OPTIONS
from ..files.problems import ERROR, ProblemList
from ..files.servers import ServerEntry

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


def read_command(entry: ServerEntry, problems: ProblemList) -> None:
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


def _read_program(entry: ServerEntry, tree: Tree, problems: ProblemList) -> list[str]:
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
    entry: ServerEntry, tree: Tree | None, problems: ProblemList
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


_NPX: Final = frozenset({"npx", "bunx", "pnpx"})
_NPM: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
_PYTHON: Final = frozenset({"uvx", "pipx"})
_VALUED: Final = frozenset(
    (
        *("--registry", "--prefix", "--cache", "--userconfig", "-w", "--workspace", "--call"),
        *("--with", "--python", "-p", "--index-url", "--extra-index-url", "--index", "--directory"),
        *("--with-editable", "--project", "--env-file", "--with-requirements", "--loglevel"),
    )
)
"""Options of launchers that take the next word."""
_DOCKER_VALUED: Final = frozenset(
    (
        *("-e", "--env", "-v", "--volume", "--mount", "-p", "--publish", "--network", "--net"),
        *("--name", "-w", "--workdir", "-u", "--user", "--env-file", "--entrypoint", "--add-host"),
        *("--label", "-l", "--platform", "-m", "--memory", "--cpus", "-h", "--hostname", "--gpus"),
        *("--security-opt", "--cap-add", "--cap-drop", "--tmpfs", "--device", "--ulimit", "--pull"),
        *("--log-driver", "--shm-size", "--dns", "--ip", "--link", "--restart", "--volumes-from"),
    )
)
_GIT: Final = re.compile(
    r"(?:[\w.+-]+\s*@\s*)?git(?:\+\w+)?://|git\+|(?:github|gitlab|bitbucket):|git@"
)
_SHORT: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+(?:#\S+)?")
_COMMIT: Final = re.compile(r"[@#][0-9a-f]{7,40}(?:[#&]|$)")
_EXACT: Final = re.compile(r"v?\d[\w.+-]*")
_DOWNLOAD: Final = re.compile(
    r"(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b[^;&\n]{0,2000}"
    r"\|\s*(?:sudo\s+)?(?:ba|z|da)?(?:sh|python3?|node|iex|perl|ruby)\b"
    r"|(?:\$\(|<\(|`)\s*(?:curl|wget)\b|\biex\s*\(?\s*\(?(?:iwr|irm)\b",
    re.IGNORECASE,
)
SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "fish", "cmd", "powershell", "pwsh"})


@frozen
class CommandFindings:
    """Findings about a command: codes of problems, with words for each."""

    shell: str = ""
    """The shell that runs a line; empty if none does."""
    line: str = ""
    found: tuple[tuple[str, str], ...] = ()
    """Codes and what they are about: a package, or an image."""
    is_pulled_anew: bool = False


def examine(words: Sequence[str]) -> CommandFindings:
    """Find what a command runs. `words` are the program and its arguments."""
    program, arguments = base_name(words[0]), list(words[1:])
    if program in ("sudo", "env", "nohup") and arguments:
        rest = [one for one in arguments if not one.startswith("-") and "=" not in one]
        return examine(rest) if rest else CommandFindings()
    if program in SHELLS:
        return _of_shell(program, arguments)
    return CommandFindings(
        found=tuple(_of_launcher(program, arguments)), is_pulled_anew=_pulls(arguments)
    )


def _of_shell(program: str, arguments: list[str]) -> CommandFindings:
    at = next((at for at, one in enumerate(arguments) if one.lower() in LINE_OPTIONS), -1)
    if at < 0 or at + 1 >= len(arguments):
        return CommandFindings()
    rest = arguments[at + 1 :]
    line = " ".join(rest) if program == "cmd" else rest[0]
    parts = [rest] if len(rest) > 1 and program == "cmd" else []
    parts += [split_words(one) for one in re.split(r"&&|\|\||[;|\n]", line[:10_000])[:50]]
    found: dict[tuple[str, str], None] = {}
    for part in parts:
        while part and re.match(r"\w+=", part[0]):
            part = part[1:]
        if part and part[0] in ("exec", "sudo"):
            part = part[1:]
        if part:
            program_of = base_name(part[0])
            found.update(dict.fromkeys(_of_launcher(program_of, list(part[1:]))))
    if _DOWNLOAD.search(line[:10_000]):
        found["downloads-and-runs", "the shell"] = None
    return CommandFindings(program, line, tuple(found))


def _of_launcher(program: str, arguments: list[str]) -> list[tuple[str, str]]:
    if program in _NPM and arguments[:1] in (["exec"], ["dlx"], ["x"]):
        program, arguments = "npx", arguments[1:]
    if program in ("uv", "pipx") and arguments[:1] == ["tool"]:
        program, arguments = "uvx", arguments[2:]
    if program == "pipx" and arguments[:1] == ["run"]:
        arguments = arguments[1:]
    if program in _NPX:
        return _npm(_packages(arguments, ("-p", "--package")))
    if program in _PYTHON:
        return _pypi(_packages(arguments, ("--from", "--spec")))
    if program in ("docker", "podman") and "run" in arguments:
        return _image(arguments)
    if program in ("pip", "pip3", "npm", "uv") and "install" in arguments[:2]:
        return [("downloads-and-runs", program)]
    return []


def _packages(arguments: list[str], naming: tuple[str, ...]) -> list[str]:
    """The packages that a launcher fetches: after an option that names one, else the first word."""
    named: list[str] = []
    first = ""
    at = 0
    while at < len(arguments):
        one = arguments[at]
        option, equals, value = one.partition("=")
        if option in naming and (option != "-p" or naming[0] == "-p"):
            named.append(value if equals else "".join(arguments[at + 1 : at + 2]))
            at += 1 if equals else 2
        elif one in _VALUED:
            at += 2
        elif one.startswith("-"):
            at += 1
        else:
            first = one
            break
    return named or ([first] if first else [])


def _is_elsewhere(package: str) -> bool:
    """True for a path or a variable, which are not fetched by their names."""
    return package.startswith((".", "/", "~", "$", "{", "<", "%", "file:")) or package[1:3] in (
        ":\\",
        ":/",
    )


def _npm(packages: list[str]) -> list[tuple[str, str]]:
    found = []
    for one in packages:
        if _is_elsewhere(one):
            continue
        if _GIT.search(one) or (_SHORT.fullmatch(one) and not one.startswith("@")):
            found.append(("package-from-git", _commit(one)))
        elif "://" in one:
            found.append(("package-from-url", ""))
        else:
            # The first @ of a scoped package begins no version.
            _, has_version, version = one[1:].rpartition("@")
            is_exact = bool(has_version) and _EXACT.fullmatch(version) is not None
            if not is_exact or "x" in version.split("."):
                found.append(("unpinned-package", one))
    return found


def _pypi(packages: list[str]) -> list[tuple[str, str]]:
    found = []
    for one in packages:
        if _is_elsewhere(one):
            continue
        if _GIT.search(one):
            found.append(("package-from-git", _commit(one)))
        elif "://" in one:
            found.append(("package-from-url", ""))
        else:
            match = re.search(r"(?:===?|@)\s*([^,;\s]*)$", one)
            if match is None or not _EXACT.fullmatch(match[1]):
                found.append(("unpinned-package", one))
    return found


def _commit(package: str) -> str:
    return "commit" if _COMMIT.search(package) else ""


def image_of(arguments: Sequence[str]) -> str:
    """The image of `docker run`; empty if there is none."""
    words = list(arguments)
    at = words.index("run") + 1 if "run" in words else len(words)
    while at < len(words):
        one = words[at]
        if one in _DOCKER_VALUED:
            at += 2
        elif one.startswith("-"):
            at += 1
        else:
            return one
    return ""


def docker_names(arguments: Sequence[str]) -> list[str]:
    """The names of variables that `docker run` passes on."""
    found = []
    for before, one in zip(["", *arguments], arguments, strict=False):
        if before in ("-e", "--env"):
            found.append(one.partition("=")[0])
        elif one.startswith("--env="):
            found.append(one.split("=", 2)[1])
    return found


def _image(arguments: list[str]) -> list[tuple[str, str]]:
    image = image_of(arguments)
    if not image or "@sha256:" in image or _is_elsewhere(image):
        return []
    tag = image.rpartition("/")[2].partition(":")[2]
    return [] if tag and tag != "latest" else [("unpinned-image", image)]


def _pulls(arguments: list[str]) -> bool:
    pairs = zip(arguments, [*arguments[1:], ""], strict=False)
    return any(
        one == "--pull=always" or (one, after) == ("--pull", "always") for one, after in pairs
    )
