"""Takes `signoff proxy` out of an entry, so that the real command or URL is read.

Before a URL the entry is `signoff proxy [OPTIONS] --url URL [--header-env NAME=VARIABLE]...`. What
no list of processes may show is in the variables of the entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ...content.files.tree import Tree
from ..files.servers import ServerEntry
from .commands import base_name

PROXY: Final = "proxy"
"""The command of Signoff that a host starts in the place of a server."""
URL: Final = "--url"
URL_ENV: Final = "--url-env"
HEADER_ENV: Final = "--header-env"
_PROGRAM: Final = "signoff"
_MODULES: Final = ("signoff", "signoff.app")
_RUNNERS: Final = ("uvx", "uv", "pipx")


def take_out_proxy(entry: ServerEntry) -> None:
    """Leave the words of the real command in the entry, and keep those before them.

    Before a URL no command is left, and the words that have the URL are in `relayed`.
    """
    while at := command_at(entry.words):
        entry.proxy = (*entry.proxy, *entry.words[:at])
        (entry.command, entry.command_spot), *rest = entry.args[at - 1 :]
        entry.args = rest
    if not entry.proxy and (at := url_at(entry.words)):
        words = entry.words
        entry.proxy, entry.relayed = tuple(words[:at]), tuple(words[at:])
        entry.command, entry.args = None, []


def command_at(words: Sequence[str]) -> int:
    """Return where the real command begins behind `signoff proxy ... --`; 0 without a proxy."""
    at = _proxy_at(words)
    if not at or "--" not in words[at:]:
        return 0
    begins = words.index("--", at) + 1
    return begins if begins < len(words) else 0


def url_at(words: Sequence[str]) -> int:
    """Return where the URL begins behind `signoff proxy ...`; 0 without a proxy or a URL."""
    at = _proxy_at(words)
    if not at or "--" in words[at:]:
        return 0
    found = (each for each in range(at, len(words) - 1) if words[each] in (URL, URL_ENV))
    return next(found, 0)


def read_relayed_url(entry: ServerEntry) -> None:
    """Fill in the URL and the headers behind a proxy; their variables are no longer the server's.

    The values stay as they are written: the host fills them before the proxy reads them.
    """
    if not entry.relayed:
        return
    option, value, *rest = entry.relayed
    used = [value] if option == URL_ENV else []
    entry.url = _text(entry.env.get(value)) if option == URL_ENV else value
    entry.url_spot = entry.command_spot
    for name, given in pairwise(rest):
        if name != HEADER_ENV:
            continue
        header, scheme, variable = read_header_env(given)
        used.append(variable)
        if variable in entry.env:
            text = f"{scheme}{_text(entry.env[variable])}"
            entry.headers[header] = Tree(text, entry.env[variable].spot)
        else:
            entry.header_variables[header] = (scheme, variable)
    entry.relayed_env = tuple(used)
    entry.env = {name: one for name, one in entry.env.items() if name not in used}
    entry.env_vars = [one for one in entry.env_vars if one not in used]
    entry.header_names = [*entry.headers, *entry.header_variables]


def read_header_env(given: str) -> tuple[str, str, str]:
    """Name, beginning of the value, and variable of `NAME=VARIABLE` or `NAME=Bearer VARIABLE`."""
    name, _, source = given.partition("=")
    scheme, blank, variable = source.rpartition(" ")
    return name, f"{scheme}{blank}", variable


def _text(tree: Tree | None) -> str:
    return tree.value if tree is not None and isinstance(tree.value, str) else ""


def _proxy_at(words: Sequence[str]) -> int:
    """Return where the word `proxy` of a Signoff is; 0 for another program."""
    if PROXY not in words[1:]:
        return 0
    at = words.index(PROXY, 1)
    return at if _starts_signoff(words[:at]) else 0


def _starts_signoff(words: Sequence[str]) -> bool:
    """True for the program, its module in Python, and a runner of packages that starts it."""
    program = base_name(words[0])
    if len(words) == 1:
        return program == _PROGRAM
    if program.startswith("py"):
        return words[-2] == "-m" and words[-1] in _MODULES
    return program in _RUNNERS and base_name(words[-1]) == _PROGRAM
