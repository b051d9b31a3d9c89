"""What is odd about the host of a URL: names that look like others, and addresses."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator

from ...content.codepoints import describe
from ...content.text import cut, visible

HOST_MAX = 253
"""Characters of a name in the DNS (RFC 1035)."""

_SHOWN = 100
_PLAIN = re.compile(r"[A-Za-z0-9_.\-]+\Z")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*\Z|[0-9]+\Z")
_OWN_NETWORK = ("localhost", "local", "internal", "lan", "home", "intranet", "corp", "home.arpa")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_plain_host(host: str) -> bool:
    """Whether it is a name or an address that a browser takes as it is written.

    Letters beyond ASCII are: they are pointed out. Percent-encoding and other signs are not.
    """
    if not host or len(host) > HOST_MAX:
        return False
    if host.startswith("["):
        return _address(host) is not None
    return all(_PLAIN.match(char) or (ord(char) > 0x7F and char.isalnum()) for char in host)


def host_cautions(host: str) -> Iterator[str]:
    """What is odd about a host, in words that are safe to show; worst first."""
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
        yield "the host is percent-encoded, so that it does not read as what it is"
    name = ".".join(labels).lower()
    if "." not in name or any(name == own or name.endswith(f".{own}") for own in _OWN_NETWORK):
        yield "it leads into your own machine or network"


def _about_letters(host: str) -> Iterator[str]:
    odd = list(dict.fromkeys(char for char in host if not char.isascii()))
    shown = ", ".join(f"{visible(char)} {describe(char)}" for char in odd[:3])
    more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
    yield f"letters beyond ASCII in the host: {shown}{more}"
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
    """WHATWG URL, "IPv4 parser". Raises ValueError where it ends in a number and is no address."""
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
    """What a label in Punycode stands for (RFC 3492); the label itself where it is none."""
    try:
        return cut(label, 63).text[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return cut(label, _SHOWN).text


def _encoded(host: str) -> str:
    """The name in the DNS; empty where there is none."""
    if len(host) > HOST_MAX:
        return ""
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
