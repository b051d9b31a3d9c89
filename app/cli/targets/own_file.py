"""`signoff servers add` and `remove`: the servers in Signoff's own file."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...content.json.jsonio import JsonError, parse
from ...content.text import visible
from ...hosts.entries.transports import header_problem
from ...presentation.exit_status import ExitStatus
from ...storage.settings.file import make_file, read_file, replace_file, settings_file
from ...storage.state_dir import StoreError
from ..command import Command, without_server
from ..options.declared import add_options, opt, options, read_values
from ..options.parser import Parser
from ..options.session import SessionOptions, misplaced
from ..output.printing import say
from .targets import ENV_FORM, UsageError

LONGEST_NAME: Final = 100


@options
class AddOptions(NamedTuple):
    """Options of `servers add`."""

    name: str = opt("NAME")
    url: str = opt("--url URL", "a server over HTTP")
    env: tuple[str, ...] = opt(
        "--env NAME[=VALUE]",
        "a variable of the server; without a value it is taken from the environment at each start",
    )
    """`NAME`, or `NAME=VALUE`."""
    headers: tuple[str, ...] = opt(
        "--header NAME=$VARIABLE", "a header for --url, with its value from the environment"
    )
    """`NAME=$VARIABLE`."""
    transport: str = opt("--transport", "for --url", choices=["http", "sse"])
    trust: bool = opt("--trust", "trust the hints of this server")
    policy: str = opt("--policy NAME|FILE", "use this policy for it")
    roots: tuple[str, ...] = opt("--root [NAME=]FOLDER")


@options
class RemoveOptions(NamedTuple):
    """Options of `servers remove`."""

    name: str = opt("NAME")


class AddServer(NamedTuple):
    """Add a server to Signoff's own file; its command comes after two dashes."""

    own: AddOptions

    def run(self, argv: tuple[str, ...]) -> int:
        return run_add(self.own, argv)


def add_add(parser: Parser) -> None:
    """Add the options of `signoff servers add`."""
    parser.usage = f"{parser.prog} NAME [OPTIONS] (--url URL | -- COMMAND [ARG...])"
    add_options(parser, AddOptions)

    def read(given: argparse.Namespace) -> Command:
        return AddServer(read_values(AddOptions, given))

    parser.set_defaults(read_command=read)


def add_remove(parser: Parser) -> None:
    """Add the options of `signoff servers remove`."""
    without_server(parser, RemoveOptions, run_remove)


def own_file() -> Path:
    """Path of Signoff's own file of servers."""
    try:
        beside = settings_file({})
    except StoreError as problem:
        raise UsageError(str(problem)) from None
    assert beside is not None
    return beside.with_name("servers.json")


def run_add(wanted: AddOptions, argv: tuple[str, ...]) -> int:
    """Write an entry; returns the exit status. Raises UsageError."""
    name = wanted.name
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable() or "/" in name:
        raise UsageError(f"not a name for a server: {visible(name[:LONGEST_NAME])}")
    entry = _entry(wanted, argv)
    path = own_file()
    text, whole = _read(path)
    servers = whole.setdefault("mcpServers", {})
    if name in servers:
        raise UsageError(f"{visible(name)} is there already; signoff servers remove it first")
    servers[name] = entry
    _write(path, text, whole)
    say(f"added to {visible(str(path))}; signoff --server {visible(name)} opens it")
    return ExitStatus.OK


def save_server(name: str, given: SessionOptions, argv: tuple[str, ...]) -> None:
    """Write the server of a command line, with its trust, policy and roots. Raises UsageError."""
    if given.is_bundled or given.servers or given.is_all or given.described or given.config:
        raise UsageError("--save-as is for a command, or for --url")
    found = {one: getattr(given, one, None) for one in AddOptions._fields}
    values: dict[str, Any] = {
        one: value for one, value in found.items() if value not in (None, "auto")
    }
    wanted = AddOptions(**{**values, "name": name})
    run_add(wanted, argv)


def run_remove(wanted: RemoveOptions) -> int:
    """Remove an entry; returns the exit status. Raises UsageError."""
    path = own_file()
    text, whole = _read(path)
    servers = whole.get("mcpServers", {})
    if wanted.name not in servers:
        words = "signoff servers --host signoff lists its servers"
        raise UsageError(f"{visible(wanted.name)} is not in {visible(str(path))}; {words}")
    del servers[wanted.name]
    _write(path, text, whole)
    say(f"removed from {visible(str(path))}")
    return ExitStatus.OK


def _entry(wanted: AddOptions, argv: tuple[str, ...]) -> dict[str, Any]:
    if bool(wanted.url) is bool(argv):
        raise UsageError("give --url URL, or -- COMMAND [ARG...]")
    if why := misplaced(wanted, has_url=bool(wanted.url)):
        raise UsageError(why)
    if wanted.url:
        entry: dict[str, Any] = {"type": wanted.transport or "http", "url": wanted.url}
        headers = dict(map(_header, wanted.headers))
        entry |= {"headers": headers} if headers else {}
    else:
        entry = {"command": argv[0], "args": list(argv[1:]), "cwd": os.getcwd()}
        env = dict(map(_variable, wanted.env))
        entry |= {"env": env} if env else {}
    if wanted.trust:
        entry["trusted"] = True
    if wanted.policy:
        entry["policy"] = wanted.policy
    if wanted.roots:
        entry["roots"] = list(wanted.roots)
    return entry


def _variable(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not name:
        raise UsageError(ENV_FORM)
    return name, value if equals else f"${{{name}}}"


def _header(given: str) -> tuple[str, str]:
    name, _, source = given.partition("=")
    variable = source.removeprefix("$").strip("{}")
    is_variable = source.startswith("$") and variable.isidentifier()
    if not is_variable or header_problem(name, "x"):
        raise UsageError("--header: expected NAME=$VARIABLE; a value is not written into the file")
    return name, f"${{{variable}}}"


def _read(path: Path) -> tuple[str | None, dict[str, Any]]:
    """The text and the value of the file; None and an empty one without a file."""
    try:
        text = read_file(path)
    except StoreError as problem:
        raise UsageError(f"{visible(str(path))}: {problem}") from None
    if text is None:
        return None, {}
    try:
        whole = parse(text).value
    except JsonError as problem:
        words = f"{visible(str(path))} cannot be changed: {problem}; edit it yourself"
        raise UsageError(words) from None
    servers = whole.get("mcpServers", {}) if isinstance(whole, dict) else None
    if not isinstance(whole, dict) or not isinstance(servers, dict):
        raise UsageError(f"{visible(str(path))} has no mcpServers: edit it yourself")
    return text, dict(whole)


def _write(path: Path, before: str | None, whole: Mapping[str, Any]) -> None:
    text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    try:
        if before is None:
            make_file(path, text)
        else:
            replace_file(path, text, before)
    except StoreError as problem:
        raise UsageError(str(problem)) from None
