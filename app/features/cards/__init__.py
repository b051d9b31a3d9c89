"""Server cards, a draft of the protocol: the command that compares one with the live server."""

from typing import Final

from ...presentation.feature import Feature

FEATURE: Final = Feature()
