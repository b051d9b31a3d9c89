"""Icons that a server declares: named in words, and never fetched.

Spec 2025-11-25, schema, "Icon": `src` is an `https:` or a `data:` URI.
"""

from __future__ import annotations

import binascii
from typing import Final
from urllib.parse import unquote_to_bytes

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.mime import found_type
from ...content.text import shortened, size
from ..findings.findings import Finding, warning

ICONS_MAX: Final = 20
DATA_MAX: Final = 2_000_000
_URI_SHOWN: Final = 100
_SAFE_SOURCES: Final = ("https:", "http:", "data:")
"""What a client may show; it must refuse schemes such as `javascript:` (schema, "Icon")."""


@frozen
class Icon:
    """One icon; `src` is raw."""

    src: str
    sizes: tuple[str, ...] = ()

    @property
    def data(self) -> bytes | None:
        """The bytes of a `data:` URI; None for any other, and for an unreadable one."""
        head, comma, body = self.src.partition(",")
        if not self.src.startswith("data:") or not comma or len(self.src) > DATA_MAX:
            return None
        raw = unquote_to_bytes(body)
        if not head.endswith(";base64"):
            return raw
        try:
            return binascii.a2b_base64(raw, strict_mode=True)
        except binascii.Error:
            return None

    @property
    def words(self) -> str:
        """Describe the icon, safe to show."""
        sizes = f" for {shortened(', '.join(self.sizes), 40)}" if self.sizes else ""
        if (data := self.data) is not None:
            kind = found_type(data[:4096]) or "no known type"
            return f"in the list itself, {kind}, {size(len(data))}{sizes}"
        if self.src.startswith("data:"):
            return f"a data: URI that cannot be read{sizes}"
        return f"{shortened(self.src, _URI_SHOWN)}{sizes} (not fetched)"


def read_icons(raw: JsonValue, findings: list[Finding]) -> tuple[Icon, ...]:
    """Read the icons of an entry; malformed ones go to `findings`."""
    if raw is None:
        return ()
    if not isinstance(raw, list):
        findings.append(warning("malformed-icon", "icons is not an array", "$.icons"))
        return ()
    found = []
    for index, one in enumerate(raw[:ICONS_MAX]):
        src = one.get("src") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(src, str):
            findings.append(warning("malformed-icon", "an icon has no src", f"$.icons[{index}]"))
            continue
        if not src.lower().startswith(_SAFE_SOURCES):
            scheme = shortened(src.partition(":")[0], 20) if ":" in src else "no scheme"
            words = f"the src of an icon is not an https: or data: address ({scheme})"
            findings.append(warning("malformed-icon", words, f"$.icons[{index}].src"))
        sizes = one.get("sizes")
        if sizes is not None and not isinstance(sizes, list):
            words = "the sizes of an icon are not an array of strings"
            findings.append(warning("malformed-icon", words, f"$.icons[{index}].sizes"))
        given = sizes if isinstance(sizes, list) else [sizes]
        found.append(Icon(src, tuple(text for text in given[:8] if isinstance(text, str))))
    return tuple(found)
