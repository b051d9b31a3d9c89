"""The servers that a command is for, and the groups of options in the help."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from .declared import OptionGroup


class Targets(Enum):
    """What the command is about."""

    ONE = auto()
    SEVERAL = auto()
    """One server, or several at once."""
    BUNDLED = auto()
    WORDS = auto()
    """Servers behind `--` only: their commands or URLs."""


SERVER: Final = OptionGroup("options for the server", "the server")
FOUND: Final = OptionGroup("servers in configuration files", "the server")
JUDGING: Final = OptionGroup("policy and approval", "approval")
LIMITS: Final = OptionGroup("limits", "limits")
LOGS: Final = OptionGroup("logs and records", "logs")

CHOSEN: Final = (Targets.ONE, Targets.SEVERAL)
"""Commands whose server is chosen by an option."""
NOT_BUNDLED: Final = (*CHOSEN, Targets.WORDS)
