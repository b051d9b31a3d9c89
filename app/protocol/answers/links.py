"""Examines a URI before it is opened: scheme, host, and problems with them.

Nothing is looked up, and nothing is normalised away: a URI is shown as the server wrote it. What
browsers do with it beyond RFC 3986 (the WHATWG URL standard: backslashes, IPv4 in other bases) is
taken into account, since it is a browser that would follow it.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from urllib.parse import parse_qsl, unquote

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, canonical
from ...content.labels import some_named
from ...content.text import cut, describe, hidden, shortened, size, visible

HOST_MAX = 253
"""Characters of a name in the DNS (RFC 1035)."""

_SHOWN = 100
_PLAIN = re.compile(r"[A-Za-z0-9_.\-]+\Z")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*\Z|[0-9]+\Z")
_OWN_NETWORK = ("localhost", "local", "internal", "lan", "home", "intranet", "corp", "home.arpa")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_plain_host(host: str) -> bool:
    """True if it is a name or an address that a browser takes as it is written.

    Letters beyond ASCII are: they are pointed out. Percent-encoding and other signs are not.
    """
    if not host or len(host) > HOST_MAX:
        return False
    if host.startswith("["):
        return _address(host) is not None
    return all(_PLAIN.match(char) or (ord(char) > 0x7F and char.isalnum()) for char in host)


def host_cautions(host: str) -> Iterator[str]:
    """Yield problems of a host, in words that are safe to show; worst first."""
    if not host:
        return
    address = _address(host)
    if address is not None:
        yield from _about_address(host, address)
        return
    labels = cut(host, HOST_MAX).text.rstrip(".").split(".")
    if not host.isascii():
        yield from _about_letters(host)
    for label in labels:
        if label.lower().startswith("xn--"):
            shown = visible(_decoded(label))
            yield f"Punycode: {visible(cut(label, 63).text)} is drawn as “{shown}” by browsers"
    if "%" in host:
        yield "the host is percent-encoded, which hides its real name"
    name = ".".join(labels).lower()
    if "." not in name or any(name == own or name.endswith(f".{own}") for own in _OWN_NETWORK):
        yield "it leads into your own machine or network"


def _about_letters(host: str) -> Iterator[str]:
    odd = list(dict.fromkeys(char for char in host if not char.isascii()))
    shown = some_named(odd, 3, lambda char: f"{visible(char)} {describe(char)}")
    yield f"letters beyond ASCII in the host: {shown}"
    ascii_form = _encoded(host)
    if ascii_form:
        yield f"in ASCII the host is {visible(ascii_form)}"


def _about_address(host: str, address: Address) -> Iterator[str]:
    kind = "IPv4" if address.version == 4 else "IPv6"
    is_written_so = host.strip("[]").lower() in (str(address), address.exploded)
    means = "" if is_written_so else f", which means {address}"
    inner = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    judged = inner or address
    where = ""
    if judged.is_loopback or judged.is_unspecified:
        where = ": your own machine"
    elif judged.is_link_local:
        where = ": a link-local address, where clouds keep credentials"
    elif not judged.is_global:
        where = ": a private address, in your own network"
    yield f"the host is a bare {kind} address{means}{where}"


def _address(host: str) -> Address | None:
    """The address that a browser makes of a host, also in hexadecimal, octal or as one number."""
    try:
        if host.startswith("["):
            return ipaddress.IPv6Address(host.strip("[]").partition("%")[0])
        folded = unicodedata.normalize("NFKC", cut(host, HOST_MAX).text).replace("。", ".")
        return _ipv4(folded.removesuffix("."))
    except ValueError:
        return None


def _ipv4(host: str) -> ipaddress.IPv4Address | None:
    """WHATWG URL, "IPv4 parser". Raises ValueError for an invalid address that ends in a number."""
    parts = host.split(".")
    if not _NUMBER.match(parts[-1]) or len(parts) > 4:
        return None
    if not all(_NUMBER.match(part) for part in parts):
        return None
    numbers = [_number(part) for part in parts]
    *first, last = numbers
    if any(one > 255 for one in first) or last >= 256 ** (5 - len(numbers)):
        return None
    value = last + sum(one * 256 ** (3 - at) for at, one in enumerate(first))
    return ipaddress.IPv4Address(value)


def _number(part: str) -> int:
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    if part.startswith("0") and len(part) > 1:
        return int(part, 8)
    return int(part)


def _decoded(label: str) -> str:
    """Decode a label in Punycode (RFC 3492); other labels stay."""
    try:
        return cut(label, 63).text[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return cut(label, _SHOWN).text


def _encoded(host: str) -> str:
    """The name in the DNS; empty if there is none."""
    if len(host) > HOST_MAX:
        return ""
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


SHOWN_MAX = 200
URI_MAX = 8_000
"""Characters of a URI up to which anything is opened outside, and its parts are looked at."""

_SIZE_MAX = 10**18
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_PORT = re.compile(r"(.*?)(?::([0-9]*))?\Z", re.DOTALL)
_STANDARD_PORTS = {"http": "80", "https": "443"}
_NEVER = ("javascript", "data", "vbscript", "blob", "about", "view-source")
"""What a browser would run or unfold by itself."""
_ATTACHES = ("attach", "attachment", "attachments")


class LinkKind(StrEnum):
    """Ways to use a URI besides reading it from its server."""

    WEB = "web"
    MAIL = "mail"
    FILE = "file"
    NEVER = "never opened"
    """Its scheme carries a program, or content, in itself."""
    OWN = "the server's own"
    """A scheme that only the server knows what to do with."""
    MALFORMED = "malformed"
    """No scheme at all."""


@frozen
class LinkFacts:
    """A URI taken apart. `uri`, `host` and `path` are raw."""

    uri: str
    kind: LinkKind
    scheme: str
    """The scheme in lower case; empty without one."""
    host: str = ""
    """The host as written, without userinfo and port; an IPv6 address keeps its brackets."""
    path: str = ""
    """Of a file, with percent-encoding undone."""
    cautions: tuple[str, ...] = ()
    """Warnings about the link, safe to show; worst first."""
    why_not: str = ""
    """Why the link is never opened outside, safe to show; empty if it can be opened."""

    @property
    def can_open(self) -> bool:
        """True if it may be opened outside, once a person has consented."""
        return not self.why_not


def look_at(uri: str) -> LinkFacts:
    """Take a URI apart; never raises, and costs little however long it is."""
    head = cut(uri, URI_MAX).text
    found = _SCHEME.match(head)
    scheme = found.group(1).lower() if found else ""
    kind = _kind_of(scheme)
    rest = head[found.end() :] if found else head
    cautions = [f"has {marks}" for marks in hidden(head)]
    if not head.isascii() and not cautions and kind is not LinkKind.WEB:
        cautions.append("has characters other than ASCII")
    facts = LinkFacts(uri, kind, scheme)
    match kind:
        case LinkKind.WEB:
            return _web(facts, rest, cautions)
        case LinkKind.MAIL:
            return _mail(facts, rest, cautions)
        case LinkKind.FILE:
            return _file(facts, rest, cautions)
    shown = visible(cut(scheme, 40).text)
    why_not = {
        LinkKind.NEVER: f"{shown} links can contain a program or a page",
        LinkKind.OWN: f"only the server knows {shown} links",
        LinkKind.MALFORMED: "it has no scheme, so it is not an address outside of the server",
    }[kind]
    return LinkFacts(uri, kind, scheme, cautions=tuple(cautions), why_not=why_not)


def size_words(claim: JsonValue) -> tuple[str, bool]:
    """Describe the declared size of a link, in words that are safe to show; and if it is a size.

    `4.4 MB (4,404,019 bytes)`; anything but a number of bytes is quoted as JSON. Empty for None.
    """
    if claim is None:
        return "", True
    is_whole = isinstance(claim, float) and claim.is_integer()
    if isinstance(claim, bool) or not (isinstance(claim, int) or is_whole):
        return f"a size that is not a number of bytes: {_as_json(claim)}", False
    assert isinstance(claim, int | float)
    if not 0 <= claim < _SIZE_MAX:
        return f"an impossible size: {_as_json(claim)}", False
    count = int(claim)
    if count < 1000:
        return f"{count} byte{'' if count == 1 else 's'}", True
    return f"{size(count)} ({count:,} bytes)", True


def _as_json(value: JsonValue) -> str:
    try:
        return shortened(canonical(value), 60)
    except (JsonError, ValueError):
        return "a value that JSON cannot carry"


def _kind_of(scheme: str) -> LinkKind:
    if scheme in _STANDARD_PORTS:
        return LinkKind.WEB
    if scheme in _NEVER:
        return LinkKind.NEVER
    known = {"mailto": LinkKind.MAIL, "file": LinkKind.FILE, "": LinkKind.MALFORMED}
    return known.get(scheme, LinkKind.OWN)


def _web(facts: LinkFacts, rest: str, cautions: list[str]) -> LinkFacts:
    host, userinfo, port = _authority(rest) if rest.startswith("//") else ("", "", "")
    found = []
    if userinfo:
        shown = visible(cut(userinfo, SHOWN_MAX).text)
        found.append(f"“{shown}@” before the host is a user name, not the host")
    if facts.scheme == "http":
        found.append("http is not encrypted: others can read and change it")
    if port and port != _STANDARD_PORTS[facts.scheme]:
        found.append(f"port {visible(cut(port, 20).text)} is not the usual one")
    found = [*host_cautions(host), *found]
    why_not = _unopenable(facts.uri)
    if not why_not and not host:
        why_not = "it has no host"
    if not why_not and not is_plain_host(host):
        why_not = "its host has invalid characters"
    if not why_not and port and not _is_port(port):
        why_not = "its port is invalid"
    return LinkFacts(
        facts.uri,
        facts.kind,
        facts.scheme,
        host,
        cautions=(*cautions, *found),
        why_not=why_not,
    )


def _mail(facts: LinkFacts, rest: str, cautions: list[str]) -> LinkFacts:
    """`mailto:ann@example.org?cc=bob@example.org` (RFC 6068)."""
    _, _, query = rest.partition("?")
    fields = [name.lower() for name, _ in parse_qsl(query, keep_blank_values=True)]
    why_not = _unopenable(facts.uri)
    if not why_not and any(name in _ATTACHES for name in fields):
        why_not = "it makes the mail program attach a file"
    copies = [name for name in fields if name in ("to", "cc", "bcc")]
    if copies:
        cautions.append(f"has more recipients: it fills in {', '.join(dict.fromkeys(copies))}")
    if "body" in fields or "subject" in fields:
        cautions.append("the server wrote subject or text of the message")
    return LinkFacts(facts.uri, facts.kind, facts.scheme, cautions=tuple(cautions), why_not=why_not)


def _file(facts: LinkFacts, rest: str, cautions: list[str]) -> LinkFacts:
    host = ""
    path = rest
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        path = slash + path
    if host and host.lower() != "localhost":
        shown = visible(cut(host, SHOWN_MAX).text)
        cautions.append(f"names the host “{shown}”: the file would be on another machine")
    path = unquote(re.split("[?#]", path, maxsplit=1)[0], errors="replace")
    return LinkFacts(
        facts.uri,
        facts.kind,
        facts.scheme,
        host,
        path=path,
        cautions=tuple(cautions),
        why_not="the opening program could run this file",
    )


def _authority(rest: str) -> tuple[str, str, str]:
    """Host, userinfo and port after `//`; the host is the one that a browser would use.

    Browsers end the authority at a backslash, too (WHATWG URL, "special authority").
    """
    authority = re.split(r"[/?#\\]", rest[2:], maxsplit=1)[0]
    userinfo, _, place = authority.rpartition("@")
    if place.startswith("["):
        host, bracket, after = place.partition("]")
        return host + bracket, userinfo, after.removeprefix(":")
    found = _PORT.match(place)
    assert found is not None
    return found.group(1), userinfo, found.group(2) or ""


def _is_port(port: str) -> bool:
    return bool(re.fullmatch("[0-9]{1,5}", port)) and int(port) <= 65_535


def _unopenable(uri: str) -> str:
    """The reason why no external program should get this text; empty if one may."""
    if len(uri) > URI_MAX:
        return f"it has {len(uri):,} characters"
    if marks := hidden(uri):
        return f"it has {marks[0]}"
    if any(char.isspace() for char in uri):
        return "it has blanks"
    odd = sorted({char for char in uri if char in '\\"<>^`{|}'})
    if odd:
        return f"it has {' '.join(odd)}, which is not allowed in a URL"
    if re.search("%(?![0-9A-Fa-f]{2})", uri):
        return "it has a broken percent-encoding"
    if re.search("%(0[0-9A-Fa-f]|1[0-9A-Fa-f]|7[Ff])", uri) and uri[:7].lower() == "mailto:":
        # RFC 6068 allows %0D%0A in the body alone; everywhere else it forges header lines.
        without_body = re.sub("(?i)([?&]body=)[^&]*", r"\1", uri)
        if re.search("%(0[0-9A-Fa-f]|1[0-9A-Fa-f]|7[Ff])", without_body):
            return "it has line ends that a mail program could read as header lines"
    return ""
