"""Fields of content blocks: annotations, and values that clients reject."""

from __future__ import annotations

import re
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, shortened, visible
from ..clients.table import client_words, rules
from ..findings.findings import Finding, error, warning
from .media import media_findings

ROLES = ("user", "assistant")
"""For whom a part may be (spec 2025-11-25, schema, "Role")."""
_SHOWN = 40


@frozen
class Annotations:
    """Audience, priority and time of a part (spec, "Annotations").

    Malformed values are left out here, and become findings. `last_modified` is raw.
    """

    audience: tuple[str, ...] = ()
    """Some of "user" and "assistant", in the server's order; empty if not set."""
    priority: float | None = None
    """From 0, optional, to 1, effectively required."""
    last_modified: str = ""
    summary: str = ""
    """The server's own line on the part (a draft), safe to show, in quotes."""

    @property
    def said(self) -> bool:
        is_said = bool(self.audience or self.last_modified or self.summary)
        return is_said or self.priority is not None

    def is_for(self, role: str) -> bool:
        """True if a role may use the part: one without an audience is for everybody."""
        return not self.audience or role in self.audience

    def as_json(self) -> dict[str, JsonValue]:
        """The set values, by the protocol's names."""
        found: dict[str, JsonValue] = {}
        if self.audience:
            found["audience"] = list(self.audience)
        if self.priority is not None:
            found["priority"] = self.priority
        if self.last_modified:
            found["lastModified"] = self.last_modified
        return found


NOTHING_SAID = Annotations()


def read_annotations(
    block: dict[str, JsonValue], path: str, findings: list[Finding]
) -> Annotations:
    """Read the annotations of a content block at `path`; malformed ones go to `findings`.

    They belong to the block (spec 2025-11-25, schema, "EmbeddedResource"). If a server puts them
    into the embedded resource, as an example of spec 2025-06-18 did, they are read there.
    """
    raw = block.get("annotations")
    if "annotations" not in block:
        resource = block.get("resource")
        if not isinstance(resource, dict) or "annotations" not in resource:
            return NOTHING_SAID
        raw, path = resource["annotations"], f"{path}.resource"
    path = f"{path}.annotations"

    def malformed(what: str, key: str = "") -> None:
        findings.append(warning("malformed-annotations", what, f"{path}{key}"))

    if not isinstance(raw, dict):
        malformed("annotations are not an object")
        return NOTHING_SAID
    audience: list[str] = []
    roles = raw.get("audience", [])
    if not isinstance(roles, list):
        malformed("the audience is not an array", ".audience")
        roles = []
    strange = [role for role in roles if role not in ROLES]
    if strange:
        malformed(f"the audience has {_named(strange[0])}, not user or assistant", ".audience")
    for role in roles:
        if isinstance(role, str) and role in ROLES and role not in audience:
            audience.append(role)
    priority = raw.get("priority")
    if "priority" in raw and not _is_priority(priority):
        malformed("the priority is not a number from 0 to 1", ".priority")
        priority = None
    changed = raw.get("lastModified", "")
    if not isinstance(changed, str):
        malformed("lastModified is not a string", ".lastModified")
        changed = ""
    value = float(priority) if isinstance(priority, int | float) else None
    return Annotations(tuple(audience), value, changed)


def annotation_words(said: Annotations) -> tuple[str, ...]:
    """The same in words that are safe to show, one phrase each."""
    words = []
    if len(said.audience) > 1:
        words.append("for both")
    elif said.audience:
        words.append(f"for the {said.audience[0]}")
    if said.priority is not None:
        words.append(f"priority {said.priority:g}")
    if said.last_modified:
        words.append(f"changed {shortened(said.last_modified, _SHOWN)}")
    if said.summary:
        words.append(f"the server's summary: {said.summary}")
    return tuple(words)


def _is_priority(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _named(value: JsonValue) -> str:
    if isinstance(value, str):
        return f"“{visible(cut(value, _SHOWN).text)}”"
    return "something that is not a string"


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
    """Check the fields of a block of a known type; `path` is its place."""
    found = misspelt_findings(block, path)
    match block.get("type"):
        case "image" | "audio" as kind:
            data, mime = block.get("data"), block.get("mimeType")
            flaws = _data_findings(data, f"{path}.data", f"the data of the {kind}")
            found += flaws
            if isinstance(mime, str) and isinstance(data, str) and not flaws:
                found += media_findings(kind, data, mime, path, "data")
            if not isinstance(mime, str):
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
        warning("misspelt-key", f"{wrong} has no meaning: the protocol uses {right}", path)
        for wrong, right in _MISSPELT.items()
        if wrong in holder and right not in holder
    ]


def surrogate_findings(value: JsonValue, path: str) -> list[Finding]:
    """Half of a surrogate pair anywhere in a value: no UTF-8 text can carry it.

    A host that sends it on gets every later request of the conversation refused.
    """
    if not _has_surrogate(value):
        return []
    words = "text contains half of a surrogate pair (such as \\ud83d alone), not a character"
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
        cause = "it is a data: URL; send only the part after the comma"
    elif _ADDRESS.match(data):
        cause = "it is an address; send the bytes, or a resource link"
    elif _BASE64URL.match(data):
        cause = "it is base64url; write + and / in place of - and _"
    elif re.sub(r"[ \t\r\n]+", "", data[:1_000_000]).isalnum():
        cause, rule = "it has line breaks or blanks in it", "loose-base64"
    else:
        cause = "it has characters that are not base64"
    return [_malformed(rule, f"{what} is not base64: {cause}", path)]


def _resource_findings(resource: dict[str, JsonValue], path: str) -> list[Finding]:
    found = misspelt_findings(resource, path)
    if not isinstance(resource.get("uri"), str):
        words = "an embedded resource has no uri, which is required"
        found.append(_malformed("malformed-content", words, f"{path}.uri"))
    found += surrogate_findings(resource.get("text"), f"{path}.text")
    blob, mime = resource.get("blob"), resource.get("mimeType")
    flaws = _data_findings(blob, f"{path}.blob", "the blob")
    is_media = isinstance(mime, str) and mime.lower().startswith(("image/", "audio/"))
    if isinstance(mime, str) and is_media and isinstance(blob, str) and not flaws:
        flaws += media_findings("blob", blob, mime, path, "blob")
    return found + flaws


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
