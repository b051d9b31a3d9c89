"""With what words Signoff was started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LATE_SECONDS: Final = 5.0
"""A start that takes longer is said to be late: what is waited for, and how to leave."""


@dataclass(frozen=True, slots=True)
class Start:
    """With what words Signoff was started; exactly one of the three targets is set."""

    bundled: bool = False
    url: str = ""
    argv: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    """`NAME` or `NAME=VALUE`, as it was given."""
    policy: tuple[str, ...] = ()
    """`--policy` or `--as` with its value, empty where none was given."""
    options: tuple[tuple[str, ...], ...] = ()
    """Others that a call takes, too, each with its value: `("--protocol", "legacy")`."""
