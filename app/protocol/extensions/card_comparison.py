"""Compares a server card with the live server, whose values count.

The rules are those of discovery.md, "Consistency with Runtime Behavior", at the revision of the
register.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, same
from ...content.labels import some_listed
from ...content.text import shortened
from ..findings.findings import Finding, error, warning
from ..findings.spec_sections import MODERN
from .server_cards import VARIABLE, Members, ServerCard

STREAMABLE: Final = "streamable-http"
SSE: Final = "sse"
_FIRST_CUT: Final = {"http": STREAMABLE, "streamablehttp": STREAMABLE, "http+sse": SSE}
"""Other names of the transports, which cards of an earlier draft have."""
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_VARIABLES: Final = 40
"""Variables of one URL; a template with more leads nowhere."""
_NAMED: Final = 3
_SHOWN: Final = 80


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
    website: str = ""
    icons: tuple[str, ...] = ()
    """The address of each that it has itself."""
    kind: str = STREAMABLE
    """The transport of the connection, as cards name it; empty if the person chose it."""
    sent: frozenset[str] = frozenset()
    """Names of the person's own headers in its requests, in lower case."""
    unreached: Mapping[str, str] = field(default_factory=dict)
    """Why another endpoint of the card was not reached, by its URL."""


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
    yield from _texts(card, live)
    yield from _versions(card, live)
    yield from _endpoints(card, live)
    if card.remotes and not any(_leads_to(one.url, live.url) for one in card.remotes):
        urls = ", ".join(some_listed(card.remotes, _NAMED, lambda one: shortened(one.url, _SHOWN)))
        words = f"no remote of the card is {shortened(live.url, _SHOWN)}; it has {urls}"
        yield warning("card-contradicts", words, "$.remotes")
    if card.tools is not None and live.tools is not None:
        yield from _compare_tools(card.tools, live.tools)


def _texts(card: ServerCard, live: LiveServer) -> Iterator[Finding]:
    """The website and the icons, if both have them."""
    if card.website and live.website and card.website != live.website:
        words = f"websiteUrl: the card has {shortened(card.website, _SHOWN)}, the server "
        words += shortened(live.website, _SHOWN)
        yield warning("card-contradicts", words, "$.websiteUrl")
    if card.icons and live.icons and set(card.icons) != set(live.icons):
        only = [one for one in card.icons if one not in live.icons]
        lacking = [one for one in live.icons if one not in card.icons]
        for who, some in (("the card alone has", only), ("the server alone has", lacking)):
            if some:
                listed = ", ".join(some_listed(some, _NAMED, lambda one: shortened(one, _SHOWN)))
                yield warning("card-contradicts", f"icons: {who} {listed}", "$.icons")


def _endpoints(card: ServerCard, live: LiveServer) -> Iterator[Finding]:
    """The transport and the required headers of the endpoint, and endpoints that are not there."""
    kinds = {}
    for at, one in enumerate(card.remotes):
        path, url = f"$.remotes[{at}]", shortened(one.url, _SHOWN)
        if one.url in live.unreached:
            words = f"the card has the endpoint {url}: {live.unreached[one.url]}"
            yield error("card-contradicts", words, f"{path}.url")
        if not _leads_to(one.url, live.url):
            continue
        kinds[_FIRST_CUT.get(one.kind.lower(), one.kind)] = f"{path}.type"
        needless = [name for name in one.required if name.lower() not in live.sent]
        if needless:
            listed = ", ".join(some_listed(needless, _NAMED, lambda one: shortened(one, 40)))
            words = f"the card requires {listed}; the server responds without"
            yield warning("card-contradicts", words, f"{path}.headers")
    if live.kind and kinds and live.kind not in kinds and "" not in kinds:
        promised, path = next(iter(kinds.items()))
        shown = shortened(promised, 40)
        words = f"the card promises {shown}; the server has {live.kind} there"
        # Streamable HTTP was tried first, and an endpoint of it can serve the older one, too.
        grade = error if live.kind == SSE else warning
        yield grade("card-contradicts", words, path)


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
    first, *rest = VARIABLE.split(template.rstrip("/"))[::2]
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


def _str(members: Members, key: str) -> str:
    value = members.get(key)
    return value if isinstance(value, str) else ""


def _hint(tool: Members, key: str) -> JsonValue:
    hints = tool.get("annotations")
    return hints.get(key) if isinstance(hints, dict) else None
