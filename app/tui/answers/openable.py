"""Whether the bytes of a part may be handed to another program, judged by what they are.

A viewer trusts the file that it opens. So only kinds that are looked at and not run are opened, by
the type that the bytes spell; the type that the server claims never decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...content.mime import essence, found_type, is_same_type, suffix_of, text_of

_PLAIN = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/bmp",
        "image/tiff",
        "image/avif",
        "image/heic",
        "image/jxl",
        "audio/wav",
        "audio/mpeg",
        "audio/ogg",
        "audio/flac",
        "audio/mp4",
        "audio/aac",
        "audio/midi",
        "video/mp4",
        "video/webm",
        "video/ogg",
        "video/quicktime",
        "video/x-msvideo",
    }
)
_RISKY = {
    "application/pdf": "A PDF can hold scripts, forms and links; its viewer may act on them.",
    "application/rtf": "A rich text can embed other files; its editor may open them.",
}
_REFUSED = {
    "application/x-executable": "it is a program",
    "application/vnd.microsoft.portable-executable": "it is a Windows program",
    "application/x-mach-binary": "it is a program",
    "application/java-vm": "it is a program",
    "application/wasm": "it is a program",
    "text/x-script": "it is a script",
    "application/x-desktop": "it is a launcher, which starts a program",
    "application/x-ms-shortcut": "it is a shortcut, which starts a program",
    "text/html": "a web page runs scripts",
    "image/svg+xml": "an SVG can run scripts and load from elsewhere",
    "application/xml": "XML can be a web page, or load from elsewhere",
    "application/postscript": "PostScript is a program",
    "application/x-ole-storage": "an office document of this kind can hold macros",
    "application/zip": "an archive or office document can hold anything",
}
_ARCHIVE = "an archive can hold anything"


@dataclass(frozen=True, slots=True)
class Openable:
    """What opening would mean. `refusal` says why it is not done, "" where it may be asked."""

    found: str
    """The type by the bytes: a MIME type, `text/plain`, or "" for unknown."""
    suffix: str
    refusal: str = ""
    warning: str = ""
    """Why it takes a second look, "" where it does not."""
    disagreement: str = ""
    """What the server claims instead, in words."""


def look_at(data: bytes, claimed: str) -> Openable:
    """Judge bytes by their signature, else as text; `claimed` is the server's word for them."""
    found = found_type(data)
    if not found and text_of(data) is not None:
        # Whatever language it claims: as plain text it is shown, and never run.
        return Openable("text/plain", ".txt")
    if not found:
        return Openable("", ".bin", refusal="its bytes are of no kind that is known")
    claim = essence(claimed)
    disagreement = ""
    if claim and not is_same_type(claim, found):
        disagreement = f"the server claims {claim}, the bytes are {found}"
    suffix = suffix_of(found)
    if found in _PLAIN:
        return Openable(found, suffix, disagreement=disagreement)
    if found in _RISKY:
        return Openable(found, suffix, warning=_RISKY[found], disagreement=disagreement)
    refusal = _REFUSED.get(found, _ARCHIVE if _is_archive(found) else "nothing is known to show it")
    return Openable(found, suffix, refusal=refusal, disagreement=disagreement)


def _is_archive(mime: str) -> bool:
    return suffix_of(mime) in (".gz", ".bz2", ".xz", ".zst", ".tar", ".7z", ".rar")
