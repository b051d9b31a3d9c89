"""Server cards as values, read strictly.

The rules are those of schema.ts and discovery.md, at the revision of the register. A card decides
nothing: what it promises is only ever compared, by `card_comparison`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.labels import some_listed
from ...content.text import shortened
from ...schemas.secrets.masks import mask_text
from ..findings.findings import Finding, error, note, warning
from ..findings.model_texts import texts_in

CARDS: Final = "server-cards"
"""The word of `--experimental`."""
CARD_TYPE: Final = "application/mcp-server-card+json"
CATALOG_TYPE: Final = "application/ai-catalog+json"
SUFFIX: Final = "/server-card"
FIELD_PLACE: Final = "/.well-known/mcp/server-card.json"
CATALOG_PLACE: Final = "/.well-known/ai-catalog.json"
SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
_NAME: Final = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
_RANGE: Final = re.compile(r"[\^~<>=*|]|\s-\s|(?:^|\.)[xX](?:\.|$)")
_REMOTE: Final = re.compile(r"https?://[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*")
VARIABLE: Final = re.compile(r"\{([a-zA-Z_][a-zA-Z0-9_]*)\}")
_SECRET_HEADER: Final = re.compile(
    r"authorization|cookie|api[-_]?key|token|secret|password", re.IGNORECASE
)
_ICON_SCHEMES: Final = ("https", "http", "data")
_SIZE: Final = re.compile(r"any|[1-9][0-9]{0,5}x[1-9][0-9]{0,5}")
_KINDS: Final = ("streamable-http", "sse")
_FORMATS: Final = ("string", "number", "boolean", "filepath")
_NAMED: Final = 3
_SHOWN: Final = 80

Members = Mapping[str, JsonValue]


@frozen
class CardRemote:
    """One endpoint of a card."""

    kind: str
    url: str
    versions: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """Names of the headers that a connection needs, as they are written."""


@frozen
class ServerCard:
    """A card as it came, and what breaks its schema."""

    raw: Members
    name: str = ""
    version: str = ""
    title: str = ""
    description: str = ""
    website: str = ""
    icons: tuple[str, ...] = ()
    """The address of each."""
    remotes: tuple[CardRemote, ...] = ()
    tools: tuple[Members, ...] | None = None
    """Of a card in an earlier shape, or with tools although the draft has none; None for none."""
    is_first_cut: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def versions(self) -> tuple[str, ...]:
        """Every protocol version that a remote promises, once."""
        return tuple(dict.fromkeys(one for remote in self.remotes for one in remote.versions))


def read_card(document: Members, repeated: Sequence[str] = ()) -> ServerCard:
    """Read a card; what breaks the schema is a finding of it."""
    found = [error("card-invalid", f"“{key}” occurs twice") for key in repeated]
    found += _secrets(document)
    if "$schema" not in document and isinstance(document.get("serverInfo"), dict):
        return _first_cut(document, found)
    reader = _CardReader(found)
    reader.schema(document)
    name = reader.text(document, "name", 3, 200, is_required=True)
    if name and not _NAME.fullmatch(name):
        words = f"“{shortened(name, _SHOWN)}” is not a namespace, one slash and a name"
        reader.add("name", words)
    version = reader.text(document, "version", 0, 255, is_required=True)
    if version and _RANGE.search(version):
        reader.add("version", f"“{shortened(version, _SHOWN)}” is a range, not a version")
    description = reader.text(document, "description", 1, 100, is_required=True)
    title = reader.text(document, "title", 1, 100)
    reader.url(document, "websiteUrl", "$")
    reader.repository(document)
    icons = reader.icons(document)
    remotes = reader.remotes(document)
    if not isinstance(document.get("_meta", {}), dict):
        reader.add("_meta", "is not an object")
    tools = _tools(document)
    return ServerCard(
        document,
        name,
        version,
        title,
        description,
        _str(document, "websiteUrl"),
        icons,
        remotes,
        tools,
        findings=tuple(found),
    )


def _first_cut(document: Members, found: list[Finding]) -> ServerCard:
    """A card with serverInfo and tools, which many servers have."""
    found.append(note("card-first-cut", "it has serverInfo, and no $schema and no name"))
    info = document["serverInfo"]
    assert isinstance(info, dict)
    endpoint = document.get("transport")
    place = endpoint if isinstance(endpoint, dict) else {}
    url = next((u for key in ("endpoint", "url") if (u := _str(place, key))), "")
    promised = _str(document, "protocolVersion")
    remote = CardRemote(_str(place, "type"), url, (promised,) if promised else ())
    return ServerCard(
        document,
        _str(info, "name"),
        _str(info, "version"),
        _str(info, "title"),
        _str(document, "description"),
        remotes=(remote,) if url or promised else (),
        tools=_tools(document),
        is_first_cut=True,
        findings=tuple(found),
    )


def _tools(document: Members) -> tuple[Members, ...] | None:
    tools = document.get("tools")
    if not isinstance(tools, list):
        return None
    return tuple(one for one in tools if isinstance(one, dict))


def _str(members: Members, key: str) -> str:
    value = members.get(key)
    return value if isinstance(value, str) else ""


def _secrets(document: Members) -> list[Finding]:
    """Texts of a known form of secrets, at any depth ("Information Disclosure")."""
    paths = [
        ".".join(map(str, path))
        for path, text in texts_in(dict(document))
        if len(text) > 7 and mask_text(text) != text
    ]
    shown = some_listed([*dict.fromkeys(paths)], _NAMED, lambda one: shortened(one, _SHOWN))
    return [error("card-secret", f"a value has the form of a secret: {one}") for one in shown]


class _CardReader:
    """Reads the members of a card by the schema; each mistake is a finding with its place."""

    def __init__(self, found: list[Finding]) -> None:
        self._found = found

    def add(self, path: str, words: str) -> None:
        self._found.append(error("card-invalid", f"{path}: {words}", f"$.{path}"))

    def schema(self, document: Members) -> None:
        value = document.get("$schema")
        if value != SCHEMA:
            told = "is missing" if value is None else f"is “{shortened(str(value), 120)}”"
            self.add("$schema", f"{told}; the draft has {SCHEMA}")

    def text(
        self,
        members: Members,
        key: str,
        least: int,
        most: int,
        *,
        is_required: bool = False,
        at: str = "",
    ) -> str:
        """A text of a length; empty if it is missing or invalid."""
        path, value = f"{at}{key}", members.get(key)
        if value is None and key not in members:
            if is_required:
                self.add(path, "is missing")
            return ""
        if not isinstance(value, str):
            self.add(path, "is not a text")
            return ""
        if not least <= len(value) <= most:
            self.add(path, f"has {len(value):,} characters; allowed are {least} to {most}")
        return value

    def url(self, members: Members, key: str, at: str) -> None:
        """A URL, if it is there."""
        value = members.get(key)
        if value is None and key not in members:
            return
        path = key if at == "$" else f"{at}.{key}"
        if not isinstance(value, str) or not _is_uri(value):
            self.add(path, "is not a URI")

    def repository(self, document: Members) -> None:
        value = document.get("repository")
        if value is None and "repository" not in document:
            return
        if not isinstance(value, dict):
            self.add("repository", "is not an object")
            return
        if "url" not in value:
            self.add("repository.url", "is missing")
        self.url(value, "url", "repository")
        self.text(value, "source", 0, 1_000, is_required=True, at="repository.")
        folder = self.text(value, "subfolder", 0, 1_000, at="repository.")
        if folder.startswith("/") or any(one in ("", ".", "..") for one in folder.split("/")[:-1]):
            self.add("repository.subfolder", "is not a clean relative path")
        self.text(value, "id", 0, 1_000, at="repository.")

    def icons(self, document: Members) -> tuple[str, ...]:
        """The address of each icon. Other schemes than these run or read something ("Icon")."""
        found = []
        for at, one in enumerate(self._items(document, "icons")):
            path = f"icons[{at}]"
            src = one.get("src") if isinstance(one, dict) else None
            if not isinstance(one, dict) or not isinstance(src, str):
                self.add(path, "has no src")
                continue
            found.append(src)
            scheme = src.partition(":")[0].lower()
            if scheme not in _ICON_SCHEMES:
                words = (
                    f"begins with “{shortened(scheme, 40)}:”; allowed are https:, http: and data:"
                )
                self.add(f"{path}.src", words)
            if one.get("theme", "light") not in ("light", "dark"):
                self.add(f"{path}.theme", "is neither light nor dark")
            for size in self._items(one, "sizes", f"{path}."):
                if not isinstance(size, str) or not _SIZE.fullmatch(size):
                    self.add(f"{path}.sizes", "has an entry that is neither any nor like 48x48")
                    break
            if not isinstance(one.get("mimeType", ""), str):
                self.add(f"{path}.mimeType", "is not a text")
        return tuple(found)

    def remotes(self, document: Members) -> tuple[CardRemote, ...]:
        found = []
        for at, one in enumerate(self._items(document, "remotes")):
            path = f"remotes[{at}]"
            if not isinstance(one, dict):
                self.add(path, "is not an object")
                continue
            kind = self.text(one, "type", 0, 100, is_required=True, at=f"{path}.")
            if kind and kind not in _KINDS:
                self.add(f"{path}.type", f"“{shortened(kind, 40)}” is none of {', '.join(_KINDS)}")
            url = self.text(one, "url", 0, 10_000, is_required=True, at=f"{path}.")
            if url and not _REMOTE.fullmatch(url):
                self.add(f"{path}.url", "begins with neither http://, https:// nor a variable")
            variables = self._inputs(one, "variables", path)
            self._used(url, variables, f"{path}.url")
            required = self._headers(one, path)
            versions = self._items(one, "supportedProtocolVersions", f"{path}.")
            told = tuple(version for version in versions if isinstance(version, str))
            if len(told) < len(versions):
                self.add(f"{path}.supportedProtocolVersions", "has an entry that is not a text")
            found.append(CardRemote(kind, url, told, required))
        return tuple(found)

    def _headers(self, remote: Members, path: str) -> tuple[str, ...]:
        """The names of the required ones."""
        found = []
        for at, one in enumerate(self._items(remote, "headers", f"{path}.")):
            place = f"{path}.headers[{at}]"
            if not isinstance(one, dict):
                self.add(place, "is not an object")
                continue
            name = self.text(one, "name", 1, 1_000, is_required=True, at=f"{place}.")
            self._input(one, place)
            variables = self._inputs(one, "variables", place)
            value = _str(one, "value")
            self._used(value, variables, f"{place}.value")
            if name and one.get("isRequired") is True:
                found.append(name)
            if _SECRET_HEADER.search(name):
                self._secret_header(one, name, variables, place)
        return tuple(found)

    def _secret_header(
        self, header: Members, name: str, variables: Mapping[str, Members], place: str
    ) -> None:
        shown, value = shortened(name, 40), _str(header, "value")
        if value and not VARIABLE.search(value):
            words = f"the header {shown} has a fixed value, which everyone can read"
            self._found.append(error("card-secret", words, f"$.{place}.value"))
            return
        marked = [header, *variables.values()]
        if not any(one.get("isSecret") is True for one in marked):
            words = f"the header {shown} is not marked by isSecret, so that clients may show it"
            self._found.append(warning("card-secret", words, f"$.{place}"))

    def _used(self, text: str, variables: Mapping[str, Members], path: str) -> None:
        for name in dict.fromkeys(VARIABLE.findall(text)):
            if name not in variables:
                self.add(path, f"the variable “{shortened(name, 40)}” is not described")

    def _inputs(self, members: Members, key: str, path: str) -> dict[str, Members]:
        value = members.get(key, {})
        if not isinstance(value, dict):
            self.add(f"{path}.{key}", "is not an object")
            return {}
        found: dict[str, Members] = {}
        for name, one in value.items():
            place = f"{path}.{key}.{shortened(name, 40)}"
            if isinstance(one, dict):
                found[name] = one
                self._input(one, place)
            else:
                self.add(place, "is not an object")
        return found

    def _input(self, one: Members, place: str) -> None:
        for key in ("description", "default", "placeholder", "value"):
            self.text(one, key, 0, 10_000, at=f"{place}.")
        for key in ("isRequired", "isSecret"):
            if not isinstance(one.get(key, False), bool):
                self.add(f"{place}.{key}", "is not a boolean")
        if one.get("format", "string") not in _FORMATS:
            self.add(f"{place}.format", f"is none of {', '.join(_FORMATS)}")
        choices = self._items(one, "choices", f"{place}.")
        if any(not isinstance(choice, str) for choice in choices):
            self.add(f"{place}.choices", "has an entry that is not a text")
        if one.get("isSecret") is True and (_str(one, "default") or choices):
            words = f"{place} is marked as a secret, and has a default or choices"
            self._found.append(warning("card-secret", words, f"$.{place}"))

    def _items(self, members: Members, key: str, at: str = "") -> list[JsonValue]:
        value = members.get(key, [])
        if isinstance(value, list):
            return value
        self.add(f"{at}{key}", "is not an array")
        return []


def _is_uri(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"\s", value)


def header_findings(headers: Iterable[tuple[str, str]], wanted: str = CARD_TYPE) -> list[Finding]:
    """What the response with a card lacks ("CORS Requirements", "Caching", "Hosted Server Card
    Location").
    """
    sent = {name.lower(): value for name, value in headers}
    found = []
    kind = sent.get("content-type", "").partition(";")[0].strip().lower()
    if kind != wanted:
        shown = f"“{shortened(kind, 60)}”" if kind else "not set"
        found.append(warning("card-headers", f"Content-Type is {shown}; the draft has {wanted}"))
    if wanted != CARD_TYPE:
        return found
    if sent.get("access-control-allow-origin", "").strip() != "*":
        words = "Access-Control-Allow-Origin is not *: a client in a browser cannot read the card"
        found.append(warning("card-headers", words))
    else:
        pairs = (
            ("access-control-allow-methods", ("get",)),
            ("access-control-allow-headers", ("content-type", "if-none-match")),
            ("access-control-expose-headers", ("etag",)),
        )
        lacking = [name for name, words in pairs if not _has_all(sent.get(name, ""), words)]
        if lacking:
            listed = ", ".join(lacking)
            found.append(warning("card-headers", f"missing or incomplete for CORS: {listed}"))
    missing = [name for name in ("Cache-Control", "ETag") if name.lower() not in sent]
    if missing:
        words = f"{' and '.join(missing)} not set: clients fetch the whole card each time"
        found.append(warning("card-headers", words))
    return found


def _has_all(value: str, words: Sequence[str]) -> bool:
    listed = {one.strip().lower() for one in value.split(",")}
    return "*" in listed or set(words) <= listed
