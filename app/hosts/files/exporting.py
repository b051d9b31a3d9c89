"""An entry as another host writes it, and what that host cannot do with it.

Values that may be secret are replaced by variables; the text is for a person to paste.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from ...content.frozen import frozen
from ...schemas.secrets.masks import mask_text
from ...schemas.secrets.names import is_secret_name
from ..entries.variables import USE, WHOLE, WRITTEN, closing_brace, is_host_input
from ..table import Host
from .masking import MASK_NOTE, is_secret, mask_arguments, mask_plain, mask_url, secret_default
from .problems import named
from .servers import ServerEntry

_PREFERRED: Final = ("env", "brace", "braced-env", "bare")
_VARIABLE: Final = re.compile(r"\{\w+\|([^}]*)\}")
"""A variable of a place, with the folder in its stead."""
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_]+")
_LAST_NAME: Final = re.compile(r"([A-Za-z][\w-]{0,60})[=:]\s*(?:(?:Bearer|Basic|Token)\s+)?\Z")
_HARMLESS: Final = frozenset(
    ("accept", "accept-language", "accept-encoding", "content-type", "user-agent", "cache-control")
)
"""Headers without secret values; the value of any other could be a secret."""


class CannotExport(Exception):
    """An entry that cannot be written for a host; the message is safe to show."""


@frozen
class Export:
    """The text to paste, and notes on it; safe to show."""

    text: str
    format: str
    """json, toml or yaml."""
    path: str
    """The usual file of the host."""
    notes: tuple[str, ...]


def export_entry(entry: ServerEntry, host: Host, *, shows_secrets: bool = False) -> Export:
    """Write an entry for a host. Raises CannotExport."""
    if host.described or host.rules_only or not host.containers:
        raise CannotExport(f"{host.title} has no file to which a server can be added")
    if entry.transport not in ("stdio", "http", "sse"):
        raise CannotExport(entry.reason or f"its transport is {entry.transport}")
    writer = _Writer(entry, host, shows_secrets=shows_secrets)
    name = entry.name if shows_secrets else mask_text(entry.name)
    made = writer.local() if entry.transport == "stdio" else writer.remote()
    if host.host == "continue":
        text, kind = _yaml_list(name, made), "yaml"
    elif host.format == "toml":
        text, kind = _toml(name, made), "toml"
    elif host.format == "yaml":
        text, kind = _yaml(host.containers[0], name, made), "yaml"
    else:
        whole: dict[str, Any] = {name: made}
        for part in reversed(host.containers[0].split(".")):
            whole = {part: whole}
        text, kind = json.dumps(whole, indent=2, ensure_ascii=False), "json"
    return Export(text, kind, _usual_file(host), tuple(dict.fromkeys(writer.notes)))


def _usual_file(host: Host) -> str:
    """The file that a person would add it to: their own if there is one, on this kind of system."""
    places = [
        one
        for one in host.place
        if not (one.wrong or one.runs or one.silent)
        and one.scope != "managed"
        and one.on in ("", sys.platform)
        and "|}" not in one.path
    ]
    places.sort(key=lambda one: one.scope != "user")
    return _VARIABLE.sub(lambda found: found[1], places[0].path) if places else ""


class _Writer:
    def __init__(self, entry: ServerEntry, host: Host, *, shows_secrets: bool) -> None:
        self._entry = entry
        self._host = host
        self._shows_secrets = shows_secrets
        self.notes: list[str] = []
        self._made: dict[str, int] = {}
        """How often each variable was made for a secret."""

    def local(self) -> dict[str, Any]:
        """A server that the host starts."""
        entry, host = self._entry, self._host
        words = self._words()
        made: dict[str, Any] = self._type("stdio")
        if host.command_list:
            made["command"] = words
        else:
            made |= {host.command_key: words[0], "args": words[1:]}
        given = {name: one.value for name, one in entry.env.items()}
        copied = [name for name in entry.env_vars if name not in given]
        if host.host == "codex":
            copied += [name for name in given if self._variable(given[name]) == name]
            hidden = [name for name in given if self._is_hidden(name, given[name])]
            copied += [name for name in hidden if _variable_named(name) == name]
            self.notes += [_not_printed(named(name), name) for name in hidden if name in copied]
        env = {
            name: self._value(name, value if isinstance(value, str) else "")
            for name, value in given.items()
            if name not in copied
        }
        if copied and host.host == "codex":
            made["env_vars"] = copied
        elif copied:
            env |= {name: self._reference(name) for name in copied}
        if env:
            made[host.env_key] = env
        if entry.cwd:
            if "cwd" in host.keys or host.host in ("vscode", "signoff"):
                made["cwd"] = self._text(entry.cwd, mask_plain(entry.cwd), "cwd")
            else:
                self.notes.append(
                    f"{host.title} has no cwd: it chooses the folder that the server starts in"
                )
        if entry.env_file:
            if "envFile" in host.keys:
                made["envFile"] = self._text(entry.env_file, mask_plain(entry.env_file), "env_file")
            else:
                self.notes.append(f"{host.title} reads no envFile: write its variables out")
        return made

    def remote(self) -> dict[str, Any]:
        """A server over HTTP."""
        entry, host = self._entry, self._host
        written = self._without_defaults(entry.url or "")
        url = self._text(written, mask_url(written).text, f"{entry.name}_secret")
        if not host.remote:
            self.notes.append(f"{host.title} takes no URL here: mcp-remote passes messages on")
            if entry.header_names:
                self.notes.append("headers are left out: give them to mcp-remote with --header")
            bridge = {host.command_key: "npx", "args": ["-y", "mcp-remote", url]}
            return self._type("stdio") | bridge
        made: dict[str, Any] = self._type(entry.transport)
        keys = [one for one in host.url_keys if one != host.stream_key]
        is_stream = bool(host.stream_key) and entry.transport == "http"
        made[host.stream_key if is_stream else keys[0]] = url
        given = {name: one.value for name, one in entry.headers.items()} | self._by_variables()
        if host.host == "codex":
            by_name = {name: self._variable(value) for name, value in given.items()}
            for name, value in given.items():
                if not by_name[name] and self._is_hidden(name, value, is_header=True):
                    by_name[name] = self._new_variable(name)
            by_name = {name: variable for name, variable in by_name.items() if variable}
            made |= {"env_http_headers": by_name} if by_name else {}
            given = {name: value for name, value in given.items() if name not in by_name}
        headers = {
            name: self._value(name, value if isinstance(value, str) else "", is_header=True)
            for name, value in given.items()
        }
        if entry.has_headers_helper:
            self.notes.append("headersHelper is left out: write its headers")
        if headers and host.host == "continue":
            made["requestOptions"] = {"headers": headers}
        elif headers:
            made["http_headers" if host.host == "codex" else "headers"] = headers
        return made

    def _variable(self, value: object) -> str:
        """The variable that is the whole value; empty for any other value."""
        found = USE.fullmatch(value) if isinstance(value, str) else None
        form = (found.lastgroup or "") if found is not None else ""
        is_variable = form in ("env", "brace", "braced_env", "bare")
        return found[form] if found is not None and is_variable else ""

    def _by_variables(self) -> dict[str, str]:
        """Headers that Codex fills from variables, as texts in the form of most hosts."""
        return {
            name: f"{scheme}${{{variable}}}"
            for name, (scheme, variable) in self._entry.header_variables.items()
        }

    def _type(self, transport: str) -> dict[str, Any]:
        host = self._host
        words = {way: word for word, way in reversed(list(host.types.items()))}
        word = words.get(transport) or (words.get("http") if transport != "stdio" else None)
        if transport == "sse" and transport not in words and host.url_without_type != "sse":
            self.notes.append(f"{host.title} has no type for HTTP+SSE: it may not reach the server")
        is_needed = host.type_required or (
            transport != "stdio" and (host.url_without_type != transport or bool(host.types))
        )
        if host.stream_key and transport == "http":
            is_needed = False
        return {"type": word} if word and is_needed else {}

    def _words(self) -> list[str]:
        """The program and its arguments; each secret in them becomes a variable."""
        words = [self._without_defaults(one) for one in self._entry.words]
        shown, before, made = mask_arguments(words), "", []
        for word, one in zip(words, shown, strict=True):
            name = before.lstrip("-") if before.startswith("-") else ""
            made.append(self._text(word, one.text, name))
            before = word
        return made

    def _text(self, text: str, shown: str, name: str) -> str:
        """A text whose masked parts become variables, named after the words before them."""
        if self._shows_secrets or shown == text:
            return self._filled(text)
        pieces, at = [], 0
        for found in MASK_NOTE.finditer(shown):
            is_password = shown.startswith("@", found.end())
            before = None if is_password else _LAST_NAME.search(shown[: found.start()])
            pieces += [self._filled(shown[at : found.start()])]
            pieces += [self._hidden(before[1] if before else name)]
            at = found.end()
        return "".join((*pieces, self._filled(shown[at:])))

    def _hidden(self, name: str) -> str:
        """A variable in the place of a secret, with a note."""
        return self._reference(self._new_variable(name))

    def _new_variable(self, name: str) -> str:
        """The name of a variable for a secret, used for no other; with a note."""
        plain = _variable_named(mask_text(name))
        number = self._made[plain] = self._made.get(plain, 0) + 1
        variable = plain if number == 1 else f"{plain}_{number}"
        self.notes.append(_not_printed(named(name) if name else "an argument", variable))
        return variable

    def _without_defaults(self, text: str) -> str:
        """A text whose variables have no default that may be secret."""
        return text if self._shows_secrets else secret_default(text, self._default_left_out)

    def _default_left_out(self, name: str) -> str:
        self.notes.append(f"the default of {named(name)} is not printed: set {name}")
        return f"${{{name}}}"

    def _value(self, name: str, given: str, *, is_header: bool = False) -> str:
        """A value of a variable or a header; a secret one becomes a variable."""
        text = self._without_defaults(given)
        is_filled = USE.search(text) is not None or WHOLE.fullmatch(text) is not None
        if is_filled:
            # Beside a variable of a secret name, the rest may be a part of the secret.
            return self._text(text, mask_plain(text), name)
        is_hidden = self._is_hidden(name, text, is_header=is_header)
        return self._hidden(name) if is_hidden else self._filled(text)

    def _is_hidden(self, name: str, value: object, *, is_header: bool = False) -> bool:
        """True for a value in clear that may be secret."""
        text = value if isinstance(value, str) else ""
        is_filled = USE.search(text) is not None or WHOLE.fullmatch(text) is not None
        if is_filled or not text or self._shows_secrets:
            return False
        is_named = is_secret_name(name) or (is_header and name.lower() not in _HARMLESS)
        return is_named or is_secret(name, text) or mask_plain(text) != text

    def _reference(self, name: str) -> str:
        """A variable in the form of the host."""
        own = next((one for one in _PREFERRED if one in self._host.forms), "")
        if not own:
            words = f"{self._host.title} fills no variables: write the value of {named(name)}"
            self.notes.append(words)
            return f"${{{name}}}"
        return WRITTEN[own].replace("NAME", name)

    def _filled(self, text: str) -> str:
        """A text with its variables in the forms of the host."""
        if whole := WHOLE.fullmatch(text):
            return self._use("bare", whole["bare"], text)
        pieces, at = [], 0
        for found in USE.finditer(text):
            form = (found.lastgroup or "").replace("_", "-")
            name, end = found[found.lastgroup or 0] or "", found.end()
            if found.start() < at:
                continue
            if form == "default":
                closing = closing_brace(text, end)
                is_kept = "default" in self._host.forms or "default" not in self._entry.host.forms
                if closing is None or is_kept:
                    continue
                end = closing + 1
                words = f"{self._host.title} has no default of {named(name)}: it has to be set"
                self.notes.append(words)
                pieces += [text[at : found.start()], self._reference(name)]
            else:
                pieces += [text[at : found.start()], self._use(form, name, found.group())]
            at = end
        return "".join((*pieces, text[at:]))

    def _use(self, form: str, name: str, written: str) -> str:
        source, host = self._entry.host, self._host
        if form == "brace" and name in source.words:
            if name not in host.words:
                words = f"{host.title} does not fill {named(written)}: write the path"
                self.notes.append(words)
            return written
        if is_host_input(form, source) and form == "input":
            if "input" in host.forms:
                self.notes.append(f"add the input {named(name)} to inputs")
                return written
            variable = _variable_named(name or "input")
            self.notes.append(f"{host.title} asks for no inputs: set the variable {variable}")
            return self._reference(variable)
        if form in ("file", "braced-file", "command", "secrets"):
            self.notes.append(f"{host.title} does not fill {named(written)}: write the value")
            return written
        is_filled = form in source.forms or (form == "brace" and source.host == "codex")
        return self._reference(name) if is_filled else written


def _variable_named(name: str) -> str:
    return _NO_NAME.sub("_", name).strip("_").upper() or "SECRET"


def _not_printed(what: str, variable: str) -> str:
    return f"the value of {what} is not printed: set {variable}, or give --show-secrets"


def _toml(name: str, made: Mapping[str, Any]) -> str:
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _scalar(name)
    lines = [f"[mcp_servers.{key}]"]
    for one, value in made.items():
        if isinstance(value, dict):
            inner = ", ".join(f"{_scalar(each)} = {_scalar(text)}" for each, text in value.items())
            lines.append(f"{one} = {{ {inner} }}")
        else:
            lines.append(f"{one} = {_scalar(value)}")
    return "\n".join(lines)


def _yaml(container: str, name: str, made: Mapping[str, Any]) -> str:
    lines = [f"{container}:", f"  {_scalar(name)}:", "    enabled: true"]
    return "\n".join([*lines, *_yaml_members(made)])


def _yaml_list(name: str, made: Mapping[str, Any]) -> str:
    lines = ["mcpServers:", f"  - name: {_scalar(name)}"]
    return "\n".join([*lines, *_yaml_members(made)])


def _yaml_members(made: Mapping[str, Any]) -> list[str]:
    """Members of a table; JSON is YAML, too."""
    return [f"    {key}: {_scalar(value)}" for key, value in made.items()]


def _scalar(value: Any) -> str:
    """A text, or a list of texts, as JSON, TOML and YAML all read it."""
    return json.dumps(value, ensure_ascii=False)
