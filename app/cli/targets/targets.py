"""Targets of the command line: the server and how to reach it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ...calls.effects.scratch import SCRATCH
from ...cli.targets.given_files import given_path
from ...engine.session_config import Target
from ...platforms.files import why
from ...transport.stdio.program import VALUED
from ..options.parser import DEMO
from ..options.session import SessionOptions, misplaced
from .credentials import read_sign_in
from .usage import UsageError as UsageError

DEMO_FOLDER = "SIGNOFF_DEMO_DIR"
"""The variable with the folder of the bundled server."""
RUNNERS = frozenset(("python", "node", "npx", "uvx", "uv", "bunx", "bun", "deno", "pipx", "tsx"))
"""Programs, without a version, that are named by what they run."""
ENTRIES = frozenset(("index", "main", "server", "cli", "app", "start", "__main__"))
"""Names of scripts that are too general; the folder's name is used instead."""
FOLDERS = frozenset(("dist", "build", "src", "bin", "lib", "out", "cjs", "esm"))


ENV_FORM = "--env: expected NAME or NAME=VALUE"
MIN_OPTION = 4
"""Characters of the shortest option that can name a secret, such as `--pw`."""


class NotStarted(Exception):
    """A configured server was not started for want of consent; the message is safe to show."""


def read_target(
    given: SessionOptions,
    argv: tuple[str, ...] = (),
    headers: tuple[tuple[str, str], ...] = (),
) -> Target:
    """The one target that was given. Raises UsageError for none or several.

    `headers` are those of the options, with their values. What goes over the wire is captured from
    now on, if that is wanted.
    """
    url = given.url or ""
    targets = [given.is_bundled, bool(url), bool(argv)]
    if sum(targets) > 1:
        raise UsageError("give one target only: demo, --url URL, or -- COMMAND [ARG...]")
    variables = read_variables(given.env)
    if any(targets) and (why := misplaced(given, has_url=bool(url))):
        raise UsageError(why)
    if given.is_bundled:
        found = Target(given.name or DEMO, argv=demo_command(), is_bundled=True, env=variables)
    elif url:
        name, way = given.name or _url_name(url), read_sign_in(given, headers)
        found = Target(
            name,
            url=url,
            headers=headers,
            credentials=way.credentials,
            browser=way.browser,
            transport=given.transport or "auto",
            ca=given.ca or "",
            is_insecure=given.insecure,
        )
    elif argv:
        found = Target(given.name or command_name(argv), argv=argv, env=variables)
    else:
        raise UsageError(
            "which server? Give demo (the bundled one), --url URL, --server NAME (of a "
            "configuration file), or -- COMMAND [ARG...], such as -- python server.py"
        )
    if given.capture:
        capture_into(found, given.capture)
    return replace(
        found,
        protocol=given.protocol or "auto",
        without=frozenset(given.without),
        experimental=frozenset(given.experimental),
    )


def watched_target(target: Target, how: str, folder: str | None) -> Target:
    """Return the target with a watch. Raises UsageError."""
    if target.url:
        raise UsageError("--url servers cannot be watched: only servers that Signoff starts can")
    from pathlib import Path

    from ...calls.effects.deeds import Method
    from ...calls.effects.watch import Watch

    if folder is not None and not Path(folder).is_dir():
        raise UsageError(f"--scratch {folder!r}: the folder does not exist")
    try:
        watch = Watch(Method(how) if how else None, Path(folder) if folder is not None else None)
    except OSError as problem:
        raise UsageError(f"it cannot be watched: {problem}") from None
    return replace(in_sandbox(target), watch=watch)


def in_sandbox(target: Target) -> Target:
    """Let the bundled server work in the scratch folder of a watch, where its effects are seen."""
    if not target.is_bundled or any(name == DEMO_FOLDER for name, _ in target.env):
        return target
    return replace(target, env=(*target.env, (DEMO_FOLDER, f"{SCRATCH}/demo")))


def capture_into(target: Target, path: str) -> None:
    from ...transport.capture_file import CaptureFile

    try:
        target.wire.sink = CaptureFile(given_path(path, "--capture"))
    except OSError as problem:
        from ...content.text import visible

        words = f"{visible(path)} cannot be written: {why(problem)}"
        raise UsageError(f"--capture: {words}") from None


