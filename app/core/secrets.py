"""Secrets, masked before anything is written down: by the name of a key, and by their look.

A mask says that something was masked and how long it was, and nothing of what it was. The rules
lean towards masking too much under a telling name, and too little elsewhere: digests, UUIDs and
paths stay, since a log in which they are masked proves nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, field

from app.core.jsonio import JsonValue
from app.core.secret_names import counts_something, is_secret_name, words_of

DEPTH_MAX = 200
FOUND_MAX = 200
_DISTINCT = 4
"""Characters from which on a secret is looked for inside of words, too."""

_RANDOM_WORDS = frozenset({"signature", "sig", "key", "hmac", "nonce", "code"})
"""Words under which a value in a URL or an assignment is masked where it looks random."""

_NAMED = ("name", "key", "header", "field", "variable")

_PLACEHOLDER = re.compile(r"\[masked: [^\[\]]{1,60}\]\Z")
_EDGE = r"(?<![A-Za-z0-9_-])"
_PATTERNS = re.compile(
    r"(?P<pem>-----BEGIN (?P<label>(?=[A-Z0-9 ]{0,40}PRIVATE KEY)[A-Z0-9 ]{0,60}+)-----"
    r".*?(?:-----END (?P=label)-----|\Z))"
    rf"|(?P<token>{_EDGE}(?:"
    r"eyJ[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){1,4}+"
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_-])"
    r"|xox[a-z]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+"
    r"|AIza[A-Za-z0-9_-]{30,}+|ya29\.[A-Za-z0-9_-]{20,}+"
    r"|gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_.-]{16,}+|npm_[A-Za-z0-9]{30,}+|pypi-[A-Za-z0-9_-]{50,}+"
    r"|hf_[A-Za-z0-9]{30,}+|[srp]k_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9+/=]{16,}+"
    r"|SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+|AGE-SECRET-KEY-1[A-Z0-9]{40,}+"
    r"))"
    rf"|(?P<sk>{_EDGE}sk-[A-Za-z0-9_-]{{16,}}+)"
    r"|(?P<scheme>(?<![A-Za-z0-9])(?i:bearer|basic|digest|token)[ \t]{1,4}+)"
    r"(?P<scheme_value>[A-Za-z0-9+/=._~-]{4,}+)"
    r"|(?P<user>://[^\s/@:?#\"']{0,256}+:)(?P<url_password>(?:[^\s/?#@\"']++|(?!\d+/)[^\s@\"']{1,256}+)"
    r"(?:@[^\s/?#@\"']*+(?=@))*+)(?=@)"
    r"|(?P<only_user>://)(?P<url_token>[^\s/@:?#\"']{16,256}+)(?=@)",
    re.DOTALL,
)
_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9_.-])(?P<name>[A-Za-z0-9_.-]{1,200}+)(?P<closed>\\{0,4}+[\"']?)"
    r"(?:(?P<op>[ \t]{0,3}+[=:][ \t]{0,3}+)|(?P<gap>[ \t]{1,3}+))"
)
_QUOTED = re.compile(r"(?P<open>\\{1,4}+\"|\"|')")
_BARE = re.compile(r"[^\s&;\"'<>]++")
_LINE = re.compile(r"[^\r\n\"']++")
_WHOLE_LINE = frozenset({"authorization", "cookie", "credentials"})
_BLANKS = " \t"


@dataclass(slots=True)
class Masked:
    """A value without its secrets; `found` are the secrets themselves, for `conceal`."""

    value: JsonValue
    count: int = 0
    found: set[str] = field(default_factory=set, repr=False)


def mask(value: JsonValue) -> tuple[JsonValue, int]:
    """A copy without what looks like a secret, and how many of them there were."""
    masked = mask_value(value)
    return masked.value, masked.count


def mask_value(value: JsonValue) -> Masked:
    """`mask`, with what was found."""
    masked = Masked(None)
    masked.value = _value(value, masked, 0)
    return masked


def mask_text(text: str) -> str:
    """Free text without what looks like a secret."""
    return _text(text, Masked(None))


def mask_command(text: str) -> str:
    """A command line or a URL without what looks like a secret."""
    masked = Masked(None)
    shown = _USER_OPTION.sub(lambda match: match.group(1) + _taken(match.group(2), masked), text)
    return _text(shown, masked)


def conceal(text: str, found: set[str]) -> str:
    """A text about a masked value, such as a message of a validator, without its secrets.

    A message may have cut a long secret short, so its beginning is looked for too.
    """
    for secret in sorted(found, key=len, reverse=True):
        if len(secret) < _DISTINCT:
            alone = rf"(?<!\w){re.escape(secret)}(?!\w)"
            text = re.sub(alone, _note(len(secret)), text)
            continue
        at = 0
        while (at := text.find(secret[:_DISTINCT], at)) >= 0:
            end = at + _DISTINCT
            while end - at < len(secret) and text[end : end + 1] == secret[end - at]:
                end += 1
            is_it = end - at == len(secret) or text.startswith(("…", "..."), end)
            note = _note(end - at) if is_it else text[at:end]
            text = text[:at] + note + text[end:]
            at += len(note)
    return text


def _value(value: JsonValue, masked: Masked, depth: int) -> JsonValue:
    if isinstance(value, str):
        return _text(value, masked)
    if not isinstance(value, (dict, list)):
        return value
    if depth >= DEPTH_MAX:
        return _whole(value, masked)
    if isinstance(value, list):
        return _items(value, masked, depth)
    names = [value.get(name) for name in _NAMED]
    names_a_secret = any(isinstance(name, str) and is_secret_name(name) for name in names)
    shown: dict[str, JsonValue] = {}
    for name, item in value.items():
        key, number = _text(name, masked), 2
        while key in shown:
            key, number = f"{_text(name, masked)} ({number})", number + 1
        is_secret = _is_secret(name, item) or (names_a_secret and name in ("value", "values"))
        shown[key] = _whole(item, masked) if is_secret else _value(item, masked, depth + 1)
    return shown


def _items(items: list[JsonValue], masked: Masked, depth: int) -> list[JsonValue]:
    """A list; what follows an option such as `--token` in it is that option's value."""
    shown: list[JsonValue] = []
    before = ""
    for item in items:
        is_option = before.startswith("-") and "=" not in before and is_secret_name(before)
        if is_option and isinstance(item, str) and not item.startswith("--"):
            shown.append(_taken(item, masked))
        else:
            shown.append(_value(item, masked, depth + 1))
        before = item if isinstance(item, str) else ""
    return shown


