"""Answers a request that a host sends its model while a call is open: it may judge the call.

The words of hosts for that are not known: names of members and values show which one is the yes.
Each answer is given in a start of its own, and a call that comes after one alone was judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from ....content.json.jsonio import JsonValue
from ..scripted.dialects import ModelRequest

_NO: Final = re.compile(
    r"block|den[yi]|disallow|unsafe|danger|reject|refus|forbid|harm|risk|confirm|destruct|stop|"
    r"escalat|\bask|\bhigh|critical|malicious|violat|\bno\b",
    re.IGNORECASE,
)
_YES: Final = re.compile(
    r"allow|approv|safe|permit|proceed|accept|trust|\bok|\blow|\bnone|\byes|continue|benign|auto",
    re.IGNORECASE,
)
_PAIRS: Final = (
    ("allow", "deny"),
    ("allow", "block"),
    ("approve", "reject"),
    ("approve", "deny"),
    ("safe", "unsafe"),
    ("permit", "forbid"),
    ("proceed", "stop"),
    ("yes", "no"),
)
"""Words for yes and no from which a judge is to choose."""
_FLAGS: Final = (("yes", "no"), ("true", "false"))
"""Pairs whose meaning is that of the element in which they are: a `block` of yes is a no."""
_ELEMENT: Final = re.compile(r"<([A-Za-z_-]{1,40})>([A-Za-z]{1,20})</\1>")
_DEPTH: Final = 20
_MOST: Final = 100.0
"""A large number, for a schema without a maximum."""
_LOOKED_AT: Final = 200_000
REASON: Final = "checked"


def smallest(schema: JsonValue, depth: int = 0) -> JsonValue:
    """A small value of a schema, such as hosts give for titles; never raises."""
    if not isinstance(schema, dict) or depth > 20:
        return {}
    values = schema.get("enum")
    if isinstance(values, list) and values:
        return values[0]
    kind = schema.get("type")
    if isinstance(kind, list) and kind:
        kind = kind[0]
    match str(kind).lower():
        case "string":
            return ""
        case "number" | "integer":
            return 0
        case "boolean":
            return False
        case "array":
            return []
        case "null":
            return None
    members = schema.get("properties")
    listed = members if isinstance(members, dict) else {}
    return {name: smallest(member, depth + 1) for name, member in listed.items()}


def judgement(schema: JsonValue, *, allows: bool) -> JsonValue:
    """A value of a schema that lets a call run, or prevents it; never raises."""
    return _value("", schema, schema, allows, 0)


def judging_text(request: ModelRequest, *, allows: bool) -> str:
    """The word for yes or no that a request gives to choose from; empty if it has none."""
    text = json.dumps(dict(request.raw), ensure_ascii=False)[:_LOOKED_AT]
    if element := _element(text, allows):
        return element
    for pair in _PAIRS:
        for change in (str.upper, str.title, str.lower):
            words = [change(one) for one in pair]
            if all(re.search(rf"(?<!\w){one}(?!\w)", text) for one in words):
                return words[0] if allows else words[1]
    return ""


def _element(text: str, allows: bool) -> str:
    """The element for yes or no, such as `<block>no</block>`, if the text has both of them."""
    found: dict[str, dict[str, str]] = {}
    for name, word in _ELEMENT.findall(text):
        found.setdefault(name, {})[word.casefold()] = word
    for name, words in found.items():
        is_no = _NO.search(_words(name)) is not None
        for yes, no in (*_FLAGS, *_PAIRS):
            if yes in words and no in words:
                is_yes = allows is not (is_no and (yes, no) in _FLAGS)
                return f"<{name}>{words[yes if is_yes else no]}</{name}>"
    return ""


def _value(name: str, schema: JsonValue, root: JsonValue, allows: bool, depth: int) -> JsonValue:
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth > _DEPTH:
        return {}
    if "const" in schema:
        return schema["const"]
    values = schema.get("enum")
    if isinstance(values, list) and values:
        return _choice(values, allows)
    for key in ("anyOf", "oneOf", "allOf"):
        options = schema.get(key)
        if isinstance(options, list) and options:
            return _value(name, options[0], root, allows, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, list) and kind:
        kind = kind[0]
    match str(kind).lower():
        case "boolean":
            # Of a name without such words, as `shouldAct`, false is taken for the yes.
            return allows if _YES.search(name) and not _NO.search(name) else not allows
        case "number" | "integer":
            return _number(name, schema, allows)
        case "string":
            return REASON
        case "array":
            return []
        case "null":
            return None
    members = schema.get("properties")
    listed = members if isinstance(members, dict) else {}
    return {key: _value(_words(key), one, root, allows, depth + 1) for key, one in listed.items()}


def _words(name: str) -> str:
    """The words of a name in camel case, which patterns look at."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name)


def _choice(values: list[JsonValue], allows: bool) -> JsonValue:
    words = [(one, _words(str(one))) for one in values]
    no = [one for one, text in words if _NO.search(text)]
    yes = [one for one, text in words if _YES.search(text) and not _NO.search(text)]
    if allows:
        return next(iter(yes), values[0])
    return next(iter(no), values[-1])


def _number(name: str, schema: Mapping[str, JsonValue], allows: bool) -> JsonValue:
    least, most = schema.get("minimum"), schema.get("maximum")
    low = least if isinstance(least, int | float) else 0
    high = most if isinstance(most, int | float) else _MOST
    is_low = allows if _NO.search(name) or not _YES.search(name) else not allows
    found = low if is_low else high
    return int(found) if schema.get("type") == "integer" else found


def _resolved(schema: JsonValue, root: JsonValue) -> JsonValue:
    """The schema that a `$ref` within the document leads to."""
    for _ in range(_DEPTH):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        schema = root
        for part in reference[2:].split("/"):
            schema = schema.get(part) if isinstance(schema, dict) else None
    return schema
