"""What the HTML pages of several features share."""

from __future__ import annotations

from typing import Final

from ..approval.policies.verdicts import VerdictAnswer

VERDICT_CLASSES: Final = {
    VerdictAnswer.ALLOW: "run",
    VerdictAnswer.ASK: "ask",
    VerdictAnswer.REFUSE: "refused",
    VerdictAnswer.HIDE: "hidden",
    VerdictAnswer.JUDGE: "judge",
    VerdictAnswer.UNKNOWN: "unknown",
}


CAUTION: Final = (
    "The rules of a host are read from the source of one version on one day. "
    "Later versions may differ."
)
