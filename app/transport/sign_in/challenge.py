"""Challenges of HTTP: `WWW-Authenticate` (RFC 9110, 11.6.1), read leniently and in bounds.

Texts are raw: they are made safe where they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from ...content.frozen import frozen

HEADER_MAX: Final = 100_000
"""Characters of each header that are read."""
PARAMS_MAX: Final = 100
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TOKEN68: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|\Z))")
_LOOSE: Final = re.compile(r"[^\s,]+")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_BETWEEN: Final = " \t,\r\n"


@frozen
class Challenge:
    """One challenge: its scheme, and its parameters by their names in lower case."""

    scheme: str
    params: Mapping[str, str]
    repeated: tuple[str, ...] = ()
    """Parameters that it has more than once; the first value is kept."""

    @property
    def is_bearer(self) -> bool:
        return self.scheme.lower() == "bearer"

    def get(self, name: str) -> str:
        """The value of a parameter; empty if it is not set."""
        return self.params.get(name, "")


@frozen
class Demand:
    """A response that requires a sign-in, or more rights: 401 or 403."""

    url: str
    """The URL that was requested, with its credentials if it has some: not for people."""
    status: int
    challenges: tuple[Challenge, ...] = ()
    address: str = ""
    """The IP address that answered; empty if a proxy or a Unix socket is between."""
    has_token: bool = False
    """Whether the request had an `Authorization` header."""

    @property
    def plain_url(self) -> str:
        """The URL without credentials, query and fragment."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def bearer(self) -> Challenge | None:
        """The challenge to follow: of several for a bearer token the first with metadata."""
        found = [one for one in self.challenges if one.is_bearer]
        with_metadata = [one for one in found if one.get("resource_metadata")]
        return next(iter([*with_metadata, *found]), None)

    @property
    def is_about_scope(self) -> bool:
        """True for 403 `insufficient_scope` (RFC 6750, 3.1): signed in, but with too few rights."""
        bearer = self.bearer
        is_scope = bearer is not None and bearer.get("error") == "insufficient_scope"
        return self.status == 403 and is_scope

    @property
    def is_sign_in(self) -> bool:
        """True if a sign-in is the answer to it."""
        return self.status == 401 or self.is_about_scope


def read_challenges(headers: Iterable[str]) -> tuple[Challenge, ...]:
    """All challenges of the `WWW-Authenticate` headers of a response, in their order."""
    return tuple(one for header in headers for one in _read(header[:HEADER_MAX]))


def _read(text: str) -> list[Challenge]:
    found: list[tuple[str, dict[str, str], list[str]]] = []
    at = count = 0
    is_first = True
    while at < len(text) and count < PARAMS_MAX:
        if text[at] in _BETWEEN:
            is_first = is_first or text[at] == ","
            at += 1
            continue
        count += 1
        token = _TOKEN.match(text, at)
        if token is None:
            at, is_first = _after_comma(text, at), True
            continue
        name, at = token.group(), token.end()
        equals = _skip_blanks(text, at)
        if text[equals : equals + 1] == "=" and found:
            value, at = _value(text, _skip_blanks(text, equals + 1))
            _, params, repeated = found[-1]
            if name.lower() in params:
                repeated.append(name.lower())
            params.setdefault(name.lower(), value)
            is_first = False
            continue
        if text[equals : equals + 1] == "=" or not is_first:
            at, is_first = _after_comma(text, at), True
            continue
        is_first = False
        found.append((name, {}, []))
        if equals > at and (whole := _TOKEN68.match(text, equals)):
            at = whole.end()
    return [Challenge(scheme, params, tuple(repeated)) for scheme, params, repeated in found]


def _value(text: str, at: int) -> tuple[str, int]:
    """A value and the place behind it: quoted, or as many servers write it, up to a blank."""
    if quoted := _QUOTED.match(text, at):
        return _ESCAPED.sub(r"\1", quoted.group(1)), quoted.end()
    if loose := _LOOSE.match(text, at):
        return loose.group().strip('"'), loose.end()
    return "", at


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _after_comma(text: str, at: int) -> int:
    comma = text.find(",", at)
    return len(text) if comma < 0 else comma + 1
