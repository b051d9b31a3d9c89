"""Masks secrets before anything is written down: by the name of a key, and by their look.

A mask shows that a value was masked and its length, and nothing of its content. The rules lean
towards masking too much under a telling name, and too little elsewhere: digests, UUIDs and paths
stay, since a log in which they are masked proves nothing.

Secrets are also found in texts that assign them: `name=value`, `name: value`, `--name value`; and
known ones in output: a server may repeat its arguments, and so may our words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import visible
from .looks import looks_random, without_looks
from .names import counts_something, is_secret_name, words_of

JUDGED_MAX = 256
"""Characters of a value that are looked at to decide if it is a secret."""

_RANDOM_WORDS = frozenset({"signature", "sig", "key", "hmac", "nonce", "code"})
"""Words under which a value in a URL or an assignment is masked if it looks random."""

PLACEHOLDER = re.compile(r"\[masked: [^\[\]]{1,60}\]\Z")
"""What a secret was masked with before."""
_STANDS_FOR = re.compile(
    r"[$%<{\[(]{0,3}+(?:(?:YOUR|MY|THE|API|ACCESS|AUTH|CLIENT|PERSONAL|BEARER|SECRET|TOKEN|KEY|PAT|PASSWORD"
    r"|PASSPHRASE|CREDENTIALS?|VALUE|STRING|HERE)[_ -]?)++[%>}\])]{0,3}+[.,;:!?]?+|@FILE|\.{3}|…"
)
"""What help has in the place of a secret: `TOKEN`, `<YOUR_API_KEY>`, `$KEY`."""
_SAID_OF = frozenset({"flag", "option", "argument", "parameter", "or", "and", "is", "to"})
"""What follows the name of an option in a sentence: `the --token flag`."""
_ASSIGNED = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]{1,200}+)(?P<closed>\\{0,4}+[\"']?)"
    r"(?:(?P<op>[ \t]{0,3}+[=:＝：][ \t]{0,3}+)|(?P<gap>[ \t]{1,3}+))"
)
_QUOTED = re.compile(r"(?P<open>\\{1,4}+\"|\"|')")
_BARE = re.compile(r"[^\s&;\"'<>]++")
_LINE = re.compile(r"[^\r\n\"']++")
_WHOLE_LINE = frozenset({"authorization", "cookie", "credentials"})
_UP_TO_SEMICOLON = re.compile(r"[^;\r\n\"']*+")
_BLANKS = " \t"
NUMBERS = re.compile(r"[\d.,]+[,;}\])]*")
"""A number, which is not a secret under a name for a count."""


def assigned_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of assigned values that are secret by their names, or looks."""
    at = 0
    runs = _Runs(text)
    while (match := _ASSIGNED.search(text, at)) is not None:
        at = match.end()
        name = match.group("name")
        if match.group("op") is None and not name.startswith("-"):
            continue
        span = _span(text, match, runs) if _may_be_secret(name) else None
        if span is not None:
            yield span
            at = span[1]


def _may_be_secret(name: str) -> bool:
    words = words_of(name)
    return is_secret_name(name) or (bool(words) and words[-1] in {*_RANDOM_WORDS, "pin"})


class _Runs:
    """The ends of values without quotes. One run of `a=b=c=...` holds thousands of assignments: its
    end is searched once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0

    def end_of(self, start: int) -> int:
        """The end of the value that begins there; `start` if there is none."""
        if start >= self._end:
            found = _BARE.match(self._text, start)
            self._end = found.end() if found else start
        return self._end


def _span(text: str, match: re.Match[str], runs: _Runs) -> tuple[int, int] | None:
    """Return the range of an assignment's secret; None if it has none."""
    name, start = match.group("name"), match.end()
    words = words_of(name)
    is_sure = is_secret_name(name)
    is_colon = (match.group("op") or "").strip() in (":", "：")
    quoted = _QUOTED.match(text, start)
    if quoted is not None:
        begin = quoted.end()
        end = _closing(text, begin, quoted.group())
    elif is_colon and is_sure and words[-1] in _WHOLE_LINE and (line := _LINE.match(text, start)):
        begin, end = start, line.end()
    elif not is_colon and is_sure and _is_between_semicolons(text, match):
        # `Server=h;Password=a b;Encrypt=yes`: blanks belong to the value.
        found = _UP_TO_SEMICOLON.match(text, start)
        begin, end = start, found.end() if found else start
    else:
        begin, end = start, runs.end_of(start)
        if begin == end or (match.group("gap") and text[begin] == "-"):
            return None
        if is_colon and not match.group("closed") and not _stands_alone(text, end):
            is_sure = False
    # This many characters are enough to recognise it.
    value = text[begin : min(end, begin + JUDGED_MAX)]
    if not value or PLACEHOLDER.match(value) or value.startswith("[masked:"):
        return None
    if _STANDS_FOR.fullmatch(value) or (match.group("gap") and value.strip(".,") in _SAID_OF):
        return None
    if words[-1] == "pin":
        return (begin, end) if value.isdigit() else None
    if value in ("true", "false", "null", "None") or (
        counts_something(words) and NUMBERS.fullmatch(value)
    ):
        return None
    return (begin, end) if is_sure or looks_random(value) else None


