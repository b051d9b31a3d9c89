"""One entry of a file as a `ServerEntry`: name, keys, environment and headers; mistakes noted.

The command is read in `commands.py`, the transport in `transports.py`. A bad entry hides no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ...content.files.tree import SourceLocation, Tree
from ...content.suggest import did_you_mean
from ..files.problems import ERROR, NOTE, WARNING, ProblemList, listed
from ..files.servers import ServerEntry
from ..table import ANY, Host, hosts
from .commands import read_command
from .containers import Container, is_container
from .proxied import read_relayed_url, take_out_proxy
from .transports import OWN_HEADERS, URL_KEYS, read_transport

MOST_SERVERS: Final = 1_000
"""Entries of a file that are read."""
ENV_KEYS: Final = ("env", "envs", "environment")
KNOWN: Final = frozenset(
    (
        *("command", "args", "env", "url", "headers", "type", "disabled", "enabled", "timeout"),
        *("name", "description", "title", "icon", "$comment", "comment", "_comment", "//", "note"),
    )
)
"""Keys that most hosts have, or ignore."""
READ_ELSEWHERE: Final = frozenset(
    (
        *(*URL_KEYS, *ENV_KEYS, "cmd", "transport", "transportType", "tools", "trust"),
        *("autoApprove", "alwaysAllow", "disabledTools", "allowedTools", "allowed_tools"),
    )
)
"""Keys that have a problem of their own if they are out of place."""


def read_entries(container: Container, host: Host, problems: ProblemList) -> list[ServerEntry]:
    """The entries of a container, in the order of the file."""
    found = []
    for count, (name, tree, spot) in enumerate(_named(container, host, problems)):
        if count >= MOST_SERVERS:
            words = f"only the first {MOST_SERVERS:,} entries are read"
            problems.add("more-problems", ERROR, words, spot)
            break
        is_other = not container.is_own and (host.command_list or not host.types)
        judge = hosts()[ANY] if is_other else host
        entry = ServerEntry(name, tree, spot, judge, container)
        _read(entry, problems)
        found.append(entry)
    return found


def _named(
    container: Container, host: Host, problems: ProblemList
) -> Iterator[tuple[str, Tree, SourceLocation]]:
    tree = container.tree
    for name, one in tree.members.items():
        spot = tree.keys.get(name, one.spot)
        if not container.path and not isinstance(one.value, dict):
            continue
        if is_container(name, one):
            continue
        if not name.strip():
            problems.add("name-empty", ERROR, "the server's name is empty", spot, server=name)
        yield name, one, spot
    for number, one in enumerate(tree.items, 1):
        given, uses = one.members.get("name"), one.members.get("uses")
        if given is not None and isinstance(given.value, str) and given.value.strip():
            yield given.value, one, one.spot
        elif uses is not None and isinstance(uses.value, str):
            yield uses.value, one, one.spot
        else:
            name = f"#{number}"
            words = "the entry has no name, which a list requires"
            problems.add("name-missing", ERROR, words, one.spot, fix="add name", server=name)
            yield name, one, one.spot


def _read(entry: ServerEntry, problems: ProblemList) -> None:
    if not isinstance(entry.tree.value, dict):
        kind = "null" if entry.tree.value is None else "not an object"
        entry.reason, entry.is_broken = f"the entry is {kind}", True
        problems.add(
            "entry-not-object", ERROR, f"the entry is {kind}", entry.spot, server=entry.name
        )
        return
    read_command(entry, problems)
    take_out_proxy(entry)
    _read_env(entry, problems)
    _read_headers(entry, problems)
    _read_rest(entry)
    read_relayed_url(entry)
    read_transport(entry, problems)
    _complain_of_keys(entry, problems)


def _read_env(entry: ServerEntry, problems: ProblemList) -> None:
    host, tree = entry.host, entry.tree
    inner = tree.members.get("command")
    nested = inner.members.get("env") if inner is not None and host.id == "zed" else None
    if nested is not None:
        _take_env(entry, nested, problems)
    for key in (host.env_key, *ENV_KEYS):
        if key not in tree.members or (key != host.env_key and host.env_key in tree.members):
            continue
        _take_env(entry, tree.members[key], problems)
        if key != host.env_key:
            words = f"{host.title} reads {host.env_key}, not {key}"
            fix = f"rename it to {host.env_key}"
            spot = entry.spot_of(key)
            problems.add("wrong-key", ERROR, words, spot, fix=fix, server=entry.name)
        break
    entry.keyring = _texts(tree.members.get("env_keys")) if host.host == "goose" else []
    for one in entry.keyring:
        entry.env.setdefault(one, Tree(None, entry.spot_of("env_keys")))


def _take_env(entry: ServerEntry, tree: Tree, problems: ProblemList) -> None:
    if tree.value is None:
        return
    if isinstance(tree.value, list):
        pairs = (one.value.partition("=") for one in tree.items if isinstance(one.value, str))
        entry.env.update({name: Tree(value, tree.spot) for name, _, value in pairs if name})
    if not isinstance(tree.value, dict):
        words = "the environment is not an object of names and texts"
        problems.add("env-not-object", ERROR, words, tree.spot, server=entry.name)
        return
    wrong = [name for name, one in tree.members.items() if not isinstance(one.value, str)]
    if wrong:
        verb = "is not a text" if len(wrong) == 1 else "are not texts"
        words = f"{listed(wrong)} {verb}"
        if entry.host.whole_file:
            words = f"{words}; {entry.host.title} refuses the whole file"
        level = WARNING if entry.host.lenient_env else ERROR
        spot = tree.keys.get(wrong[0], tree.spot)
        fix = "put each value in quotes"
        problems.add("env-value-not-string", level, words, spot, fix=fix, server=entry.name)
    for name, one in tree.members.items():
        is_text = isinstance(one.value, str) or one.value is None
        entry.env[name] = one if is_text else Tree(_as_text(one), one.spot)


def _as_text(tree: Tree) -> str:
    match tree.value:
        case bool():
            return "true" if tree.value else "false"
        case int() | float():
            return str(tree.value) if abs(tree.value) < 1e30 else "a number"
    return "a value"


def _read_headers(entry: ServerEntry, problems: ProblemList) -> None:
    members = entry.tree.members
    for key in ("headers", "http_headers"):
        if key in members:
            _take_headers(entry, key, members[key], problems)
    options = members.get("requestOptions")
    if options is not None and "headers" in options.members:
        _take_headers(entry, "headers", options.members["headers"], problems)
    by_name = members.get("env_http_headers")
    for name, one in {} if by_name is None else by_name.members.items():
        if (variable := _text(one)) is not None:
            entry.header_variables[name] = ("", variable)
    if variable := _text(members.get("bearer_token_env_var")):
        entry.header_variables["Authorization"] = ("Bearer ", variable)
    entry.header_names = [*entry.headers, *entry.header_variables]
    entry.has_headers_helper = bool({"headersHelper", "http_headers_helper"} & members.keys())


def _take_headers(entry: ServerEntry, key: str, tree: Tree, problems: ProblemList) -> None:
    if not isinstance(tree.value, dict):
        if tree.value is not None:
            words = f"{key} is not an object of names and texts"
            problems.add("env-not-object", ERROR, words, tree.spot, server=entry.name)
        return
    entry.headers.update(tree.members)
    own = [name for name in tree.members if name.lower() in OWN_HEADERS]
    if own:
        words = f"the client sets {listed(own)} itself"
        spot = tree.keys.get(own[0], tree.spot)
        problems.add("header-set-by-transport", NOTE, words, spot, server=entry.name)


def _read_rest(entry: ServerEntry) -> None:
    members = entry.tree.members
    entry.cwd = _text(members.get("cwd"))
    entry.env_file = _text(members.get("envFile"))
    names = members.get("env_vars")
    for one in () if names is None else names.items:
        name = _text(one) or _text(one.members.get("name"))
        if name:
            entry.env_vars.append(name)
    shown = _text(members.get("display_name"))
    if shown is None and entry.host.host == "goose":
        given = _text(members.get("name"))
        shown = given if given != entry.name else None
    entry.display_name = shown or ""
    disabled, enabled = members.get("disabled"), members.get("enabled")
    is_off = disabled is not None and disabled.value is True
    entry.is_enabled = not (is_off or (enabled is not None and enabled.value is False))


def _complain_of_keys(entry: ServerEntry, problems: ProblemList) -> None:
    host, name = entry.host, entry.name
    if "gallery" in entry.tree.members:
        words = "gallery and version are written by the editor"
        spot = entry.spot_of("gallery")
        problems.add("gallery-entry", NOTE, words, spot, server=name)
    for key in host.ignored.keys() & entry.tree.members.keys():
        words = f"{key} has no effect in {host.title}"
        problems.add("ignored-key", NOTE, words, entry.spot_of(key), server=name)
    known = {*KNOWN, *READ_ELSEWHERE, *host.keys, *host.ignored, *host.switches}
    unknown = [key for key in entry.tree.members if key not in known or key in host.not_keys]
    if entry.transport == "unknown" and entry.url is None and entry.command is None:
        # The key is named as what may have been meant by it.
        unknown = [key for key in unknown if key != "link"]
    if unknown:
        hint = did_you_mean(unknown[0], [*host.keys, *KNOWN - {"//"}])
        words = f"{host.title} does not know {listed(unknown)}{_others_with(unknown[0], host)}"
        level = WARNING if host.unknown_key == "warning" else NOTE
        fix = hint.removeprefix("; ") if len(unknown) == 1 else ""
        spot = entry.spot_of(unknown[0])
        problems.add("unknown-key", level, words, spot, fix=fix, server=name)


def _others_with(key: str, host: Host) -> str:
    """Name the hosts that have a key."""
    found = [one.title for one in hosts().values() if key in one.keys and not one.of]
    return f" (a key of {', '.join(found[:3])})" if found and host.id not in found else ""


def _text(tree: Tree | None) -> str | None:
    return tree.value if tree is not None and isinstance(tree.value, str) else None


def _texts(tree: Tree | None) -> list[str]:
    return [one.value for one in (tree.items if tree else ()) if isinstance(one.value, str)]


def names_of(entries: list[ServerEntry]) -> Mapping[str, ServerEntry]:
    """Entries by their names."""
    return {one.name: one for one in entries}
