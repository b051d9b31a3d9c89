"""The transport of an entry, and the headers that a person may give for a server over HTTP.

The transport follows from the entry's type, its address, and the rules of its host.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from ...content.files.tree import Tree
from ..files.problems import ERROR, NOTE, WARNING, ProblemList, listed, named
from ..files.servers import ServerEntry
from ..table import Host

URL_KEYS: Final = ("url", "serverUrl", "httpUrl", "baseUrl", "uri")
SPELLINGS: Final = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
}
"""All spellings of a type, without the signs in them."""
SOCKETS: Final = ("ws", "websocket")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def read_transport(entry: ServerEntry, problems: ProblemList) -> None:
    """Read the address and the type, and find the transport."""
    if entry.relayed:
        entry.transport = "http"
        return
    _read_url(entry, problems)
    word, kind = _read_type(entry, problems)
    entry.type_word = word
    if _is_of_host(entry, kind, problems):
        return
    if entry.command is not None and entry.url is not None:
        _both(entry, kind, problems)
        return
    if entry.command is None and entry.url is None:
        _neither(entry, kind, problems)
        return
    if kind == "unknown":
        entry.reason = f"the type {named(word)} is not known"
        return
    if entry.command is not None:
        _local(entry, word, kind, problems)
    else:
        _remote(entry, word, kind, problems)


def _read_url(entry: ServerEntry, problems: ProblemList) -> None:
    host, members = entry.host, entry.tree.members
    order = dict.fromkeys((*host.url_keys, *URL_KEYS))
    given = [key for key in order if key in members and members[key].value not in (None, "")]
    if not given:
        return
    first = given[0]
    spot = entry.spot_of(first)
    value = members[first].value
    if not isinstance(value, str):
        words = f"{first} is not a text"
        problems.add("url-invalid", ERROR, words, spot, server=entry.name)
        return
    entry.url, entry.url_key, entry.url_spot = value, first, spot
    if len(given) > 1:
        words = f"{listed(given)} are set; {first} is used"
        problems.add("two-urls", WARNING, words, spot, server=entry.name)
    elif first not in host.url_keys and host.types:
        words = f"{host.title} reads {host.url_keys[0]}, not {first}"
        fix = f"rename it to {host.url_keys[0]}"
        problems.add("wrong-key", ERROR, words, spot, fix=fix, server=entry.name)
    scheme = _SCHEME.match(value)
    if value.startswith(("unix://", "pipe://")):
        words = "the address is a local socket, which Signoff does not connect to"
        problems.add("socket-url", NOTE, words, spot, server=entry.name)
    elif scheme is None and not value.startswith(("$", "{", "<", "%")):
        words = "the address has no scheme"
        fix = "begin it with https://"
        problems.add("url-invalid", ERROR, words, spot, fix=fix, server=entry.name)
    elif scheme is not None and scheme[1].lower() not in ("http", "https", "ws", "wss"):
        words = f"the scheme {named(scheme[1])} is not http or https"
        problems.add("url-invalid", ERROR, words, spot, server=entry.name)


def _read_type(entry: ServerEntry, problems: ProblemList) -> tuple[str, str]:
    """The word of the type and its transport; empty if there is none."""
    host, members = entry.host, entry.tree.members
    key, tree = _type_tree(entry)
    if tree is None or tree.value is None:
        return "", ""
    word = tree.value if isinstance(tree.value, str) else ""
    spot = entry.spot_of(key)
    own = host.types
    if key == "transportType":
        own = host.old_types or host.types
        words = "transportType is an older spelling of type"
        code = "old-key" if host.old_types else "alias"
        problems.add(code, NOTE, words, spot, fix="use type", server=entry.name)
    elif key == "transport" and "type" not in members:
        words = "transport is read as type"
        problems.add("alias", NOTE, words, spot, fix="use type", server=entry.name)
    plain = re.sub(r"[\s_-]+", "", word).lower()
    if word in own:
        return word, own[word]
    kind = SPELLINGS.get(plain, "socket" if plain in SOCKETS else "unknown")
    if not host.types:
        # The host has no key of this name: the key itself is the problem.
        return word, "" if kind in ("stdio", "http", "sse") else kind
    if kind == "socket":
        return word, kind
    meant = [one for one, transport in own.items() if transport == kind]
    fix = f"write {meant[0]}" if meant else f"use one of {', '.join(own)}"
    level = ERROR if host.strict_types or kind == "unknown" else NOTE
    shown = named(word) if word else "a value that is not a text"
    words = f"type {shown}: {host.title}'s word is {meant[0]}" if meant else ""
    words = words or f"type {shown} is not known to {host.title}"
    if meant and level == NOTE:
        words = f"{words}; it is read as {kind}"
    problems.add("type-spelling", level, words, spot, fix=fix, server=entry.name)
    return word, kind


def _type_tree(entry: ServerEntry) -> tuple[str, Tree | None]:
    members = entry.tree.members
    for key in ("type", "transportType"):
        if key in members:
            return key, members[key]
    one = members.get("transport")
    if one is not None and "type" in one.members:
        return "transport", one.members["type"]
    return "transport", one if one is not None and isinstance(one.value, str) else None


def _is_of_host(entry: ServerEntry, kind: str, problems: ProblemList) -> bool:
    """True for an entry that only its host can start: built in, an extension, a block of a hub."""
    host, members, name = entry.host, entry.tree.members, entry.name
    if kind == "builtin":
        entry.transport, entry.reason = "builtin", f"a part of {host.title}"
        words = f"{entry.type_word}: a part of {host.title}, which cannot be started alone"
        problems.add("needs-host", NOTE, words, entry.spot_of("type"), server=name)
        return True
    if entry.command is not None or entry.url is not None:
        return False
    if host.id == "zed" and ("settings" in members or "source" in members):
        entry.transport, entry.reason = "extension", "an extension of Zed has the command"
        inner = members.get("settings")
        if inner is not None and "url" in inner.members:
            words = "settings.url is not Zed's key: the entry is read as an extension"
            spot = inner.keys.get("url", entry.spot)
            fix = "move url out of settings"
            problems.add("needs-host", WARNING, words, spot, fix=fix, server=name)
        else:
            words = "the server of an extension: only Zed knows its command"
            problems.add("needs-host", NOTE, words, entry.spot, server=name)
        return True
    if host.host == "continue" and "uses" in members:
        entry.reason = "a block of Continue's hub"
        words = "uses: the entry is a block of Continue's hub"
        problems.add("needs-host", NOTE, words, entry.spot_of("uses"), server=name)
        return True
    return False


def _both(entry: ServerEntry, kind: str, problems: ProblemList) -> None:
    host = entry.host
    words = "command and url are in one entry"
    fix = "remove one of them"
    if host.mixed:
        entry.transport = kind or "stdio"
        words = f"{words}; {host.title} uses one of them"
        level = WARNING
    else:
        entry.reason = "command and url are in one entry"
        entry.url = None
        words = f"{words}: hosts choose differently or refuse it"
        level = ERROR
    spot = entry.url_spot
    problems.add("command-and-url", level, words, spot, fix=fix, server=entry.name)


def _neither(entry: ServerEntry, kind: str, problems: ProblemList) -> None:
    host, members = entry.host, entry.tree.members
    has_own = {host.command_key, *host.url_keys} & members.keys()
    if host.overlays and members and not has_own:
        entry.transport, entry.reason = "none", "changes an entry of another file"
        words = "neither command nor url: the entry changes one of another file"
        problems.add("overlay-only", NOTE, words, entry.spot, server=entry.name)
        return
    entry.reason = "neither command nor url"
    fix = ""
    for key, one in members.items():
        if isinstance(one.value, str) and one.value.startswith(("http://", "https://")):
            fix = f"{named(key)} holds an address: rename it to {host.url_keys[0]}"
            break
    fix = fix or f"add {host.command_key} or {host.url_keys[0]}"
    words = f"the entry has neither {host.command_key} nor {host.url_keys[0]}"
    if kind in ("http", "sse"):
        words = f"the entry has no {host.url_keys[0]}, which its type requires"
    problems.add("no-command-or-url", ERROR, words, entry.spot, fix=fix, server=entry.name)


def _local(entry: ServerEntry, word: str, kind: str, problems: ProblemList) -> None:
    host = entry.host
    entry.transport = "stdio"
    if not word and host.type_required:
        meant = next((one for one, way in host.types.items() if way == "stdio"), "stdio")
        words = f"the entry has no type, which {host.title} requires"
        fix = f'add "type": "{meant}"'
        problems.add("missing-type", ERROR, words, entry.spot, fix=fix, server=entry.name)
    elif kind in ("http", "sse"):
        words = f"type {named(word)} with a command: a url is expected"
        problems.add("no-command-or-url", ERROR, words, entry.spot, server=entry.name)
        entry.transport, entry.reason = "unknown", "the type needs a url"


def _remote(entry: ServerEntry, word: str, kind: str, problems: ProblemList) -> None:
    host = entry.host
    if kind == "socket" or (entry.url or "").lower().startswith(("ws://", "wss://")):
        entry.reason = "WebSocket, which Signoff has not"
        who = "Signoff does" if word in host.types else f"{host.title} and Signoff do"
        words = f"{who} not connect over WebSocket"
        spot = entry.spot_of("type") if word else entry.url_spot
        code = "transport-not-supported-by-host"
        problems.add(code, ERROR, words, spot, server=entry.name)
        return
    if kind == "stdio":
        entry.reason = "the type needs a command"
        words = f"type {named(word)} with a url: a command is expected"
        fix = f'write "type": "{_word_for(host, entry.url or "")}"'
        spot = entry.spot_of("type")
        problems.add("no-command-or-url", ERROR, words, spot, fix=fix, server=entry.name)
        return
    if not host.remote:
        words = f"the file of {host.title} takes programs only; remote servers are connectors"
        code = "transport-not-supported-by-host"
        problems.add(code, ERROR, words, entry.url_spot, server=entry.name)
    if word and kind:
        entry.transport = kind
        return
    _without_type(entry, problems)


def _without_type(entry: ServerEntry, problems: ProblemList) -> None:
    host, name, spot = entry.host, entry.name, entry.url_spot
    path = urlsplit_path(entry.url or "")
    is_sse = path.rstrip("/").endswith("/sse")
    if host.url_without_type == "missing" or host.type_required:
        entry.reason = "a url without a type"
        words = f"a url without type: {host.title} does not take it"
        fix = f'add "type": "{_word_for(host, entry.url or "")}"'
        problems.add("missing-type", ERROR, words, spot, fix=fix, server=name)
        return
    is_stream = host.stream_key and entry.url_key == host.stream_key
    if host.url_without_type == "sse" and not is_stream:
        entry.transport = "sse"
        if not is_sse:
            words = f"{host.title} takes a url without type as SSE, and the path has no /sse"
            meant = host.stream_key or f"type {_word_for(host, '')}"
            fix = f"use {meant} for Streamable HTTP"
            problems.add("maybe-wrong-transport", WARNING, words, spot, fix=fix, server=name)
        return
    entry.transport = "http"
    if is_sse and not is_stream:
        words = "the path ends in /sse: the server may speak HTTP+SSE only"
        fix = f'add "type": "{_word_for(host, "/sse")}"' if host.types else ""
        problems.add("maybe-wrong-transport", NOTE, words, spot, fix=fix, server=name)


def _word_for(host: Host, url: str) -> str:
    """The host's word for the type that an address suggests."""
    wanted = "sse" if urlsplit_path(url).rstrip("/").endswith("/sse") else "http"
    ways = {transport: word for word, transport in reversed(list(host.types.items()))}
    return ways.get(wanted) or ways.get("http") or "http"


def urlsplit_path(url: str) -> str:
    """The path of an address; empty if it cannot be taken apart."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header (RFC 9110, 5.6.2)."""
OWN_HEADERS: Final = frozenset(
    (
        *("accept", "accept-encoding", "connection", "content-length", "content-type", "host"),
        *("last-event-id", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Headers that Signoff sets itself, or that belong to the connection."""


def header_problem(name: str, value: str) -> str:
    """Why a header cannot be sent, without its value; empty if it can."""
    if not _TOKEN.fullmatch(name):
        return "not the name of a header"
    if name.lower() in OWN_HEADERS:
        return "Signoff sets this header itself"
    if not value:
        return "the value is empty"
    if value != value.strip():
        return "the value begins or ends with a blank"
    if any(ord(one) < 32 or ord(one) == 127 for one in value):
        return "the value has a line break or another control character"
    try:
        value.encode("ascii")
    except UnicodeEncodeError:
        return "the value has characters other than ASCII"
    return ""