def _is_secret(name: str, value: JsonValue) -> bool:
    if value is None or isinstance(value, bool):
        return False
    words = words_of(name)
    if words and words[-1] in ("pin", "code") and ("pin" in words):
        return str(value).isdigit()
    if not is_secret_name(name):
        return False
    return not (isinstance(value, (int, float)) and counts_something(words))


def _whole(value: JsonValue, masked: Masked) -> JsonValue:
    """Everything of a value masked at once."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _taken(value, masked)
    stack: list[JsonValue] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list):
            stack += item
        elif item is not None and not isinstance(item, bool):
            _remember(str(item), masked)
    return _taken(json.dumps(value, default=str), masked, remember=False)


def _taken(secret: str, masked: Masked, *, remember: bool = True) -> str:
    if _PLACEHOLDER.match(secret):
        return secret
    masked.count += 1
    if remember:
        _remember(secret, masked)
    return _note(len(secret))


def _remember(secret: str, masked: Masked) -> None:
    if secret and len(masked.found) < FOUND_MAX:
        masked.found.add(secret)


def _note(length: int) -> str:
    return f"[masked: {length:,} character{'' if length == 1 else 's'}]"


def _text(text: str, masked: Masked) -> str:
    return _PATTERNS.sub(lambda match: _pattern(match, masked), _assigned(text, masked))


def _pattern(match: re.Match[str], masked: Masked) -> str:
    whole = match.group()
    if match.group("scheme"):
        value = match.group("scheme_value")
        is_basic = match.group("scheme").strip().lower() == "basic" and _is_basic(value)
        if not (is_basic or _looks_like_a_token(value)):
            return whole
        return match.group("scheme") + _taken(value, masked)
    if match.group("user"):
        return match.group("user") + _taken(match.group("url_password"), masked)
    if match.group("only_user"):
        value = match.group("url_token")
        return "://" + _taken(value, masked) if _looks_like_a_token(value) else whole
    if match.group("sk") and not any(char.isdigit() or char.isupper() for char in whole):
        return whole
    return _taken(whole, masked)


def _assigned(text: str, masked: Masked) -> str:
    """Mask the values of `name=value`, `name: value`, `"name": "value"` and `--name value`."""
    done, at = 0, 0
    pieces: list[str] = []
    while (match := _ASSIGNED.search(text, at)) is not None:
        at = match.end()
        name = match.group("name")
        if match.group("op") is None and not name.startswith("-"):
            continue
        span = _span(text, match) if _may_be_secret(name) else None
        if span is None:
            continue
        pieces += [text[done : span[0]], _taken(text[span[0] : span[1]], masked)]
        done = at = span[1]
    return "".join([*pieces, text[done:]]) if pieces else text


def _may_be_secret(name: str) -> bool:
    words = words_of(name)
    return is_secret_name(name) or (bool(words) and words[-1] in {*_RANDOM_WORDS, "pin"})


def _span(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret of an assignment stands; None where it is none."""
    name, start = match.group("name"), match.end()
    words = words_of(name)
    is_sure = is_secret_name(name)
    is_colon = (match.group("op") or "").strip() == ":"
    quoted = _QUOTED.match(text, start)
    if quoted is not None:
        begin = quoted.end()
        end = _closing(text, begin, quoted.group())
    elif is_colon and is_sure and words[-1] in _WHOLE_LINE and (line := _LINE.match(text, start)):
        begin, end = start, line.end()
    else:
        bare = _BARE.match(text, start)
        if bare is None or (match.group("gap") and bare.group().startswith("-")):
            return None
        begin, end = start, bare.end()
        if is_colon and not match.group("closed") and not _stands_alone(text, end):
            is_sure = False
    value = text[begin:end]
    if not value or _PLACEHOLDER.match(value) or value.startswith("[masked:"):
        return None
    if words[-1] == "pin":
        return (begin, end) if value.isdigit() else None
    if value in ("true", "false", "null", "None") or (
        counts_something(words) and re.fullmatch(r"[\d.,]+[,;}\])]*", value)
    ):
        return None
    return (begin, end) if is_sure or _looks_random(value) else None


