"""The formats of JSON Schema, each with an example of its shape.

JSON Schema 2020-12, validation, section 7: a format is an annotation, unless a dialect makes it a
rule; so violations are reported and prevent nothing. Every check but that of `regex` takes time
that grows with the length only.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Final
from unicodedata import normalize

MAX_CHECKED: Final = 2_000
"""Characters; a longer text is not looked at."""

_CLOCK = re.compile(
    r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.IGNORECASE | re.ASCII,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DURATION = re.compile(
    r"P(?!$)(\d+W|(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)?"
    r"(T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))?)",
    re.ASCII,
)


@cache
def _local(more: str) -> re.Pattern[str]:
    """Pattern of the part before the @, with these characters beside those of ASCII.

    Compiling large ranges takes long, so it is done at the first use.
    """
    atom = rf"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~\-{more}]+"
    return re.compile(rf'(?:{atom}(?:\.{atom})*|"(?:[ !#-\[\]-~{more}]|\\[ -~])*")')


_BEYOND_ASCII = "\x80-\U0010ffff"
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE | re.ASCII)
_POINTER = re.compile(r"(/([^~/]|~[01])*)*")
_RELATIVE_POINTER = re.compile(r"(0|[1-9]\d*)(#|(/([^~/]|~[01])*)*)", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_IDEOGRAPHIC_DOTS = re.compile("[\u3002\uff0e\uff61]")

_HEX = "%[0-9A-Fa-f]{2}"
_UNRESERVED = r"A-Za-z0-9._~\-"
_SUBDELIMS = r"!$&'()*+,;="
_UCS = (
    "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    "\U00010000-\U0001fffd\U00020000-\U0002fffd\U00030000-\U0003fffd"
    "\U000e1000-\U000efffd"
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_AUTHORITY = re.compile(r"(?:([^@]*)@)?(\[[^\[\]]*\]|[^:\[\]]*)(?::(\d*))?", re.ASCII)
_FUTURE = re.compile(rf"v[0-9a-f]+\.[{_UNRESERVED}{_SUBDELIMS}:]+", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL
)


class _Resources:
    """The characters that the parts of a URI, or of an IRI, may have (RFC 3986, RFC 3987)."""

    def __init__(self, more: str, in_query: str) -> None:
        each = f"{_UNRESERVED}{more}{_SUBDELIMS}"
        self._user = re.compile(f"(?:[{each}:]|{_HEX})*")
        self._host = re.compile(f"(?:[{each}]|{_HEX})*")
        self._path = re.compile(f"(?:[{each}:@/]|{_HEX})*")
        self._query = re.compile(f"(?:[{each}:@/?{in_query}]|{_HEX})*")
        self._fragment = re.compile(f"(?:[{each}:@/?]|{_HEX})*")

    def has(self, text: str, needs_scheme: bool) -> bool:
        found = _REFERENCE.fullmatch(text)
        if found is None:
            return False
        scheme, authority, path, query, fragment = found.groups()
        if not scheme and (needs_scheme or ":" in path.split("/")[0]):
            return False
        if authority is not None and not self._has_authority(authority):
            return False
        parts = (self._path, path), (self._query, query), (self._fragment, fragment)
        return all(part is None or pattern.fullmatch(part) for pattern, part in parts)

    def _has_authority(self, text: str) -> bool:
        found = _AUTHORITY.fullmatch(text)
        if found is None:
            return False
        user, host, _ = found.groups()
        if user is not None and not self._user.fullmatch(user):
            return False
        if not host.startswith("["):
            return self._host.fullmatch(host) is not None
        return _FUTURE.fullmatch(host[1:-1]) is not None or _ipv6(host[1:-1])


@cache
def _uris() -> _Resources:
    return _Resources("", "")


@cache
def _iris() -> _Resources:
    return _Resources(_UCS, _PRIVATE)


_VARIABLE = rf"(?:\w|{_HEX})(?:\.?(?:\w|{_HEX}))*(?:\*|:[1-9]\d{{0,3}})?"
_TEMPLATE = re.compile(
    rf"(?:[^\x00-\x20\"%<>\\^`{{|}}\x7f]|{_HEX}"
    rf"|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*",
    re.ASCII,
)


def _day(text: str) -> bool:
    return _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))


def _moment(text: str) -> bool:
    return text[10:11] in ("T", "t") and _day(text[:10]) and _clock(text[11:])


def _clock(text: str) -> bool:
    found = _CLOCK.fullmatch(text)
    if found is None or found[3] != "60":
        return found is not None
    # A leap second is the last one of a day in UTC.
    off = (int(found[6]) * 60 + int(found[7])) * (-1 if found[5] == "-" else 1) if found[5] else 0
    return (int(found[1]) * 60 + int(found[2]) - off) % 1_440 == 1_439


def _email(text: str) -> bool:
    local, _, domain = text.rpartition("@")
    return _local("").fullmatch(local) is not None and _mail_domain(domain, _host)


def _idn_email(text: str) -> bool:
    local, _, domain = text.rpartition("@")
    return _local(_BEYOND_ASCII).fullmatch(local) is not None and _mail_domain(
        normalize("NFC", domain), _idn_host
    )


def _mail_domain(domain: str, is_host: Callable[[str], bool]) -> bool:
    if domain.startswith("[") and domain.endswith("]"):
        inside = domain[1:-1]
        return _ipv6(inside[5:]) if inside.startswith("IPv6:") else _ipv4(inside)
    return is_host(domain)


def _host(text: str) -> bool:
    labels = text.split(".")
    return len(text) <= 253 and all(_LABEL.fullmatch(one) and _is_real(one) for one in labels)


def _is_real(label: str) -> bool:
    """True if a label of ASCII that claims to be another script's is one (RFC 5890)."""
    if label[2:4] != "--":
        return True
    if not label.lower().startswith("xn--"):
        return False
    return _is_idn_label(label)