def _is_between_semicolons(text: str, match: re.Match[str]) -> bool:
    at = match.start()
    while at and text[at - 1] in _BLANKS:
        at -= 1
    return at > 0 and text[at - 1] == ";" and match.group("op") is not None


def _closing(text: str, begin: int, opening: str) -> int:
    """Return the end of a quoted value; the end of the text if it is not closed."""
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
    """True if nothing but the end of the line, or punctuation, follows a value."""
    while text[end : end + 1] and text[end] in _BLANKS:
        end += 1
    return end >= len(text) or text[end] in "\r\n#;&,\"'}"


DEPTH_MAX = 200
FOUND_MAX = 1_000
_DISTINCT = 4
"""Characters from which on a secret is looked for inside of words, too."""

_NAMED = ("name", "key", "header", "field", "variable")

Place: TypeAlias = tuple[str | int, ...]


@dataclass(slots=True)
class Masked:
    """A value without its secrets; `found` are the secrets themselves, for `conceal`."""

    value: JsonValue
    count: int = 0
    found: set[str] = field(default_factory=set, repr=False)
    places: list[Place] = field(default_factory=list)
    """Where the secrets were; of one in the name of a member, where the object is."""


@frozen
class Marks:
    """Places of a value that are known to be secret, whatever their content."""

    is_secret: bool = False
    below: Mapping[str | int, Marks] = field(default_factory=dict)

    def at(self, step: str | int) -> Marks | None:
        return self.below.get(step)


def mask_value(value: JsonValue, marks: Marks | None = None) -> Masked:
    """Copy a value without likely secrets; `marks` are further secret places."""
    masked = Masked(None)
    masked.value = _value(value, masked, (), marks)
    return masked


def mask_text(text: str) -> str:
    """Mask likely secrets in free text."""
    return mask_string(text, Masked(None))


def mask_string(text: str, masked: Masked) -> str:
    """Mask a text; found secrets are added to `masked`."""
    return without_looks(_assigned(text, masked), lambda secret: taken(secret, masked))


def conceal(text: str, found: set[str]) -> str:
    """A text about a masked value, such as a message of a validator, without its secrets.

    A message may have cut a long secret short, so its beginning is looked for too.
    """
    for secret in sorted(found, key=len, reverse=True):
        if len(secret) < _DISTINCT:
            alone = rf"(?<!\w){re.escape(secret)}(?!\w)"
            text = re.sub(alone, note(len(secret)), text)
            continue
        at = 0
        while (at := text.find(secret[:_DISTINCT], at)) >= 0:
            end = at + _DISTINCT
            while end - at < len(secret) and text[end : end + 1] == secret[end - at]:
                end += 1
            is_it = end - at == len(secret) or text.startswith(("…", "..."), end)
            shown = note(end - at) if is_it else text[at:end]
            text = text[:at] + shown + text[end:]
            at += len(shown)
    return text


def _value(value: JsonValue, masked: Masked, at: Place, marks: Marks | None) -> JsonValue:
    """Mask `value` at the place `at`; found secrets are added to `masked`."""
    before = masked.count
    if marks is not None and marks.is_secret:
        shown = _whole(value, masked)
    elif isinstance(value, str):
        shown = mask_string(value, masked)
    elif not isinstance(value, (dict, list)):
        return value
    elif len(at) >= DEPTH_MAX:
        shown = _whole(value, masked)
    elif isinstance(value, list):
        return _items(value, masked, at, marks)
    else:
        return _members(value, masked, at, marks)
    if masked.count > before:
        masked.places.append(at)
    return shown


def _members(
    value: dict[str, JsonValue], masked: Masked, at: Place, marks: Marks | None
) -> dict[str, JsonValue]:
    names = [value.get(name) for name in _NAMED]
    names_a_secret = any(isinstance(name, str) and is_secret_name(name) for name in names)
    shown: dict[str, JsonValue] = {}
    for name, item in value.items():
        before = masked.count
        key, number = mask_string(name, masked), 2
        if masked.count > before:
            masked.places.append(at)
        while key in shown:
            key, number = f"{mask_string(name, masked)} ({number})", number + 1
        is_secret = _is_secret(name, item) or (names_a_secret and name in ("value", "values"))
        inner = _SECRET if is_secret else marks.at(name) if marks is not None else None
        shown[key] = _value(item, masked, (*at, name), inner)
    return shown


