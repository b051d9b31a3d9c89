"""The values of an entry with a URL as `signoff proxy --url`, and as its host had them before.

No list of processes shows a header: its value goes into the variables of the entry, where the host
fills in its own variables as it did in the header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...content.frozen import frozen
from ..entries.entries import ENV_KEYS
from ..entries.proxied import HEADER_ENV, URL, URL_ENV
from ..entries.transports import OWN_HEADERS, URL_KEYS, header_problem
from ..entries.variables import uses_in
from ..files.masking import mask_url
from ..files.problems import listed, named
from ..files.servers import ServerEntry
from .layout import CannotEdit

_TYPE_KEYS: Final = ("type", "transportType", "transport")
_BY_VARIABLE: Final = ("env_http_headers", "bearer_token_env_var")
_HEADER_KEYS: Final = ("headers", "http_headers", *_BY_VARIABLE, "requestOptions")
_SIGN_IN_KEYS: Final = ("oauth", "auth", "authProviderType", "authorization", "oauth_resource")
_BEARER: Final = "Bearer "
_COPIED: Final = "env_vars"


@frozen
class _Passed:
    """What the command line of the proxy has, and the variables behind it."""

    words: tuple[str, ...]
    env: Mapping[str, str]
    copied: tuple[str, ...]
    """Variables that the host copies from its own environment."""


def url_problem(entry: ServerEntry) -> str:
    """Why an entry with a URL cannot become a command; empty if it can."""
    members = entry.tree.members
    if entry.transport == "sse":
        return "speaks HTTP+SSE of 2024-11-05, which signoff proxy does not relay"
    if entry.command is not None:
        return "has a command and a URL; remove one of them"
    if entry.transport != "http" or not entry.url:
        return f"has no URL that can be reached: {entry.reason or entry.transport}"
    if not entry.host.remote:
        return f"has a URL, and {entry.host.title} takes programs only in this file"
    if entry.has_headers_helper:
        return "gets its headers from a command of the host; set the headers instead"
    found = [key for key in _SIGN_IN_KEYS if key in members and members[key].value is not False]
    if found:
        words = "signs in by its host"
        return f"{words} ({listed(found)}); run signoff sign-in URL, remove the key, and try again"
    options = members.get("requestOptions")
    if options is not None and options.members.keys() - {"headers"}:
        return "has requestOptions that signoff proxy does not have; remove all but headers"
    return _header_problem(entry)


def _header_problem(entry: ServerEntry) -> str:
    for name, tree in entry.headers.items():
        if name.lower() in OWN_HEADERS:
            continue
        value = tree.value
        if not isinstance(value, str):
            return f"has a header that is not a text ({named(name)})"
        is_filled = any(uses_in(value, "headers", tree.spot))
        if is_filled and entry.host.host == "goose":
            return (
                f"has a variable in {named(name)}, which {entry.host.title} fills in headers only"
            )
        if not is_filled and (problem := header_problem(name, value)):
            return f"has a header that cannot be sent ({named(name)}: {problem})"
    return ""


def proxied_values(entry: ServerEntry, proxy: Sequence[str]) -> dict[str, Any]:
    """The entry as a command: `proxy` and the URL. All that is not the transport stays."""
    passed = _passed(entry)
    words = [*proxy, *passed.words]
    plain, host = entry.tree.plain(), entry.host
    env_key = next((one for one in (host.env_key, *ENV_KEYS) if one in plain), host.env_key)
    own = plain.get(env_key)
    if own is not None and not isinstance(own, dict):
        raise CannotEdit
    made: dict[str, Any] = {}
    if host.command_list:
        made[host.command_key] = words
    else:
        made |= {host.command_key: words[0], "args": words[1:]}
    if own or passed.env:
        made[env_key] = {**(own or {}), **passed.env}
    if passed.copied:
        made[_COPIED] = [*plain.get(_COPIED, []), *passed.copied]
    word = _word(entry, "stdio")
    found: dict[str, Any] = {}
    for key, value in plain.items():
        if key in _TYPE_KEYS:
            found |= {key: word} if word else {}
        elif key == entry.url_key:
            found |= made
        elif key not in (*URL_KEYS, *_HEADER_KEYS, env_key, _COPIED, "command", "cmd", "args"):
            found[key] = value
    if word and host.type_required and not found.keys() & set(_TYPE_KEYS):
        found = {"type": word} | found
    return found


def direct_values(now: ServerEntry, before: ServerEntry | None) -> dict[str, Any]:
    """The entry with its URL again; what its host has changed in it stays changed.

    `before` is the entry of the backup. Without one, or with another URL or headers than now,
    the URL and the headers are made of the command line and the variables.
    """
    if before is not None and (before.url, _headers(before)) != (now.url, _headers(now)):
        before = None
    plain, host = now.tree.plain(), now.host
    env_key = next((one for one in (host.env_key, *ENV_KEYS) if one in plain), host.env_key)
    env = {k: one for k, one in (plain.get(env_key) or {}).items() if k not in now.relayed_env}
    copied = [one for one in plain.get(_COPIED) or [] if one not in now.relayed_env]
    old = before.tree.plain() if before is not None else _made_again(now)
    rest: dict[str, Any] = {env_key: env} if env else {}
    rest |= {_COPIED: copied} if copied else {}
    of_proxy = {host.command_key, "command", "cmd", "args", env_key, _COPIED, *_TYPE_KEYS}
    rest |= {key: one for key, one in plain.items() if key not in of_proxy}
    of_url = {*URL_KEYS, *_HEADER_KEYS, *_TYPE_KEYS}
    is_empty = {env_key, _COPIED} - rest.keys()
    found = {
        key: rest.pop(key, value)
        for key, value in old.items()
        if key in of_url or key in rest or (key in is_empty and not value)
    }
    return found | rest


def _passed(entry: ServerEntry) -> _Passed:
    url = entry.url or ""
    env: dict[str, str] = {}
    words = [URL, url]
    if mask_url(url).text != url or any(uses_in(url, "url", entry.url_spot)):
        words = [URL_ENV, _variable("SIGNOFF_URL", entry)]
        env[words[1]] = url
    copied = []
    for name, tree in entry.headers.items():
        if name.lower() not in OWN_HEADERS:
            variable = _variable(f"SIGNOFF_HEADER_{len(env) + 1}", entry)
            env[variable] = str(tree.value)
            words += [HEADER_ENV, f"{name}={variable}"]
    for name, (scheme, variable) in entry.header_variables.items():
        copied += [variable]
        words += [HEADER_ENV, f"{name}={scheme}{variable}"]
    return _Passed(tuple(words), env, tuple(dict.fromkeys(copied)))


def _variable(name: str, entry: ServerEntry) -> str:
    while name in entry.env:
        name = f"{name}_"
    return name


def _headers(entry: ServerEntry) -> Any:
    texts = {
        name: one.plain() for name, one in entry.headers.items() if name.lower() not in OWN_HEADERS
    }
    return texts, entry.header_variables


def _made_again(entry: ServerEntry) -> dict[str, Any]:
    """URL, type and headers as the host writes them."""
    host, found = entry.host, dict[str, Any]()
    if word := _word(entry, "http"):
        found["type"] = word
    found[host.stream_key or host.url_keys[0]] = entry.url
    headers = {name: one.plain() for name, one in entry.headers.items()}
    if headers and host.host == "continue":
        found["requestOptions"] = {"headers": headers}
    elif headers:
        found["http_headers" if host.host == "codex" else "headers"] = headers
    by_name = dict(entry.header_variables)
    if by_name.get("Authorization", ("", ""))[0] == _BEARER:
        found["bearer_token_env_var"] = by_name.pop("Authorization")[1]
    if by_name:
        found["env_http_headers"] = {name: variable for name, (_, variable) in by_name.items()}
    return found


def _word(entry: ServerEntry, transport: str) -> str:
    """The host's word of a transport, if the entry has or requires one; empty for none."""
    host = entry.host
    has_type = any(key in entry.tree.members for key in _TYPE_KEYS)
    if not (has_type or host.type_required):
        return ""
    words = [word for word, way in host.types.items() if way == transport]
    return transport if transport in words else next(iter(words), "")