def _closing(text: str, begin: int, opening: str) -> int:
    """Where a quoted value ends; the end of the text where it is not closed."""
    quote = opening[-1]
    if len(opening) > 1:
        end = text.find(opening, begin)
        return len(text) if end < 0 else end
    end = begin
    while (end := text.find(quote, end)) >= 0:
        slashes = end
        while slashes > begin and text[slashes - 1] == "\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end
        end += 1
    return len(text)


def _stands_alone(text: str, end: int) -> bool:
    """Whether nothing but the end of the line, or punctuation, follows a value."""
    while text[end : end + 1] and text[end] in _BLANKS:
        end += 1
    return end >= len(text) or text[end] in "\r\n#;&,\"'}"


def _looks_random(value: str) -> bool:
    """Letters and digits mixed, or upper and lower case within; and no path, digest or UUID."""
    core = value.rstrip(",.)}]")
    if len(core) < 8 or _ORDINARY.fullmatch(core):
        return False
    letters = any(char.isalpha() for char in core)
    digits = any(char.isdigit() for char in core)
    inner = core[1:]
    mixed = inner != inner.lower() and inner != inner.upper()
    return letters and (digits or (mixed and len(core) >= 16))


def _looks_like_a_token(value: str) -> bool:
    """Where only a token belongs, one of hexadecimal digits is no exception."""
    return len(value) >= 24 or (len(value) >= 8 and any(char.isdigit() for char in value))


_ORDINARY = re.compile(
    r"[0-9a-fA-F]{7,128}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?:sha\d+[:-])[0-9a-fA-F+/=]+|(?:~|\.{1,2})?/\S*|[a-z]+://\S*"
)
_USER_OPTION = re.compile(r"((?<!\S)(?:-u|--user)[ =][^\s:]{0,256}+:)(\S++)")


def _is_basic(value: str) -> bool:
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
