"""The bytes of a picture as a file has them."""

from __future__ import annotations

from signoff.app.core.media.image_facts import ImageFacts
from signoff.app.core.media.images import ImageRefused, decode_base64
from signoff.app.core.mime import suffix_of
from signoff.app.screens.answers.body import Saved

LIMIT = 128 * 1024 * 1024


def saved_image(data_base64: str, facts: ImageFacts) -> Saved | None:
    """The bytes as they came; None where they are no base64."""
    try:
        data = decode_base64(data_base64, LIMIT)
    except ImageRefused:
        return None
    return Saved(data, suffix_of(facts.found or facts.claimed), facts.claimed)
