"""The guard of the fetcher: which addresses of a server's metadata may be requested.

A challenge and a metadata document name any address they like. Requested is only https, on the
loopback also http, and nothing further inside than the server itself is: a public server cannot
make Signoff request an address of this machine or of its network. The same rule holds for the
addresses that a name resolves to, in the moment of the connection.
"""

from __future__ import annotations

import re
import socket
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

from ...content.frozen import frozen
from ...content.text import shortened

UNREADABLE: Final = "the URL of the server cannot be read"
URL_MAX: Final = 2_000
"""Characters of a URL that is requested."""
SHOWN: Final = 200
_NAT64: Final = IPv6Network("64:ff9b::/96")
_SHARED: Final = ip_network("100.64.0.0/10")
"""Addresses of carriers (RFC 6598); the metadata services of some clouds are in it."""
_CLOUD: Final = frozenset(("fd00:ec2::254",))
_NUMBERS: Final = re.compile(r"(?:(?:0x[0-9a-f]*|[0-9]+)(?:\.|\Z)){1,4}", re.IGNORECASE)
_INVALID: Final = re.compile(r"[\x00-\x20\x7f-\U0010ffff\\]")
_PORTS: Final = {"http": 80, "https": 443}


class Zone(Enum):
    """Where an address is; the value is what people call it."""

    PUBLIC = "a public address"
    PRIVATE = "a private address"
    LOOPBACK = "an address of this machine"
    SPECIAL = "a link-local or reserved address"


_REACHED: Final = {
    Zone.PUBLIC: {Zone.PUBLIC},
    Zone.PRIVATE: {Zone.PUBLIC, Zone.PRIVATE},
    Zone.LOOPBACK: {Zone.PUBLIC, Zone.PRIVATE, Zone.LOOPBACK},
    Zone.SPECIAL: {Zone.PUBLIC},
}
"""What a server may refer to, by its own place."""


@frozen
class WebOrigin:
    """Scheme, host and port of a URL, in lower case and with the default port."""

    scheme: str
    host: str
    port: int

    @property
    def text(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == _PORTS.get(self.scheme)
        return f"{self.scheme}://{host}" if is_usual else f"{self.scheme}://{host}:{self.port}"


@frozen
class Guard:
    """What a server, whose origin the person gave, may let Signoff request."""

    origin: WebOrigin
    zone: Zone

    def why_not(self, url: str) -> str:
        """Why a URL is not requested, safe to show; empty if nothing is against it so far."""
        if len(url) > URL_MAX:
            return f"the address has {len(url):,} characters, over the limit of {URL_MAX:,}"
        if (found := origin_of(url)) is None:
            return "the address is not a valid http or https URL"
        if "@" in urlsplit(url).netloc:
            return "the address has a user name or a password in it"
        if found == self.origin:
            return ""
        zone = zone_of_host(found.host)
        if zone is not None and (why := self.why_not_zone(zone)):
            return why
        if found.scheme == "http" and zone is not Zone.LOOPBACK:
            return "it is http: only https is requested, except on this machine"
        return ""

    def why_not_zone(self, zone: Zone) -> str:
        """The same for the place of an address."""
        if zone in _REACHED[self.zone]:
            return ""
        return f"it leads to {zone.value}, and the server is at {self.zone.value}"

    def why_not_address(self, host: str, address: str) -> str:
        """Why an address that a host name resolves to is not connected to, safe to show."""
        zone = zone_of(address)
        if host.lower().rstrip(".") == self.origin.host and zone is self.zone:
            return ""
        why = self.why_not_zone(zone)
        return f"{shortened(host, SHOWN)} is {shortened(address, 60)}: {why}" if why else ""


def guard_of(url: str, address: str) -> Guard | None:
    """The guard for a server that was reached at a URL, at an IP address if that is known.

    None if the URL cannot be read.
    """
    if (origin := origin_of(url)) is None:
        return None
    by_host = zone_of_host(origin.host)
    zone = zone_of(address) if address else (by_host or Zone.PUBLIC)
    return Guard(origin, zone)


def origin_of(url: str) -> WebOrigin | None:
    """The origin of an http or https URL; None for anything else."""
    if (parts := _split(url)) is None:
        return None
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").rstrip(".")
    port = parts.port if parts.port is not None else _PORTS.get(scheme)
    if scheme not in _PORTS or not host or not port:
        return None
    return WebOrigin(scheme, host, port)


def _split(url: str) -> SplitResult | None:
    if _INVALID.search(url):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def zone_of_host(host: str) -> Zone | None:
    """The place of a host that is an address or a name of this machine; None for other names."""
    plain = host.lower().rstrip(".")
    if plain == "localhost" or plain.endswith(".localhost"):
        return Zone.LOOPBACK
    if ":" in plain:
        return zone_of(plain)
    if _NUMBERS.fullmatch(plain):
        # 127.1, 0x7f000001 and 2130706433 are addresses, too.
        try:
            return zone_of(socket.inet_ntoa(socket.inet_aton(plain)))
        except (OSError, ValueError):
            return Zone.SPECIAL
    return None


def zone_of(address: str) -> Zone:
    """The place of an IP address."""
    try:
        found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return Zone.SPECIAL
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            inner = IPv4Address(int(found) & 0xFFFF_FFFF)
        if inner is not None:
            return zone_of(str(inner))
        if str(found) in _CLOUD:
            return Zone.SPECIAL
    if found.is_loopback:
        return Zone.LOOPBACK
    if found.is_link_local or found.is_unspecified or found.is_multicast:
        return Zone.SPECIAL
    if isinstance(found, IPv4Address) and found in _SHARED:
        return Zone.PRIVATE
    if found.is_private:
        return Zone.PRIVATE
    return Zone.PUBLIC if found.is_global and not found.is_reserved else Zone.SPECIAL
