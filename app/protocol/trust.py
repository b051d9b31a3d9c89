"""Trust: whether the person lets a server's hints count."""

from __future__ import annotations

from enum import StrEnum


class Trust(StrEnum):
    """A switch per server. Untrusted is the default: hints are shown, never obeyed."""

    UNTRUSTED = "untrusted"
    TRUSTED = "trusted"
