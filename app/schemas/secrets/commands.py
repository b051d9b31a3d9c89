"""Command lines, URLs and server identities, without the secrets in them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

from ...content.json.jsonio import JsonValue
from .looks import looks_drawn
from .masks import Masked, is_value_of, mask_string, mask_value, names_variable, taken, tells_of
from .names import is_secret_name, words_of

_OPTION = re.compile(r"(?P<name>-{0,2}[\w.-]{1,200}+)=(?P<value>.+)", re.DOTALL)
_HEADER = re.compile(r"(?P<name>[\w.-]{1,200}+):[ \t]*+(?P<value>.+)", re.DOTALL)
_USER = re.compile(r"(?P<user>[^\s:/]{0,256}+:)(?P<password>.+)", re.DOTALL)
_USER_IN_ONE = re.compile(
    r"(?P<user>--(?:proxy-)?user=[^\s:/]{0,256}+:)(?P<password>.+)", re.DOTALL
)
_SEGMENT = re.compile(r"(?<![A-Za-z0-9_.~%+-])[A-Za-z0-9_-]{20,}+(?![A-Za-z0-9_.~%+-])")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+://")
_USER_OPTIONS = frozenset({"-u", "--user", "--proxy-user"})
_KEY_WORDS = frozenset({"key", "sig", "signature"})
"""Last words of an option whose value is secret, unless it is a file, a switch or a number."""
_NO_SECRET_KEY = frozenset(
    (
        *("sort", "primary", "public", "partition", "foreign", "group", "cache", "map", "index"),
        *("order", "row", "object", "routing", "hot", "shortcut", "json", "dict", "host"),
    )
)
"""With one of these before `key`, it is the name of something."""
_NO_KEY = re.compile(
    r"(?:~|\.{1,2})?/.*|[A-Za-z]:[\\/].*|[$%{<].*|[\d.,]+|(?i:true|false|null|none|yes|no|on|off)"
    r"|.*\.(?:pem|key|crt|cer|p12|pfx|pub|json|txt|ya?ml|toml)",
    re.DOTALL,
)
"""A path, a variable, a number or a switch."""


def mask_words(words: Sequence[str], masked: Masked | None = None) -> list[str]:
    """Mask secrets among the words of a command; `masked` collects them."""
    found = masked or Masked(None)
    shown: list[str] = []
    before = ""
    for word in words:
        shown.append(_word(word, before, found))
        before = word
    return shown


def mask_command(text: str, masked: Masked | None = None) -> str:
    """Mask likely secrets in a command line as a shell would read it, or in a URL."""
    return _mask_command(text, masked) if masked is not None else _masked_command(text)


@lru_cache(maxsize=16)
def _masked_command(text: str) -> str:
    """The same; every record of the audit log has the command line of its server."""
    return _mask_command(text, Masked(None))


def _mask_command(text: str, found: Masked) -> str:
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if shlex.join(words) != text:
        # Not as Signoff itself writes a command.
        return _address(mask_string(_with_user(text, found), found), found)
    pairs = zip(words, mask_words(words, found), strict=True)
    return " ".join(shlex.quote(word) if word == shown else shown for word, shown in pairs)


def mask_identity(identity: str) -> str:
    """Show the identity that approvals are bound to: JSON stays JSON, anything else is a URL or
    so.
    """
    try:
        value: JsonValue = json.loads(identity)
    except (ValueError, RecursionError):
        return mask_command(identity)
    return (
        json.dumps(_identity(value)) if isinstance(value, (list, dict)) else mask_command(identity)
    )


@lru_cache(maxsize=16)
def secrets_of_command(text: str) -> frozenset[str]:
    """The secrets that a command line or a URL holds: a server may repeat them."""
    found = Masked(None)
    mask_command(text, found)
    return frozenset(found.found)


def _identity(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return mask_command(value)
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            return list(mask_words([str(item) for item in value]))
        return [_identity(item) for item in value]
    if isinstance(value, dict):
        masked = mask_value(value).value
        assert isinstance(masked, dict)
        return masked
    return value


def is_option_value(option: str, word: str) -> bool:
    """True if a word after an option such as `--token` or `--key` is its secret."""
    if is_value_of(option, word):
        return True
    is_option = option.startswith("-") and "=" not in option
    return is_option and not word.startswith("-") and is_key(option, word)


def is_key(name: str, value: str) -> bool:
    """True if a value belongs to a name that ends with `key`, and is not a file or a number."""
    words = words_of(name)
    if not words or words[-1] not in _KEY_WORDS or not value or _NO_KEY.fullmatch(value):
        return False
    return words[-2:-1] == () or words[-2] not in _NO_SECRET_KEY


def _word(word: str, before: str, found: Masked) -> str:
    if is_option_value(before, word):
        return taken(word, found)
    match = _USER.fullmatch(word) if before in _USER_OPTIONS else None
    if match is None:
        match = _USER_IN_ONE.fullmatch(word)
    if match is not None:
        return match["user"] + taken(match["password"], found)
    name, equals, value = _split(word)
    if equals and is_secret_name(name) and names_variable(name, value):
        return word
    is_given = name.startswith("-") or name.isupper()
    if equals and (tells_of(name, value) or (is_given and is_key(name, value))):
        return f"{name}={taken(value, found)}"
    match = _HEADER.fullmatch(value)
    if match is not None and tells_of(match["name"], match["value"]):
        start = len(word) - len(match["value"])
        return word[:start] + taken(match["value"], found)
    return _address(mask_string(word, found), found)


def _split(word: str) -> tuple[str, bool, str]:
    """`name=value`; without a name the whole word is the value."""
    match = _OPTION.fullmatch(word)
    return (match["name"], True, match["value"]) if match is not None else ("", False, word)


def _with_user(text: str, found: Masked) -> str:
    return _USER_OPTION.sub(lambda match: match.group(1) + taken(match.group(2), found), text)


def _address(text: str, found: Masked) -> str:
    """Mask long random words in a text whose path or query may hold a token."""
    if "/" in text and not _SCHEME.search(text):
        return text
    return _SEGMENT.sub(
        lambda match: taken(match.group(), found) if looks_drawn(match.group()) else match.group(),
        text,
    )


_USER_OPTION = re.compile(r"((?<!\S)(?:-u|--user)[ =][^\s:]{0,256}+:)(\S++)")