def _idn_host(text: str) -> bool:
    labels = _IDEOGRAPHIC_DOTS.sub(".", text).split(".")
    return len(text) <= 253 and all(
        (_LABEL.fullmatch(one) is not None and _is_real(one))
        if one.isascii()
        else _is_idn_label(one)
        for one in labels
    )


def _is_idn_label(label: str) -> bool:
    import idna

    try:
        idna.alabel(idna.ulabel(label))
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def _ipv4(text: str) -> bool:
    ipaddress.IPv4Address(text)
    return text.isascii()


def _ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return text.isascii() and "%" not in text


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


def _regex(text: str) -> bool:
    from .ecma_patterns import unicode_fault

    return not unicode_fault(text)


_FORMATS: Final[dict[str, tuple[str, str, Callable[[str], bool]]]] = {
    "date": ("a date", "2026-11-21", _day),
    "date-time": ("a date and time", "2026-11-21T09:30:00Z", _moment),
    "time": ("a time", "09:30:00Z", _clock),
    "duration": ("a duration", "P1DT2H30M", _matches(_DURATION)),
    "email": ("an e-mail address", "name@example.com", _email),
    "idn-email": ("an e-mail address", "name@example.com", _idn_email),
    "hostname": ("a host name", "example.com", _host),
    "idn-hostname": ("a host name", "example.com", _idn_host),
    "ipv4": ("an IPv4 address", "192.0.2.1", _ipv4),
    "ipv6": ("an IPv6 address", "2001:db8::1", _ipv6),
    "uri": ("a URI", "https://example.com/path", lambda text: _uris().has(text, True)),
    "url": ("a URL", "https://example.com/path", lambda text: _uris().has(text, True)),
    "iri": ("an IRI", "https://example.com/path", lambda text: _iris().has(text, True)),
    "uri-reference": ("a URI or a part of one", "/path", lambda text: _uris().has(text, False)),
    "iri-reference": ("an IRI or a part of one", "/path", lambda text: _iris().has(text, False)),
    "uri-template": ("a URI template", "/items/{id}", _matches(_TEMPLATE)),
    "uuid": ("a UUID", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", _matches(_UUID)),
    "json-pointer": ("a JSON Pointer", "/items/0", _matches(_POINTER)),
    "relative-json-pointer": ("a relative JSON Pointer", "1/name", _matches(_RELATIVE_POINTER)),
    "regex": ("a regular expression", "^[a-z]+$", _regex),
}
_ELSEWHERE: Final = "regex"
"""Not checked as one types: another's engine reads it."""
_ASSERTED: Final = frozenset(_FORMATS) - {"idn-email", "idn-hostname", "iri", "iri-reference"}
"""What ajv-formats knows of these."""
_LENIENT: Final[dict[str, Callable[[str], bool]]] = {
    "date-time": lambda text: text[10:11] == " " and _moment(text.replace(" ", "T", 1)),
    "duration": _matches(
        re.compile(r"P(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?", re.ASCII)
    ),
    "hostname": lambda text: all(map(_LABEL.fullmatch, text.removesuffix(".").split("."))),
    "uuid": lambda text: _UUID.fullmatch(text.removeprefix("urn:uuid:")) is not None,
}
"""What ajv-formats takes all the same."""


def shape_of(name: object) -> str:
    """An example of a format, "" for one that is not known."""
    return _FORMATS[name][1] if isinstance(name, str) and name in _FORMATS else ""


def format_fault(name: object, value: object) -> str:
    """The reason why a value is not of this format, "" if it is or that is unknown."""
    if not isinstance(name, str) or name not in _FORMATS or not isinstance(value, str):
        return ""
    if len(value) > MAX_CHECKED:
        return ""
    words, shape, check = _FORMATS[name]
    try:
        fine = check(value)
    except ValueError:
        fine = False
    return "" if fine else f"not {words}: {shape} expected"


def is_rejected_by_ajv(name: str, value: object) -> bool:
    """True if ajv-formats 3, so every TypeScript client, rejects the value."""
    takes = _LENIENT.get(name)
    is_taken = takes is not None and isinstance(value, str) and takes(value)
    return name in _ASSERTED and not is_taken


def format_note(name: object, text: str) -> str:
    """The same, as one types."""
    return "" if name == _ELSEWHERE else format_fault(name, text)
