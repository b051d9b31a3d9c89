"""The formats of JSON Schema that can be checked at once, each with an example of its shape.

JSON Schema 2020-12, validation, section 7: a format is a note, and not a rule, unless a dialect
says otherwise; so what is found here is said and never in the way.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import date
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

MAX_CHECKED: Final = 2_000
"""Characters; a longer text is not looked at."""

_TIME = re.compile(
    r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]\d\d:\d\d)", re.IGNORECASE | re.ASCII
)
_DURATION = re.compile(
    r"P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)", re.ASCII
)
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)*")
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*", re.IGNORECASE)
_POINTER = re.compile(r"(/([^~/]|~[01])*)*")


def _day(text: str) -> bool:
    date.fromisoformat(text)
    return len(text) == 10 and text[4] == text[7] == "-"


def _moment(text: str) -> bool:
    return text[10:11] in ("T", "t", " ") and _day(text[:10]) and _clock(text[11:])


def _clock(text: str) -> bool:
    return _TIME.fullmatch(text) is not None


def _uuid(text: str) -> bool:
    return len(text) == 36 and str(UUID(text)) == text.casefold()


def _uri(text: str) -> bool:
    parts = urlsplit(text)
    return bool(parts.scheme) and _uri_reference(text) and bool(parts.netloc or parts.path)


def _uri_reference(text: str) -> bool:
    urlsplit(text)
    return not re.search(r'[\s<>"{}|\\^`\x00-\x1f\x7f]', text)


def _address(text: str) -> bool:
    ipaddress.IPv6Address(text)
    return True


def _old_address(text: str) -> bool:
    ipaddress.IPv4Address(text)
    return True


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_FORMATS: Final[dict[str, tuple[str, str, Callable[[str], bool]]]] = {
    "date": ("a date", "2026-11-21", _day),
    "date-time": ("a date and time", "2026-11-21T09:30:00Z", _moment),
    "time": ("a time", "09:30:00Z", _clock),
    "duration": ("a duration", "P1DT2H30M", _matches(_DURATION)),
    "email": ("an e-mail address", "name@example.com", _matches(_EMAIL)),
    "idn-email": ("an e-mail address", "name@example.com", _matches(_EMAIL)),
    "hostname": ("a host name", "example.com", _matches(_HOST)),
    "ipv4": ("an IPv4 address", "192.0.2.1", _old_address),
    "ipv6": ("an IPv6 address", "2001:db8::1", _address),
    "uri": ("a URI", "https://example.com/path", _uri),
    "url": ("a URL", "https://example.com/path", _uri),
    "iri": ("an IRI", "https://example.com/path", _uri),
    "uri-reference": ("a URI or a part of one", "/path", _uri_reference),
    "iri-reference": ("an IRI or a part of one", "/path", _uri_reference),
    "uuid": ("a UUID", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", _uuid),
    "json-pointer": ("a JSON Pointer", "/items/0", _matches(_POINTER)),
}


def shape_of(name: object) -> str:
    """An example of a format, "" for one that is not known."""
    return _FORMATS[name][1] if isinstance(name, str) and name in _FORMATS else ""


def format_note(name: object, text: str) -> str:
    """What is wrong with a text of this format, "" if nothing is or nothing can be said."""
    if not isinstance(name, str) or name not in _FORMATS or len(text) > MAX_CHECKED:
        return ""
    words, shape, check = _FORMATS[name]
    try:
        fine = check(text)
    except ValueError:
        fine = False
    return "" if fine else f"not {words}: {shape} expected"
