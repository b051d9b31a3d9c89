"""Verdicts as the classes by which the style of a page draws them."""

from __future__ import annotations

from typing import Final

from ...approval.policies.verdicts import VerdictAnswer

VERDICT_CLASSES: Final = {
    VerdictAnswer.ALLOW: "run",
    VerdictAnswer.ASK: "ask",
    VerdictAnswer.REFUSE: "refused",
    VerdictAnswer.HIDE: "hidden",
    VerdictAnswer.UNKNOWN: "unknown",
}
