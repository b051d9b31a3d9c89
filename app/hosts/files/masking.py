"""Addresses and arguments without their secrets, and whether a value is one.

References to variables and placeholders stay readable: they hold no secret. Beyond the masks for
commands, parts of paths and queries of an address, and values after `docker -e`, are masked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from ...content.frozen import frozen
from ...schemas.secrets.commands import is_key, is_option_value, mask_words
from ...schemas.secrets.looks import looks_drawn, looks_random
from ...schemas.secrets.masks import PLACEHOLDER as MASKED
from ...schemas.secrets.masks import Masked, mask_string, note, tells_of
from ...schemas.secrets.names import counts_something, is_secret_name, words_of

JUDGED: Final = 4_000
"""Characters of a text that are looked at; the rest of a longer one is masked."""
_REFERENCE: Final = (
    r"\$\{\{[^{}]*+\}\}|\$\{[^{}:]++\}|\$\{(?:env|input|file|config|command|user_config)[:.][^{}]*+\}"
    r"|\{(?:env|file):[^{}]*+\}|\$[A-Za-z_]\w*+|%[A-Za-z_]\w*+%|\{[A-Za-z_][\w-]*+\}|\$\([^()]*+\)"
)
REFERENCE: Final = re.compile(_REFERENCE)
MASK_NOTE: Final = re.compile(r"\[masked: [\d,]+ characters?\]")
PLACEHOLDER: Final = re.compile(
    r"<[A-Za-z][A-Za-z0-9 _./-]{1,60}>|\[[A-Z][A-Z0-9 _-]{2,60}\]"
    r"|(?<![A-Za-z0-9])(?i:your|my|insert|enter|replace|change|paste)"
    r"[_-][A-Za-z0-9][A-Za-z0-9_-]{0,60}"
    r"|(?<![A-Za-z0-9])(?i:changeme|placeholder|todo|fixme|x{4,}|\.{3}|\*{3,})(?![A-Za-z0-9])"
)
"""Text that a person is expected to replace."""
_CERTAIN: Final = re.compile(
    r"<[A-Za-z][A-Za-z0-9 _./-]{1,60}>"
    r"|(?<![A-Za-z0-9])(?:YOUR|your|Your|INSERT|REPLACE|ENTER|PASTE|CHANGE)"
    r"[_-][A-Za-z0-9]"
    r"|(?<![A-Za-z0-9])(?i:changeme|xxxx+|replace_me)(?![A-Za-z0-9])"
)
_DEFAULT: Final = re.compile(r"(\$\{([A-Za-z_]\w*+):-)([^{}]++)(\})")
_URL: Final = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}+://[^\s'\"]+")
_HEX: Final = re.compile(r"[0-9a-fA-F]{16,}")
_AT_COMMIT: Final = re.compile(r"[A-Za-z][\w.-]{0,80}@[0-9a-f]{7,40}")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BETWEEN: Final = re.compile(r"[-_.~]")
_INNER: Final = re.compile(r"[/@=:{\s]")
LINE_OPTIONS: Final = frozenset(
    {"-c", "-lc", "-ic", "-ec", "/c", "/k", "-command", "-encodedcommand"}
)
"""Options of shells that take a line of code; what follows an assignment there runs."""
_IN_ENV: Final = frozenset({"-e", "--env", "--build-arg"})
_HEADERS: Final = frozenset({"header", "headers"})
_CREDENTIAL: Final = re.compile(r"(?i:bearer|basic|token|digest|apikey)\s+(\S+)")
_QUERY_WORDS: Final = frozenset({"key", "sig", "signature", "code", "k", "t", "p", "sid", "sess"})
_PAIRS: Final = re.compile(r"([&;?])")
_USER: Final = re.compile(
    r"(?<![^\s\"'=,(])([^\s:/@=\"',]{1,80}+):([^\s/@]{1,200})@(?!sha\d|\d|v\d)(?=[\w\[])"
)
_PACKAGES: Final = frozenset({"npm", "jsr", "file", "git", "pip", "pypi", "github", "workspace"})
_QUERY: Final = re.compile(r"(?<=[^\s?])\?(?=[^\s=&?]{1,80}=)[^\s\"']+")
_CLOSED: Final = frozenset({"true", "false", "null", "none", "yes", "no", "on", "off", "0", "1"})


@frozen
class Shown:
    """A text without its secrets, and whether it had any."""

    text: str
    has_secret: bool = False


def is_reference(text: str) -> bool:
    """True for a text that is filled by someone: a variable, an input or a placeholder."""
    bare = text.strip().strip("\"'")
    patterns = (REFERENCE, PLACEHOLDER, MASKED)
    return any(pattern.fullmatch(bare) for pattern in patterns)


def placeholder_in(text: str) -> str:
    """The part of a text that a person is expected to replace; empty if there is none."""
    found = _CERTAIN.search(text[:JUDGED])
    return found.group() if found else ""


def is_token(word: str) -> bool:
    """True for a part of an address that is random: hexadecimal digits, a UUID, a drawn word."""
    if len(word) < 16 or is_reference(word) or _AT_COMMIT.fullmatch(word):
        return False
    if _HEX.fullmatch(word) or _UUID.fullmatch(word) or looks_drawn(word):
        return True
    return any(
        len(part) >= 12 and looks_random(part) and sum(map(str.isdigit, part)) >= 2
        for part in _BETWEEN.split(word)
    ) or any(_HEX.fullmatch(part) for part in _BETWEEN.split(word))


def is_secret(name: str, value: str) -> bool:
    """True for a value in clear under a name of secrets, or one that looks like a secret."""
    text = value[:JUDGED].strip()
    if not text or is_reference(text) or placeholder_in(text):
        return False
    if found := _DEFAULT.fullmatch(text):
        return is_default(found[2], found[3])
    if (given := _CREDENTIAL.fullmatch(text)) and not is_reference(given[1]):
        return not REFERENCE.search(given[1])
    if REFERENCE.search(text):
        return False
    is_value = text.lower() not in _CLOSED and not text.startswith(("/", "./", "~"))
    if is_value and (tells_of(name, text) or is_key(name, text)):
        return True
    if text.startswith(("{", "[")) and _in_json(text):
        return True
    found_in = Masked(None)
    mask_string(text, found_in)
    return found_in.count > 0 or mask_url(text).has_secret


def _in_json(text: str) -> bool:
    """True if a JSON text in a value holds a secret."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    level = [("", value)]
    for _ in range(8):
        below: list[tuple[str, object]] = []
        for name, one in level[:1_000]:
            if isinstance(one, str) and is_secret(name, one):
                return True
            if isinstance(one, dict):
                below += [(str(key), inner) for key, inner in one.items()]
            elif isinstance(one, list):
                below += [(name, inner) for inner in one]
        level = below
    return False