def _items(
    items: list[JsonValue], masked: Masked, at: Place, marks: Marks | None
) -> list[JsonValue]:
    """Mask a list; the item after an option such as `--token` is that option's value."""
    shown: list[JsonValue] = []
    before = ""
    for number, item in enumerate(items):
        is_secret = isinstance(item, str) and is_value_of(before, item)
        inner = _SECRET if is_secret else marks.at(number) if marks is not None else None
        shown.append(_value(item, masked, (*at, number), inner))
        before = item if isinstance(item, str) else ""
    return shown


_SECRET = Marks(is_secret=True)


def is_value_of(option: str, word: str) -> bool:
    """True if a word after an option such as `--token` is its secret."""
    if not option.startswith("-") or {*"=:"} & {*option} or word.startswith("--"):
        return False
    return tells_of(option, word)


def tells_of(name: str, text: str) -> bool:
    """True if a name marks this text as a secret, rather than as a number that counts."""
    counts = counts_something(words_of(name)) and NUMBERS.fullmatch(text) is not None
    return is_secret_name(name) and not counts and not names_variable(name, text)


def names_variable(name: str, text: str) -> bool:
    """True for a name such as `--client-secret-env` with the name of a variable."""
    words = words_of(name)
    is_of_variable = words[-1:] == ("env",) or words[-2:] == ("env", "var")
    return (
        is_of_variable
        and _VARIABLE.fullmatch(text) is not None
        and ("_" in text or len(text) <= _LONGEST_WORD)
    )


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
        return taken(value, masked)
    stack: list[JsonValue] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list):
            stack += item
        elif item is not None and not isinstance(item, bool):
            _remember(str(item), masked)
    return taken(json.dumps(value, default=str), masked, remember=False)


def taken(secret: str, masked: Masked, *, remember: bool = True) -> str:
    """Return the mask of a secret; `masked` counts it."""
    if PLACEHOLDER.match(secret):
        return secret
    masked.count += 1
    if remember:
        _remember(secret, masked)
    return note(len(secret))


def _remember(secret: str, masked: Masked) -> None:
    if secret and len(masked.found) < FOUND_MAX:
        masked.found.add(secret)


def note(length: int) -> str:
    """Return the mask of a secret of this length."""
    return f"[masked: {length:,} character{'' if length == 1 else 's'}]"


def _assigned(text: str, masked: Masked) -> str:
    """Mask the values of `name=value`, `name: value`, `"name": "value"` and `--name value`."""
    done = 0
    pieces: list[str] = []
    for begin, end in assigned_secrets(text):
        pieces += [text[done:begin], taken(text[begin:end], masked)]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text


SHORT = 8
"""Characters below which a secret is only looked for as a whole word: `test` is in `testing`."""
_VARIABLE = re.compile(r"[A-Z]+(?:_[A-Z0-9]+)*")
_LONGEST_WORD = 10
"""Characters of a name of a variable that is one word; a longer one may be a secret."""
SHORTEST = 3
"""A secret of fewer is not looked for: every text has it."""


class SecretScrubber:
    """Takes known secrets out of texts and JSON; `count` is the number found."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._numbers = frozenset(secret for secret in known if len(secret) > SHORTEST)
        # As they are, as they are drawn, and as JSON and Python write them in a text.
        ways = {
            way
            for one in known
            for way in (one, visible(one), visible(one, multiline=True), *_written(one))
        }
        parts = [_part(way) for way in sorted(ways, key=len, reverse=True)]
        self._pattern = re.compile("|".join(parts)) if parts else None
        self.count = 0

    def text(self, text: str) -> str:
        """A text without them."""
        if self._pattern is None:
            return text
        found, count = self._pattern.subn(lambda match: note(len(match.group())), text)
        self.count += count
        return found

    def value(self, value: JsonValue) -> JsonValue:
        """A copy of a JSON value without them: in strings, in names, and as whole numbers."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self.value(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and str(value) in self._numbers:
            self.count += 1
            return note(len(str(value)))
        return value


def _written(secret: str) -> tuple[str, ...]:
    ways = json.dumps(secret), json.dumps(secret, ensure_ascii=False), repr(secret)
    return tuple(way[1:-1] for way in ways)


def _part(secret: str) -> str:
    exact = re.escape(secret)
    return exact if len(secret) >= SHORT else rf"(?<!\w){exact}(?!\w)"
