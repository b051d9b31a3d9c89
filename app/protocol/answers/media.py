"""Whether the bytes of a picture or a sound are of their declared type, and whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.media.base64_bytes import Base64Bytes
from ...content.media.image_facts import NAMES
from ...content.media.wholeness import fault_of
from ...content.mime import HEAD_BYTES, disagreement, essence, found_type, has_signature, text_of
from ..findings.findings import Finding, note, warning

FOR_MODELS: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""The types of pictures that the APIs of models take."""
_TAKEN: Final = "PNG, JPEG, GIF and WebP"
_SHOWN_BYTES: Final = 4


def media_findings(kind: str, data: str, mime: str, path: str, key: str) -> Iterator[Finding]:
    """Compare valid base64 with its declared type; `kind` is the word for it: image, audio, blob.

    `path` is the place of the block, `key` the member with the data. Only pieces are decoded.
    """
    raw = Base64Bytes(data + "=" * (-len(data) % 4))
    head = raw.read(0, HEAD_BYTES)
    if not head:
        if not data:
            yield warning("media-not-whole", f"the {kind} is empty: zero bytes", f"{path}.{key}")
        return
    found = found_type(head)
    if differs := disagreement(mime, found, NAMES) or _without_signature(mime, head, found):
        words = f"the bytes of the {kind} are not of its declared type: it {differs}"
        yield warning("media-type-differs", words, f"{path}.mimeType")
    if fault := fault_of(raw, found):
        yield warning("media-not-whole", f"the {kind} {fault}", f"{path}.{key}")
    if differs and not found.startswith("image/"):
        return
    type_of = found or essence(mime)
    if kind == "image" and type_of and type_of not in FOR_MODELS:
        shown = NAMES.get(type_of, type_of)
        words = f"the image is {shown}: the APIs of models take {_TAKEN}, and may refuse others"
        yield note("image-not-for-models", words, f"{path}.mimeType")


def _without_signature(mime: str, head: bytes, found: str) -> str:
    """Describe bytes of no known type if every file of the declared type begins with one."""
    if found or not has_signature(mime):
        return ""
    is_text = text_of(head) is not None
    begins = f"the bytes begin with {head[:_SHOWN_BYTES].hex(' ')}"
    return f"claims {essence(mime)}, {'is text' if is_text else begins}"