@lru_cache(maxsize=2_048)
def mask_url(url: str) -> Shown:
    """An address without passwords, and without tokens in its path, query and fragment."""
    text = url[:JUDGED]
    before, sign, rest = text.partition("://")
    if not sign:
        return _masked(text)
    address, hash_sign, fragment = rest.partition("#")
    address, question, query = address.partition("?")
    place, slash, path = address.partition("/")
    user, at, host = place.rpartition("@")
    is_found = False
    if at and user and not is_reference(user):
        is_found = ":" in user or len(user) >= 16
        name, colon, password = user.partition(":")
        if colon and password and not is_reference(password):
            user = f"{name}:{note(len(password))}"
        elif is_found and not colon:
            user = note(len(user))
        else:
            is_found = False
    parts = []
    for part in path.split("/"):
        if is_token(part) or (not is_reference(part) and _masked(part).has_secret):
            is_found = True
            part = note(len(part))
        parts.append(part)
    pairs, behind = _pairs(query), _pairs(fragment)
    is_found |= pairs.has_secret or behind.has_secret
    whole = f"{before}{sign}{user}{at}{host}{slash}{'/'.join(parts)}"
    whole += f"{question}{pairs.text}{hash_sign}{behind.text}"
    shown_whole = _without_default(whole)
    return Shown(_whole(shown_whole, url), is_found or shown_whole != whole)


def _pairs(text: str) -> Shown:
    """The pairs of a query or a fragment."""
    shown = [_pair(one) for one in _PAIRS.split(text)]
    return Shown("".join(one.text for one in shown), any(one.has_secret for one in shown))


def _pair(pair: str) -> Shown:
    name, equals, value = pair.partition("=")
    name = unquote(name)
    if not equals:
        return Shown(note(len(pair)), True) if is_token(pair) else Shown(pair)
    if not value or is_reference(value) or value.lower() in _CLOSED:
        return Shown(pair)
    words = words_of(name)
    is_named = tells_of(name, value) or bool(words and words[-1] in _QUERY_WORDS)
    is_named &= name != "p" or not value.isdigit()
    is_random = is_token(value) or (len(value) >= 8 and looks_random(value) and "." not in value)
    if is_named or is_random or _masked(value).has_secret:
        return Shown(f"{pair.partition('=')[0]}={note(len(value))}", True)
    return Shown(pair)


def mask_arguments(words: Sequence[str]) -> list[Shown]:
    """The words of a command without their secrets; the first one is the program."""
    return list(_mask_arguments(tuple(words)))


@lru_cache(maxsize=1_024)
def _mask_arguments(words: tuple[str, ...]) -> tuple[Shown, ...]:
    shown: list[Shown] = []
    before = ""
    is_docker = bool(words) and words[0].lower().endswith(("docker", "podman", "docker.exe"))
    for word in words:
        option, _, value = word.partition("=")
        if is_docker and before in _IN_ENV and "=" in word:
            shown.append(_in_docker(word))
        elif is_docker and option in _IN_ENV and "=" in value:
            one = _in_docker(value)
            shown.append(Shown(f"{option}={one.text}", one.has_secret))
        elif names_header(before) and (":" in word or "=" in word):
            shown.append(_header(word))
        elif names_header(option) and ":" in value:
            one = _header(value)
            shown.append(Shown(f"{option}={one.text}", one.has_secret))
        else:
            shown.append(mask_argument(word, before))
        before = word
    return tuple(shown)


