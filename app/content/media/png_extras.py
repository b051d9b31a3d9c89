"""PNG files with damage in what a picture can be drawn without."""

from __future__ import annotations

import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def without_damaged_extras(raw: bytes) -> bytes:
    """A PNG without the ancillary chunks whose checksum is wrong; anything else as it is.

    A picture can be drawn without them (PNG, third edition, section 13.2), but Pillow gives up on
    a colour profile with a wrong checksum, as a published server sends one.
    """
    if not raw.startswith(_SIGNATURE):
        return raw
    at = len(_SIGNATURE)
    kept = [raw[:at]]
    while at + 12 <= len(raw):
        end = at + 12 + int.from_bytes(raw[at : at + 4], "big")
        body, checksum = raw[at + 4 : end - 4], raw[end - 4 : end]
        is_ancillary = bool(body[:1]) and bool(body[0] & 0x20)
        if not is_ancillary or zlib.crc32(body).to_bytes(4, "big") == checksum:
            kept.append(raw[at:end])
        at = end
    return b"".join([*kept, raw[at:]])
