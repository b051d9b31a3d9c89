"""How a URL is reached: which certificates count, and a Unix socket in place of the network."""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from ...content.frozen import frozen
from ...content.text import cut, visible

if TYPE_CHECKING:
    import httpx2

UNIX: Final = "unix"
_LOCAL: Final = "http://localhost"
SOCKET_HOST: Final = "localhost:80"
"""The host name on a Unix socket: some servers accept localhost only with a port."""
_NOT_CHECKED: Final = "not checked (--insecure)"


class NoCertificates(Exception):
    """The trusted certificates cannot be read; the message is safe to show."""


@frozen
class Reach:
    """Certificates for one server."""

    ca: str = ""
    """A PEM file whose certificates are trusted, too; empty for none."""
    is_insecure: bool = False
    """Whether no certificate is checked: any machine between can read and change all messages."""

    @property
    def words(self) -> str:
        """The trusted certificates in words, safe to show; empty for the usual ones."""
        if self.is_insecure:
            return _NOT_CHECKED
        return f"those of the system, and {visible(cut(self.ca, 200).text)}" if self.ca else ""

    def context(self) -> ssl.SSLContext | bool:
        """How certificates are checked, for httpx2. Raises NoCertificates and OSError."""
        if self.is_insecure:
            return False
        if not self.ca:
            return True
        import httpx2

        context: ssl.SSLContext = httpx2.create_ssl_context()
        try:
            context.load_verify_locations(cafile=os.path.expanduser(self.ca))
        except OSError as problem:
            is_file = isinstance(problem, ssl.SSLError)
            why = "has no certificate" if is_file else os.strerror(problem.errno or 0).lower()
            place = visible(cut(self.ca, 200).text)
            raise NoCertificates(f"--ca is {place}, which cannot be used: {why}") from problem
        return context


DIRECT: Final = Reach()


def split_socket(url: str) -> tuple[str, str]:
    """The URL of the requests, and the path of the socket: `unix:///run/x.sock#/mcp` is
    `http://localhost/mcp` on `/run/x.sock`. The path is empty for any other URL.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, ""
    if parts.scheme != UNIX or parts.netloc or not parts.path.startswith("/"):
        return url, ""
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    inside = parts.fragment or "/"
    return f"{_LOCAL}{inside if inside.startswith('/') else f'/{inside}'}", path


def socket_transport(path: str) -> httpx2.AsyncHTTPTransport | None:
    """A transport over a Unix socket; None for an empty path."""
    if not path:
        return None
    import httpx2

    return httpx2.AsyncHTTPTransport(uds=path, limits=httpx2.Limits(max_connections=None))
