"""Untrusted JSON: bounded to read, and always the same when written.

Reading never fails with anything but `JsonError`, and refuses early any expensive input. The
canonical form is the one that digests and approvals are bound to. Python's JSON reader is made once
for each thread.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..frozen import frozen
from ..text import Span, cut, size, spans, visible
from .limits import JsonError as JsonError
from .limits import JsonLimitError as JsonLimitError
from .limits import Limits as Limits
from .limits import check_shape

DUPLICATES_MAX = 20
"""Names given twice that are kept of one text."""


class JsonReader(json.JSONDecoder):
    """Refuses values that could not be written again, and notes names that an object has twice."""

    def __init__(self, int_digits: int) -> None:
        super().__init__(
            object_pairs_hook=self._members,
            parse_int=self._integer,
            parse_float=self._real,
            parse_constant=_no_constant,
        )
        self.int_digits = int_digits
        self._repeated: dict[str, None] = {}

    def repeated_names(self) -> tuple[str, ...]:
        """Those of the newest text, at most 20 of them."""
        return tuple(self._repeated)[:DUPLICATES_MAX]

    def begin(self) -> None:
        """Another text comes."""
        if self._repeated:
            self._repeated = {}

    def _members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs) and len(self._repeated) < DUPLICATES_MAX:
            self._repeated.update(_repeated(pairs))
        return value

    def _integer(self, digits: str) -> int:
        if len(digits) - (digits[0] == "-") > self.int_digits:
            raise JsonLimitError(f"a number has more than {self.int_digits:,} digits")
        return int(digits)

    def _real(self, digits: str) -> float:
        if len(digits) > self.int_digits:
            raise JsonLimitError(f"a number has more than {self.int_digits:,} digits")
        value = float(digits)
        if math.isinf(value):
            raise JsonLimitError("a number is too large for a double")
        return value


_readers = threading.local()


def reader_of_thread(int_digits: int) -> JsonReader:
    """This thread's, since making one takes as long as reading a short message."""
    reader: JsonReader | None = getattr(_readers, "newest", None)
    if reader is None or reader.int_digits != int_digits:
        reader = _readers.newest = JsonReader(int_digits)
    reader.begin()
    return reader


def _no_constant(name: str) -> Any:
    raise JsonLimitError(f"{name} is not JSON")


def _repeated(pairs: list[tuple[str, Any]]) -> dict[str, None]:
    counted = Counter(name for name, _ in pairs)
    return {name: None for name, count in counted.items() if count > 1}


JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
Path: TypeAlias = tuple[str | int, ...]

_KEY_SHOWN = 128
_BOM = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|.)")
_PLAIN_ESCAPES = frozenset({r"\n", r"\t", r"\"", "\\\\"})
_INDENT_MAX = 10_000
_PIECE = 1_000_000
"""Characters of a string that are written at a time where the whole need not be held."""
_PIECED_LEVELS = 4
_ITEMS = 200
"""Longer lists are written as a whole: going through them would take longer."""
_SHORT = 20_000
"""Values and characters of a value that is written at once."""
_BLANKS_IN_LINE = re.compile("[^ \n] {4}")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


_DEFAULT_LIMITS = Limits()


@frozen
class Parsed:
    """A value, and the names that an object had more than once (the last one counts), at most 20.

    The names are raw.
    """

    value: JsonValue
    duplicates: tuple[str, ...]


def parse(data: bytes | bytearray | str, limits: Limits = _DEFAULT_LIMITS) -> Parsed:
    """Read one JSON value (RFC 8259); a byte order mark before it is tolerated.

    A bytearray is emptied as soon as it has been decoded, so that a large text is not held twice.

    Lone surrogate escapes are kept: they are data. NaN, Infinity, and numbers that a double cannot
    hold are refused, since they could not be written again. Raises JsonError, nothing else.
    """
    return load(decode(data, limits), limits)


def read_members(data: bytes | str) -> JsonValue:
    """Read one JSON value in which no object has a name twice, as a person writes it.

    Raises JsonError, whose reason is a whole sentence.
    """
    try:
        parsed = parse(data)
    except JsonError as problem:
        raise JsonError(f"not JSON: {problem.reason}", problem.position) from None
    if parsed.duplicates:
        raise JsonError(f"the key {parsed.duplicates[0]!r} is given twice")
    return parsed.value


def read_arguments(data: bytes | str) -> dict[str, JsonValue]:
    """Read the arguments of a call, as a person writes them: as `read_members` does, an object."""
    value = read_members(data)
    if not isinstance(value, dict):
        raise JsonError("the arguments of a call are a JSON object")
    return value


