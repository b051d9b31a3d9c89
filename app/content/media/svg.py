"""What an SVG says about its size, without parsing it.

An XML parser would expand what a server declares, so only the first bytes are looked at, by
expressions that cannot backtrack over more than a tag.
"""

from __future__ import annotations

import re

from ..text import cut, visible

HEAD_CHARACTERS = 64 * 1024
VALUE_CHARACTERS = 40

_TAG = re.compile(r"<svg\b[^<>]{0,8192}+", re.I)
_ATTRIBUTES = {
    name: re.compile(rf"""\s{name}\s{{0,9}}=\s{{0,9}}(?:"([^"]{{0,200}}+)"|'([^']{{0,200}}+)')""")
    for name in ("width", "height", "viewBox")
}


def svg_size(text: str) -> str:
    """The size as the root element gives it: "640 x 400, viewBox 0 0 64 40"; "" where it is mute.

    Safe to show.
    """
    tag = _TAG.search(text, 0, HEAD_CHARACTERS)
    if tag is None:
        return ""
    found = {}
    for name, pattern in _ATTRIBUTES.items():
        if match := pattern.search(tag[0]):
            value = (match[1] or match[2] or "").strip()
            found[name] = visible(cut(value, VALUE_CHARACTERS).text)
    pieces = []
    if "width" in found or "height" in found:
        pieces.append(f"{found.get('width', '?')} x {found.get('height', '?')}")
    if "viewBox" in found:
        pieces.append(f"viewBox {found['viewBox']}")
    return ", ".join(pieces)
