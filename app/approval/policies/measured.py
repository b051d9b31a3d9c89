"""Measured decisions of a host, which count before its rules."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from ...content.frozen import frozen
from .verdicts import VerdictAnswer

Claims: TypeAlias = tuple[bool | None, bool | None, bool | None, bool | None]
"""readOnly, destructive, idempotent and openWorld as declared; None for one that is not set."""


@frozen
class MeasuredDecision:
    """What a host was seen to do with a tool of some hints."""

    answer: VerdictAnswer
    version: str
    surface: str
    """`headless`, `acp` or `screen`."""
    system: str
    date: str
    is_isolated: bool = True
    """False if the host could reach other machines; true as well if that was not noted."""

    @property
    def words(self) -> str:
        """`measured on 2026-11-27: 0.169.0, headless, linux`."""
        network = "" if self.is_isolated else ", not isolated"
        return f"measured on {self.date}: {self.version}, {self.surface}, {self.system}{network}"


class Measured(Protocol):
    """Finds measured decisions; reading them may take milliseconds at the first one."""

    def find(self, model: str, claims: Claims) -> MeasuredDecision | None:
        """The newest measured decision of a host, or of one of its modes, on these hints."""

    def version(self, model: str) -> str:
        """The newest measured version of a host, or of one of its modes; empty if none was."""
