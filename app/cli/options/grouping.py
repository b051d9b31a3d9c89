"""The servers that a command is for, and the groups of options in the help."""

from __future__ import annotations

import os
from enum import Enum, auto
from typing import Any, Final

from .declared import OptionGroup
from .meaning import Fits, OptionScope, Repeat, session_opt


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


def url_opt(words: str, help: str, repeat: Repeat = Repeat.GIVEN, **more: Any) -> Any:
    """Declare an option of a server that is reached by a URL, remembered with it by default."""
    more = {"kept": True, "fits": Fits.URL, "group": SERVER, "only": NOT_BUNDLED, **more}
    return session_opt(words, help, repeat, OptionScope.SERVER, **more)


def file_path(text: str) -> str:
    """The absolute path of a file given on the command line."""
    return os.path.abspath(os.path.expanduser(text))
