"""The container of servers in a file: the host's own key, that of another host, nested or flat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.files.tree import SourceLocation, Tree
from ...content.frozen import frozen
from ..files.problems import ERROR, NOTE, WARNING, ProblemList, listed, named
from ..table import Host

COMMON: Final = (
    *("mcpServers", "servers", "mcp_servers", "context_servers", "mcp.servers", "mcp.mcpServers"),
    *("chat.experimental.mcp.servers", "extensions", "mcp"),
)
"""Containers of all hosts, in the order in which they are looked for."""
ALWAYS: Final = ("mcpServers", "mcp_servers", "context_servers")
"""Containers that mean nothing else."""
LOOK_ALIKES: Final = ("lsp", "hooks", "formatter", "providers", "statusLine")
"""Keys of settings whose entries have commands, too, and are not servers."""
TELLING: Final = frozenset(
    ("command", "cmd", "url", "serverUrl", "httpUrl", "baseUrl", "uri", "args", "type", "link")
)
"""Keys by which an entry looks like a server."""
DEEPEST_SEARCH: Final = 4


@frozen
class Container:
    """Entries of one container, with the names and places of each."""

    path: str
    """The keys that lead to it; empty for a flat file."""
    tree: Tree
    spot: SourceLocation
    is_own: bool
    """Whether the host reads it."""
    scope: str = ""
    project: str = ""
    """The folder that the entries are for, if the file has those of several."""


def find_containers(tree: Tree, host: Host, problems: ProblemList) -> list[Container]:
    """All containers of a file, the host's own first; the problems with them are noted."""
    own = list(_own(tree, host))
    others = list(_foreign(tree, host))
    found = [one for one in (*own, *others) if _is_usable(one, host, problems)]
    _complain_of_others(own, others, host, problems)
    if found or own or others:
        return found
    if nested := _nested(tree):
        words = f"servers are under {named(nested.path)}, which {host.title} does not read"
        fix = f"move them to {_wanted(host)}" if host.containers else ""
        problems.add("nested-container", ERROR, words, nested.spot, fix=fix)
        return [nested]
    if flat := _flat(tree, host):
        _complain_of_flat(flat, host, problems)
        return [flat]
    return []


def look_alikes(tree: Tree, problems: ProblemList) -> None:
    """Note the keys whose entries are commands and not servers."""
    for name in LOOK_ALIKES:
        one = tree.members.get(name)
        if one is not None and (one.members or one.items):
            words = f"the entries of {name} are not servers"
            problems.add("not-a-server", NOTE, words, tree.keys.get(name, one.spot))


def at_path(tree: Tree, path: str) -> tuple[Tree, SourceLocation] | None:
    """The tree at keys joined by dots; a key may have dots of its own."""
    return next(all_at_path(tree, path), None)


def all_at_path(tree: Tree, path: str) -> Iterator[tuple[Tree, SourceLocation]]:
    """The trees of all ways to write a path: `mcp.servers` as one key, and as a key in a key."""
    if path in tree.members:
        yield tree.members[path], tree.keys.get(path, tree.members[path].spot)
    head, _, rest = path.partition(".")
    while rest:
        if head in tree.members:
            yield from all_at_path(tree.members[head], rest)
        name, _, rest = rest.partition(".")
        head = f"{head}.{name}"


def looks_like_server(tree: Tree) -> bool:
    """True for an entry with a key that servers have."""
    return bool(TELLING & tree.members.keys())


def is_container(name: str, tree: Tree) -> bool:
    """True for an entry that is the container of another host, such as `mcp.servers`."""
    is_named = name in ("servers", "mcpServers") and not looks_like_server(tree)
    return is_named and any(map(looks_like_server, tree.members.values()))


def _own(tree: Tree, host: Host) -> Iterator[Container]:
    for path in host.containers:
        for found in all_at_path(tree, path):
            yield Container(path, *found, True, "user" if host.id == "claude-user" else "")
    if host.id == "claude-user" and (projects := tree.members.get("projects")):
        for folder, one in projects.members.items():
            if below := one.members.get("mcpServers"):
                spot = one.keys.get("mcpServers", below.spot)
                yield Container("projects.mcpServers", below, spot, True, "local", folder)


