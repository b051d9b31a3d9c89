"""Words for a stored sign-in; never a token, and no part of one."""

from __future__ import annotations

from typing import Final

from ...content.labels import ago, coarse
from ...content.text import shortened
from ...schemas.secrets.masks import mask_text
from ...storage.sign_ins import StoredSignIn
from ...storage.state_dir import shown

NAME_SHOWN: Final = 500
_CAME: Final = {
    "registered": "registered by Signoff",
    "document": "a client id document",
    "given": "given by you",
}
_FUTURE: Final = "in the future: the clock was set back since"
NONE_STORED: Final = "no sign-ins are stored"


def name(text: str) -> str:
    """A URL, an id or scopes, masked and safe to show."""
    return shortened(mask_text(text), NAME_SHOWN)


def came_words(kind: str) -> str:
    """How the client id came."""
    return _CAME.get(kind) or shown(kind)


def signed_in_words(entry: StoredSignIn, now: float) -> str:
    """How long ago a person signed in, and the last refresh."""
    words = _past(entry.signed_in_at, now)
    if entry.refreshed_at > entry.signed_in_at:
        words += f"; refreshed {_past(entry.refreshed_at, now)}"
    return words


def end_words(until: float | None, now: float, *, has_refresh_token: bool) -> str:
    """When the access token ends, and whether it can be replaced without a person."""
    refresh = "has a refresh token" if has_refresh_token else "no refresh token"
    if until is None:
        return f"its end is not known; {refresh}"
    if until > now:
        return f"ends in {coarse(until - now)}; {refresh}"
    advice = "" if has_refresh_token else ": sign in again"
    return f"ended {_past(until, now)}; {refresh}{advice}"


def _past(at: float, now: float) -> str:
    if not at:
        return "at an unknown time"
    return _FUTURE if at > now + 1 else ago(at, now)
