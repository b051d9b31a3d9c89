"""What was probably meant by a word that is no command: most often a server, given as it is started
elsewhere. Only read where the command line makes no sense anyway."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...content.text import visible
from ...schemas.secrets.commands import mask_command

INTERPRETERS: Final = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "tsx"}
RUNNERS: Final = frozenset(("python", "python3", "node", "npx", "uv", "uvx", "bunx", "deno", "tsx"))
"""Programs that start servers, whether or not they are here."""
MAX_CONFIG: Final = 1_000_000
"""Bytes of a file of servers that is looked into."""
MAX_SERVERS: Final = 4
"""Servers of such a file whose commands are told."""


def server_meant(words: Sequence[str], before: Sequence[str] = ()) -> str:
    """What to type instead where `words` begin with a server; empty where they do not.

    `before` is what stood in front of them: the command that is to have the server.
    """
    first = words[0] if words else ""
    begin = _shown("signoff", *before)
    if first.startswith(("http://", "https://")):
        return f"a server's URL stands after --url: {begin} --url {_shown(first)}"
    if first.endswith(".json"):
        return _of_config(first, begin)
    argv = _as_command(words)
    if not argv:
        return ""
    return f"a server's command stands after two dashes: {begin} -- {_shown(*argv)}"


def _shown(*words: str) -> str:
    """Words as they are typed, on one line and without their secrets."""
    return visible(mask_command(shlex.join(words)))


def _as_command(words: Sequence[str]) -> list[str]:
    """The words as a command that can be started; empty where they look like none."""
    first = words[0]
    if " " in first and not os.path.exists(first):
        # Several words in one pair of quotes.
        words = [*first.split(), *words[1:]]
        first = words[0]
    interpreter = INTERPRETERS.get(os.path.splitext(first)[1], "")
    if interpreter:
        return [interpreter, *words]
    if first in RUNNERS or (os.sep in first and os.path.isfile(first)):
        return list(words)
    if os.path.isfile(first) and os.access(first, os.X_OK):
        return [os.path.join(".", first), *words[1:]]
    return list(words) if len(words) > 1 and shutil.which(first) else []


def _of_config(path: str, begin: str) -> str:
    """The commands of the servers in a file such as editors and desktop clients keep."""
    told = [f"\n  {begin} {words}" for words in _servers(path)]
    if not told:
        return f"give a server by its command: {begin} -- COMMAND [ARG...]"
    more = "\n  ..." if len(told) > MAX_SERVERS else ""
    which = "this is the server in it" if len(told) == 1 else "these are the servers in it"
    return (
        f"it takes the command of a server, not a file of them; {which}:"
        f"{''.join(told[:MAX_SERVERS])}{more}"
    )


def _servers(path: str) -> Iterator[str]:
    """What follows `signoff` for each server of the file, without its secrets."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            value: Any = json.loads(file.read(MAX_CONFIG))
    except (OSError, ValueError, RecursionError):
        return
    found = value if isinstance(value, dict) else {}
    servers = found.get("mcpServers") or found.get("servers")
    for one in servers.values() if isinstance(servers, dict) else ():
        if not isinstance(one, dict):
            continue
        command, args, env = one.get("command"), one.get("args", []), one.get("env", {})
        if isinstance(one.get("url"), str):
            yield f"--url {_shown(one['url'])}"
        elif isinstance(command, str) and command and isinstance(args, list):
            names = env if isinstance(env, dict) else {}
            given = "".join(f"--env {_shown(name)} " for name in names)
            yield f"{given}-- {_shown(command, *map(str, args))}"
