"""Fields of a content block that clients reject, although Signoff can still show the block.

Spec 2025-11-25 and 2026-07-28, schema, "ContentBlock". One such block costs a client the whole
response.
"""

from __future__ import annotations

import re
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ..clients.table import client_words, rules
from ..findings import Finding, error, warning

MALFORMED_BLOCK: Final = "malformed-block"
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}\Z", re.ASCII)
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_\-]+={0,2}\Z", re.ASCII)
_ADDRESS: Final = re.compile(r"(?:https?|file):", re.IGNORECASE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MISSPELT: Final = {
    "mime_type": "mimeType",
    "mimetype": "mimeType",
    "structured_content": "structuredContent",
    "input_schema": "inputSchema",
    "output_schema": "outputSchema",
}
_DEPTH: Final = 100
_VALUES: Final = 50_000


def block_findings(block: dict[str, JsonValue], path: str) -> list[Finding]:
    """What is wrong with the fields of a block of a known type; `path` is its place."""
    found = misspelt_findings(block, path)
    match block.get("type"):
        case "image" | "audio" as kind:
            found += _data_findings(block.get("data"), f"{path}.data", f"the data of the {kind}")
            if not isinstance(block.get("mimeType"), str):
                words = f"the {kind} has no mimeType, which is required"
                found.append(_malformed("malformed-content", words, f"{path}.mimeType"))
        case "text":
            found += surrogate_findings(block.get("text"), f"{path}.text")
        case "resource":
            resource = block.get("resource")
            if isinstance(resource, dict):
                found += _resource_findings(resource, f"{path}.resource")
        case "resource_link":
            found += _link_findings(block, path)
    return found


def misspelt_findings(holder: dict[str, JsonValue], path: str) -> list[Finding]:
    """Names that the protocol writes in another way, if the right one is missing."""
    return [
        warning("misspelt-key", f"{wrong} means nothing: the protocol has {right}", path)
        for wrong, right in _MISSPELT.items()
        if wrong in holder and right not in holder
    ]


def surrogate_findings(value: JsonValue, path: str) -> list[Finding]:
    """Half of a surrogate pair anywhere in a value: no UTF-8 text can carry it.

    A host that sends it on gets every later request of the conversation refused.
    """
    if not _has_surrogate(value):
        return []
    words = "a text has half of a surrogate pair (such as \\ud83d alone), which is no character"
    return [error("lone-surrogate", f"{words}; some hosts fail on every later request", path)]


def _has_surrogate(value: JsonValue) -> bool:
    stack: list[tuple[JsonValue, int]] = [(value, 0)]
    for _ in range(_VALUES):
        if not stack:
            return False
        one, depth = stack.pop()
        if isinstance(one, str):
            if not one.isascii() and _SURROGATE.search(one):
                return True
        elif depth < _DEPTH and isinstance(one, dict):
            stack += [(item, depth + 1) for item in one]
            stack += [(item, depth + 1) for item in one.values()]
        elif depth < _DEPTH and isinstance(one, list):
            stack += [(item, depth + 1) for item in one]
    return False


def _malformed(rule: str, what: str, path: str) -> Finding:
    who = client_words(rules()[rule].rejected_in)
    return error("malformed-block", f"{what} (rejected in {who})", path)


def _data_findings(data: JsonValue, path: str, what: str) -> list[Finding]:
    if not isinstance(data, str) or _BASE64.match(data):
        return []
    rule = "not-base64"
    if data.startswith("data:"):
        cause = "it is a data: URL; send what stands after the comma alone"
    elif _ADDRESS.match(data):
        cause = "it is an address; send the bytes, or a resource link"
    elif _BASE64URL.match(data):
        cause = "it is base64url; write + and / in place of - and _"
    elif re.sub(r"[ \t\r\n]+", "", data[:1_000_000]).isalnum():
        cause, rule = "it has line breaks or blanks in it", "loose-base64"
    else:
        cause = "it has characters that base64 does not have"
    return [_malformed(rule, f"{what} is not base64: {cause}", path)]


def _resource_findings(resource: dict[str, JsonValue], path: str) -> list[Finding]:
    found = misspelt_findings(resource, path)
    if not isinstance(resource.get("uri"), str):
        words = "an embedded resource has no uri, which is required"
        found.append(_malformed("malformed-content", words, f"{path}.uri"))
    found += surrogate_findings(resource.get("text"), f"{path}.text")
    return found + _data_findings(resource.get("blob"), f"{path}.blob", "the blob")


def _link_findings(link: dict[str, JsonValue], path: str) -> list[Finding]:
    found = []
    if not isinstance(link.get("name"), str):
        words = "a resource link has no name, which is required"
        found.append(_malformed("malformed-content", words, f"{path}.name"))
    size = link.get("size")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int | float)):
        shown = shortened(str(size), 40)
        is_coerced = isinstance(size, bool) or (isinstance(size, str) and size.strip().isdecimal())
        rule = "coerced-size" if is_coerced else "malformed-size"
        words = f"the size of a resource link is not a number of bytes: {shown}"
        found.append(_malformed(rule, words, f"{path}.size"))
    return found