_CODE_OPTIONS = {
    "python": re.compile(r"-[A-Za-z]*c"),
    "npx": re.compile(r"-c|--call(?:=.*)?", re.DOTALL),
    **dict.fromkeys(
        ("node", "bun", "deno", "tsx"),
        re.compile(r"-[A-Za-z]*[ep]|--(?:eval|print)(?:=.*)?|eval", re.DOTALL),
    ),
}
"""By program the options, and deno's command, whose value is code."""


def _code_option(program: str, argv: Sequence[str]) -> str:
    """The option by which a command runs a piece of code in one of its words, or empty."""
    option, is_value = _CODE_OPTIONS.get(program), False
    for word in argv[1:] if option else ():
        assert option is not None
        if is_value:
            is_value = False
        elif option.fullmatch(word):
            return word.partition("=")[0]
        elif not word.startswith("-"):
            return ""
        else:
            is_value = word in VALUED
    return ""


_GENERIC = frozenset(("mcp", "server", "mcp-server", "server-mcp"))
"""Names of packages that many scopes use."""


def command_name(argv: Sequence[str]) -> str:
    """Name a server: its program, or the program that an interpreter or a runner runs.

    `node .../server-filesystem/dist/index.js` is server-filesystem, `npx -y @scope/name@1` is name,
    `npx @scope/mcp` is scope-mcp, `python -m my_server` and `uv run python my_server.py` are
    my_server.
    """
    program = os.path.basename(argv[0]) or argv[0]
    runner = program.rstrip("0123456789.")
    if runner in RUNNERS and (option := _code_option(runner, argv)):
        return f"{program} {option} …"
    if runner not in RUNNERS:
        return program
    places = [
        place
        for place, (before, word) in enumerate(pairwise(argv), 1)
        if not word.startswith("-") and word not in ("run", "x") and not _is_secret(before, word)
    ]
    if not places:
        return program
    first = argv[places[0]]
    if places[1:] and os.path.basename(first).rstrip("0123456789.") in RUNNERS:
        return command_name(argv[places[0] :])
    parts = [part for part in first.split("/") if part] or [program]
    stem = parts[-1].rpartition(".")[0] or parts[-1]
    if stem in ENTRIES and len(parts) > 1:
        folders = [part for part in parts[:-1] if part not in FOLDERS and not part.startswith(".")]
        return _package_name(folders) if folders else stem
    if parts[-1].endswith((".js", ".mjs", ".cjs", ".ts", ".py")):
        return stem
    return _package_name(parts)


def _package_name(parts: Sequence[str]) -> str:
    """The last part of a path or package without its version, with its scope if it needs that."""
    name = parts[-1].partition("@")[0] or parts[-1]
    scope = parts[-2] if len(parts) > 1 else ""
    return f"{scope[1:]}-{name}" if name in _GENERIC and scope.startswith("@") else name


def _is_secret(before: str, word: str) -> bool:
    """True if a word is the secret of the option before it: the name is shown and kept."""
    if len(before) < MIN_OPTION or not before.startswith("--"):
        return False
    from ...schemas.secrets.masks import is_value_of

    return is_value_of(before, word)


def demo_command() -> tuple[str, ...]:
    """The bundled server, by the interpreter that runs Signoff.

    -P keeps the current folder, which may be another user's, out of Python's import path.
    """
    return (sys.executable, "-P", "-m", "signoff.app.demo")


def read_variables(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read the values of `--env`. Raises UsageError."""
    return tuple(_variable(one) for one in given)


def _variable(given: str) -> tuple[str, str]:
    """`NAME=VALUE`, or `NAME` for the value that Signoff itself has."""
    name, equals, value = given.partition("=")
    if not name:
        raise UsageError(ENV_FORM)
    if not equals:
        if name not in os.environ:
            raise UsageError(f"--env {name}: this variable is not set here")
        value = os.environ[name]
    return name, value


def _url_name(url: str) -> str:
    from urllib.parse import urlsplit

    from ...transport.http.reach import split_socket

    if socket := split_socket(url)[1]:
        return os.path.splitext(os.path.basename(socket))[0] or "socket"
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.port != 0 else None
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        from ...schemas.secrets.commands import mask_command

        shown = mask_command(url)
        forms = "http://HOST/PATH, https://HOST/PATH or unix:///SOCKET#/PATH"
        raise UsageError(f"--url must be {forms}, not {shown!r}")
    return host