def decode(data: bytes | bytearray | str, limits: Limits = _DEFAULT_LIMITS) -> str:
    """The first half of `parse`: the text, once its size and its shape are known to be bearable.

    A bytearray is left as it is where this fails.
    """
    raw = _encoded(data, limits) if isinstance(data, str) else data
    if len(raw) > limits.size:
        raise _too_large(len(raw), limits)
    try:
        text = data if isinstance(data, str) else raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonError(
            f"not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start:,}", error.start
        ) from None
    text = text.removeprefix(_BOM)
    if not text or text.isspace():
        raise JsonError("empty", 0)
    check_shape(raw, limits)
    if isinstance(raw, bytearray):
        raw.clear()
    return text


def load(text: str, limits: Limits = _DEFAULT_LIMITS) -> Parsed:
    """The second half of `parse`: the value of a text that `decode` gave."""
    reader = reader_of_thread(limits.int_digits)
    try:
        value: JsonValue = reader.decode(text)
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        what = error.msg.rstrip(": ").removesuffix(" at")
        raise JsonError(f"{what[:1].lower()}{what[1:]} at {where}", error.pos) from None
    except RecursionError:
        raise JsonLimitError("nested too deeply for this program") from None
    except (ValueError, MemoryError) as error:
        raise JsonError(f"unreadable ({type(error).__name__})") from None
    return Parsed(value, reader.repeated_names())


def canonical(value: JsonValue) -> str:
    """The one way to write `value`: names sorted by code point, no blanks, ASCII only.

    1 and 1.0 stay different. Raises JsonError for NaN, Infinity, and values nested too deeply.
    """
    return _dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(value: JsonValue) -> str:
    """SHA-256 of the canonical form, 64 hexadecimal digits."""
    return digest_and_size(value)[0]


def digest_and_size(value: JsonValue) -> tuple[str, int]:
    """`digest`, and the bytes of the canonical form, which is held as a whole only where short."""
    if _is_short(value):
        whole = canonical(value).encode("ascii")
        return hashlib.sha256(whole).hexdigest(), len(whole)
    found, length = hashlib.sha256(), 0
    for text in _canonical_pieces(value):
        found.update(text.encode("ascii"))
        length += len(text)
    return found.hexdigest(), length


def _is_short(value: JsonValue) -> bool:
    """True if it has so few values and characters that its canonical form is best made at once."""
    left = _SHORT
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            left -= len(one)
        elif isinstance(one, dict):
            left -= sum(map(len, one))
            pending += one.values()
        elif isinstance(one, list):
            pending += one
        left -= 1
        if left < len(pending):
            return False
    return True


def _canonical_pieces(value: JsonValue, level: int = 0) -> Iterator[str]:
    """The canonical form piece by piece: long strings near the top, as answers have, in slices."""
    if isinstance(value, str) and len(value) > _PIECE:
        yield '"'
        for at in range(0, len(value), _PIECE):
            yield canonical(value[at : at + _PIECE])[1:-1]
        yield '"'
    elif (
        level == _PIECED_LEVELS
        or not isinstance(value, dict | list)
        or not 0 < len(value) <= _ITEMS
    ):
        yield canonical(value)
    elif isinstance(value, dict):
        for index, name in enumerate(sorted(value)):
            yield f"{',' if index else '{'}{canonical(name)}:"
            yield from _canonical_pieces(value[name], level + 1)
        yield "}"
    else:
        for index, item in enumerate(value):
            yield "," if index else "["
            yield from _canonical_pieces(item, level + 1)
        yield "]"


