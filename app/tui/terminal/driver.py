"""The terminal driver of this platform."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from .console_driver import ConsoleDriver as TerminalDriver
else:
    from .posix_driver import PosixDriver as TerminalDriver

__all__ = ["TerminalDriver"]
