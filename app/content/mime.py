"""Detects types by the first bytes, and names files for a claimed type.

A server claims a MIME type; the bytes may show another. Signatures are those of the formats
themselves (WHATWG "MIME Sniffing", and the specification of each format).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

HEAD_BYTES = 1024
"""As many bytes from the beginning as `found_type` looks at."""

NO_SUFFIX = ".bin"

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"\xff\x0a", "image/jxl"),
    (0, b"\x00\x00\x00\x0cJXL ", "image/jxl"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"MThd", "audio/midi"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"PK\x05\x06", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"(\xb5/\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO", "font/otf"),
    (0, b"\x00\x01\x00\x00\x00", "font/ttf"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"MZ", "application/vnd.microsoft.portable-executable"),
    (0, b"\xfe\xed\xfa\xce", "application/x-mach-binary"),
    (0, b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    (0, b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"\x00asm", "application/wasm"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"L\x00\x00\x00\x01\x14\x02\x00", "application/x-ms-shortcut"),
    (0, b"#!", "text/x-script"),
)

_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}

_BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heic",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
}

_MARKUP: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"<svg[\s>:/]", re.I), "image/svg+xml"),
    (re.compile(rb"<(?:!doctype\s+html|html|head|body|script|iframe)[\s>]", re.I), "text/html"),
    (re.compile(rb"<\?xml[\s]", re.I), "application/xml"),
)
_BEFORE_SVG = re.compile(rb"\s*(?:<\?xml[^>]{0,300}>|<!--|<!doctype\s+svg|<svg[\s>:/])", re.I)
_DESKTOP_ENTRY = re.compile(rb"(?:\s++|#[^\n]*+\n)*+\[(?:Desktop Entry|InternetShortcut)\]", re.I)

_SUFFIXES = {
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/html": ".html",
    "text/css": ".css",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "text/xml": ".xml",
    "text/x-python": ".py",
    "text/javascript": ".js",
    "text/yaml": ".yaml",
    "text/x-yaml": ".yaml",
    "text/x-diff": ".diff",
    "text/x-patch": ".patch",
    "text/calendar": ".ics",
    "application/json": ".json",
    "application/ld+json": ".json",
    "application/geo+json": ".json",
    "application/schema+json": ".json",
    "application/x-ndjson": ".ndjson",
    "application/xml": ".xml",
    "application/xhtml+xml": ".xhtml",
    "application/javascript": ".js",
    "application/yaml": ".yaml",
    "application/x-yaml": ".yaml",
    "application/toml": ".toml",
    "application/sql": ".sql",
    "application/pdf": ".pdf",
    "application/rtf": ".rtf",
    "application/postscript": ".ps",
    "application/zip": ".zip",
    "application/gzip": ".gz",
    "application/x-gzip": ".gz",
    "application/x-bzip2": ".bz2",
    "application/x-xz": ".xz",
    "application/zstd": ".zst",
    "application/x-tar": ".tar",
    "application/x-7z-compressed": ".7z",
    "application/vnd.rar": ".rar",
    "application/wasm": ".wasm",
    "application/vnd.sqlite3": ".sqlite",
    "application/vnd.apache.parquet": ".parquet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/jpg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
    "image/tiff": ".tiff",
    "image/avif": ".avif",
    "image/heic": ".heic",
    "image/jxl": ".jxl",
    "image/svg+xml": ".svg",
    "image/x-icon": ".ico",
    "image/vnd.microsoft.icon": ".ico",
    "audio/wav": ".wav",
    "audio/x-wav": ".wav",
    "audio/wave": ".wav",
    "audio/vnd.wave": ".wav",
    "audio/mpeg": ".mp3",
    "audio/mp3": ".mp3",
    "audio/ogg": ".ogg",
    "audio/opus": ".opus",
    "audio/flac": ".flac",
    "audio/x-flac": ".flac",
    "audio/mp4": ".m4a",
    "audio/aac": ".aac",
    "audio/midi": ".mid",
    "video/mp4": ".mp4",
    "video/webm": ".webm",
    "video/ogg": ".ogv",
    "video/quicktime": ".mov",
    "video/x-msvideo": ".avi",
    "font/woff": ".woff",
    "font/woff2": ".woff2",
    "font/otf": ".otf",
    "font/ttf": ".ttf",
}

_TEXTS = frozenset(
    {
        "application/json",
        "application/x-ndjson",
        "application/xml",
        "application/javascript",
        "application/ecmascript",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/sql",
        "application/graphql",
        "application/x-sh",
        "image/svg+xml",
    }
)

_ALIASES = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-ms-bmp": "image/bmp",
    "image/vnd.microsoft.icon": "image/x-icon",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/mp3": "audio/mpeg",
    "audio/x-flac": "audio/flac",
    "audio/opus": "audio/ogg",
    "audio/x-m4a": "audio/mp4",
    "application/ogg": "audio/ogg",
    "application/x-gzip": "application/gzip",
    "text/xml": "application/xml",
    "video/x-matroska": "video/webm",
    "audio/webm": "video/webm",
    "audio/x-midi": "audio/midi",
}

_SIGNED = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "audio/flac",
        "audio/ogg",
        "audio/wav",
        "application/pdf",
    }
)

_KIN = (
    # ISO base media files: the brand at the beginning does not name the content.
    frozenset(
        {
            *("video/mp4", "video/quicktime", "audio/mp4", "audio/m4a", "audio/aac", "audio/3gpp"),
            *("image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"),
            *("image/avif", "image/avif-sequence"),
        }
    ),
    # A tag before the first frame is the same in both.
    frozenset({"audio/mpeg", "audio/aac", "audio/aacp", "audio/mpa"}),
    # More can come before the root element than is read.
    frozenset({"image/svg+xml", "application/xml"}),
    frozenset({"image/tiff", "image/x-adobe-dng", "image/dng", "image/tiff-fx"}),
)
"""Types that the first bytes do not distinguish."""


def has_signature(claimed: str) -> bool:
    """True if every file of the claimed type begins with bytes that `found_type` knows."""
    bare = essence(claimed)
    return _ALIASES.get(bare, bare) in _SIGNED


def found_type(head: bytes) -> str:
    """The MIME type that the first bytes spell, "" if they spell none that is known.

    Only formats with a signature are found: JSON, Markdown and plain text have none.
    """
    head = head[:HEAD_BYTES]
    for at, signature, mime in _SIGNATURES:
        if head.startswith(signature, at):
            return mime
    return _container(head) or _markup(head)


def essence(mime: str) -> str:
    """A claimed type without its parameters, in small letters: "Text/HTML; charset=x" -> text/html.

    "" if it is not of the form type/subtype. The result has safe characters only.
    """
    bare = mime[:200].split(";", 1)[0].strip().lower()
    return bare if re.fullmatch(r"[a-z0-9!#$&^_.+-]{1,64}/[a-z0-9!#$&^_.+-]{1,127}", bare) else ""


def suffix_of(mime: str) -> str:
    """The suffix of a file for a type, with its dot; `.bin` for types outside the table."""
    bare = essence(mime)
    if bare in _SUFFIXES:
        return _SUFFIXES[bare]
    if bare.endswith("+json"):
        return ".json"
    if bare.endswith("+xml"):
        return ".xml"
    return ".txt" if bare.startswith("text/") else NO_SUFFIX


def is_text(mime: str) -> bool:
    """True if a type claims that its bytes are characters."""
    bare = essence(mime)
    return bare.startswith("text/") or bare in _TEXTS or bare.endswith(("+json", "+xml"))


def is_same_type(one: str, other: str) -> bool:
    """True if two types name one format: `audio/x-wav` and `audio/wav` do."""
    first, second = essence(one), essence(other)
    return _ALIASES.get(first, first) == _ALIASES.get(second, second)


def disagreement(claimed: str, found: str, names: Mapping[str, str]) -> str:
    """Describe the difference of a claimed type and the detected one; "" if there is none.

    `names` are the names of detected types; `found` is "" if the bytes have none.
    """
    if not found:
        return ""
    claim, name = essence(claimed), names.get(found, found)
    if not claim:
        return f"claims no type, is {name}"
    if is_same_type(claim, found) or any(
        {_ALIASES.get(claim, claim), found} <= kin for kin in _KIN
    ):
        return ""
    return f"claims {claim}, is {name}"


def text_of(data: bytes) -> str | None:
    """Decode bytes as UTF-8, None if they are not text.

    A NUL, or more than a few other control characters, never occur in text.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    odd = sum(text.count(chr(code)) for code in range(32) if chr(code) not in "\t\n\r\f\x1b")
    return text if odd * 100 <= len(text) else None


def _container(head: bytes) -> str:
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12], "")
    if head[:4] == b"OggS":
        return "video/ogg" if b"\x80theora" in head[:128] else "audio/ogg"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    if head[:2] == b"BM" and head[6:10] == b"\x00\x00\x00\x00":
        return "image/bmp"
    # MPEG audio frames, and AAC in ADTS, begin with eleven or twelve set bits.
    if len(head) > 2 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        layer, rate = head[1] >> 1 & 3, head[2] >> 4
        if layer == 0 and head[1] & 0xF6 == 0xF0:
            return "audio/aac"
        if layer != 0 and rate not in (0, 15):
            return "audio/mpeg"
    return ""


def _markup(head: bytes) -> str:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _DESKTOP_ENTRY.match(text):
        return "application/x-desktop"
    svg, html, xml = _MARKUP
    if _BEFORE_SVG.match(text) and svg[0].search(text):
        return svg[1]
    bare = re.sub(rb"\A(?:<!--.*?-->\s*)+", b"", text, flags=re.S)
    return next((mime for pattern, mime in (html, xml) if pattern.match(bare)), "")
