"""What a command runs in the end: packages, images, scripts; and where their versions are open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..content.frozen import frozen
from .commands import base_name, split_words

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
_LINE: Final = frozenset({"-c", "-lc", "-ic", "-ec", "/c", "/k", "-command", "-encodedcommand"})
SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "fish", "cmd", "powershell", "pwsh"})


@frozen
class Run:
    """Findings about a command: codes of problems, with words for each."""

    shell: str = ""
    """The shell that runs a line; empty if none does."""
    line: str = ""
    found: tuple[tuple[str, str], ...] = ()
    """Codes and what they are about: a package, or an image."""
    is_pulled_anew: bool = False


def examine(words: Sequence[str]) -> Run:
    """Find what a command runs. `words` are the program and its arguments."""
    program, arguments = base_name(words[0]), list(words[1:])
    if program in ("sudo", "env", "nohup") and arguments:
        rest = [one for one in arguments if not one.startswith("-") and "=" not in one]
        return examine(rest) if rest else Run()
    if program in SHELLS:
        return _of_shell(program, arguments)
    return Run(found=tuple(_of_launcher(program, arguments)), is_pulled_anew=_pulls(arguments))


def _of_shell(program: str, arguments: list[str]) -> Run:
    at = next((at for at, one in enumerate(arguments) if one.lower() in _LINE), -1)
    if at < 0 or at + 1 >= len(arguments):
        return Run()
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
    return Run(program, line, tuple(found))


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