def pretty(value: JsonValue) -> str:
    """Indented by two, names in their own order, real characters.

    It is valid JSON and can be encoded (lone surrogates stay escapes), but it is not sanitised.
    """
    text = _dumps(value, indent=2, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def compact(value: JsonValue) -> str:
    """On one line, names in their own order, real characters; otherwise as `pretty`.

    Raises JsonError for NaN, Infinity, and values nested too deeply.
    """
    text = _dumps(value, separators=(",", ":"), ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def pretty_spans(value: JsonValue) -> list[list[Span]]:
    """`pretty` as safe lines: invisible characters are marks, and so are blanks in strings.

    The indentation is ours and stays. Escapes that JSON needs stay as they are; those of control
    characters other than newline and tab are marks.
    """
    text = _dumps(value, indent=2, ensure_ascii=False)
    lines = text.split("\n")
    # Looking at the whole is much cheaper than at half a million lines.
    unmarked = visible(text, multiline=True, max_blanks=_INDENT_MAX) is text
    if unmarked and "\\" not in text and not _BLANKS_IN_LINE.search(text):
        return [[Span(line, False)] for line in lines]
    return [_line_spans(line) for line in lines]


def pointer(path: Sequence[str | int]) -> str:
    """A place in words: "$.abilities[0]"; unusual names are quoted: `$["a b"]`. Safe to show."""
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.match(step) and len(step) <= _KEY_SHOWN:
            parts.append(f".{step}")
        else:
            short = cut(step, _KEY_SHOWN)
            quoted = visible(json.dumps(short.text, ensure_ascii=False))
            parts.append(f"[{quoted}{'…' if short.is_cut else ''}]")
    return "".join(parts)


def same(a: JsonValue, b: JsonValue) -> bool:
    """Equal as JSON: 1 equals 1.0, and true does not equal 1; the order of names is irrelevant."""
    return first_difference(a, b) is None


def first_difference(a: JsonValue, b: JsonValue) -> Path | None:
    """Return the first place where two values differ, in the order of `a`; the empty path is the
    whole.
    """
    stack: list[tuple[Path, JsonValue, JsonValue]] = [((), a, b)]
    while stack:
        path, left, right = stack.pop()
        pending: list[tuple[Path, JsonValue, JsonValue]] = []
        if isinstance(left, dict) and isinstance(right, dict):
            for name, item in left.items():
                if name not in right:
                    pending.append(((*path, name), item, _ABSENT))
                    break
                pending.append(((*path, name), item, right[name]))
            else:
                extra = next((name for name in right if name not in left), None)
                if extra is not None:
                    pending.append(((*path, extra), _ABSENT, right[extra]))
        elif isinstance(left, list) and isinstance(right, list):
            pending = [
                ((*path, index), *pair) for index, pair in enumerate(zip(left, right, strict=False))
            ]
            if len(left) != len(right):
                pending.append(((*path, len(pending)), _ABSENT, None))
        elif not _same_scalar(left, right):
            return path
        stack.extend(reversed(pending))
    return None


# A value that equals no JSON value, itself included.
_ABSENT = math.nan


def _same_scalar(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right


def _dumps(
    value: JsonValue,
    *,
    ensure_ascii: bool,
    sort_keys: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
) -> str:
    try:
        return json.dumps(
            value,
            ensure_ascii=ensure_ascii,
            sort_keys=sort_keys,
            indent=indent,
            separators=separators,
            allow_nan=False,
        )
    except RecursionError:
        raise JsonError("nested too deeply to be written") from None
    except ValueError:
        raise JsonError("NaN, Infinity and endless numbers are not JSON") from None


def _encoded(text: str, limits: Limits) -> bytes:
    if len(text) > limits.size:
        raise _too_large(len(text), limits)
    return text.encode("utf-8", "surrogatepass")


def _too_large(length: int, limits: Limits) -> JsonError:
    return JsonError(f"too large: {size(length)}, at most {size(limits.size)}")


def _line_spans(line: str) -> list[Span]:
    rest = line.lstrip(" ")
    indent = len(line) - len(rest)
    found = _escaped_spans(rest) if "\\" in rest else spans(rest)
    if not indent:
        return found
    if found and not found[0].mark:
        return [Span(line[:indent] + found[0].text, False), *found[1:]]
    return [Span(line[:indent], False), *found]


def _escaped_spans(text: str) -> list[Span]:
    out: list[Span] = []
    done = 0
    for match in _ESCAPE.finditer(text):
        if match.group() not in _PLAIN_ESCAPES:
            out += spans(text[done : match.start()])
            out.append(Span(match.group(), True))
            done = match.end()
    return out + spans(text[done:])


def room_left(value: JsonValue, room: int) -> int:
    """Subtract the size of a value from `room`: 1 for each value in it, and for each hundred
    characters.

    Negative as soon as there is not enough, however much there is.
    """
    waiting = [value]
    while waiting and room >= 0:
        one = waiting.pop()
        room -= 1
        if isinstance(one, str):
            room -= len(one) // 100
        elif isinstance(one, dict):
            if len(one) <= room:
                room -= sum(map(len, one)) // 100
                waiting += one.values()
            else:
                room = -1
        elif isinstance(one, list):
            room = room if len(one) <= room else -1
            waiting += one if room >= 0 else ()
    return room
