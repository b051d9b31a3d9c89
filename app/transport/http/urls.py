"""URLs of servers: what is shown of them, and what they are known by."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit


def masked(url: str) -> str:
    """The URL without its password, for people; a name alone may be a token and is masked too."""
    parts = urlsplit(url)
    given, at, host = parts.netloc.rpartition("@")
    if not at:
        return url
    name, colon, _ = given.partition(":")
    return urlunsplit(parts._replace(netloc=f"{name}:***@{host}" if colon else f"***@{host}"))


def endpoint(url: str) -> str:
    """Origin and path: no credentials, no query, no default port; host and scheme in lower case."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix({"http": ":80", "https": ":443"}.get(parts.scheme, " "))
    return urlunsplit((parts.scheme, host, parts.path or "/", "", ""))


def has_more(url: str) -> bool:
    """Whether a URL carries credentials or a query, of which `endpoint` says nothing."""
    parts = urlsplit(url)
    return bool(parts.query) or "@" in parts.netloc