def _foreign(tree: Tree, host: Host) -> Iterator[Container]:
    """Containers of other hosts; those with a usual name only if a server is in them."""
    seen: set[str] = set()
    for path in COMMON:
        if path in host.containers or path in seen:
            continue
        found = at_path(tree, path)
        if found is None or (path == "mcp" and {"servers", "mcpServers"} & found[0].members.keys()):
            continue
        below, spot = found
        entries = (*below.members.values(), *below.items)
        if path in ALWAYS or any(map(looks_like_server, entries)):
            yield Container(path, below, spot, False)


def _is_usable(one: Container, host: Host, problems: ProblemList) -> bool:
    """True for a container of the right kind, or of one that can be read anyway."""
    value = one.tree.value
    name = named(one.path)
    if isinstance(value, (str, list)) and host.id == "claude-plugin-manifest":
        words = f"{name} names other files of the plugin"
        fix = "give such a file with --config"
        problems.add("servers-elsewhere", NOTE, words, one.spot, fix=fix)
        return False
    if isinstance(value, list) and not host.as_list:
        words = f"{name} is a list; {host.title} reads an object of names and servers"
        problems.add("container-is-list", ERROR, words, one.spot, fix="make each name a key")
        return True
    if isinstance(value, dict) and host.as_list and one.is_own:
        words = f"{name} is an object; {host.title} reads a list of servers with names"
        problems.add("container-not-object", WARNING, words, one.spot, fix="make it a list")
        return True
    if isinstance(value, (dict, list)):
        return True
    kind = "null" if value is None else "not an object"
    words = f"{name} is {kind}; an object of servers is expected"
    problems.add("container-not-object", ERROR, words, one.spot, fix="write {} for none")
    return False


def _complain_of_others(
    own: list[Container], others: list[Container], host: Host, problems: ProblemList
) -> None:
    names = list(dict.fromkeys(one.path for one in others if one.tree.members or one.tree.items))
    if not names or not host.containers:
        return
    first = others[0]
    # TOML has no line for a table that only its inner tables name.
    spot = first.spot if first.spot.column else next(iter(first.tree.keys.values()), first.spot)
    wanted = _wanted(host)
    verb = "is a key" if len(names) == 1 else "are keys"
    words = f"{listed(names)} {verb} of other hosts; {host.title} reads {wanted} only"
    if own:
        problems.add("two-containers", ERROR, words, spot, fix=f"move the servers to {wanted}")
    else:
        problems.add("wrong-container", ERROR, words, spot, fix=f"rename it to {wanted}")


def _wanted(host: Host) -> str:
    return host.containers[0] if host.containers else "its own key"


def _nested(tree: Tree) -> Container | None:
    """The first container of servers that lies below other keys."""
    level = [("", tree)]
    for _ in range(DEEPEST_SEARCH):
        below: list[tuple[str, Tree]] = []
        for path, one in level[:1_000]:
            for name, inner in one.members.items():
                here = f"{path}.{name}" if path else name
                if name in ("mcpServers", "mcp_servers", "servers") and any(
                    map(looks_like_server, inner.members.values())
                ):
                    return Container(here, inner, one.keys.get(name, inner.spot), False)
                below.append((here, inner))
        level = below
    return None


def _flat(tree: Tree, host: Host) -> Container | None:
    """The file as a container of its own, if its entries look like servers."""
    entries = [one for one in tree.members.values() if isinstance(one.value, dict)]
    alike = sum(map(looks_like_server, entries))
    if not host.flat and (host.settings or host.rules_only or host.described):
        return None
    if alike and alike == len(entries) and {"command", "url"}.isdisjoint(tree.members):
        return Container("", tree, tree.spot, host.flat)
    return None


def _complain_of_flat(flat: Container, host: Host, problems: ProblemList) -> None:
    if host.flat:
        words = "the servers are at the top of the file, which is usual for a plugin"
        problems.add("flat-container", NOTE, words, flat.spot)
        return
    words = f"the servers are at the top of the file; {host.title} reads {_wanted(host)}"
    fix = f'put them into "{_wanted(host)}": {{...}}'
    problems.add("flat-container", ERROR, words, flat.spot, fix=fix)