def _in_docker(word: str) -> Shown:
    """`NAME=value` after `-e`: no value of an environment is printed."""
    name, _, value = word.partition("=")
    if not value or is_reference(value):
        return Shown(word, _is_input(value))
    return Shown(f"{name}={note(len(value))}", is_secret(name, value))


def names_header(option: str) -> bool:
    """True for an option such as `-H`, `--header` and `--http-headers`."""
    words = words_of(option) if option.startswith("-") else ()
    return option == "-H" or bool(words and words[-1] in _HEADERS)


def _header(word: str) -> Shown:
    """`Name: value` or JSON after `--header`: no value of a header is printed."""
    if word.startswith(("{", "[")):
        is_filled = REFERENCE.search(word) is not None
        return mask_argument(word) if is_filled else Shown(note(len(word)), _in_json(word))
    name, colon, value = word.partition(":" if ":" in word else "=")
    text = value.strip()
    parts = text.split()
    if not text or is_reference(text) or (len(parts) == 2 and is_reference(parts[1])):
        return Shown(word, _is_input(text))
    blank = value[: len(value) - len(value.lstrip())]
    return Shown(f"{name}{colon}{blank}{note(len(text))}", is_secret(name, text))


def _is_input(value: str) -> bool:
    """True for a secret that is filled in before the program starts, so that `ps` shows it."""
    return "input:" in value or "user_config." in value


def mask_argument(word: str, before: str = "") -> Shown:
    """One argument without its secrets; `before` is the word before it."""
    text = word[:JUDGED]
    if is_option_value(before, text):
        if is_reference(text):
            return Shown(word, not counts_something(words_of(before)))
        return Shown(note(len(word)), True)
    value = re.split(r"[=:]\s*", text, maxsplit=1)[-1]
    if value != text and is_reference(value):
        name = text[: -len(value)].rstrip("=: ")
        is_option = name.startswith("-") and "=" in text
        is_filled = is_secret_name(name) and (is_option or _is_input(value))
        return Shown(_without_default(word), is_filled)
    if REFERENCE.search(text) and not _URL.search(text):
        bare = _without_default(text)
        shown = _masked(bare)
        return Shown(shown.text, shown.has_secret or bare != text)
    if _URL.fullmatch(text):
        return mask_url(word)
    is_found = False

    def in_text(match: re.Match[str]) -> str:
        nonlocal is_found
        one = mask_url(match.group())
        is_found |= one.has_secret
        return one.text

    addressed = _without_default(_URL.sub(in_text, text))
    text = addressed if "://" in text else _without_scheme(addressed)
    is_found |= text != word[:JUDGED]
    if is_token(text) and not text.startswith("-") and not _INNER.search(text):
        return Shown(note(len(word)), True)
    found, found_before = Masked(None), Masked(None)
    mask_words([before], found_before)
    is_line = before.lower() in LINE_OPTIONS and any(map(str.isspace, text))
    masked = mask_string(text, found) if is_line else mask_words([before, text], found)[1]
    if masked.startswith(("{", "[")) and _in_json(masked):
        return Shown(note(len(word)), True)
    return Shown(_whole(masked, word), is_found or found.count > found_before.count)


def _without_scheme(text: str) -> str:
    """Mask `user:password@host`, and the query of an address that begins without `https://`."""

    def of_user(match: re.Match[str]) -> str:
        name, password = match.groups()
        if name.lower() in _PACKAGES or is_reference(password):
            return match.group()
        return f"{name}:{note(len(password))}@"

    def of_query(match: re.Match[str]) -> str:
        return "?" + _pairs(match.group()[1:]).text

    return _QUERY.sub(of_query, _USER.sub(of_user, text))


def mask_plain(text: str) -> str:
    """Any other text of an entry, such as a folder."""
    return mask_argument(text).text


def _masked(text: str) -> Shown:
    found = Masked(None)
    return Shown(mask_string(text, found), found.count > 0)


def _without_default(text: str) -> str:
    """Mask the default of a variable whose name is that of a secret, or that looks like one."""

    def shown(match: re.Match[str]) -> str:
        opening, name, default, closing = match.groups()
        is_one = is_default(name, default)
        return f"{opening}{note(len(default))}{closing}" if is_one else match.group()

    return _DEFAULT.sub(shown, text)


def secret_default(text: str, left_out: Callable[[str], str]) -> str:
    """Replace a variable with a default that may be secret by the result for its name."""

    def shown(match: re.Match[str]) -> str:
        return left_out(match[2]) if is_default(match[2], match[3]) else match.group()

    return _DEFAULT.sub(shown, text)


def is_default(name: str, default: str) -> bool:
    """True if the default of a variable may be secret: by its name, or by its look."""
    if default.lower() in _CLOSED:
        return False
    is_named = is_secret_name(name) or is_key(name, default)
    return is_named or is_token(default) or looks_random(default) or _masked(default).has_secret


def _whole(shown: str, text: str) -> str:
    """A masked beginning, and the length of what was not looked at."""
    return shown + note(len(text) - JUDGED) if len(text) > JUDGED else shown
