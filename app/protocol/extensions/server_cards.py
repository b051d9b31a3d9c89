"""Server cards as values: read strictly, and compared with the live server.

The rules are those of schema.ts and discovery.md, at the revision of the register. A card decides
nothing: what it promises is only ever compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, same
from ...content.labels import some_listed
from ...content.text import shortened
from ...schemas.secrets.masks import mask_text
from ..findings.findings import Finding, error, note, warning
from ..findings.model_texts import texts_in
from ..findings.spec_sections import MODERN

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
_VARIABLE: Final = re.compile(r"\{([a-zA-Z_][a-zA-Z0-9_]*)\}")
_SECRET_HEADER: Final = re.compile(
    r"authorization|cookie|api[-_]?key|token|secret|password", re.IGNORECASE
)
_KINDS: Final = ("streamable-http", "sse")
_FORMATS: Final = ("string", "number", "boolean", "filepath")
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_VARIABLES: Final = 40
"""Variables of one URL; a template with more leads nowhere."""
_NAMED: Final = 3
_SHOWN: Final = 80

Members = Mapping[str, JsonValue]


@frozen
class CardRemote:
    """One endpoint of a card."""

    kind: str
    url: str
    versions: tuple[str, ...] = ()


@frozen
class ServerCard:
    """A card as it came, and what breaks its schema."""

    raw: Members
    name: str = ""
    version: str = ""
    title: str = ""
    description: str = ""
    remotes: tuple[CardRemote, ...] = ()
    tools: tuple[Members, ...] | None = None
    """Of a card in an earlier shape, or with tools although the draft has none; None for none."""
    is_first_cut: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def versions(self) -> tuple[str, ...]:
        """Every protocol version that a remote promises, once."""
        return tuple(dict.fromkeys(one for remote in self.remotes for one in remote.versions))


@frozen
class LiveServer:
    """What a live connection showed of a server. Texts are raw."""

    url: str
    name: str
    version: str
    title: str = ""
    description: str = ""
    spoken: tuple[str, ...] = ()
    """Protocol versions that it declares, or the negotiated one."""
    speaks_all: bool = False
    """Whether `spoken` has all revisions without the handshake."""
    handshake: str | None = None
    """What `initialize` negotiates if the newest revision with it is requested: "" if it fails,
    None if it was not tried. `server/discover` of some servers leaves these out."""
    tools: tuple[Members, ...] | None = None
    """None if they are not known whole."""


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
    reader.icons(document)
    remotes = reader.remotes(document)
    if not isinstance(document.get("_meta", {}), dict):
        reader.add("_meta", "is not an object")
    tools = _tools(document)
    return ServerCard(
        document, name, version, title, description, remotes, tools, findings=tuple(found)
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
        (remote,) if url or promised else (),
        _tools(document),
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

    def icons(self, document: Members) -> None:
        for at, one in enumerate(self._items(document, "icons")):
            path = f"icons[{at}]"
            if not isinstance(one, dict) or not isinstance(one.get("src"), str):
                self.add(path, "has no src")
            elif one.get("theme", "light") not in ("light", "dark"):
                self.add(f"{path}.theme", "is neither light nor dark")

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
            self._headers(one, path)
            versions = self._items(one, "supportedProtocolVersions", f"{path}.")
            told = tuple(version for version in versions if isinstance(version, str))
            if len(told) < len(versions):
                self.add(f"{path}.supportedProtocolVersions", "has an entry that is not a text")
            found.append(CardRemote(kind, url, told))
        return tuple(found)

    def _headers(self, remote: Members, path: str) -> None:
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
            if _SECRET_HEADER.search(name):
                self._secret_header(one, name, variables, place)

    def _secret_header(
        self, header: Members, name: str, variables: Mapping[str, Members], place: str
    ) -> None:
        shown, value = shortened(name, 40), _str(header, "value")
        if value and not _VARIABLE.search(value):
            words = f"the header {shown} has a fixed value, which everyone can read"
            self._found.append(error("card-secret", words, f"$.{place}.value"))
            return
        marked = [header, *variables.values()]
        if not any(one.get("isSecret") is True for one in marked):
            words = f"the header {shown} is not marked by isSecret, so that clients may show it"
            self._found.append(warning("card-secret", words, f"$.{place}"))

    def _used(self, text: str, variables: Mapping[str, Members], path: str) -> None:
        for name in dict.fromkeys(_VARIABLE.findall(text)):
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


def compare_card(card: ServerCard, live: LiveServer) -> Iterator[Finding]:
    """Each contradiction between a card and the live server; the live values count ("Consistency
    with Runtime Behavior").
    """
    yield from _names(card, live)
    for key, promised, real in (
        ("version", card.version, live.version),
        ("title", card.title, live.title),
        ("description", card.description, live.description),
    ):
        if promised and real and promised != real:
            words = f"{key}: the card has “{shortened(promised, _SHOWN)}”, the server “"
            words = f"{words}{shortened(real, _SHOWN)}”"
            if key == "version":
                yield error("card-contradicts", words, f"$.{key}")
            else:
                yield warning("card-contradicts", words, f"$.{key}")
    yield from _versions(card, live)
    if card.remotes and not any(_leads_to(one.url, live.url) for one in card.remotes):
        urls = ", ".join(some_listed(card.remotes, _NAMED, lambda one: shortened(one.url, _SHOWN)))
        words = f"no remote of the card is {shortened(live.url, _SHOWN)}; it has {urls}"
        yield warning("card-contradicts", words, "$.remotes")
    if card.tools is not None and live.tools is not None:
        yield from _compare_tools(card.tools, live.tools)


def _names(card: ServerCard, live: LiveServer) -> Iterator[Finding]:
    """The draft does not define which part of the name is `serverInfo.name`: either one may be."""
    if not card.name or not live.name:
        return
    # A card's name has no blanks, and `serverInfo.name` may have any.
    own = {_plain(card.name), _plain(card.name.rpartition("/")[2])}
    if _plain(live.name) not in own:
        words = f"name: the card has “{shortened(card.name, _SHOWN)}”, the server “"
        yield warning("card-contradicts", f"{words}{shortened(live.name, _SHOWN)}”", "$.name")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name).lower()


def _versions(card: ServerCard, live: LiveServer) -> Iterator[Finding]:
    here = [one for one in card.remotes if _leads_to(one.url, live.url)] or [*card.remotes]
    promised = tuple(dict.fromkeys(version for one in here for version in one.versions))
    if not promised or not live.spoken:
        return
    path = "$.remotes"
    for version in promised:
        if version not in live.spoken and _is_contradicted(version, live):
            shown = shortened(version, 40)
            words = f"the card promises {shown}; the server does not speak it"
            yield error("card-contradicts", words, path)
    silent = [one for one in live.spoken if one not in promised]
    if silent:
        listed = ", ".join(some_listed(silent, _NAMED, lambda one: shortened(one, 40)))
        words = f"the server speaks {listed}; the card does not promise it"
        yield warning("card-contradicts", words, path)


def is_with_handshake(version: str) -> bool:
    """Whether a revision begins with `initialize`."""
    return version < MODERN


def _is_contradicted(version: str, live: LiveServer) -> bool:
    """Whether the live server was seen not to speak a version. Older ones than the one that the
    handshake negotiates may be spoken, too.
    """
    if not is_with_handshake(version):
        return live.speaks_all
    return live.handshake is not None and version > live.handshake


def _leads_to(template: str, url: str) -> bool:
    """Whether a URL template can be a URL; a variable is any text without a slash.

    No regular expression: a server chooses the template, and could make one take forever.
    """
    url = url.rstrip("/")
    first, *rest = _VARIABLE.split(template.rstrip("/"))[::2]
    if len(rest) > _VARIABLES or not url.startswith(first):
        return False
    ends = {len(first)}
    for piece in rest:
        found: set[int] = set()
        for end in ends:
            slash = url.find("/", end)
            last = len(url) if slash < 0 else slash
            for at in range(end + 1, last + 1):
                if url.startswith(piece, at):
                    found.add(at + len(piece))
        ends = found
    return len(url) in ends


def _compare_tools(told: Sequence[Members], real: Sequence[Members]) -> Iterator[Finding]:
    card, live = ({_str(one, "name"): one for one in some} for some in (told, real))
    only = (
        ("the card has, tools/list lacks", card, live),
        ("tools/list has, the card lacks", live, card),
    )
    for words, these, others in only:
        names = [one for one in these if one not in others]
        if names:
            listed = ", ".join(some_listed(names, _NAMED, lambda one: shortened(one, _SHOWN)))
            yield warning("card-tools-differ", f"{words}: {listed}", "$.tools")
    for name, one in card.items():
        if name not in live:
            continue
        differing = [key for key in _HINTS if not same(_hint(one, key), _hint(live[name], key))]
        if differing and "annotations" in one:
            words = f"other hints of {shortened(name, _SHOWN)}: {', '.join(differing)}"
            yield warning("card-tools-differ", words, "$.tools")


def _hint(tool: Members, key: str) -> JsonValue:
    hints = tool.get("annotations")
    return hints.get(key) if isinstance(hints, dict) else None
