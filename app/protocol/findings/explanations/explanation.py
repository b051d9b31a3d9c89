"""The explanation of a finding code, for people who do not know the rule behind it."""

from __future__ import annotations

from ....content.frozen import frozen


@frozen
class FindingExplanation:
    """Why a finding matters, an example of what causes it, and the fix."""

    why: str
    example: str
    fix: str
